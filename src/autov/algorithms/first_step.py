"""How far an algorithm looks from the first point at the beginning: ``x0_std`` of a run."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any

from autov.algorithms.cma_es import CMAES
from autov.algorithms.coordinate import Coordinate
from autov.algorithms.local_search import LocalSearch
from autov.algorithms.matrix_adaptation import StrategySettings
from autov.algorithms.memetic import Memetic
from autov.algorithms.portfolio import Portfolio
from autov.core import InputError

SIDES = 3.0  # standard deviations that a line search looks to both sides
SMALLEST, LARGEST = 1e-6, 0.25  # parts of the box with which a trust region can begin


def with_first_step(algorithm: Any, x0: Any, std: float) -> Any:
    """The algorithm with first steps of this standard deviation, a part of the box, around x0.

    Strategies start with it; local searches make first steps as long as it is; a portfolio, or local searches around a
    global one, pass it on to those that have a first step.
    """
    if x0 is None:
        raise InputError("x0_std: needs x0, the point around which the first steps are made")
    if isinstance(std, bool) or not isinstance(std, Real) or not SMALLEST <= std <= LARGEST:
        raise InputError(f"x0_std: must be a part of the box between {SMALLEST:g} and {LARGEST:g}, got {std!r}")
    changed = _changed(algorithm, float(std))
    if changed is None:
        raise InputError(f"x0_std: {algorithm.name} has no first step; general, ma-es, lq-ma-es and cma-es have one")
    return changed


def _changed(algorithm: Any, std: float) -> Any:
    """None if nothing of it has a first step."""
    if isinstance(algorithm, (StrategySettings, CMAES)):
        return replace(algorithm, sigma=std)
    if isinstance(algorithm, LocalSearch):
        settings: Any = algorithm
        return replace(settings, scale=SIDES * std if isinstance(algorithm, Coordinate) else std)
    if isinstance(algorithm, Memetic):
        base = _changed(algorithm.global_search, std) or algorithm.global_search
        return replace(
            algorithm, global_search=base, local_searches=tuple(_changed(s, std) for s in algorithm.local_searches)
        )
    if isinstance(algorithm, Portfolio):
        members = [_changed(member, std) for member in algorithm.members]
        if any(members):
            own = zip(members, algorithm.members, strict=True)
            return replace(algorithm, members=tuple(new or old for new, old in own))
    return None
