"""A designed operator beside the paper's and a GA on the training problems, all on fresh seeds."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from autov.algorithms import Evolution, solve
from autov.algorithms.ga import GA
from autov.core import Array
from autov.designer.designing import Design
from autov.engines import engine_of, in_order
from autov.operators import load_operator
from autov.problems import Problem

SEED_SHIFT = 1_000_003  # seeds of the comparison are not those of the search
RUNS = 30


def _best(run: int, problem: Problem, algorithm: Any, options: dict[str, Any]) -> float:
    return solve(problem, algorithm, run=run, **options).fun


def beside_known(design: Design, problem: Problem, workers: Any = None) -> dict[str, Array]:
    """Best values of 30 runs each, same population and budget as in the search; the first is the designed operator."""
    trial = design.settings["trial"]
    options = {
        "maxfev": trial["popsize"] * trial["generations"], "popsize": trial["popsize"],
        "seed": design.settings["seed"] + SEED_SHIFT,
    }  # fmt: skip
    found = {"designed": design.algorithm, "paper-h3": Evolution(load_operator("paper-h3")), "GA": GA()}
    compiled = problem.objective() is not None
    with engine_of(workers if compiled else 1, "threads") as engine:
        return {
            label: np.array(
                in_order(engine, partial(_best, problem=problem, algorithm=a, options=options), range(RUNS))
            )
            for label, a in found.items()
        }
