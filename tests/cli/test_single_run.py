"""One run of ``autov minimize``."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import autov
from autov.cli.single_run import EvaluationCounter, point_lines
from autov.runs.result import Result
from tests.cli.test_commands import run
from tests.engines.calls import until

OWN = (
    "import time\nfrom pathlib import Path\n\nfrom scipy.optimize import NonlinearConstraint\n\n\n"
    "def cost(x):\n    with Path('PLACE').open('a') as file:\n        file.write('.')\n"
    "    return float((x**2).sum())\n\n\ndef slow(x):\n    time.sleep(0.02)\n    return cost(x)\n\n\n"
    "limit = NonlinearConstraint(lambda x: x[0] + x[1], 1, 9)\n"
)
BOX = ("--dim", "2", "--lower", "-5", "--upper", "5")


@pytest.fixture
def own(tmp_path):
    (tmp_path / "own_single.py").write_text(OWN.replace("PLACE", str(tmp_path / "calls")))
    return f"{tmp_path / 'own_single.py'}:cost"


def test_one_run_is_the_default_and_ends_when_it_has_converged(capsys, own, tmp_path):
    code, out, _ = run(capsys, "minimize", own, *BOX, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["success"]
    assert found["nfev"] == len((tmp_path / "calls").read_text()) < 3000
    assert found["fun"] < 1e-8


def test_the_same_as_in_python(capsys):
    code, out, _ = run(capsys, "minimize", "rosenbrock", "--dim", "3", "--maxfev", "300", "--seed", "7", "--json")
    result = autov.minimize("rosenbrock", dim=3, maxfev=300, rng=7)
    assert code == 0
    assert json.loads(out)["x"] == result.x.tolist()


def test_integers_constraints_and_a_first_point(capsys, own, tmp_path):
    file = tmp_path / "run.json"
    limit = own.replace(":cost", ":limit")
    code, out, _ = run(capsys, "minimize", own, *BOX, "--maxfev", "400", "--integers", "2", "--constraints", limit,
                       "--x0=4,4", "--out", str(file))  # fmt: skip
    found = json.loads(file.read_text())
    assert code == 0
    assert found["x"][1] == round(found["x"][1])
    assert found["maxcv"] == 0
    assert found["fun"] == pytest.approx(1.0, abs=0.01)
    assert "x1 = " in out
    assert "x2 = " in out
    assert out.endswith(f"\nwrote {file}\n")


def test_a_store_keeps_evaluations(capsys, own, tmp_path):
    arguments = ("minimize", own, *BOX, "--maxfev", "60", "--store", str(tmp_path / "runs.db"), "--json")
    first = json.loads(run(capsys, *arguments)[1])
    second = json.loads(run(capsys, *arguments)[1])
    assert len((tmp_path / "calls").read_text()) == 60
    assert first["x"] == second["x"]


@pytest.mark.parametrize(
    ("more", "word"),
    [(("--x0", "1"), "--x0"), (("--integers", "3"), "--integers"), (("--integers", "a"), "--integers"),
     (("--runs", "2", "--store", "x.db"), "--store"),
     (("--out", "x.txt"), "--out"), (("--out", "x.html", "--runs", "2"), "--out"),
     (("--runs", "2", "--x0", "1,1"), "--x0")],
)  # fmt: skip
def test_bad_input_is_one_line(capsys, own, tmp_path, more, word):
    code, _, err = run(capsys, "minimize", own, *BOX, "--maxfev", "20", *more)
    assert code == 2
    assert err.startswith(f"autov: {word}: ")
    assert err.count("\n") == 1
    assert not (tmp_path / "calls").exists()


def test_a_page_of_its_own(capsys, own, tmp_path):
    page = tmp_path / "run.html"
    assert run(capsys, "minimize", own, *BOX, "--maxfev", "60", "--integers", "1", "--out", str(page))[0] == 0
    text = page.read_text()
    assert "<svg" in text
    assert "x2" in text
    assert "http" not in text.replace("http://www.w3.org", "")


@pytest.mark.cold
@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_leaves_the_best_point(own, tmp_path, workers):
    out = tmp_path / "run.json"
    command = [sys.executable, "-m", "autov", "minimize", own.replace(":cost", ":slow"), *BOX, "--maxfev", "5000",
               "--workers", workers, "--out", str(out)]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    calls = tmp_path / "calls"
    assert until(lambda: calls.exists() and calls.stat().st_size > 9, 300)
    process.send_signal(signal.SIGINT)
    while process.poll() is None:  # people press it again
        time.sleep(0.002)
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    found = json.loads(out.read_text())
    assert found["interrupted"]
    assert found["fun"] == pytest.approx(float(np.square(found["x"]).sum()))
    assert "Best value" in err
    assert "  x1 = " in err


def test_the_cost_is_announced_once_where_it_is_high(capsys):
    shown = []
    times = iter([0.0, 9.0, 10.0, 11.0, 12.0])
    counter = EvaluationCounter(lambda *facts: shown.append(facts), 1000, lambda: next(times))
    for made in (10, 20, 30, 40):
        counter(Result(nfev=made, fun=1.0))
    assert capsys.readouterr().err.count("100 ms an evaluation") == 1
    assert shown[-1] == (40, 1000, pytest.approx(96.0), 1.0)


def test_batches_that_compile_do_not_count_for_the_time_left(capsys):
    shown = []
    times = iter([0.0, 20.0, 45.0, 45.3, 45.6, 45.9])
    counter = EvaluationCounter(lambda *facts: shown.append(facts), 1000, lambda: next(times))
    for made in (13, 26, 36, 46, 56):
        counter(Result(nfev=made, fun=1.0))
    assert "30 ms an evaluation" in capsys.readouterr().err
    assert shown[-1][2] == pytest.approx(0.03 * 944)


def test_no_variable_is_hidden_and_no_number_broken():
    problem = autov.function_problem(sum, [(0, 1)] * 30, key="flat")
    result = Result(x=np.linspace(1, 12.5534, 30), fun=0.0)
    lines = point_lines(result, problem, 80)
    assert all(len(line) <= 80 for line in lines)
    assert " ".join(lines).count(" = ") == 30
    assert "12.5534" in lines[-1]
