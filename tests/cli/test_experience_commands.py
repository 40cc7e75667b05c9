"""Known evaluations and earlier runs on the command line."""

import json

import numpy as np
import pytest

import autov
from tests.cli.running import run

RUN = ("minimize", "sphere", "--dim", "3", "--maxfev", "40", "--runs", "2", "--algorithm", "de", "--popsize", "10")


def test_known_evaluations_of_a_file(capsys, tmp_path):
    x = np.random.default_rng(1).uniform(-50, 50, (30, 3))
    f = (x**2).sum(axis=1) - 1e6
    (tmp_path / "known.csv").write_text("\n".join(",".join(map(repr, [*r, v])) for r, v in zip(x.tolist(), f.tolist(), strict=True)))  # fmt: skip # noqa: E501
    code, out, _ = run(capsys, *RUN, "--known", str(tmp_path / "known.csv"), "--json")
    assert code == 0
    found = json.loads(out)
    assert found["values"] == [f.min()] * 2
    assert found["best_x"] == x[f.argmin()].tolist()


@pytest.mark.parametrize(
    ("problem", "text"), [("sphere", "1,2\n"), ("sphere", "1,2,3,nan\n"), ("sphere+translate=run", "1,2,3,4\n")]
)
def test_bad_known_evaluations_are_one_line(capsys, tmp_path, problem, text):
    (tmp_path / "known.csv").write_text(text)
    arguments = [problem if part == "sphere" else part for part in RUN]
    code, _, errors = run(capsys, *arguments, "--known", str(tmp_path / "known.csv"))
    assert code == 2
    assert errors.count("\n") == 1
    assert "known: " in errors


def test_earlier_runs_are_learnt_from_and_shown(capsys, tmp_path):
    path, x = tmp_path / "runs.db", np.array([30.0, -40.0, 10.0])
    for seed in range(3):
        autov.minimize(
            lambda y: float(((y - x) ** 2).sum()), [(-100, 100)] * 3, maxfev=400, rng=seed, store=path, context=[seed]
        )
    cold = json.loads(run(capsys, *RUN, "--json")[1])
    moved = ("minimize", "sphere+translate=-30", *RUN[2:])
    code, out, _ = run(capsys, *moved, "--learn-from", str(path), "--context", "1", "--json")
    assert code == 0
    assert np.mean(json.loads(out)["values"]) != np.mean(cold["values"])
    shown = run(capsys, "show", str(path))[1]
    assert "3 runs, 1,200 evaluations" in shown
    assert "\n  x1 |" in shown
    assert shown.endswith(f"\nThe next run starts there: autov minimize PROBLEM --learn-from {path}\n")
    (kind,) = json.loads(run(capsys, "show", str(path), "--json")[1])
    assert np.allclose(kind["optima"], x, atol=1)
    assert run(capsys, "show", str(tmp_path / "none.db"))[0] == 2
    (tmp_path / "text.db").write_text("no store")
    assert run(capsys, "show", str(tmp_path / "text.db"))[0] == 2
