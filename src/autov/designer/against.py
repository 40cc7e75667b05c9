"""A designed operator beside the paper's and a GA on a training problem, all on fresh seeds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from autov.algorithms import Evolution, solve
from autov.algorithms.ga import GA
from autov.core import Array
from autov.designer.design import Design
from autov.engines import worker_count
from autov.operators import load_operator

SEED_SHIFT = 1_000_003  # seeds of the comparison are not those of the search
RUNS = 30


def against(design: Design, problem: Any, workers: int | None = None) -> dict[str, Array]:
    """Best values of 30 runs each, same population and budget as in the search; the first is the designed operator."""
    inner = design.settings["inner"]
    options = {
        "maxfev": inner["popsize"] * inner["generations"], "popsize": inner["popsize"],
        "seed": design.settings["seed"] + SEED_SHIFT,
    }  # fmt: skip
    found = {"designed": Evolution(design.operator), "paper-h3": Evolution(load_operator("paper-h3")), "GA": GA()}
    compiled = problem.objective() is not None
    with ThreadPoolExecutor(worker_count(workers) if compiled else 1) as pool:
        values = {}
        for label, algorithm in found.items():
            runs = pool.map(lambda r, a=algorithm: solve(problem, a, run=r, **options).fun, range(RUNS))
            values[label] = np.array(list(runs))
    return values
