"""When a run may end before its budget is used up, and who looks at it after each batch."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from autov.core import Array, Box, InputError, counted, whole_number
from autov.runs.live_run import Run
from autov.runs.run_state import RunState

# What `status` of a result says.
BUDGET, CALLBACK, NOTHING_FOUND, TARGET, FTOL, XTOL, MAXTIME, PATIENCE, INFEASIBLE, CONVERGED = range(10)
UNFINISHED = -1  # interrupted, or asked before the end
CUT_SHORT = (BUDGET, CALLBACK, MAXTIME)  # a success only if the run had converged
PRECISION = 2.0**-46  # of the way from the first batch to the best value: a gain below is one of rounding
LEAST = 100  # evaluations for each of d + 2, at least, that must bring nothing before a run has converged,
GENERATIONS = 20  # and generations of its population

WHERE_FEASIBLE = "Give a feasible point as x0, raise maxfev, or loosen the constraints."
NOISY = "Values are noisy: fun is the smallest one seen, an optimistic estimate and not the expected value at x."


class Seen(NamedTuple):
    """How far a run has come."""

    best: float
    nfev: int
    improved: int  # evaluations made when the best point was found
    population: Array
    values: Array
    box: Box
    seconds: float


def has_converged(nfev: np.ndarray, best: Array, dim: int, population: int) -> bool:
    """Whether nothing is left to gain at the precision of doubles.

    So it is when as many evaluations again as the best value took, restarts included, brought nothing that rounding
    would not bring, and at least 100 (d + 2) of them and 20 generations; or when the best value is minus infinity.

    Args:
        nfev: evaluations made after each batch, (b,).
        best: the best value then.
        dim: variables.
        population: points of a generation.
    """
    if len(best) and best[-1] == -np.inf:
        return True
    if not np.isfinite(best).any():
        return False
    found = _last_gain(nfev, best)
    return int(nfev[-1]) - found >= max(found, LEAST * (dim + 2), GENERATIONS * population)


def _last_gain(nfev: np.ndarray, best: Array) -> int:
    """Evaluations that were made when the best value was reached up to rounding; there must be a finite one."""
    finite = np.isfinite(best)
    nfev, best = nfev[finite], best[finite]
    with np.errstate(over="ignore"):
        gain = PRECISION * best[0] - PRECISION * best[-1] + 4 * np.finfo(float).eps * abs(best[-1])
        return int(nfev[np.searchsorted(-best, -(best[-1] + gain))])


def converged_message(nfev: np.ndarray, best: Array) -> str:
    """What to say of a run that `has_converged`."""
    made = f"Converged after {counted(int(nfev[-1]), 'evaluation')}"
    if best[-1] == -np.inf:
        return f"{made}: the best value is minus infinity."
    return f"{made}: the last {int(nfev[-1]) - _last_gain(nfev, best):,} brought no improvement."


def run_has_converged(run: Run) -> bool:
    """`has_converged` for a run."""
    return has_converged(run.trace_nfev, run.trace_best, run.x.size, len(run.population))


@dataclass(frozen=True)
class Stopping:
    """Criteria that end a run before its budget is used up. One is enough; None is off.

    Examples:
        >>> import autov
        >>> stop = autov.Stopping(patience=500)
        >>> autov.minimize(lambda x: (x**2).sum(), [(-5, 5)] * 2, stop=stop, algorithm="de", rng=1).status
        7

    Attributes:
        ftol: the values of the population differ by no more than ftol * max(1, |best value|).
        xtol: in every variable the population is no wider than xtol times the width of the box.
        target: a value as small as this was found.
        maxtime: seconds; a batch that has begun is finished.
        patience: stop after this many evaluations without improvement.
    """

    ftol: float | None = None
    xtol: float | None = None
    target: float | None = None
    maxtime: float | None = None
    patience: int | None = None

    def __post_init__(self) -> None:
        for name in ("ftol", "xtol", "target", "maxtime"):
            object.__setattr__(self, name, _number(name, getattr(self, name), name != "target"))
        if self.patience is not None:
            object.__setattr__(self, "patience", whole_number("patience", self.patience, 1))

    @property
    def active(self) -> bool:
        """Whether there is any."""
        return any(getattr(self, field.name) is not None for field in fields(self))

    def needs_population(self) -> str | None:
        """The first criterion that looks at a population, if there is one."""
        return next((name for name in ("ftol", "xtol") if getattr(self, name) is not None), None)

    def met(self, seen: Seen) -> tuple[int, str] | None:
        """Status and message, if one is met."""
        if self.target is not None and seen.best <= self.target:
            return TARGET, f"The target {self.target:g} is reached."
        if self.ftol is not None and len(seen.values) and np.isfinite(seen.values).all():
            spread = float(np.ptp(seen.values))
            if spread <= self.ftol * max(1.0, abs(seen.best)):
                return FTOL, f"The values of the population differ by {spread:.3g}: ftol = {self.ftol:g} is met."
        if self.xtol is not None and len(seen.population):
            width = np.where(seen.box.width > 0, seen.box.width, 1.0)
            spread = float((np.ptp(seen.population, axis=0) / width).max())
            if spread <= self.xtol:
                return XTOL, f"The population spans {spread:.3g} of the box: xtol = {self.xtol:g} is met."
        if self.patience is not None and seen.nfev - seen.improved >= self.patience:
            return (
                PATIENCE,
                f"No better point in {counted(seen.nfev - seen.improved, 'evaluation')}: patience = {self.patience}.",
            )
        if self.maxtime is not None and seen.seconds >= self.maxtime:
            return MAXTIME, f"The time of {self.maxtime:g} seconds is used up."
        return None


def stopping_of(stop: Any, target: float | None) -> Stopping:
    """The criteria, with a target that is given by itself."""
    stop = Stopping() if stop is None else stop
    if not isinstance(stop, Stopping):
        raise InputError(f"stop: must be autov.Stopping(...), got {stop!r}")
    if target is None:
        return stop
    if stop.target is not None:
        raise InputError("target: stop has one already; give one or the other")
    return replace(stop, target=target)


def verdict(
    reason: tuple[int, str], fun: float, excess: list[Array] | None, feasible: bool = True, converged: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Success, status and message of a result, and with constraints how far they are met.

    Args:
        reason: why it ended: status and message.
        fun: the best value.
        excess: what is outside each constraint at the best point; None where there are none.
        feasible: False where violations that were told say that it is not.
        converged: whether nothing was left to gain when the run was cut short.
    """
    status, message = reason
    success = converged or status not in CUT_SHORT
    more: dict[str, Any] = {}
    if fun == np.inf:
        status, message = (
            NOTHING_FOUND,
            "No finite value was found. Check what fun returns at a point inside the bounds.",
        )
    if not feasible:
        status, message = INFEASIBLE, f"No feasible point was found. {WHERE_FEASIBLE}"
    if excess is not None:
        worst = largest(excess)
        more = {"constr": excess, "constr_violation": worst, "maxcv": worst}
        if worst > 0:
            status, message = (
                INFEASIBLE,
                (f"No feasible point was found; the constraints are exceeded by {worst:.6g}. {WHERE_FEASIBLE}"),
            )
    success = success and status not in (NOTHING_FOUND, INFEASIBLE)
    return {"success": success, "status": status, "message": message, **more}


