"""Known points of integer problems: what counts as an evaluation, and when nothing is left to ask for."""

import numpy as np

from autov.core import Box
from autov.runs.budget import REPEATS, STALE, BudgetedObjective, PointCache


def column(*values):
    return np.array(values, dtype=float)[:, None]


def test_known_and_repeated_points_need_no_evaluation():
    known = PointCache(np.rint, 100, 10)
    known.learn(column(1), np.array([1.0]))
    assert known.prefix(column(1, 2, 2.2, 1, 3, 2, 4), 2) == 6
    assert known.prefix(column(1, 2, 2.2, 1, 3, 2, 4), 3) == 7
    assert known.prefix(column(1, 2), 0) == 1


def test_the_budget_counts_new_points_only():
    asked = []

    def fun(x):
        asked.extend(np.rint(x[:, 0]).tolist())
        return np.rint(x[:, 0])

    spent = BudgetedObjective(fun, Box([0.0], [9.0]), 3, PointCache(np.rint, 10, 3))
    x = spent.affordable(column(5, 4, 5.1, 4, 3, 3, 2))
    assert spent.take(x).tolist() == [5, 4, 5, 4, 3, 3]
    assert asked == [5, 4, 3]
    assert (spent.nfev, spent.left) == (3, 0)


def test_a_run_ends_after_so_many_repeated_points():
    known = PointCache(np.rint, np.inf, 2)
    known.complete(column(1), lambda x: x[:, 0])
    for _ in range(2 * REPEATS - 1):
        known.complete(column(1), lambda x: x[:, 0])
    assert not known.exhausted
    known.complete(column(1, 2), lambda x: x[:, 0])
    assert known.exhausted


def test_an_algorithm_is_stale_after_so_many_known_points_in_a_row():
    known = PointCache(np.rint, np.inf, 100)
    known.complete(column(1), lambda x: x[:, 0])
    known.complete(np.ones((STALE - 1, 1)), lambda x: x[:, 0])
    assert not known.stale
    known.complete(column(1), lambda x: x[:, 0])
    assert known.stale
    known.complete(column(1, 7), lambda x: x[:, 0])
    assert not known.stale
