"""How a stored run goes on with more evaluations than it was begun with.

An algorithm that does not plan with its budget asks for the stored points again, and goes on where it ended. Any other
plans anew: what is stored stays and is known to it, and a run of its own spends what is left of the larger budget. That
run is stored next to the first, with what it began with, so that it can be repeated and interrupted like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from autov.core import Array, Box, FileError, generator
from autov.runs.budget import Evaluations
from autov.runs.driver import solve
from autov.runs.evaluation_journal import stacked
from autov.runs.known_points import distinct, from_bytes, to_bytes
from autov.runs.live_run import Run
from autov.runs.run_store import OtherPointError, SavedRun

EARLIER = "earlier"  # the name under which a store has what a run went on from


def going_on(
    saved: SavedRun, maxfev: int, box: Box, repeats: Callable[[], bool]
) -> tuple[SavedRun, Evaluations | None]:
    """The run that is to be made, and the evaluations it goes on from; None where it is the stored run itself.

    Args:
        saved: the run of this problem, algorithm and seed.
        maxfev: evaluations it is to have in all.
        box: of the problem.
        repeats: whether the algorithm asks for the stored points with this budget, too.
    """
    if saved.begun in (None, maxfev) or not len(saved):
        return saved, None
    longer = saved.longer(maxfev)
    if longer is None:
        if repeats():
            return saved, None
        if not any(_total(run, box) < maxfev for run in saved.family()):
            raise FileError(
                f"{saved.path}: the algorithm plans with its budget, and the stored run was begun with maxfev = "
                f"{saved.begun}, not {maxfev}: give that one or more than {len(saved)}, another seed or another file"
            )
        longer = saved.longer(maxfev, begin=True)
        assert longer is not None

    def earlier() -> bytes:
        fitting = [run for run in saved.family() if run.begun != maxfev and _total(run, box) < maxfev]
        source = max(fitting, key=lambda run: _total(run, box))
        source.finish()  # it is over: this run takes its place
        return source.frozen(EARLIER, lambda: b"") + to_bytes(_own(source, box.dim), box.dim)

    return longer, from_bytes(longer.frozen(EARLIER, earlier), box)


def _own(run: SavedRun, dim: int) -> Evaluations:
    x, f = run.evaluations(dim)
    return Evaluations(x, np.where(np.isnan(f), np.inf, f))


def _total(run: SavedRun, box: Box) -> int:
    """Evaluations of a run and of those that it went on from."""
    return len(run) + len(run.frozen(EARLIER, lambda: b"")) // (8 * (box.dim + 1))


class _Replayed(Exception):  # noqa: N818
    """All that is stored was asked for."""


def repeats_itself(saved: SavedRun, problem: Any, algorithm: Any, **options: Any) -> bool:
    """Whether a run asks for the stored points as long as there are any; nothing is evaluated."""
    count = 0

    def stored(x: Array) -> Array:
        nonlocal count
        values, there = np.full(len(x), np.nan), np.zeros(len(x), dtype=bool)
        rows: dict[int, Array] = {}
        saved.fill(count, x, values, there, rows)
        if not there.all():
            raise _Replayed
        count += len(x)
        return stacked([rows[i] for i in range(len(x))])

    try:
        solve(problem, algorithm, evaluate=stored, rows=True, **options)
    except _Replayed:
        return True
    except OtherPointError:
        return False
    return True


def seed_after(seed: int, earlier: int) -> int:
    """The seed of a run that continues after this number of evaluations."""
    return int(generator(seed, earlier).integers(2**63))


def with_known(known: Evaluations | None, earlier: Evaluations) -> Evaluations:
    """All that is known when a run goes on."""
    x, f = earlier if known is None else (np.concatenate(pair) for pair in zip(known, earlier, strict=True))
    return distinct(x, f)


def counted_on(earlier: Evaluations, shown: Callable[[float], float], run: Run) -> Run:
    """A run that went on, with what it went on from."""
    count = len(earlier.fun)
    best = np.minimum.accumulate(np.array([shown(value) for value in earlier.fun]))
    at = np.flatnonzero(np.append(best[1:] < best[:-1], True))
    improved = run.improved
    if improved is not None:
        first = np.flatnonzero(np.append(True, best[1:] < best[:-1]))
        improved = np.append(first + 1, improved[0] + count), np.append(best[first], improved[1])
    return replace(
        run, nfev=run.nfev + count, trace_nfev=np.append(at + 1, run.trace_nfev + count),
        trace_best=np.append(best[at], run.trace_best), improved=improved,
    )  # fmt: skip
