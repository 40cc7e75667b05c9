"""An algorithm of autov under pymoo's own loop, terminations and callbacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from autov.adapters import missing
from autov.adapters.points import asked_algorithm
from autov.core import Array, Box, InputError, values_of, whole_number
from autov.problems import compressed, penalized

try:
    from pymoo.core.algorithm import Algorithm
    from pymoo.core.population import Population
    from pymoo.util.display.single import SingleObjectiveOutput
except ImportError as error:
    raise missing("pymoo", error) from None


class SingleObjective(Algorithm):
    """An algorithm of autov for pymoo's ``minimize``: one objective, real variables, a box.

    Constraints count by Deb's rules, as in `autov.minimize`, with the violations that pymoo sums up.

    Args:
        algorithm: a name such as "shade" or "ma-es", or settings; None for the default of `autov.Optimizer`.
        popsize: size of the population.
        maxfev: planned evaluations, for algorithms that adapt to it; None for those of the termination.
        x0: a first point or population.
        kwargs: passed on to pymoo.
    """

    def __init__(
        self, algorithm: Any = None, *, popsize: int = 100, maxfev: int | None = None,
        x0: Array | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**{"output": SingleObjectiveOutput(), **kwargs})
        self.settings = asked_algorithm(algorithm)
        self.popsize, self.x0 = whole_number("popsize", popsize, 2), x0
        self.maxfev = None if maxfev is None else whole_number("maxfev", maxfev, 1)
        self.run_state: Any = None
        self.asked, self.nans = np.empty((0, 0)), 0  # NaN counts as worst

    def _setup(self, problem: Any, **_: Any) -> None:
        if problem.n_obj != 1:
            raise InputError(f"problem: needs one objective, has {problem.n_obj}")
        lower, upper = problem.bounds()
        if lower is None or upper is None:
            raise InputError("problem: needs bounds of all variables")
        box = Box(lower, upper)
        if not (box.width > 0).all():
            raise InputError("problem: fixed variables (lower equals upper) must be left out")
        maxfev = self.maxfev or self._planned()
        self.run_state = self.settings.init(box, self.popsize, maxfev, self.random_state, self.x0)

    def _planned(self) -> int:
        """Evaluations of the termination, 10,000 where it says none."""
        evaluations = getattr(self.termination, "n_max_evals", None)
        generations = getattr(self.termination, "n_max_gen", None)
        if evaluations is None and generations is not None and np.isfinite(generations):
            evaluations = generations * self.popsize
        return int(evaluations) if evaluations is not None and np.isfinite(evaluations) else 10_000

    def _infill(self) -> Population:
        self.asked, self.run_state = self.settings.ask(self.run_state, self.random_state)
        limit = getattr(self.termination, "n_max_evals", None)
        left = len(self.asked) if limit is None or not np.isfinite(limit) else int(limit) - self.evaluator.n_eval
        return Population.new("X", self.asked[: max(left, 1)].copy())

    def _advance(self, infills: Any = None, **_: Any) -> None:
        if len(infills) == len(self.asked):  # a batch that the budget cut short is not told
            f = _ordered(infills)
            self.nans += int(np.isnan(infills.get("F")).sum())
            self.run_state = self.settings.tell(self.run_state, self.asked, f, self.random_state)
        self.pop = infills

    def _initialize_infill(self) -> Population:
        return self._infill()

    def _initialize_advance(self, infills: Any = None, **_: Any) -> None:
        self._advance(infills)

    def _set_optimum(self) -> None:
        """The best of the whole run: an algorithm may forget it."""
        candidates: Any = self.pop if self.opt is None else Population.merge(self.opt, self.pop)
        best = int(np.argmin(_ordered(candidates)))
        self.opt = candidates[best : best + 1]


def _ordered(population: Any) -> Array:
    """One number for each individual that orders them by Deb's rules, (n,); NaN is worst."""
    values = population.get("F")[:, 0].astype(np.float64)
    violation = population.get("CV")[:, 0].astype(np.float64)
    return values_of(penalized(values, compressed(violation)) if violation.any() else values, len(population))[0]
