"""autov as a method of ``scipy.optimize.minimize``, and operators as strategies of its differential evolution."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from autov.core import Array, InputError, seed_of
from autov.operators import AffineOperator, resolve_operator
from autov.runs import minimize

PASSED = ("fun", "bounds", "args", "x0", "constraints", "callback", "dim")  # by SciPy, or only for named problems
OPTIONS = tuple(name for name in inspect.signature(minimize).parameters if name not in PASSED)
UNUSED = ("jac", "hess", "hessp", "tol")  # what SciPy passes on for methods that use them


def scipy_method(
    fun: Callable[..., Any], x0: Array, args: tuple[Any, ...] = (), bounds: Any = None, constraints: Any = (),
    callback: Callable[[OptimizeResult], Any] | None = None, **options: Any,
) -> OptimizeResult:  # fmt: skip
    """For ``scipy.optimize.minimize(f, x0, method=autov.scipy_method, bounds=b, options={"maxfev": 5000})``.

    x0 is evaluated as one of the first points and must lie inside the bounds, which are needed. The options are those
    of `autov.minimize` (algorithm, maxfev, popsize, rng, workers, ...); jac, hess, hessp and tol must be left
    out. A callback is called as SciPy calls it for its newer methods, with an
    ``intermediate_result``, and ends the run by StopIteration.
    """
    if bounds is None:
        raise InputError("bounds: autov searches in a box; pass bounds=[(min, max), ...]")
    for name in UNUSED:
        if options.pop(name, None) is not None:
            raise InputError(f"{name}: autov uses no derivatives and has no tolerance; leave it out")
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise InputError(f"options: unknown {unknown[0]!r}; one of {', '.join(OPTIONS)}")
    return minimize(
        fun, bounds, args=args, x0=x0, constraints=constraints, callback=_stopping(callback), **options
    )  # fmt: skip


def _stopping(callback: Callable[..., Any] | None) -> Callable[[OptimizeResult], bool] | None:
    """A callback in SciPy's sense: what it returns means nothing, only StopIteration ends the run."""
    if callback is None:
        return None

    def call(intermediate_result: OptimizeResult) -> bool:
        callback(intermediate_result)
        return False

    return call


def scipy_strategy(operator: Any = "paper-h3", rng: Any = None) -> Callable[..., Array]:
    """The operator as ``strategy`` of ``scipy.optimize.differential_evolution``.

    SciPy calls it as ``strategy(candidate, population, rng=None)`` in coordinates of the unit box, with one member to
    replace. The offspring of that member and of distinct others is clipped to the box. SciPy ignores its ``mutation``
    and ``recombination`` then.

    Args:
        operator: a name, a file, an operator, or a design.
        rng: seed of its own stream, used where SciPy passes none.
    """
    found = resolve_operator(operator)
    own = np.random.default_rng(seed_of(rng))

    def strategy(candidate: int, population: Array, rng: np.random.Generator | None = None) -> Array:
        draw = own if rng is None else rng
        n, d = population.shape
        others = draw.permutation(n - 1)[: found.n_parents - 1]
        index = np.concatenate([[candidate], others + (others >= candidate)])
        lower, upper = np.zeros(d), np.ones(d)
        parents = population[index][:, None]
        if isinstance(found, AffineOperator):
            made = found(parents, lower, upper, draw, **_points_of(found, population, draw))
        else:
            values = np.arange(float(n))
            made = found.offspring(parents, lower, upper, draw, population, values)
        return np.clip(made[0], 0.0, 1.0)

    return strategy


def _points_of(operator: AffineOperator, population: Array, rng: np.random.Generator) -> dict[str, Array]:
    """What an operator may read besides parents and bounds, of a population whose best point is the first."""
    points = {"best": population[0], "mean": population.mean(axis=0), "spread": population.std(axis=0)}
    if "difference" in operator.inputs:
        a, b = rng.choice(len(population), 2, replace=False)
        points["difference"] = (population[a] - population[b])[None]
    return points
