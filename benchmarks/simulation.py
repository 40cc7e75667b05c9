"""A cluster on paper: how long batches of evaluations take on any number of workers, event by event.

One dispatcher sends work, one message after the other, and takes results; workers evaluate. A batch must be finished
before the next begins, as between the generations of runs in step. ``python -m benchmarks.simulation`` prints the
figures of docs/parallel.md; `python -m benchmarks scale` measures 1 and 2 workers and simulates them.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from autov.core import Array, to_json
from autov.engines.dask.mapping import AHEAD


class Simulated(NamedTuple):
    """What came out."""

    seconds: float
    busy: float  # share of the workers' time that is spent in evaluations
    dispatching: float  # share of the time in which the dispatcher sends or receives
    messages: int  # to workers; as many come back


def simulate(
    batches: Iterable[Array], workers: int, overhead: float, chunk: int = 1, ahead: int = 1
) -> Simulated:  # fmt: skip
    """Run batches of durations on paper.

    Args:
        batches: seconds of the evaluations of each batch.
        workers: how many evaluate at once.
        overhead: seconds of the dispatcher for a message and its answer.
        chunk: evaluations that travel together.
        ahead: messages that may be with a worker, of which it works on one while the others wait there.
    """
    now = spent = dispatched = 0.0
    messages = 0
    for durations in batches:
        places = [(now, level, worker) for level in range(ahead) for worker in range(workers)]  # free from when
        done = [now] * workers  # when each worker has nothing to do
        dispatcher = now
        for first in range(0, len(durations), chunk):
            work = float(np.sum(durations[first : first + chunk]))
            since, _, worker = places[0]
            dispatcher = max(dispatcher, since) + overhead
            done[worker] = max(done[worker], dispatcher) + work
            heapq.heapreplace(places, (done[worker], 0, worker))
            spent, messages, dispatched = spent + work, messages + 1, dispatched + overhead
        now = max(dispatcher, *done)
    return Simulated(now, spent / (workers * now), dispatched / now, messages)


def search_on_paper(
    *, workers: int, seconds: float, overhead: float, population: int, generations: int, popsize: int, steps: int,
    runs: int, chunk: int = 1, ahead: int = 1, spread: float = 0.5, seed: int = 1,
) -> dict[str, Any]:  # fmt: skip
    """A whole search of a slow function: one step of all its runs is simulated, and all steps are alike.

    Args:
        workers: of the cluster.
        seconds: mean of an evaluation; each is uniform within ``spread`` of it.
        overhead: of a message.
        population: candidates.
        generations: of the search, after the first population.
        popsize: points of a run in one step.
        steps: of a run.
        runs: of each candidate.
        chunk: evaluations that travel together.
        ahead: messages that may be with a worker.
        spread: see seconds.
        seed: of the durations.
    """
    size = population * runs * popsize
    durations = np.random.default_rng(seed).uniform((1 - spread) * seconds, (1 + spread) * seconds, size)
    one = simulate([durations], workers, overhead, chunk, ahead)
    times = steps * (generations + 1)
    genes = 50  # of an operator with ten rows and tied bounds
    return {
        "workers": workers, "chunk": chunk, "evaluations": size * times, "messages": one.messages * times,
        "days": one.seconds * times / 86_400, "busy": one.busy, "dispatching": one.dispatching,
        "checkpoint_bytes": population * 8 * (genes + runs + 2) + generations * 40 + 4000,
        "values_between_checkpoints_bytes": 29 * size,
    }  # fmt: skip


def main() -> None:
    """The table of docs/parallel.md."""
    paper = {"population": 100, "generations": 1000, "popsize": 100, "steps": 100, "runs": 9}
    small = {"population": 40, "generations": 50, "popsize": 40, "steps": 50, "runs": 3}
    for name, settings in (("paper", paper), ("small", small)):
        for workers, chunk in ((2, 1), (100, 1), (1000, 1), (1000, 10)):
            found = search_on_paper(workers=workers, seconds=1.0, overhead=0.003, chunk=chunk, ahead=AHEAD, **settings)
            sys.stdout.write(f"{name}: {to_json(found)}\n")


if __name__ == "__main__":
    main()
