"""autov's algorithms, and those of other libraries that autov knows, on problems of IOHexperimenter.

Every evaluation goes through the problem itself, so loggers that are attached to it (``ioh.logger.Analyzer``) see all
of them, and IOHanalyzer can read what they write:

    problem = ioh.get_problem(1, instance=1, dimension=5)
    logger = ioh.logger.Analyzer(algorithm_name="shade")
    problem.attach_logger(logger)
    IOHAlgorithm("shade", maxfev=5000)(problem)
    logger.close()

(a problem does not keep its logger: without the name Python ends with a segmentation fault),
or for a whole set, ``ioh.Experiment(IOHAlgorithm("shade"), fids=[1, 2], iids=[1], dims=[5], reps=5)()``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autov.adapters import missing
from autov.algorithms import resolve_algorithm
from autov.core import Array, Box, InputError, seed_of, whole_number
from autov.problems import function_problem
from autov.runs import solve

try:
    import ioh  # noqa: F401 - so that a missing library is told here
except ImportError as error:
    raise missing("ioh", error) from None

if TYPE_CHECKING:
    from autov.runs import Run


class IOHAlgorithm:
    """An algorithm as ioh calls it, with a problem; each call is another run of the same seed.

    Args:
        algorithm: a name such as "shade", "cma:default" or "evolution:operator.json", or settings; None for general.
        maxfev: evaluations of a run; None for 1000 for each variable.
        popsize: size of the population.
        seed: of all runs; run r of the object has the streams (seed, r).
    """

    def __init__(
        self, algorithm: Any = None, *, maxfev: int | None = None, popsize: int = 100,
        seed: int = 0,
    ) -> None:  # fmt: skip
        self.algorithm = resolve_algorithm(algorithm)
        self.maxfev = None if maxfev is None else whole_number("maxfev", maxfev, 1)
        self.popsize, self.seed = whole_number("popsize", popsize, 2), seed_of(seed)
        self.run = 0  # the next one; ioh can log it as a run attribute

    @property
    def name(self) -> str:
        """The algorithm's."""
        return self.algorithm.name

    def __call__(self, problem: Any) -> Run:
        """Run on a problem of real variables; its logger sees every evaluation."""
        bounds, facts = problem.bounds, problem.meta_data
        lower, upper = np.asarray(bounds.lb), np.asarray(bounds.ub)
        if lower.dtype.kind != "f":
            raise InputError(f"problem: {facts.name} has variables that are no real numbers")
        sign = -1.0 if facts.optimization_type.name == "MAX" else 1.0

        def evaluate(x: Array) -> Array:
            return sign * np.array([problem(point) for point in x])

        box = Box(lower, upper)
        maxfev = 1000 * box.dim if self.maxfev is None else self.maxfev
        found = solve(
            function_problem(evaluate, box, vectorized=True, key=f"ioh {facts.name}"), self.algorithm, maxfev=maxfev,
            popsize=self.popsize, seed=self.seed, run=self.run,
        )  # fmt: skip
        self.run += 1
        return found
