"""Who looks at a run after each batch: the callback, the display, the stopping criteria."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autov.algorithms.driver import Run
from autov.algorithms.stopping import CALLBACK, Seen, Stopping
from autov.core import Array, Box, InputError


def as_result(run: Run) -> Any:
    """A run in SciPy's form; its arrays are copies."""
    from autov.algorithms.result import Result  # imported late: SciPy takes longer than many a run

    return Result(
        x=run.x.copy(), fun=run.fun, nfev=run.nfev, nit=run.nit, population=run.population.copy(),
        population_energies=run.values.copy(),
    )  # fmt: skip


def called_as_scipy_does(callback: Callable[..., Any]) -> Callable[[Run], Any]:
    """How SciPy's conventions say a callback wants to be called.

    A parameter ``intermediate_result`` gets the result by name; a first parameter ``x`` or ``xk`` gets the best point,
    and a second one, or ``convergence``, a number that reaches 1 when the population has contracted; any other
    callback gets the result.
    """
    if not callable(callback):
        raise InputError(f"callback: must be callable, got {callback!r}")
    try:
        kinds = {name: parameter.kind for name, parameter in inspect.signature(callback).parameters.items()}
    except (TypeError, ValueError):
        kinds = {}
    names = list(kinds)
    if "intermediate_result" in names:
        return lambda run: callback(intermediate_result=as_result(run))
    if names and names[0] in ("x", "xk"):
        if "convergence" in names or inspect.Parameter.VAR_KEYWORD in kinds.values():
            return lambda run: callback(run.x.copy(), convergence=convergence(run.values))
        if len(names) > 1:
            return lambda run: callback(run.x.copy(), convergence(run.values))
        return lambda run: callback(run.x.copy())
    return lambda run: callback(as_result(run))


def convergence(values: Array) -> float:
    """0 for a population of unlike values, near 1 when they are equal."""
    if not len(values) or not np.isfinite(values).all():
        return 0.0
    return float(1 / (1 + np.std(values) / max(1e-300, abs(float(np.mean(values))))))


class Watcher:
    """Sees a run after every batch and says whether to stop; ``reason`` is (status, message) then."""

    def __init__(
        self, box: Box, stopping: Stopping, callback: Callable[..., Any] | None, disp: bool,
        violation: Callable[[Array], float] | None = None,
    ) -> None:  # fmt: skip
        self.box, self.stopping, self.disp, self.violation = box, stopping, disp, violation
        self.call = None if callback is None else called_as_scipy_does(callback)
        self.reason: tuple[int, str] | None = None
        self._best_x: Array | None = None
        self._improved = 0

    @property
    def active(self) -> bool:
        """Whether anybody looks."""
        return self.call is not None or self.disp or self.stopping.active

    def _best(self, run: Run) -> str:
        exceeded = self.violation(run.x) if run.fun == np.inf and self.violation is not None else 0.0
        return f"none feasible, constraints exceeded by {exceeded:.6g}" if exceeded > 0 else f"best {run.fun:.6g}"

    def __call__(self, run: Run) -> bool:
        """Whether to stop."""
        if self.disp:
            sys.stdout.write(f"generation {run.nit}: {run.nfev} evaluations, {self._best(run)}\n")
        if self._best_x is None or not np.array_equal(run.x, self._best_x):
            self._best_x, self._improved = run.x.copy(), run.nfev
        if self.call is not None:
            try:
                if self.call(run):
                    self.reason = CALLBACK, "Stopped by the callback."
            except StopIteration:
                self.reason = CALLBACK, "Stopped by the callback."
        if self.reason is None:
            seen = Seen(run.fun, run.nfev, self._improved, run.population, run.values, self.box, run.seconds)
            self.reason = self.stopping.met(seen)
        return self.reason is not None
