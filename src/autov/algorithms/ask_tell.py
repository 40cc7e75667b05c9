"""Ask and tell, for people who run the evaluations themselves."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from autov.algorithms.base import Injectable, Metaheuristic
from autov.algorithms.files import read_saved, write_saved
from autov.algorithms.resolve import resolve_algorithm
from autov.algorithms.restoring import check_sizes, try_out
from autov.core import Array, Box, InputError, Seed, generator, real_numbers, seed_of, values_of, whole_number

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult


class Optimizer:
    """An algorithm, one batch at a time; the paper's metaheuristic unless told otherwise.

    >>> optimizer = Optimizer([(-5, 5)] * 3, popsize=20, rng=1)
    >>> while not optimizer.stop():
    ...     x = optimizer.ask()
    ...     optimizer.tell(x, (x**2).sum(axis=1))
    >>> optimizer.result.fun < 0.01
    True

    Args:
        bounds: a (min, max) pair for each variable.
        operator: for the paper's metaheuristic: a name, a file, an operator, or the result of ``design``.
        popsize: size of the population.
        rng: seed.
        algorithm: a name such as "shade" or "de+F=0.7", or settings with init, ask, tell and population.
        x0: a first point or population.
        maxfev: how many evaluations.
    """

    def __init__(
        self, bounds: Any, operator: Any = None, popsize: int = 100, rng: Seed = None, *, algorithm: Any = None,
        x0: Array | None = None, maxfev: int = 10_000,
    ) -> None:  # fmt: skip
        chosen = resolve_algorithm(algorithm, operator)
        if not isinstance(chosen, Metaheuristic):
            raise InputError(f"algorithm: {chosen.name} can only be run as a whole, not asked; use minimize")
        box = Box.of(bounds)
        if not (box.width > 0).all():
            raise InputError("bounds: fixed variables (lower equals upper) are for minimize; leave them out here")
        self.algorithm, self.box = chosen, box
        self.popsize, self.maxfev = whole_number("popsize", popsize, 2), whole_number("maxfev", maxfev, 1)
        self._rng = generator(seed_of(rng), 0)
        self._state = chosen.init(box, self.popsize, self.maxfev, self._rng, x0)
        self._nfev = self._nans = self._batches = 0
        self._best, self._best_x = np.inf, np.empty((0, box.dim))
        self._asked, self._values = np.empty((0, box.dim)), np.empty(0)  # the batch being evaluated; NaN: not told yet

    def ask(self) -> Array:
        """Points to evaluate next, shape (m, d); the same ones until some of them are told."""
        if not len(self._asked):
            self._asked, self._state = self.algorithm.ask(self._state, self._rng)
            self._values = np.full(len(self._asked), np.nan)
        return self._asked[np.isnan(self._values)][: max(self.maxfev - self._nfev, 0)].copy()

    def tell(self, x: Array, f: Array) -> None:
        """Values of points: those asked for, some of them, or points of your own. NaN counts as worst.

        The algorithm goes on when all points of its batch are told. Points of your own join the population where the
        algorithm can take them, and count for the result in any case.
        """
        try:
            x, f = np.atleast_2d(np.asarray(x, dtype=np.float64)), np.atleast_1d(real_numbers(f))
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"tell: points and values must be numbers ({error})") from None
        if x.shape != (len(f), self.box.dim) or f.ndim != 1:
            raise InputError(
                f"tell: expected x of shape (m, {self.box.dim}) and f of shape (m,), got {x.shape} and {f.shape}"
            )
        if not self.box.holds(x):
            raise InputError("tell: all points must lie inside the bounds")
        if not len(f):
            return
        f, nans = values_of(f, len(f))
        self._nfev += len(f)
        self._nans += nans
        i = int(np.argmin(f))
        if f[i] < self._best or not len(self._best_x):
            self._best, self._best_x = float(f[i]), x[i : i + 1].copy()
        own = self._fill(x, f)
        if len(self._values) and not np.isnan(self._values).any():
            self._state = self.algorithm.tell(self._state, self._asked, self._values, self._rng)
            self._asked, self._values = self._asked[:0], self._values[:0]
            self._batches += 1
        if own.any() and self._batches and isinstance(self.algorithm, Injectable):
            self._state = self.algorithm.inject(self._state, x[own], f[own])

    def _fill(self, x: Array, f: Array) -> np.ndarray:
        """Put values to the points that were asked for; which points of x are none of them, (m,) bool."""
        waiting = np.flatnonzero(np.isnan(self._values))[: len(x)]
        if len(waiting) == len(x) and np.array_equal(self._asked[waiting], x):  # in the order they were asked for
            self._values[waiting] = f
            return np.zeros(len(x), dtype=bool)
        own = np.ones(len(x), dtype=bool)
        for i, point in enumerate(x):
            open_ = np.flatnonzero(np.isnan(self._values))
            match = open_[(self._asked[open_] == point).all(axis=1)]
            if len(match):
                self._values[match[0]] = f[i]
                own[i] = False
        return own

    def stop(self) -> bool:
        """Whether the budget is used up."""
        return self._nfev >= self.maxfev

    @property
    def result(self) -> OptimizeResult:
        """The best so far, in SciPy's form."""
        from scipy.optimize import OptimizeResult

        if not self._nfev:
            raise InputError("result: nothing was told yet")
        if self._batches:
            x, f = self.algorithm.population(self._state)
        else:
            told = ~np.isnan(self._values)
            x, f = self._asked[told], self._values[told]
        return OptimizeResult(
            x=self._best_x[0].copy(), fun=self._best, nfev=self._nfev, nit=max(self._batches - 1, 0),
            success=self._best < np.inf, status=0 if self.stop() else 1,
            message="The budget is used up." if self.stop() else "Not finished.",
            population=np.array(x), population_energies=np.array(f),
        )  # fmt: skip

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole state (NPZ, no pickle); `Optimizer.load` goes on from it with the same bits."""
        numbers = {
            "popsize": self.popsize, "maxfev": self.maxfev, "nfev": self._nfev, "nans": self._nans,
            "batches": self._batches, "rng": self._rng.bit_generator.state,
        }  # fmt: skip
        arrays = {
            "lower": self.box.lower, "upper": self.box.upper, "asked": self._asked, "values": self._values,
            "best": np.array(self._best), "best_x": self._best_x,
        }  # fmt: skip
        write_saved(path, self.algorithm, self._state, numbers, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Optimizer:
        """The optimizer that was saved."""
        return read_saved(path, cls._restore)

    @classmethod
    def _restore(
        cls, algorithm: Any, numbers: dict[str, Any], arrays: dict[str, np.ndarray], restore: Any
    ) -> Optimizer:
        check_sizes(algorithm, numbers, arrays)
        self = cls(Box(arrays["lower"], arrays["upper"]), popsize=numbers["popsize"], rng=0, algorithm=algorithm,
                   maxfev=numbers["maxfev"])  # fmt: skip
        dim = self.box.dim
        asked, values, best_x = arrays["asked"], arrays["values"], arrays["best_x"]
        best = arrays["best"]
        if (
            values.ndim != 1
            or asked.shape != (len(values), dim)
            or best_x.shape not in ((0, dim), (1, dim))
            or best.shape != ()
        ):
            raise ValueError("shapes of the saved arrays do not fit")
        if any(array.dtype != np.float64 for array in (asked, values, best_x, best)) or np.isnan(best):
            raise ValueError("types of the saved arrays do not fit")
        if not self.box.holds(asked) or not self.box.holds(best_x):
            raise ValueError("points of the saved arrays lie outside the bounds")
        self._nfev, self._nans = whole_number("nfev", numbers["nfev"], 0), whole_number("nans", numbers["nans"], 0)
        self._batches = whole_number("batches", numbers["batches"], 0)
        if len(best_x) != (self._nfev > 0):
            raise ValueError("there is a best point if and only if something was told")
        self._rng.bit_generator.state = numbers["rng"]
        self._state = restore(self._state)
        points, told = algorithm.population(self._state) if self._batches else (asked, np.zeros(len(asked)))
        if points.shape != (len(told), dim) or np.isnan(told).any() or not self.box.holds(points):
            raise ValueError("the population of the saved state is not one")
        try_out(algorithm, self._state, asked, self._rng)
        self._asked, self._values, self._best_x, self._best = asked, values, best_x, float(best)
        return self
