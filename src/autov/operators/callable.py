"""What a variation operator is, and any function ``h(parents, lower, upper, rng) -> offspring`` of users as one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from autov.core import Array, Generator, InputError

PARENTS = 3  # of a function that does not say how many it takes


class Operator(Protocol):
    """Makes n offspring from n tuples of parents, without looking at the objective and without repairing them."""

    n_parents: int

    def __call__(self, parents: Array, lower: Array, upper: Array, rng: Generator) -> Array:
        """Offspring (n, d) of parents (n_parents, n, d) in the box [lower, upper]."""
        ...


@dataclass(frozen=True)
class CallableOperator:
    """A function, how many parents it takes, and which of the points best and mean it wants as keywords."""

    function: Callable[..., Any]
    n_parents: int
    points: tuple[str, ...] = ()

    @classmethod
    def of(cls, operator: Any, n_parents: int | None = None) -> CallableOperator:
        """From any callable; n_parents is the argument, else its attribute, else 3."""
        if not callable(operator):
            raise InputError(f"operator: must be callable as h(parents, lower, upper, rng), got {operator!r}")
        if n_parents is None:
            n_parents = getattr(operator, "n_parents", PARENTS)
        if not isinstance(n_parents, (int, np.integer)) or isinstance(n_parents, bool) or n_parents < 1:
            raise InputError(f"n_parents: must be an integer, at least 1, got {n_parents!r}")
        try:
            accepted = inspect.signature(operator).parameters
        except (TypeError, ValueError):
            accepted = {}
        # A default other than None is a setting of the operator that happens to have this name.
        free = (None, inspect.Parameter.empty)
        points = tuple(n for n in ("best", "mean") if n in accepted and any(accepted[n].default is f for f in free))
        return cls(operator, int(n_parents), points)

    @property
    def name(self) -> str:
        """Its name, that of its function or of its class."""
        own = getattr(self.function, "name", None) or getattr(self.function, "__name__", None)
        return own if isinstance(own, str) else type(self.function).__name__

    def offspring(
        self, parents: Array, lower: Array, upper: Array, rng: Generator, x: Array, f: Array
    ) -> Array:  # fmt: skip
        """Offspring (n, d) of parents (n_parents, n, d) taken from the population x with values f; checked."""
        found = {"best": x[int(np.argmin(f))].copy(), "mean": x.mean(axis=0)}
        points = {name: found[name] for name in self.points}
        try:
            made = self.function(parents, lower.copy(), upper.copy(), rng, **points)
        except Exception as error:
            error.add_note(
                f"raised by the operator {self.name} for parents of shape {parents.shape}; its n_parents says how many "
                f"it takes"
            )
            error.autov_point = None  # type: ignore[attr-defined]  # the user's code, not autov's, must change
            raise
        try:
            made = np.array(made, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"operator: {self.name} returns {type(made).__name__}, not an array of numbers") from None
        if made.shape != parents.shape[1:] or np.isnan(made).any():
            what = "NaN" if made.shape == parents.shape[1:] else f"shape {made.shape}"
            raise InputError(f"operator: {self.name} must return numbers of shape {parents.shape[1:]}, got {what}")
        return made
