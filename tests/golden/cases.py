"""Runs whose exact results are stored: short ones, so that they hold on other processors up to rounding, too."""

from __future__ import annotations

import numpy as np

import autov
from tests.algorithms.driver import sized

BOX = [(-5.0, 5.0)] * 4
TINY = {
    "space": "operator",
    "population": 6,
    "generations": 4,
    "trial": autov.TrialBudget(10, 6, 3),
    "rng": 1,
    "rows": 3,
    "family": (),
    "known": False,
}
ALGORITHMS = ("ga", "pso", "de", "cma-es", "fep", "cso", "shade", "imode", "ma-es")
PROBLEMS = ("paper-f8", "paper-f12", "f7", "f9+rotate=3", "f9+translate=1.3+scale=2", "f9+rotate=run", "lsgo-f1",
            "f9+family=translate-rotate-scale", "f8+family=translate")  # fmt: skip


def bumps(x):
    return float((x**2).sum() - np.cos(3 * x).sum())


def bumps_of_a_batch(x):
    return (x**2).sum(axis=1) - np.cos(3 * x).sum(axis=1)


def _run(found):
    return [found.fun, *found.x]


def _design(found):
    return [found.fitness, *found.operator.matrix().ravel(), *found.retested.ravel()[:5]]


def _asked_and_told():
    optimizer = autov.Optimizer(BOX, popsize=12, rng=4, maxfev=300, algorithm="paper-h3")
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, bumps_of_a_batch(x))
    return _run(optimizer.result)


def _problem(name):
    """Values at three points of the box, and a run with the matrix of its third run where it has one."""
    dim = None if name.startswith("lsgo") else 6
    found = autov.compare("paper-h3", name, dim=dim, maxfev=120, popsize=20, runs=3, rng=1, store=None, workers=1)
    return found.values(name, "paper-h3")


def _compare(names):
    found = autov.compare(list(names), "ackley", dim=4, maxfev=210, popsize=20, runs=2, rng=1, store=None, workers=1)
    return np.concatenate([found.values("ackley", name) for name in names])


def _minimize(*arguments, **options):
    options = {"algorithm": "paper-h3", "maxfev": 400, "rng": 3, **options}
    return _run(autov.minimize(*arguments, **{**sized(options["algorithm"], 20), **options}))


def cases():
    """Name -> a call that returns the numbers."""
    found = {
        "minimize: compiled": lambda: _minimize("rastrigin", [(-5.12, 5.12)] * 30, maxfev=1000, popsize=50),
        "minimize: python": lambda: _minimize(bumps, BOX),
        "minimize: vectorized": lambda: _minimize(bumps_of_a_batch, BOX, vectorized=True),
        "minimize: noisy": lambda: _minimize("f7", [(-1.28, 1.28)] * 30),
        "minimize: x0": lambda: _minimize(bumps, BOX, x0=np.full((2, 4), 1.5)),
        "minimize: budget that cuts a batch": lambda: _minimize(bumps, BOX, maxfev=393),
        "minimize: compiled, budget that cuts a batch": lambda: _minimize("sphere", maxfev=393),
        "ask and tell": _asked_and_told,
        "compare: every algorithm": lambda: _compare((*ALGORITHMS[:8], "paper-h3")),
        "compare: a peer": lambda: _compare(("scipy:de",)),
        "compare: settings": lambda: _compare(("de+F=0.7", "ga+keep=0.1+mutation_probability=0.0")),
        "design: rastrigin": lambda: _design(autov.design("rastrigin", dim=5, **TINY)),
        "design: free bounds, h5": lambda: _design(autov.design("ackley", dim=5, form="h5", tie_bounds=False, **TINY)),
        "design: solution draw": lambda: _design(autov.design("ackley", dim=5, draw="solution", **TINY)),
        "design: two problems": lambda: _design(autov.design(["sphere", "ackley"], dim=4, **TINY)),
        "design: paper preset": lambda: _design(autov.design("rastrigin", dim=5, preset="paper", **TINY)),
        "design: family": lambda: _design(
            autov.design("rastrigin", dim=5, **(TINY | {"family": ("translate", "rotate"), "known": True, "rows": 4}))
        ),
        "minimize: ma-es, compiled": lambda: _minimize("rosenbrock", [(-30.0, 30.0)] * 8, algorithm="ma-es"),
        "design: python": lambda: _design(autov.design(autov.function_problem(bumps, BOX), workers=1, **TINY)),
        "design: vectorized": lambda: _design(
            autov.design(autov.function_problem(bumps_of_a_batch, BOX, vectorized=True), **TINY)
        ),
    }
    for name in ALGORITHMS:
        found[f"minimize: {name}"] = lambda name=name: _minimize(bumps, BOX, algorithm=name)
    for name in PROBLEMS:
        found[f"problem: {name}"] = lambda name=name: _problem(name)
    for form in ("h1", "h2", "h4", "x1,x2,best,mean,lower,upper"):
        operator = autov.AffineOperator.from_matrix(_matrix(form), form.split(",") if "," in form else form)
        found[f"operator: {form}"] = lambda operator=operator: _minimize("ackley", algorithm=operator)
    return found


def _matrix(form):
    """Three rows for any form."""
    weights = len(form.split(",")) - 1 if "," in form else {"h1": 1, "h2": 2, "h4": 2}[form]
    return np.array([[0.4 * (-1) ** j, 0.1 + 0.1 * row] * weights + [1.0 + row] for row in range(3) for j in (row,)])
