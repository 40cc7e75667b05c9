"""What an evaluation costs besides the function itself: a Python function of about a microsecond, 20 variables."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from autov.core import Array
from autov.runs import minimize
from benchmarks.kernel import machine

DIM, OWN, PEER = 20, 20_000, 2_000  # variables; evaluations of a run
ALGORITHMS = ("general", "ma-es", "paper-h3", "de", "cma:default")


def first_variable(x: Array) -> float:
    """As cheap as a function of Python can be."""
    return float(x[0])


def bench_overhead(repeats: int = 5) -> dict[str, Any]:
    """Microseconds of the thread for each evaluation, in turns, the smallest of several."""
    alone = _seconds(lambda: [first_variable(x) for x in np.zeros((OWN, DIM))]) / OWN
    chosen = [a for a in ALGORITHMS if ":" not in a or find_spec(a.partition(":")[0])]
    least = dict.fromkeys(chosen, np.inf)
    for _ in range(repeats):
        for name in chosen:
            count = PEER if ":" in name else OWN
            least[name] = min(least[name], _seconds(lambda n=name, c=count: _run(n, c)) / count)
    found: dict[str, Any] = {f"{name}_us": 1e6 * seconds for name, seconds in least.items()}
    if "cma:default" in least:
        found["pycma_over_general"] = least["cma:default"] / least["general"]
    return {"function_us": 1e6 * alone, **found, "variables": DIM, "evaluations": OWN, "machine": machine()}


def _run(algorithm: str, maxfev: int) -> None:
    minimize(first_variable, [(-5.0, 5.0)] * DIM, algorithm=algorithm, maxfev=maxfev, rng=1)


def _seconds(call: Callable[[], Any]) -> float:
    start = time.thread_time()
    call()
    return time.thread_time() - start
