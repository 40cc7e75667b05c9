"""How the points of a batch are spread over workers: only for Python functions of single points."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

import numpy as np

from autov.algorithms.base import Batch
from autov.algorithms.journal import Arrived, Journal
from autov.algorithms.run_store import SavedRun
from autov.core import Array, generator, real_numbers
from autov.engines import Engine, Serial, engine_of, in_order
from autov.problems import PointFunction, Problem, instance_of, takes_points


def evaluate_points(engine: Engine, problem: PointFunction, x: Array) -> Array:
    """Values of the rows of x by single calls on an engine; several travel together where there are many."""
    chunk = max(1, len(x) // (4 * engine.workers))
    return np.array(in_order(engine, problem.point, x, chunk=chunk))


def arriving_points(engine: Engine, problem: PointFunction, x: Array, arrived: Arrived) -> Array:
    """The same, each value reported when it is there; each point travels alone, so that none waits for another."""
    values = np.empty(len(x))
    with closing(engine.map(problem.point, x)) as found:
        for i, value in found:
            values[i] = value
            arrived(i, value)
    return values


def arriving_batch(problem: Problem, x: Array, arrived: Arrived) -> Array:  # noqa: ARG001
    """Values of the rows of x by one call of a function that takes batches and no random numbers."""
    return real_numbers(problem(x, generator(0)))


@contextmanager
def journal_of(problem: Problem, workers: Any, keep: bool, saved: SavedRun | None = None) -> Iterator[Journal | None]:
    """What evaluates batches of a Python function and keeps a journal; None for problems that make random numbers."""
    with engine_of(workers, "processes") as engine:
        problem = instance_of(problem, 0)
        if takes_points(problem):
            assert isinstance(problem, PointFunction)
            yield Journal(partial(arriving_points, engine, problem), problem.box.dim, keep, saved)
        elif not getattr(problem, "uses_rng", True):
            yield Journal(partial(arriving_batch, problem), problem.box.dim, keep, saved)
        else:
            yield None


@contextmanager
def evaluation_of(problem: Problem, workers: Any, run: int = 0) -> Iterator[Batch | None]:
    """What evaluates batches of the problem of a run on these workers; None where the problem itself does it best."""
    with engine_of(workers, "processes") as engine:
        problem = instance_of(problem, run)
        if takes_points(problem) and not isinstance(engine, Serial):
            assert isinstance(problem, PointFunction)
            yield partial(evaluate_points, engine, problem)
        else:
            yield None
