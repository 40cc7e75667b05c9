"""autov's algorithms as optimizers of nevergrad.

Importing this module registers ``AutoV`` (the paper's metaheuristic around the paper's operator) and ``AutoVGeneral``
(the default of `autov.Optimizer`): ``nevergrad.optimizers.registry["AutoV"](parametrization, budget=1000)``. Other
ones are configured: ``AutoVFamily(algorithm="shade")(parametrization, budget)``.

Any parametrization will do: bounded variables fill the unit box by their bounds, others by an arctangent that
reaches about a hundred of nevergrad's standard deviations to both sides. All random numbers come from the
parametrization's ``random_state``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autov.adapters import missing
from autov.adapters.points import Points, asked_algorithm, popsize_for
from autov.core import Array, whole_number

try:
    from nevergrad.optimization import base
    from nevergrad.parametrization import parameter
    from nevergrad.parametrization.transforms import ArctanBound
except ImportError as error:
    raise missing("nevergrad", error) from None

BUDGET = 10_000  # where nevergrad says none
EDGE = 0.003  # the border of the box must not count as infinity


class AutoVOptimizer(base.Optimizer):
    """An algorithm of autov, asked for one point at a time; see `AutoVFamily`."""

    def __init__(
        self, parametrization: Any, budget: int | None = None, num_workers: int = 1, *, algorithm: Any = None,
        popsize: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parametrization, budget=budget, num_workers=num_workers)
        self._algorithm = asked_algorithm(algorithm)
        self._popsize = popsize
        self._normalizer = parameter.helpers.Normalizer(self.parametrization, ArctanBound(-EDGE, 1 + EDGE))
        self._given: dict[str, Array] = {}  # candidates that are out -> their points
        self._points: Points | None = None

    def _started(self) -> Points:
        """The run; it begins at the first question, so that the seed may be set before."""
        if self._points is None:
            maxfev = self.budget or BUDGET
            popsize = self._popsize or popsize_for(maxfev, self.num_workers)
            seed = int(self._rng.randint(2**32, dtype=np.uint64))
            self._points = Points(self._algorithm, self.dimension, maxfev, popsize, seed)
        return self._points

    def _internal_ask_candidate(self) -> Any:
        point = self._started().ask()
        data = self._normalizer.backward(point)
        candidate = self.parametrization.spawn_child().set_standardized_data(data)
        self._given[candidate.uid] = point
        return candidate

    def _internal_tell_candidate(self, candidate: Any, loss: float) -> None:
        point = self._given.pop(candidate.uid, None)
        if point is None:
            data = candidate.get_standardized_data(reference=self.parametrization)
            point = np.clip(self._normalizer.forward(data), 0.0, 1.0)
        self._started().tell(np.asarray(point, dtype=np.float64), float(loss))


class AutoVFamily(base.ConfiguredOptimizer):
    """Settings of an optimizer of nevergrad.

    Args:
        algorithm: a name such as "shade" or "ma-es", or settings; None for the default of `autov.Optimizer`.
        popsize: size of the population; None for the square root of twice the budget, from 10 to 100, and at least
            num_workers.
    """

    def __init__(self, *, algorithm: Any = None, popsize: int | None = None) -> None:
        if popsize is not None:
            whole_number("popsize", popsize, 2)
        super().__init__(AutoVOptimizer, locals())


AutoV = AutoVFamily(algorithm="paper-h3").set_name("AutoV", register=True)
AutoVGeneral = AutoVFamily().set_name("AutoVGeneral", register=True)
