"""Logs for ioh's Analyzer and data for cocopp, from stored traces."""

import json
import subprocess
import sys

import numpy as np
import pytest

from autov.core import InputError
from autov.experiments import best_points, compare
from autov.problems import function_problem, resolve_problem
from autov.reports import write_coco_data, write_ioh_logs

pytest.importorskip("ioh", exc_type=ImportError)
OPTIONS = {"dim": 2, "maxfev": 150, "popsize": 10, "runs": 3, "workers": 1}
READ = """
import json, sys, warnings
warnings.simplefilter("ignore")
import cocopp
cocopp.genericsettings.verbose = False
found = cocopp.pproc.DataSetList(sys.argv[1])
print(json.dumps([[d.funcId, d.dim, d.instancenumbers, [int(n) for n in d._maxevals],
                   [float(f) for f in d.finalfunvals], d._evals.tolist()] for d in found]))
"""


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    store = tmp_path_factory.mktemp("logs") / "results.db"
    names = ["bbob-f1+instance=1..2", "bbob-f1+instance=3", "bbob-f8", "sphere", "rastrigin+translate=run"]
    compare(["de", "paper-h3"], names, store=store, **OPTIONS)
    return compare(["de", "paper-h3"], names, store=store, **OPTIONS)  # all of it comes from the file


def blocks(text):
    found = [part.strip().splitlines() for part in text.split("evaluations raw_y\n") if part.strip()]
    return [[tuple(map(float, line.split())) for line in block] for block in found]


def test_logs_of_ioh_hold_all_improvements(compared, tmp_path):
    folders = write_ioh_logs(compared, tmp_path / "logs")
    assert [folder.name for folder in folders] == ["de", "paper-h3"]
    head = json.loads((folders[0] / "IOHprofiler_f1_Sphere.json").read_text())
    assert (head["suite"], head["function_id"], head["function_name"]) == ("bbob", 1, "Sphere")
    assert head["algorithm"]["name"] == "de"
    (scenario,) = head["scenarios"]
    assert scenario["dimension"] == 2
    assert [run["instance"] for run in scenario["runs"]] == [1, 2, 1, 3, 3, 3]
    assert {run["evals"] for run in scenario["runs"]} == {150}
    found = blocks((folders[0] / scenario["path"]).read_text())
    assert len(found) == 6
    trace = compared.courses("bbob-f1+instance=1..2", "de")[1]
    minimum = compared.minimum("bbob-f1+instance=1..2", 1)
    assert [(c, g) for c, g in found[1][: len(trace.counts)]] == [
        (c, b - minimum) for c, b in zip(*(part.tolist() for part in trace), strict=True)
    ]
    assert found[1][-1][0] == 150
    best = scenario["runs"][1]["best"]
    assert best["y"] == compared.values("bbob-f1+instance=1..2", "de")[1] - minimum
    assert (best["evals"], best["y"]) in found[1]


def test_other_functions_have_numbers_of_their_own(compared, tmp_path):
    folder = write_ioh_logs(compared, tmp_path)[1]
    assert (folder / "IOHprofiler_f8_Rosenbrock.json").exists()
    sphere = json.loads((folder / "IOHprofiler_f104_sphere.json").read_text())
    assert [run["instance"] for run in sphere["scenarios"][0]["runs"]] == [1, 1, 1]
    moved = json.loads((folder / "IOHprofiler_f105_rastrigin-translate-run.json").read_text())
    assert [run["instance"] for run in moved["scenarios"][0]["runs"]] == [1, 2, 3]
    assert (folder / moved["scenarios"][0]["path"]).exists()


def test_cocopp_reads_the_data(compared, tmp_path):
    pytest.importorskip("cocopp", exc_type=ImportError)
    folders = write_coco_data(compared, tmp_path / "coco")
    assert sorted(p.name for p in folders[1].iterdir()) == ["bbobexp_f1.info", "bbobexp_f8.info", "data_f1", "data_f8"]
    done = subprocess.run([sys.executable, "-c", READ, folders[1]], capture_output=True, text=True, check=True)
    first, second = sorted(json.loads(done.stdout.splitlines()[-1]))
    assert first[:3] == [1, 2, [1, 2, 1, 3, 3, 3]]
    assert second[:3] == [8, 2, [1, 1, 1]]
    assert set(first[3] + second[3]) == {150}
    names = ("bbob-f1+instance=1..2", "bbob-f1+instance=3")
    gaps = [compared.values(n, "paper-h3")[r] - compared.minimum(n, r) for n in names for r in range(3)]
    assert np.allclose(first[4], gaps, rtol=1e-8)
    courses = [course for n in names for course in compared.courses(n, "paper-h3")]
    for target, *counts in first[5]:  # evaluations at which cocopp sees each target reached
        for count, course, gap in zip(counts, courses, gaps, strict=True):
            offset = course.bests[-1] - gap
            reached = course.counts[course.bests - offset <= target * (1 + 1e-9)]
            assert count == reached[0] if len(reached) else not np.isfinite(count)


def test_data_of_coco_need_a_bbob_function(tmp_path):
    compared = compare("de", "sphere", rng=1, store=None, **OPTIONS)
    with pytest.raises(InputError, match=r"coco data: only runs on bbob-f1..bbob-f24 have a place there, got sphere"):
        write_coco_data(compared, tmp_path)


def test_logs_of_ioh_have_points_if_they_are_given(compared, tmp_path):
    found = best_points(compared)
    folder = write_ioh_logs(compared, tmp_path, found)[0]
    head = json.loads((folder / "IOHprofiler_f104_sphere.json").read_text())
    (scenario,) = head["scenarios"]
    lines = (folder / scenario["path"]).read_text().splitlines()
    assert lines[0] == "evaluations raw_y x0 x1"
    table = np.array([line.split() for line in lines if not line.startswith("e")], dtype=float)
    assert resolve_problem("sphere", dim=2)(table[:, 2:], np.random.default_rng(1)) == pytest.approx(table[:, 1])
    assert table[:, 0].max() == 150
    for run, value in zip(scenario["runs"], compared.values("sphere", "de"), strict=True):
        assert run["best"]["y"] == value
        assert (np.array(run["best"]["x"]) ** 2).sum() == pytest.approx(value)
    moved = found["rastrigin+translate=run", "paper-h3", 2]  # of instance 2, which the run met
    instance = resolve_problem("rastrigin+translate=run", dim=2).instance(2)
    assert instance(moved.points, np.random.default_rng(1)) == pytest.approx(moved.values)


def test_a_run_that_is_not_the_same_again_has_no_points():
    calls = []

    def drifting(x):
        calls.append(0)
        return float((x**2).sum()) + len(calls)

    problem = function_problem(drifting, [(-1, 1)] * 2, name="drifting", key="drifting")
    made = compare({"de": "de"}, problem, runs=1, maxfev=30, popsize=10, store=None, workers=1, rng=1)
    with pytest.raises(InputError, match="is not the same when it is repeated"):
        best_points(made)
