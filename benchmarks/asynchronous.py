"""Values told as they come, next to whole batches: what a run has found after the same time on many workers.

Time is simulated: an evaluation takes a lognormal time (median 1, sigma 0.5), everything else none. BBOB functions
(package ioh), one run on each. Whole batches wait for the last of their values; values that are told as they come keep
all workers busy, with points outside the batch that the algorithm itself does not see.
"""

from __future__ import annotations

import heapq
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from autov.core import Array, generator
from autov.core.atomic_files import to_json, write_text
from autov.experiments import Cell, Table
from autov.problems import Problem, instance_of, resolve_problem
from autov.runs.asynchronous import AHEAD
from autov.runs.optimizer import Optimizer
from benchmarks.kernel import machine

FUNCTIONS, INSTANCE, DIM, MAXFEV, SIGMA = range(1, 25), 1, 10, 1000, 0.5
WORKERS = 4, 16, 64
TARGETS = np.logspace(2, -8, 51)
FILE = Path(__file__).parents[1] / "results" / "asynchronous.json"


class Cluster:
    """Workers in simulated time: when each evaluation ends, and the best gap until then."""

    def __init__(self, problem: Problem, workers: int, seed: int) -> None:
        self.problem, self.workers, self.clock, self.busy = problem, workers, 0.0, 0.0
        self._rng, self._running, self._count = generator(seed, 1), [], 0
        self.times, self.gaps = [], []

    @property
    def idle(self) -> bool:
        """Whether a worker has nothing to do."""
        return len(self._running) < self.workers

    def begin(self, x: Array) -> None:
        """A worker evaluates a point."""
        seconds = float(self._rng.lognormal(0, SIGMA))
        self.busy += seconds
        self._count += 1
        heapq.heappush(self._running, (self.clock + seconds, self._count, x))

    def end(self) -> tuple[Array, Array] | None:
        """The next point that has its value; None if nothing runs."""
        if not self._running:
            return None
        self.clock, _, x = heapq.heappop(self._running)
        f = self.problem(x[None], generator(0))
        self.times.append(self.clock)
        self.gaps.append(min(float(f[0]) - float(self.problem.minimum or 0), self.gaps[-1] if self.gaps else np.inf))
        return x, f

    def reached(self, time: float) -> tuple[float, int]:
        """The share of targets reached by then, and evaluations."""
        made = int(np.searchsorted(self.times, time, side="right"))
        return (float((self.gaps[made - 1] <= TARGETS).mean()) if made else 0.0), made


def solved(problem: Problem, workers: int, seed: int, as_they_come: bool, maxfev: int) -> Cluster:
    """One run of the default."""
    optimizer = Optimizer(list(zip(problem.box.lower, problem.box.upper, strict=True)), maxfev=maxfev, rng=seed)
    cluster = Cluster(problem, workers, seed)
    waiting: deque[Array] = deque()
    out = 0
    while True:
        while as_they_come and out < workers + workers // AHEAD and len(x := optimizer.ask(1)):
            waiting.append(x[0])
            out += 1
        if not as_they_come and not out:
            batch = optimizer.ask()
            waiting.extend(batch)
            out = len(batch)
        while waiting and cluster.idle:
            cluster.begin(waiting.popleft())
        found = cluster.end()
        if found is None:
            return cluster
        optimizer.tell(found[0][None], found[1])
        out -= 1


def bench_asynchronous(
    workers: tuple[int, ...] = WORKERS, functions: Any = FUNCTIONS, dim: int = DIM, maxfev: int = MAXFEV,
    file: Path | None = FILE,
) -> dict[str, Any]:  # fmt: skip
    """Means over the functions at the moment when the run without waiting has used its budget."""
    rows = []
    for count in workers:
        facts = []
        for number in functions:
            problem = instance_of(resolve_problem(f"bbob-f{number}+instance={INSTANCE}", dim=dim), 0)
            batches, come = (solved(problem, count, number, way, maxfev) for way in (False, True))
            facts.append([
                *come.reached(come.clock), *batches.reached(come.clock), come.busy / (come.clock * count),
                batches.busy / (batches.clock * count), batches.clock / come.clock, batches.reached(np.inf)[0],
            ])  # fmt: skip
        facts = np.array(facts)
        names = ("reached", "evaluations", "reached_by_batches", "evaluations_by_batches", "busy", "busy_by_batches",
                 "longer_by_batches", "reached_in_the_end_by_batches")  # fmt: skip
        better, worse = int((facts[:, 0] > facts[:, 2]).sum()), int((facts[:, 0] < facts[:, 2]).sum())
        means = dict(zip(names, facts.mean(axis=0).tolist(), strict=True))
        rows.append({"workers": count, **means, "better": better, "worse": worse})
    found = {"dim": dim, "maxfev": maxfev, "instance": INSTANCE, "rows": rows, "machine": machine()}
    if file is not None:
        write_text(file, to_json(found, indent=1) + "\n")
    return found


def asynchronous_table(result: dict[str, Any]) -> Table:
    """The same in words."""
    heads = (
        "workers",
        "busy",
        "targets",
        "evaluations",
        "batches: busy",
        "targets",
        "evaluations",
        "better on",
        "worse on",
    )
    rows = []
    for row in result["rows"]:
        shown = [f"{row['busy']:.0%}", f"{row['reached']:.3f}", f"{row['evaluations']:.0f}"]
        shown += [f"{row['busy_by_batches']:.0%}", f"{row['reached_by_batches']:.3f}"]
        shown += [f"{row['evaluations_by_batches']:.0f}", str(row["better"]), str(row["worse"])]
        rows.append((str(row["workers"]), tuple(Cell(text) for text in shown)))
    return Table("Asynchronous against whole batches, after the same time", heads, tuple(rows))
