"""What a call of `minimize` says at its end: success, message, and evaluations as people see them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from autov.core import Array, counted
from autov.problems import Constrained, Problem, Space, instance_of, to_base, unpenalized, violation_of
from autov.problems.feasibility import total_excess
from autov.runs.budget import ConstrainedEvaluations, Evaluations
from autov.runs.described import shown_result
from autov.runs.evaluation_journal import Journal
from autov.runs.live_run import Run
from autov.runs.run_store import SavedRun
from autov.runs.stopping import BUDGET, Monitor, as_result, largest, run_has_converged, verdict

if TYPE_CHECKING:
    from autov.runs.result import Result

UNFINISHED = "unfinished batch"  # among the members of an interrupted run: evaluations of the batch at work


def interrupted(run: Run | None, made: Evaluations, space: Space | None) -> Result | None:
    """What an interrupted run has found, the points of a batch that was not finished included."""
    from autov.runs.result import Result

    if not len(made.fun) and run is None:
        return None
    found = {} if run is None else dict(as_result(run))
    if len(made.fun):
        lowest = made.best if isinstance(made, ConstrainedEvaluations) else made.fun
        values = np.where(np.isnan(lowest), np.inf, lowest)
        i = int(np.argmin(values))
        if run is None or values[i] < run.fun:
            found.update(x=made.x[i].copy(), fun=float(values[i]))
        best = np.append(np.inf, np.minimum.accumulate(values))
        improved = np.flatnonzero(best[1:] < best[:-1])
        found.update(nfev=len(values), history=made, trace_nfev=improved + 1, trace_best=values[improved])
        if (members := found.get("members")) and (rest := len(values) - sum(members.values())) > 0:
            found["members"] = {**members, UNFINISHED: rest}
    message = f"Interrupted after {counted(found['nfev'], 'evaluation')}."
    return shown_result(Result(**found | {"success": False, "status": -1, "message": message}), space)


def attach(error: BaseException, result: Result | None, saved: SavedRun | None) -> None:
    """Let an exception carry the result so far."""
    if result is None:
        return
    with suppress(AttributeError, TypeError):
        error.autov_result = result  # type: ignore[attr-defined]
        place = "" if saved is None else f"; {saved.path} has them: the same call resumes from there"
        made = f"{counted(result.nfev, 'evaluation')} {'was' if result.nfev == 1 else 'were'} made"
        error.add_note(f"{made}, see error.autov_result{place}")


def evaluations_shown(journal: Journal, problem: Problem) -> Evaluations:
    """Evaluations as people see them: integers, violations, and infinity where no value is known."""
    made, rows = journal.evaluations(), journal.rows()
    problem = instance_of(problem, 0)
    base, _ = to_base(problem, np.empty((0, problem.box.dim)))
    if not isinstance(base, Constrained):
        return made
    x = problem.rounded(made.x) if isinstance(problem, Constrained) else made.x
    if rows is None:
        if not base.constraints and not base.returned:
            return Evaluations(x, made.fun)
        return ConstrainedEvaluations.of(x, unpenalized(made.fun), violation_of(made.fun))
    alone = np.isnan(rows).all(axis=1)  # failed, or of a run that this one goes on from
    told = np.where(made.fun == np.inf, np.inf, violation_of(made.fun))
    violation = np.where(alone, told, total_excess(rows[:, 2:]))
    called = rows[:, 1] if base.returned else np.where(violation > 0, np.inf, rows[:, 1])
    return ConstrainedEvaluations.of(x, np.where(alone, unpenalized(made.fun), called), violation, rows[:, 2:])


def value_shown(problem: Problem) -> Callable[[float], float]:
    """What people see of a value: infinity where the point is not feasible."""
    base, _ = to_base(instance_of(problem, 0), np.empty((0, problem.box.dim)))
    return (lambda value: float(unpenalized(value))) if isinstance(base, Constrained) else float


def _excess(problem: Problem, x: Array, journal: Journal, fun: float = np.inf) -> list[Array] | None:
    """What is outside each constraint at the best point; None where there are none."""
    base, at = to_base(instance_of(problem, 0), x[None])
    if isinstance(base, Constrained) and base.returned:
        row = journal.best_row
        other = row is None or unpenalized(row[0]) != fun  # the best point was known before
        return [np.empty(0) if row is None else np.maximum(row[2:], 0.0) * (not other)]
    return base.excess(at[0]) if isinstance(base, Constrained) and base.constraints else None


def exceeded(problem: Problem, x: Array, journal: Journal) -> float:
    """The largest of these."""
    return largest(_excess(problem, x, journal) or [])


def ending(
    run: Run, monitor: Monitor, problem: Problem, maxfev: int, made_up: np.ndarray | None, journal: Journal
) -> dict[str, Any]:  # fmt: skip
    """Success, status, message, and how far the constraints are met."""
    converged = run.nfev < maxfev or run_has_converged(run)
    when = (
        "; the run had converged" if converged else " before the run converged: a larger maxfev may find a better point"
    )
    reason = BUDGET, f"The budget of {counted(run.nfev, 'evaluation')} is used up{when}."
    if run.nfev < maxfev:
        reason = BUDGET, f"The algorithm ended by itself after {run.nfev:,} of {counted(maxfev, 'evaluation')}."
        if isinstance(problem, Constrained) and problem.whole.all():
            reason = BUDGET, f"No new points were asked for after {run.nfev:,} of {counted(maxfev, 'evaluation')}."
    if monitor.reason is not None:  # also of the last batch, with which the budget is used up
        reason, converged = monitor.reason, run_has_converged(run)
    ended = verdict(reason, run.fun, _excess(problem, run.x, journal, run.fun), converged=converged)
    if run.nans:
        ended["message"] += f" {counted(run.nans, 'evaluation')} returned NaN and counted as worst."
    if made_up is not None:
        ends = np.stack([problem.box.lower, problem.box.upper])
        lower, upper = problem.rounded(ends) if isinstance(problem, Constrained) else ends
        at = np.flatnonzero((made_up[:, 0] & (run.x <= lower)) | (made_up[:, 1] & (run.x >= upper)))
        if len(at):
            ended["message"] += f" x[{at[0]}] lies at a border that was made up around x0: give bounds."
    return ended
