"""The instances that the runs of a design meet: each is constructed once, and all are of one kind."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from autov.core import Box, InputError
from autov.kernels.objective import Objective
from autov.problems import GeneratedFamily, MayRaise, Problem, ProblemFamily, takes_points, to_base, without_fixed
from autov.problems.generated import Split

MOST_NUMBERS = 20_000_000  # numbers in the transformations of the instances that are kept, at most
MOST_INSTANCES = 256


class Traits(NamedTuple):
    """What all instances of a problem must share, because a design evaluates them in one way."""

    box: Box
    compiled: bool
    by_point: bool  # a Python function of single points
    uses_rng: bool  # values may depend on the generator


class Prepared(NamedTuple):
    """An instance, ready for runs."""

    number: int
    problem: Problem  # without fixed variables
    base: Problem  # the function under its transformations
    objective: Objective | None
    traits: Traits

    @property
    def box(self) -> Box:
        """Where to search."""
        return self.traits.box

    @property
    def may_raise(self) -> MayRaise | None:
        """The function that raises what a compiled run noted, if there is one."""
        return self.base if isinstance(self.base, MayRaise) else None


class Instances:
    """The instances of a family by their numbers; a problem that is no family has one only, whatever the number."""

    def __init__(self, problem: Problem, one_minimum: bool = False, traits: Traits | None = None) -> None:
        """Prepare the first instance, unless its traits are known.

        Args:
            problem: a family or not.
            one_minimum: refuse instances whose known minimum is not that of the problem.
            traits: of all instances, where they travel to a worker.
        """
        self.problem, self.one_minimum = problem, one_minimum
        # A check against a protocol looks at every property: not once for each run.
        self.is_family = isinstance(problem, ProblemFamily)
        self._prepared: OrderedDict[int, Prepared] = OrderedDict()
        self._lock = Lock()
        self.traits = self.first.traits if traits is None else traits
        if self.traits.box.dim != without_fixed(problem).box.dim:
            raise InputError(
                f"problem: {problem.name} has {without_fixed(problem).box.dim} variables, and its instance 0 has "
                f"{self.traits.box.dim}"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return Instances, (self.problem, self.one_minimum, self.traits)

    @cached_property
    def first(self) -> Prepared:
        """Instance 0; of a user's family, the first one of the training."""
        return self._prepare(self.number("train", 0))

    def number(self, part: Split, drawn: int) -> int:
        """The number of an instance that a stream has drawn, in the part of a user's family that it belongs to."""
        return self.problem.numbered(part, drawn) if isinstance(self.problem, GeneratedFamily) else drawn

    @cached_property
    def _most(self) -> int:
        """How many are kept: transformed ones may have a matrix."""
        matrix = 1 if self.first.base is self.first.problem else self.traits.box.dim**2
        return min(MOST_INSTANCES, max(1, MOST_NUMBERS // matrix))

    def __getitem__(self, number: int) -> Prepared:
        if not self.is_family or number == self.first.number:
            return self.first
        with self._lock:  # threads that need the same instance wait for the one that constructs it
            found = self._prepared.get(number)
            if found is None:
                found = self._checked(self._prepare(number))
            self._prepared[number] = found
            self._prepared.move_to_end(number)
            if len(self._prepared) > self._most:
                self._prepared.popitem(last=False)
        return found

    def _prepare(self, number: int) -> Prepared:
        made: Any = self.problem
        if self.is_family:
            try:
                made = made.instance(number)
            except Exception as error:
                error.add_note(f"in instance({number}) of {self.problem.name}; any number up to 2**63 must be allowed")
                raise
        if not isinstance(made, Problem):
            raise InputError(f"problem: instance({number}) of {self.problem.name} must return a problem, got {made!r}")
        instance = without_fixed(made)
        objective = instance.objective()
        compiled = objective is not None
        traits = Traits(
            instance.box, compiled, not compiled and takes_points(instance), getattr(instance, "uses_rng", True)
        )
        base = to_base(instance, np.empty((0, instance.box.dim)))[0]
        return Prepared(number, instance, base, objective, traits)

    def _checked(self, found: Prepared) -> Prepared:
        """Refuse an instance that is evaluated in another way than the first one."""
        what = f"problem: instance {found.number} of {self.problem.name}"
        if found.box != self.traits.box:
            raise InputError(
                f"{what} has other bounds than instance 0: {_bounds(found.box)} instead of {_bounds(self.traits.box)}"
            )
        if found.traits != self.traits:
            raise InputError(
                f"{what} is {_kind(found.traits)}, and instance 0 is {_kind(self.traits)}; all must be of one kind"
            )
        if self.one_minimum and found.problem.minimum != self.problem.minimum:
            raise InputError(
                f"{what} has the minimum {found.problem.minimum}, and the problem has {self.problem.minimum}: the "
                "aggregates log-gap and panel need one minimum for all instances; subtract it, or use rank"
            )
        return found


def _kind(traits: Traits) -> str:
    if traits.compiled:
        return "a compiled function"
    if traits.by_point:
        return "a Python function of single points"
    return "a random function of batches" if traits.uses_rng else "a Python function of batches"


def _bounds(box: Box) -> str:
    return f"{np.array2string(box.lower, threshold=6)} to {np.array2string(box.upper, threshold=6)}"
