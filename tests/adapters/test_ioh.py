"""autov on problems of ioh, seen by its Analyzer logger."""

import json

import ioh
import numpy as np
import pytest

from autov.adapters.ioh import IOHAlgorithm
from autov.core import InputError


def logged(folder, name):
    """Rows of (evaluations, value) and the facts that the Analyzer wrote."""
    info = json.loads(next((folder / name).glob("*.json")).read_text())
    data = next((folder / name).rglob("*.dat")).read_text().split("\n")
    return info, np.array([line.split() for line in data if line and line[0].isdigit()], dtype=float)


@pytest.mark.parametrize("algorithm", ["paper-h3", "shade", "ma-es", "scipy:de"])
def test_the_logger_sees_every_evaluation(tmp_path, algorithm):
    problem = ioh.get_problem(1, instance=1, dimension=3)
    logger = ioh.logger.Analyzer(root=str(tmp_path), folder_name="out", algorithm_name=algorithm)
    problem.attach_logger(logger)
    found = IOHAlgorithm(algorithm, maxfev=600, popsize=20, seed=1)(problem)
    assert problem.state.evaluations == found.nfev == 600
    assert problem.state.current_best.y == found.fun
    problem.detach_logger()
    logger.close()
    info, rows = logged(tmp_path, "out")
    assert info["algorithm"]["name"] == algorithm
    run = info["scenarios"][0]["runs"][0]
    assert run["evals"] == 600
    assert rows[:, 1].min() == pytest.approx(run["best"]["y"], abs=1e-9)
    assert rows[-1, 0] == 600


def test_experiment_runs_differ_and_repeat(tmp_path):
    def finals(folder):
        experiment = ioh.Experiment(
            IOHAlgorithm("paper-h3", maxfev=200, popsize=20, seed=4), fids=[1], iids=[1], dims=[2], reps=2, njobs=1,
            output_directory=str(tmp_path), folder_name=folder, zip_output=False, algorithm_name="paper-h3",
            problem_class=ioh.ProblemClass.BBOB,
        )  # fmt: skip
        experiment()
        info, _ = logged(tmp_path, folder)
        return [run["best"]["y"] for run in info["scenarios"][0]["runs"]]

    first = finals("a")
    assert len(set(first)) == 2
    assert finals("b") == first


def test_integer_problems_are_refused():
    with pytest.raises(InputError, match=r"^problem: "):
        IOHAlgorithm("paper-h3", maxfev=100)(ioh.get_problem("OneMax", 1, 10, ioh.ProblemClass.PBO))


def test_maximisation():
    options = {"optimization_type": ioh.OptimizationType.MAX, "lb": -5.0, "ub": 5.0}
    problem = ioh.wrap_problem(
        lambda x: 3 - float(np.sum(np.square(x))), "hill", ioh.ProblemClass.REAL, 2, 1, **options
    )
    IOHAlgorithm("paper-h3", maxfev=400, popsize=20, seed=1)(problem)
    assert 2.9 < problem.state.current_best.y <= 3
