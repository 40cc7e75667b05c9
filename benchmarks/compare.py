"""How long the paper's comparison takes: nine algorithms on 13 problems, all runs."""

from __future__ import annotations

import time
from typing import Any

from autov.engines import worker_count
from autov.paper import reproduce
from benchmarks.kernel import machine


def bench_compare(name: str = "table-7-text", runs: int = 30) -> dict[str, Any]:
    """Seconds on the clock with all cores, and seconds of computing for one run of each algorithm."""
    start = time.perf_counter()
    rows = reproduce(name, runs=runs, rng=1, workers=-1, store=None).comparison.rows
    seconds = time.perf_counter() - start
    spent: dict[str, list[float]] = {}
    for row in rows:
        spent.setdefault(row.label, []).append(row.seconds)
    return {
        "machine": machine(), "experiment": name, "runs": runs, "tasks": len(rows), "workers": worker_count(None),
        "evaluations": sum(row.maxfev for row in rows), "minutes": seconds / 60,
        "seconds_per_run": {label: sum(times) / len(times) for label, times in spent.items()},
    }  # fmt: skip
