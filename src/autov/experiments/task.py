"""One run to be made: which algorithm, which problem, which budget, which stream of random numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from autov.algorithms import ALGORITHMS, Algorithm
from autov.algorithms.evolution import Evolution
from autov.algorithms.registry import FORMER
from autov.core import InputError
from autov.core.identities import canonical, describe, digest, settings_of
from autov.experiments.row import DECISIVE, Setup
from autov.problems import Problem, resolve_problem

IN_KEYS = {Evolution.name: FORMER}  # keys of stores outlive names of algorithms


@dataclass(frozen=True)
class Task(Setup):
    """A run. Two tasks are equal, and have the same key, if they must give the same result; labels do not matter."""

    solver: Any = field(default=None, compare=False, repr=False)  # the algorithm
    function: Problem | None = field(default=None, compare=False, repr=False)  # where the name is not enough

    @cached_property
    def key(self) -> str:
        """What the store knows the task by."""
        parts = {name: getattr(self, name) for name in DECISIVE}
        parts["algorithm"] = IN_KEYS.get(self.algorithm, self.algorithm)
        return digest(canonical(parts))

    def make_problem(self) -> Problem:
        """The problem, or the family whose instance the run gets."""
        return resolve_problem(self.problem, dim=self.dim) if self.function is None else self.function


def identify(algorithm: Algorithm, spec: str | None = None) -> tuple[str, str]:
    """Name and canonical settings: what decides the results of an algorithm."""
    name = algorithm.name
    if not isinstance(name, str) or not name:
        raise InputError(f"algorithm: the name of {type(algorithm).__name__} must be a text, got {name!r}")
    if type(algorithm) is ALGORITHMS.get(name):
        return name, canonical(describe(settings_of(algorithm)))
    return spec or name, canonical(describe(algorithm))
