"""Searches survive: interrupted, killed at any moment, resumed with the same bits; foreign files are refused."""

import html
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from autov.cli.app import app
from autov.core import FileError, InputError, read_arrays, write_arrays
from autov.designer import TrialBudget, design
from autov.designer.checkpoint import FORMAT, VERSION, Checkpoint
from autov.operators import load_operator
from autov.problems import function_problem
from autov.reports.design_page import design_page
from autov.runs.evaluation import FaultPolicy, sentence

TINY = {"space": "operator", "known": False, "population": 8, "generations": 6, "trial": TrialBudget(10, 6, 3),
        "rng": 1, "rows": 3, "dim": 3}  # fmt: skip


def test_resumed_equals_whole(tmp_path):
    whole = design("sphere", **TINY)
    part = tmp_path / "a" / "search.npz"
    design("sphere", checkpoint=part, **(TINY | {"generations": 2}))
    again = design("sphere", checkpoint=part, resume=True, **TINY)
    assert again.operator == whole.operator
    assert np.array_equal(again.retested, whole.retested)
    assert np.array_equal(again.history, whole.history)
    assert not list(part.parent.glob("*.partial"))


def test_checkpoints_are_not_overwritten_silently(tmp_path):
    path = tmp_path / "search.npz"
    design("sphere", checkpoint=path, **TINY)
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"^checkpoint: .* holds a search"):
        design("sphere", checkpoint=path, **TINY)
    with pytest.raises(FileError, match="seed was 1, is 2"):
        design("sphere", checkpoint=path, resume=True, **(TINY | {"rng": 2}))
    with pytest.raises(FileError, match="other settings"):
        design("ackley", checkpoint=path, resume=True, **TINY)
    assert path.read_bytes() == before


def test_the_checkpoint_is_there_before_the_first_evaluation(tmp_path):
    path, seen = tmp_path / "search.npz", []

    def bowl(x):
        seen.append(path.exists() and Checkpoint.read(path).settings["seed"])
        return (x**2).sum(axis=1)

    options = {key: value for key, value in TINY.items() if key != "dim"}
    design(function_problem(bowl, [(-1, 1)] * 3, vectorized=True), checkpoint=path, evaluations=20_000, **options)
    first = seen.index(1)
    assert not any(seen[:first])  # they tell how long a call takes
    assert set(seen[first:]) == {1}


def test_checkpoints_with_settings_that_are_gone_go_on(tmp_path):
    path = tmp_path / "search.npz"
    design("sphere", checkpoint=path, **(TINY | {"generations": 2}))
    head, arrays = read_arrays(path, FORMAT, VERSION)
    arrays.pop("head")
    write_arrays(path, head | {"settings": head["settings"] | {"early_stop": True}}, arrays)
    assert design("sphere", checkpoint=path, resume=True, **TINY).operator == design("sphere", **TINY).operator


def test_a_search_begun_under_the_former_name_of_its_searcher_goes_on(tmp_path):
    path = tmp_path / "search.npz"
    design("sphere", checkpoint=path, **(TINY | {"generations": 2}))
    head, arrays = read_arrays(path, FORMAT, VERSION)
    arrays.pop("head", None)
    write_arrays(path, head | {"settings": head["settings"] | {"searcher": "autov"}}, arrays)
    again = design("sphere", checkpoint=path, resume=True, **TINY)
    assert np.array_equal(again.history, design("sphere", **TINY).history)


def test_a_search_begun_in_single_precision_is_refused(tmp_path):
    path = tmp_path / "search.npz"
    design("sphere", checkpoint=path, **(TINY | {"generations": 2}))
    head, arrays = read_arrays(path, FORMAT, VERSION)
    arrays.pop("head", None)
    write_arrays(path, head | {"settings": head["settings"] | {"inner_precision": "single"}}, arrays)
    with pytest.raises(FileError, match="inner_precision was 'single'"):
        design("sphere", checkpoint=path, resume=True, **TINY)


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b[:0], lambda b: b"PK\x03\x04" + b[40:]])
def test_broken_checkpoints_are_refused(tmp_path, damage):
    path = tmp_path / "search.npz"
    design("sphere", checkpoint=path, **TINY)
    path.write_bytes(damage(path.read_bytes()))
    broken = path.read_bytes()
    with pytest.raises(FileError, match="broken checkpoint"):
        design("sphere", checkpoint=path, resume=True, **TINY)
    assert path.read_bytes() == broken


