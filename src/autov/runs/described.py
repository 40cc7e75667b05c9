"""Runs on described variables: which algorithm, and results, histories and states as people described them."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from autov.algorithms.files import DEFAULT
from autov.problems import Problem, Space, has_categories, kinds_of
from autov.runs.budget import ConstrainedEvaluations, Evaluations
from autov.runs.live_run import Run
from autov.runs.run_state import RunState

if TYPE_CHECKING:
    from autov.runs.result import Result

CATEGORIES = "cat-cma"  # the algorithm of `minimize` and `Optimizer` where there are categories


def default_algorithm(problem: Problem) -> str:
    """The name of the algorithm of a problem unless one is given."""
    return CATEGORIES if has_categories(problem) else DEFAULT


def fitted(algorithm: Any, problem: Problem) -> Any:
    """The algorithm for the kinds of variables that an instance has, where it asks for them (``with_variables``)."""
    with_variables = getattr(algorithm, "with_variables", None)
    return algorithm if with_variables is None else with_variables(*kinds_of(problem))


def shown_run(run: Run, space: Space | None) -> Run:
    """A run as people see it."""
    if space is None:
        return run
    return replace(run, x=space.point(run.x), population=space.points(run.population))


def shown_state(state: RunState, space: Space | None) -> RunState:
    """A state as people see it; nothing in it can be changed."""
    if space is None:
        return state
    best, population = space.point(state.x), space.points(state.population)
    if space.is_array:
        best.setflags(write=False)
        population.setflags(write=False)
        return replace(state, x=best, population=population)
    return replace(state, x=_fixed(best), population=cast(Any, tuple(map(_fixed, population))))


def _fixed(point: Any) -> Any:
    return MappingProxyType(point) if isinstance(point, dict) else tuple(point)


def shown_result(result: Result, space: Space | None) -> Result:
    """A result as people see it, with its history; changed in place."""
    if space is not None:
        for name in ("x", "x_luckiest"):
            if name in result:
                result[name] = space.point(result[name])
        if "population" in result:
            result.population = space.points(result.population)
        if "history" in result:
            result.history = shown_history(result.history, space)
    return result


def shown_history(made: Evaluations, space: Space) -> Evaluations:
    """Evaluations with points as people see them."""
    x = space.points(made.x)
    if isinstance(made, ConstrainedEvaluations):
        return ConstrainedEvaluations.of(x, made.fun, made.violation, made.constraints)
    return Evaluations(x, made.fun)


def in_coordinates(made: Evaluations, space: Space | None) -> Evaluations:
    """The opposite of `shown_history`."""
    if space is None:
        return made
    x = space.several("history", made.x)
    if isinstance(made, ConstrainedEvaluations):
        return ConstrainedEvaluations.of(x, made.fun, made.violation, made.constraints)
    return Evaluations(x, made.fun)