def largest(excess: list[Array]) -> float:
    """The largest number of several arrays, at least 0."""
    return max((float(part.max(initial=0.0)) for part in excess), default=0.0)


def _number(name: str, value: Any, positive: bool) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number) or isinstance(value, bool) or (positive and number < 0):
        raise InputError(f"{name}: must be a number{' of at least 0' if positive else ''} or None, got {value!r}")
    return number


def as_result(run: Run) -> Any:
    """A run in SciPy's form; its arrays are copies."""
    from autov.runs.result import Result  # imported late: SciPy takes longer than many a run

    return Result(
        x=run.x.copy(), fun=run.fun, nfev=run.nfev, nit=run.nit, population=run.population.copy(),
        population_energies=run.values.copy(), **({"members": dict(run.members)} if run.members else {}),
    )  # fmt: skip


def called_as_scipy_does(
    callback: Callable[..., Any],
    state_of: Callable[[Run], RunState],
    shown: Callable[[Run], Run] = lambda run: run,
) -> Callable[[Run], Any]:
    """How SciPy's conventions say a callback wants to be called.

    A parameter ``state`` gets a `RunState`, which SciPy does not have; ``intermediate_result`` gets the result by name;
    a first parameter ``x`` or ``xk`` gets the best point, and a second one, or ``convergence``, a number that reaches 1
    when the population has contracted; any other callback gets the result.
    """
    if not callable(callback):
        raise InputError(f"callback: must be callable, got {callback!r}")
    try:
        kinds = {name: parameter.kind for name, parameter in inspect.signature(callback).parameters.items()}
    except (TypeError, ValueError):
        kinds = {}
    names = list(kinds)
    if "state" in names:
        return lambda run: callback(state=state_of(run))
    if "intermediate_result" in names:
        return lambda run: callback(intermediate_result=as_result(shown(run)))
    if names and names[0] in ("x", "xk"):
        if "convergence" in names or inspect.Parameter.VAR_KEYWORD in kinds.values():
            return lambda run: callback(shown(run).x.copy(), convergence=convergence(run.values))
        if len(names) > 1:
            return lambda run: callback(shown(run).x.copy(), convergence(run.values))
        return lambda run: callback(shown(run).x.copy())
    return lambda run: callback(as_result(shown(run)))


def convergence(values: Array) -> float:
    """0 for a population of unlike values, near 1 when they are equal."""
    if not len(values) or not np.isfinite(values).all():
        return 0.0
    return float(1 / (1 + np.std(values) / max(1e-300, abs(float(np.mean(values))))))


class Monitor:
    """Sees a run after every batch and says whether to stop; ``reason`` is (status, message) then."""

    def __init__(
        self, box: Box, stopping: Stopping, callback: Callable[..., Any] | None, disp: bool,
        state_of: Callable[[Run], RunState], violation: Callable[[Array], float] | None = None,
        until_converged: bool = False, shown: Callable[[Run], Run] = lambda run: run,
    ) -> None:  # fmt: skip
        self.box, self.stopping, self.disp, self.violation = box, stopping, disp, violation
        self.until_converged = until_converged
        self.call = None if callback is None else called_as_scipy_does(callback, state_of, shown)
        self.reason: tuple[int, str] | None = None
        self._best_x: Array | None = None
        self._improved = 0

    @property
    def active(self) -> bool:
        """Whether anybody looks."""
        return self.call is not None or self.disp or self.stopping.active or self.until_converged

    def _best(self, run: Run) -> str:
        exceeded = self.violation(run.x) if run.fun == np.inf and self.violation is not None else 0.0
        return f"none feasible, constraints exceeded by {exceeded:.6g}" if exceeded > 0 else f"best {run.fun:.6g}"

    def __call__(self, run: Run) -> bool:
        """Whether to stop."""
        if self.disp:
            sys.stdout.write(f"generation {run.nit}: {counted(run.nfev, 'evaluation')}, {self._best(run)}\n")
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
        if self.reason is None and self.until_converged and run_has_converged(run):
            self.reason = CONVERGED, converged_message(run.trace_nfev, run.trace_best)
        return self.reason is not None