def test_interrupt_writes_a_checkpoint(tmp_path):
    def stop(progress):
        if progress.state.generation == 3:
            raise KeyboardInterrupt

    path = tmp_path / "search.npz"
    with pytest.raises(KeyboardInterrupt):
        design("sphere", checkpoint=path, progress=stop, **TINY)
    again = design("sphere", checkpoint=path, resume=True, **TINY)
    assert again.operator == design("sphere", **TINY).operator


@pytest.mark.parametrize("stop", [0, 2], ids=["before the first checkpoint", "after it"])
def test_what_was_spent_to_measure_counts_once(tmp_path, stop):
    calls = []

    def bowl(x):
        calls.append(x)
        if len(calls) == 20 and not stop:
            raise KeyboardInterrupt
        return float((x**2).sum())

    def ends(progress):
        if stop and progress.state.generation == stop:
            raise KeyboardInterrupt

    options = {key: value for key, value in TINY.items() if key != "dim"} | {"workers": 1}
    problem, path = function_problem(bowl, [(-1, 1)] * 3, key="bowl"), tmp_path / "search.npz"
    with pytest.raises(KeyboardInterrupt):
        design(problem, checkpoint=path, progress=ends, **options)
    assert Checkpoint.read(path).generation == (stop or -1)
    again = design(problem, checkpoint=path, resume=True, **options)
    assert again.spent == design(problem, **options).spent
    assert again.spent["measure"] == 6


COMMAND = [
    sys.executable, "-m", "autov", "design", "rastrigin", "--dim", "8", "--population", "20", "--generations", "30",
    "--runs", "3", "--trial-popsize", "30", "--trial-generations", "40", "--seed", "5", "--rows", "4", "--json",
    "--space", "operator",
]  # fmt: skip


