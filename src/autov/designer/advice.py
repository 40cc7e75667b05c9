"""What fits a function that is too slow for a design as it is: ways with their times, said before anything is spent."""

from __future__ import annotations

import itertools
import time as clock
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from autov.core import generator
from autov.designer.durations import duration, moment
from autov.designer.trials import Trials
from autov.problems import to_base
from autov.problems.function import Function

CHEAP = 1e-5  # seconds of an evaluation of a cheap model, and about those of a learned function
REAL_RUNS = 12  # on the problem, which check functions learnt from earlier runs
BEARABLE = 86_400.0  # seconds of these runs, beyond which there is no design that fits
SOON = 3600.0  # seconds of a design on the compiled function that are fewer than anybody minds
CALLS = 100  # that measure a compiled function, or as many as fit into
SHORT = 0.05  # seconds
DIFFERENT = 1e-6  # relative difference of values of the function and its compiled form that is no rounding


def ways(trials: Sequence[Trials], parts: dict[str, int], seconds: float) -> list[str]:
    """Sentences, the way that fits best first.

    Args:
        trials: on the training problems.
        parts: evaluations of the design, by what they are for.
        seconds: of an evaluation of the function, with all workers.
    """
    longest, everything = max(one.budget.made for one in trials), sum(parts.values())
    checks = REAL_RUNS * longest * seconds
    fast = _compiled_seconds(trials[0])
    model = everything * CHEAP + parts["retest"] * seconds
    learned = everything * CHEAP + checks
    found: list[tuple[float, str]] = [
        (
            1 if checks <= BEARABLE else 3,
            "design from earlier runs (learn_from; --learn-from runs.db --real-runs 12): about "
            f"{duration(learned)}, {duration(checks)} of it for {REAL_RUNS} runs on the function that check the "
            "learned functions",
        ),
        (
            2,
            "no design, but experience: minimize(..., store='runs.db', learn_from='runs.db') starts each run where "
            f"those before it found good points; a run of {longest:,} evaluations takes {duration(longest * seconds)}",
        ),
        (
            4,
            "train on a cheap model of it, if you have one (surrogate; --surrogate): about "
            f"{duration(model)} with a model of {moment(CHEAP)}, {duration(parts['retest'] * seconds)} of it for the "
            "re-test on the function",
        ),
    ]
    if fast is not None:
        found.append((
            0 if everything * fast <= max(learned, SOON) else 1.5,
            f"compile the function: numba.njit takes it as it is, which is {seconds / fast:,.0f} times as fast; the "
            f"design then takes about {duration(everything * fast)}",
        ))  # fmt: skip
    return [text for _, text in sorted(found)]


def _compiled_seconds(trials: Trials) -> float | None:
    """Of a call of the function compiled by Numba; None where Numba does not take it or gives other values."""
    instance = trials.instances.first.problem
    point = instance.box.sample(1, generator(0))
    base, at = to_base(instance, point)
    if not isinstance(base, Function) or base.vectorized or not hasattr(base.fun, "__code__"):
        return None
    try:
        fun: Any = njit(base.fun)
        value = float(fun(at[0].copy(), *base.args))
        trials.evaluations += 1
        same = np.isclose(value, base.point(at[0]), rtol=DIFFERENT, atol=0.0, equal_nan=True)
    except Exception:  # whatever Numba or the function says, it is no way
        return None
    if not same:
        return None
    begun, made = clock.perf_counter(), 0
    for _ in itertools.takewhile(lambda _: clock.perf_counter() - begun < SHORT, range(CALLS)):
        fun(at[0], *base.args)
        made += 1
    return (clock.perf_counter() - begun) / max(made, 1)
