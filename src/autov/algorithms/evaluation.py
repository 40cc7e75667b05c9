"""How the points of a batch are spread over workers: only for Python functions of single points."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from autov.algorithms.base import Batch
from autov.core import Array
from autov.engines import Engine, Serial, engine_of, in_order
from autov.problems import PointFunction, Problem, instance_of, takes_points


def evaluate_points(engine: Engine, problem: PointFunction, x: Array) -> Array:
    """Values of the rows of x by single calls on an engine; several travel together where there are many."""
    chunk = max(1, len(x) // (4 * engine.workers))
    return np.array(in_order(engine, problem.point, x, chunk=chunk))


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
