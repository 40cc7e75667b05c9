"""Random numbers that are permuted together with the variables.

Independent draws of one distribution, one for each variable, have the same joint distribution in any order. So an
operator or algorithm whose paths agree when its draws are permuted with the variables gives equally likely paths: it is
invariant in distribution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autov.core import Generator

ELEMENTWISE = (
    "beta", "binomial", "chisquare", "exponential", "f", "gamma", "geometric", "gumbel", "laplace", "logistic",
    "lognormal", "normal", "pareto", "poisson", "power", "random", "rayleigh", "standard_cauchy",
    "standard_exponential", "standard_gamma", "standard_normal", "standard_t", "triangular", "uniform", "vonmises",
    "wald", "weibull",
)  # fmt: skip


class PermutedDraws(np.random.Generator):
    """A generator on the stream of another one whose arrays with one number per variable are permuted.

    Column j is what the other one gives in column ``order[j]``. An index of a variable (an integer from 0 to d - 1) is
    mapped to the place where that variable is now.
    """

    def __init__(self, rng: Generator, order: np.ndarray) -> None:
        super().__init__(rng.bit_generator)
        self.order, self.place = order, np.argsort(order)

    def _arguments(self, values: Any) -> list[Any]:
        """Parameters with one number per variable, as the plain call has them."""
        return [value[..., self.place] if self._per_variable(value) else value for value in values]

    def _per_variable(self, value: Any) -> bool:
        return isinstance(value, np.ndarray) and value.ndim > 0 and value.shape[-1] == len(self.order)

    def _permuted(self, draws: Any) -> Any:
        return draws[..., self.order] if self._per_variable(draws) else draws

    def _indices(self, draws: Any) -> Any:
        return self.place[draws]

    def integers(self, low: Any, high: Any = None, *args: Any, **options: Any) -> Any:
        """Integers; those that number the variables follow them."""
        draws = super().integers(*self._arguments((low, high)), *args, **options)
        first, last = (0, low) if high is None else (low, high)
        if np.ndim(first) == np.ndim(last) == 0 and (first, last) == (0, len(self.order)):
            draws = self._indices(draws)
        return self._permuted(draws)

    def choice(self, a: Any, *args: Any, **options: Any) -> Any:
        """One or more of a; of the numbers of the variables, where a is their count."""
        draws = super().choice(a, *args, **options)
        return self._indices(draws) if np.ndim(a) == 0 and a == len(self.order) else draws

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """A random order; of the numbers of the variables, where x is their count."""
        draws = super().permutation(x, axis=axis)
        return self._indices(draws) if np.ndim(x) == 0 and x == len(self.order) else draws


def _elementwise(name: str) -> Callable[..., Any]:
    plain = getattr(np.random.Generator, name)

    def draw(self: PermutedDraws, *args: Any, **options: Any) -> Any:
        out = options.get("out")
        given = dict(zip(options, self._arguments(options.values()), strict=True)) | (
            {"out": out} if out is not None else {}
        )
        draws = self._permuted(plain(self, *self._arguments(args), **given))
        if out is not None:
            out[...] = draws
        return draws if out is None else out

    draw.__doc__ = f"As ``Generator.{name}``, permuted."
    return draw


for _name in ELEMENTWISE:
    setattr(PermutedDraws, _name, _elementwise(_name))
