"""How busy workers are in real time, with a function that sleeps: both schedules of the default, 12 variables.

The workers are threads and sleeping takes no processor, so two cores are enough for 64 of them. What they wait for is
the algorithm: the points that it gives at once, and the time that it needs for them. The load of the machine, which
slows that down, is stored with every row.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import autov
from autov.core import Array
from autov.core.atomic_files import to_json, write_text
from autov.experiments import Cell, Table
from benchmarks.kernel import machine

WORKERS, MILLISECONDS, DIM, MAXFEV, SECONDS = (2, 4, 16, 64), (10, 50, 500), 12, 2000, 8.0
SCHEDULES = "asynchronous", "batches"
FILE = Path(__file__).parents[1] / "results" / "busy.json"


def busy_share(schedule: str, workers: int, milliseconds: float, maxfev: int, seconds: float) -> tuple[float, int]:
    """Part of the workers' time between the first and the last evaluation that went into the function; evaluations."""
    made: list[tuple[float, float]] = []

    def function(x: Array) -> float:
        begun = time.perf_counter()
        time.sleep(milliseconds / 1000)
        made.append((begun, time.perf_counter()))
        return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())

    with ThreadPoolExecutor(workers) as pool:
        autov.minimize(
            function, [(-5, 5)] * DIM, maxfev=maxfev, rng=1, workers=pool, schedule=schedule,
            stop=autov.Stopping(maxtime=seconds),
        )  # fmt: skip
    begun, ended = zip(*made, strict=True)
    spent = sum(last - first for first, last in made)
    return spent / (workers * (max(ended) - min(begun))), len(made)


def bench_busy(
    workers: Sequence[int] = WORKERS, milliseconds: Sequence[float] = MILLISECONDS, maxfev: int = MAXFEV,
    seconds: float = SECONDS, file: Path | None = FILE,
) -> dict[str, Any]:  # fmt: skip
    """Shares of all, JSON-able."""
    busy_share(SCHEDULES[0], 2, 1, 100, seconds)  # loads what has to be loaded
    rows = []
    for schedule in SCHEDULES:
        for each in milliseconds:
            for count in workers:
                share, made = busy_share(schedule, count, each, maxfev, seconds)
                rows.append({"schedule": schedule, "milliseconds": each, "workers": count, "busy": share,
                             "evaluations": made, "load": os.getloadavg()[0]})  # fmt: skip
    found = {"dim": DIM, "maxfev": maxfev, "seconds": seconds, "rows": rows, "machine": machine()}
    if file is not None:
        write_text(file, to_json(found, indent=1) + "\n")
    return found


def busy_table(result: dict[str, Any]) -> Table:
    """A row for each schedule and time of an evaluation."""
    rows: dict[str, list[Cell]] = {}
    for row in result["rows"]:
        rows.setdefault(f"{row['schedule']}, {row['milliseconds']:g} ms", []).append(Cell(f"{row['busy']:.0%}"))
    counts = dict.fromkeys(f"{row['workers']} workers" for row in result["rows"])
    return Table("Workers busy", ("", *counts), tuple((name, tuple(cells)) for name, cells in rows.items()))
