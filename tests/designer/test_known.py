"""A design beside known ones: on seeds that its search never saw."""

from autov.algorithms import Evolution, solve
from autov.algorithms.ga import GA
from autov.designer import TrialBudget, design
from autov.designer.known import RUNS, SEED_SHIFT, beside_known
from autov.operators import load_operator
from autov.problems import Classic


def test_all_run_with_the_budget_of_the_search_on_other_seeds():
    problem = Classic("ackley", 2)
    found = design(problem, population=4, generations=1, trial=TrialBudget(6, 3, 1), rows=2, rng=1, workers=1)
    known = beside_known(found, problem, workers=1)
    wanted = {"designed": Evolution(found.operator), "paper-h3": Evolution(load_operator("paper-h3")), "GA": GA()}
    assert SEED_SHIFT != 0
    for label, algorithm in wanted.items():
        runs = [solve(problem, algorithm, maxfev=18, popsize=6, seed=1 + SEED_SHIFT, run=r).fun for r in range(RUNS)]
        assert known[label].tolist() == runs