def wait_for(condition, process=None, seconds=120):
    """Poll; a generous limit only against waiting for ever."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        if process is not None and process.poll() is not None:
            return
        time.sleep(0.002)


@pytest.mark.cold
def test_killed_in_the_middle_it_ends_with_the_same_operator(tmp_path, monkeypatch):
    """Killed whenever a few more checkpoints were written, so that every session makes progress and none the whole."""
    monkeypatch.setenv("AUTOV_CHECKPOINT_SECONDS", "0")
    subprocess.run([*COMMAND, "--out", str(tmp_path / "whole")], check=True, capture_output=True)
    moments = random.Random(1)
    folder = tmp_path / "killed"
    file = folder / "search.npz"
    killed = 0
    for _ in range(2):
        before = saved_generation(file)
        with subprocess.Popen([*COMMAND, "--out", str(folder), "--resume"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:  # fmt: skip
            wanted = before + moments.randint(2, 9)
            wait_for(lambda wanted=wanted: saved_generation(file) >= wanted, process)
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                killed += 1
            process.wait()
    assert killed == 2
    assert 0 < saved_generation(file) < 30
    subprocess.run([*COMMAND, "--out", str(folder), "--resume"], check=True, capture_output=True)
    assert load_operator(folder / "operator.json") == load_operator(tmp_path / "whole" / "operator.json")
    assert (folder / "history.csv").read_text() == (tmp_path / "whole" / "history.csv").read_text()


def saved_generation(file):
    """The generation of a checkpoint that is being replaced all the time; -1 if there is none yet."""
    try:
        with np.load(file, allow_pickle=False) as data:
            return json.loads(str(data["head"]))["generation"]
    except FileNotFoundError:
        return -1


# Shells start background jobs with SIGINT ignored, and children inherit that: ask for the handler that people have.
WITH_CTRL_C = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from autov.cli import main; main(sys.argv[1:])"
)


@pytest.mark.cold
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(tmp_path, number):
    command = [sys.executable, "-c", WITH_CTRL_C, *COMMAND[3:], "--generations", "100000", "--out", str(tmp_path / "c")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_for((tmp_path / "c" / "search.npz").exists, process)
            process.send_signal(number)
            _, error = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "--resume" in error
    assert "Traceback" not in error


@pytest.mark.cold
def test_ctrl_c_while_libraries_load_is_quiet():
    code = (
        "import sys\nclass Interrupting:\n    def find_spec(self, name, *_):\n        if name == 'typer':\n"
        "            raise KeyboardInterrupt\nsys.meta_path.insert(0, Interrupting())\n"
        "from autov.cli import main\nmain(['--version'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "autov: interrupted\n")


@pytest.mark.cold
def test_results_in_the_folder(tmp_path):
    folder = tmp_path / "out"
    done = subprocess.run(
        [*COMMAND, "--out", str(folder), "--generations", "3"], check=True, capture_output=True, text=True
    )
    summary = json.loads(done.stdout)
    assert summary["retested_means"] == pytest.approx(
        {"rastrigin+family=translate": np.mean(summary["retested_values"])}
    )
    known = set() if summary["baseline"] is None else {summary["baseline"]}
    compared = set(summary["comparison"]["rastrigin+family=translate"])
    assert compared == {"designed", "general", "paper-h3", "uniform crossover"} - known
    names = {path.name for path in folder.iterdir()}
    written = {"optimizer.json", "operator.json", "history.csv", "convergence.svg", "report.html"}
    assert names == {*written, "search.npz", "search.npz.candidates"}
    page = (folder / "report.html").read_text()
    assert "src=" not in page
    assert not re.search(r'href="(?!#)', page)  # links inside the page's own plots are fine
    assert "autov design rastrigin" in re.sub("<[^>]+>", "", page)
    assert len((folder / "history.csv").read_text().splitlines()) == 5
    assert load_operator(folder / "operator.json").provenance["seed"] == 5


def test_a_checkpoint_of_another_function_is_refused(tmp_path):
    path = tmp_path / "search.npz"
    options = {key: value for key, value in TINY.items() if key != "dim"}

    def bowl(x):
        return (x**2).sum(axis=1)

    design(function_problem(bowl, [(-1, 1)] * 3, vectorized=True), checkpoint=path, **options)
    with pytest.raises(FileError, match="identities"):
        design(function_problem(bowl, [(-9, 9)] * 3, vectorized=True), checkpoint=path, resume=True, **options)


def test_fewer_generations_than_made_are_refused(tmp_path):
    path = tmp_path / "search.npz"
    design("sphere", checkpoint=path, **TINY)
    with pytest.raises(InputError, match="has made 6 already"):
        design("sphere", checkpoint=path, resume=True, **(TINY | {"generations": 2}))


def test_infinite_fitness_can_be_written(tmp_path):
    def hopeless(x):
        return np.full(len(x), np.nan)

    options = {key: value for key, value in TINY.items() if key != "dim"}
    found = design(function_problem(hopeless, [(-1, 1)] * 2, vectorized=True), **options)
    found.operator.save(tmp_path / "operator.json")
    assert load_operator(tmp_path / "operator.json").provenance["fitness"] == "inf"


def times(a):
    def scaled(x):
        return a * (x**2).sum(axis=1)

    return scaled


def test_functions_with_other_values_inside_are_other_problems(tmp_path):
    path = tmp_path / "search.npz"
    options = {key: value for key, value in TINY.items() if key != "dim"}
    bounds = [(-1, 1)] * 2
    design(function_problem(times(1.0), bounds, vectorized=True), checkpoint=path, **options)
    design(function_problem(times(1.0), bounds, vectorized=True), checkpoint=path, resume=True, **options)
    with pytest.raises(FileError, match="identities"):
        design(function_problem(times(2.0), bounds, vectorized=True), checkpoint=path, resume=True, **options)
    first, second = ({"np": np}, {"np": np})
    exec("def bowl(x): return (x ** 2).sum(axis=1)", first)
    exec("def bowl(x): return (x ** 4).sum(axis=1)", second)
    other = tmp_path / "other.npz"
    design(function_problem(first["bowl"], bounds, vectorized=True), checkpoint=other, **options)
    with pytest.raises(FileError, match="identities"):
        design(function_problem(second["bowl"], bounds, vectorized=True), checkpoint=other, resume=True, **options)


def test_without_a_seed_that_of_the_checkpoint_is_taken(tmp_path):
    path = tmp_path / "search.npz"
    options = {key: value for key, value in TINY.items() if key != "rng"}
    first = design("sphere", checkpoint=path, **(options | {"generations": 2}))
    again = design("sphere", checkpoint=path, resume=True, **options)
    assert again.settings["seed"] == first.settings["seed"]
    assert again.operator == design("sphere", rng=first.settings["seed"], **options).operator


def test_what_comes_after_the_search_may_change_when_it_goes_on(tmp_path):
    path = tmp_path / "search.npz"
    design("sphere", checkpoint=path, **TINY)
    again = design("sphere", checkpoint=path, resume=True, retest_runs=5, race_runs=3, **TINY)
    assert again.retested.shape == (1, 5)


def test_the_time_of_earlier_sessions_counts(tmp_path):
    path = tmp_path / "search.npz"
    design("sphere", checkpoint=path, **(TINY | {"generations": 2}))
    with np.load(path, allow_pickle=False) as data:
        arrays = dict(data)
    head = json.loads(str(arrays["head"]))
    np.savez(path, **(arrays | {"head": np.array(json.dumps(head | {"seconds": 1e6}))}))
    assert 1e6 < design("sphere", checkpoint=path, resume=True, **TINY).seconds < 1e6 + 600


def partial_bowl(x):
    if x[0] > 0.5:
        raise ValueError("no value here")
    return float((x**2).sum())


class StoppedError(Exception):
    """Ends a search from its progress."""


@pytest.mark.parametrize("at", [0, 3])
def test_failed_evaluations_of_earlier_sessions_count(tmp_path, monkeypatch, at):
    """Those before the last checkpoint and those after it, and each once; stopped before the first checkpoint, too."""
    monkeypatch.setattr("autov.designer.search_files.CHECKPOINT_SECONDS", 1e9 if at == 0 else 0.0)
    options = TINY | {"bounds": [(-1, 1)] * 3, "dim": None, "workers": 1, "retest_runs": 3}
    options["faults"] = FaultPolicy(on_error="worst")
    whole = design(partial_bowl, **options)
    assert whole.failed["raised"] > 0
    assert whole.first_failure.startswith("ValueError: no value here")

    def stop(progress):
        if progress.state.generation == at:
            raise StoppedError

    path = tmp_path / "search.npz"
    with pytest.raises(StoppedError):
        design(partial_bowl, checkpoint=path, progress=stop, **options)
    assert Checkpoint.read(path).generation == (at or -1)
    again = design(partial_bowl, checkpoint=path, resume=True, **options)
    assert again.failed == whole.failed
    assert again.provenance["failed"] == whole.failed
    if at:
        assert again.first_failure == whole.first_failure
        said = sentence(whole.failed, whole.first_failure)
        assert said in html.unescape(design_page(again, [], "autov design"))
        again.save(tmp_path / "optimizer.json")
        shown = CliRunner().invoke(app, ["show", str(tmp_path / "optimizer.json")]).stdout
        assert f"failed evaluations: {whole.failed['raised']:,} raised" in shown


def test_checkpoints_with_strange_counts_are_refused(tmp_path):
    options = TINY | {"bounds": [(-1, 1)] * 3, "dim": None, "workers": 1, "retest_runs": 3}
    options["faults"] = FaultPolicy(on_error="worst")
    path = tmp_path / "search.npz"
    design(partial_bowl, checkpoint=path, **options)
    head, arrays = read_arrays(path, FORMAT, VERSION)
    arrays.pop("head")
    for strange in ([], {"counts": {"raised": -1}, "first": ""}, {"counts": {"raised": "1"}, "first": ""},
                    {"counts": {}, "first": 3}, {"counts": {"eaten": 1}, "first": ""}):  # fmt: skip
        write_arrays(path, head | {"failed": strange}, arrays)
        with pytest.raises(FileError, match="broken checkpoint"):
            design(partial_bowl, checkpoint=path, resume=True, **options)


@pytest.mark.parametrize("refused", [{"evaluations": 10}, {"panel": "general"}, {"generations": 0, "time": "0.001s"}])
def test_a_refused_design_leaves_no_folder(tmp_path, refused):
    path = tmp_path / "runs" / "mine" / "search.npz"
    with pytest.raises(InputError):
        design("sphere", checkpoint=path, **(TINY | refused))
    assert not any(tmp_path.iterdir())
    (tmp_path / "runs").mkdir()
    with pytest.raises(InputError):
        design("sphere", checkpoint=path, **(TINY | refused))
    assert [each.name for each in tmp_path.rglob("*")] == ["runs"]


def test_an_interrupted_design_keeps_its_folder(tmp_path):
    def ends(progress):  # noqa: ARG001
        raise KeyboardInterrupt

    path = tmp_path / "mine" / "search.npz"
    with pytest.raises(KeyboardInterrupt):
        design("sphere", checkpoint=path, progress=ends, **TINY)
    assert path.exists()
