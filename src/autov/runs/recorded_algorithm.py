"""An algorithm that is asked and told, and what it was told: with its seed, this repeats it in another process."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from autov.algorithms.base import AnyMetaheuristic, Injectable
from autov.algorithms.population import initial_points
from autov.core import Array, Box, generator
from autov.problems import Constrained
from autov.runs.budget import Evaluations
from autov.runs.constraint_rows import modelling
from autov.runs.known_points import first_points_of

TELL, INJECT, BEGIN, LEARN = range(4)  # events of a history
Event = tuple[int, Array, Array, Array]  # what happened, points (m, d), values (m,), and what else is known (m, k)


class RecordedAlgorithm:
    """A metaheuristic on the variables that are not fixed; its batches have all of them.

    Args:
        algorithm: settings with init, ask, tell and population.
        box: the bounds; equal ones fix a variable.
        searched: the bounds that the algorithm is told: integers reach half a unit beyond their ends.
        popsize: size of the population.
        maxfev: evaluations that it can plan with.
        seed: of its random numbers.
        x0: a first point or population.
        rules: of a problem of whose constraints it is told; None where there are none.
    """

    def __init__(
        self, algorithm: AnyMetaheuristic, box: Box, searched: Box, *, popsize: int, maxfev: int, seed: int,
        x0: Array | None, rules: Constrained | None = None,
    ) -> None:  # fmt: skip
        self._lower, self._searched, self.free = box.lower, searched, box.width > 0
        models = None if rules is None else modelling(algorithm, tuple(rules.whole[self.free].tolist()), maxfev)
        self._rules = None if models is None else rules
        self.algorithm, self.popsize, self.maxfev = models or algorithm, popsize, maxfev
        self.box = Box(searched.lower[self.free], searched.upper[self.free])
        self.given = x0 if x0 is None or self.free.all() else initial_points(searched, popsize, x0)[:, self.free]
        self.rng = generator(seed, 0)
        self.seed = self.rng.bit_generator.state
        self.history: list[Event] = []  # on the free variables
        self.batches = 0  # that were told

    def start(self, before: Evaluations | None) -> None:
        """Begin; the best of known evaluations are first points, and it can plan with them."""
        x0, self.planned = self.given, self.maxfev
        if before is not None:
            known = Evaluations(self._reduced(self._searched.clip(before.x)), before.fun)
            x0, free = first_points_of(known, self.algorithm, self.box, self.popsize, self.maxfev, x0)
            self.planned += free
        self.x0 = initial_points(self.box, max(self.popsize, 1), x0)
        self.rng.bit_generator.state = self.seed
        self._init(self.planned, self.x0 if len(self.x0) else None)

    def restart(self) -> None:
        """Begin anew, without first points."""
        self.history.append((BEGIN, self.box.lower[None][:0], np.empty(0), np.empty((0, 0))))
        self._init(self.maxfev, None)

    def _init(self, planned: int, x0: Array | None) -> None:
        self.state = self.algorithm.init(self.box, self.popsize, planned, self.rng, x0)

    def ask(self) -> Array:
        """The next batch."""
        asked, self.state = self.algorithm.ask(self.state, self.rng)
        return self._completed(asked)

    @property
    def models_constraints(self) -> bool:
        """Whether it uses what is known of constraints."""
        return self._rules is not None

    def tell(self, x: Array, f: Array, rows: Array | None = None) -> None:
        """Values of the last batch, and what else is known of its points (m, 1 + k)."""
        self._note(TELL, x, f, rows)
        self._learn(x, rows)
        self.state = self.algorithm.tell(self.state, self._reduced(x), f, self.rng)
        self.batches += 1

    def learn(self, x: Array, rows: Array) -> None:
        """What is known of points that it did not ask for."""
        self._note(LEARN, x, np.zeros(len(x)), rows)
        self._learn(x, rows)

    def _learn(self, x: Array, rows: Array | None) -> None:
        if self._rules is not None and rows is not None:
            algorithm: Any = self.algorithm
            self.state = algorithm.learn(self.state, self._reduced(self._rules.rounded(x)), rows)

    def _note(self, event: int, x: Array, f: Array, rows: Array | None = None) -> None:
        self.history.append((event, self._reduced(x), f, np.empty((len(f), 0)) if rows is None else rows))

    @property
    def takes_points(self) -> bool:
        """Whether it uses points that it did not ask for: algorithms with `inject`, after a batch."""
        return self.batches > 0 and isinstance(self.algorithm, Injectable)

    def inject(self, x: Array, f: Array) -> None:
        """Values of points that it did not ask for."""
        assert isinstance(self.algorithm, Injectable)
        self._note(INJECT, x, f)
        self.state = self.algorithm.inject(self.state, self._reduced(x), f)

    def repeat(self, seed: Any, planned: int, x0: Array, history: Iterable[Event]) -> None:
        """Do again what a saved history says, with its seed and its first points.

        Raises:
            ValueError: where the algorithm does not ask for these points.
        """
        self.planned, self.x0, self.given = planned, x0, x0[: len(x0) - (planned - self.maxfev)]
        self.rng.bit_generator.state = self.seed = seed
        self._init(planned, x0 if len(x0) else None)
        for event, x, f, rows in history:
            if event == BEGIN:
                self.restart()
            elif event == INJECT and self.takes_points:
                self.inject(self._completed(x), f)
            elif event == LEARN and self.models_constraints:
                self.learn(self._completed(x), rows)
            elif event == TELL:
                asked = self.ask()
                if not np.array_equal(self._reduced(asked), x):
                    raise ValueError("this version of the algorithm asks for another batch")
                self.tell(asked, f, rows if self.models_constraints else None)
            else:
                raise ValueError(f"event {event} cannot be repeated")

    def population(self) -> tuple[Array, Array]:
        """Its current points and their values."""
        x, f = self.algorithm.population(self.state)
        return self._completed(np.asarray(x))[: len(f)], f  # of one that has begun anew, nothing is told yet

    def _completed(self, x: Array) -> Array:
        """Points with the fixed variables put in."""
        if self.free.all():
            return x
        full = np.tile(self._lower, (len(x), 1))
        full[:, self.free] = x
        return full

    def _reduced(self, x: Array) -> Array:
        """Points without the fixed variables."""
        return x if self.free.all() else np.ascontiguousarray(x[:, self.free])
