"""A model of values over mixed variables: which of several candidates to evaluate, and where its minimum lies.

Quadratic in numbers, as in N. Hansen, A global surrogate assisted CMA-ES, GECCO 2019, with one term for each category.
It is fitted to values, or to their ranks as quantiles of the normal distribution; which of both has ordered the last
points better is told from outside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from autov.core import Array

RIDGE = 1e-8  # of the mean square of terms
PAIRS_FROM = 1.2  # evaluations for each term from which products of numbers are terms, too
MOST_TERMS = 600  # so that a fit takes milliseconds
HEAVIEST = 20.0  # weight of the best point over that of the worst


@dataclass(frozen=True, eq=False)
class MixedModel:
    """Coefficients: of numbers t (d,), of their products (d, d), and of categories, one table each."""

    linear: Array
    quadratic: Array
    tables: list[Array]

    @classmethod
    def fitted(cls, t: Array, chosen: np.ndarray, f: Array, sizes: np.ndarray) -> MixedModel | None:
        """The model of n points t (n, d), chosen (n, c), f (n,); None where n is too small, or terms are too many.

        Args:
            t: numbers, about a centre and in steps of the search.
            chosen: categories.
            f: what is fitted.
            sizes: how many categories each variable has.
        """
        n, d = t.shape
        least = 1 + 2 * d + int((sizes - 1).sum())
        if n < least or least > MOST_TERMS:
            return None
        first, second = np.triu_indices(d, 1)
        pairs = PAIRS_FROM * (least + len(first)) <= n and least + len(first) <= MOST_TERMS
        parts = [np.ones((n, 1)), t, t**2, *([t[:, first] * t[:, second]] if pairs else [])]
        parts += [(chosen[:, i, None] == np.arange(size)) * 1.0 for i, size in enumerate(sizes)]
        terms = np.concatenate(parts, axis=1)
        rank = np.argsort(np.argsort(f, kind="stable"), kind="stable")
        weight = np.sqrt(HEAVIEST + (1 - HEAVIEST) * rank / max(n - 1, 1))
        unit = np.sqrt((terms**2).mean(axis=0)) + 1e-300
        left = terms / unit * weight[:, None]
        normal = left.T @ left
        normal[np.diag_indices_from(normal)] += RIDGE * n
        found = np.linalg.solve(normal, left.T @ (f * weight)) / unit
        quadratic, at = np.diag(found[1 + d : 1 + 2 * d]), 1 + 2 * d
        if pairs:
            quadratic[first, second] = quadratic[second, first] = found[at : at + len(first)] / 2
            at += len(first)
        return cls(found[1 : 1 + d], quadratic, np.split(found[at:], np.cumsum(sizes)[:-1]) if len(sizes) else [])

    def expected(self, t: Array, chosen: np.ndarray) -> Array:
        """What is expected of points (m,), up to a constant."""
        found = t @ self.linear + ((t @ self.quadratic) * t).sum(axis=1)
        for i, table in enumerate(self.tables):
            found = found + table[chosen[:, i]]
        return found

    def minimum(self, radius: float) -> tuple[Array, np.ndarray]:
        """Numbers (d,) no further than radius from the centre, and categories, for which the least is expected."""
        best = np.array([int(np.argmin(table)) for table in self.tables], dtype=np.int64)
        if not len(self.linear):
            return self.linear, best
        values, basis = np.linalg.eigh(2 * self.quadratic)
        slope = basis.T @ self.linear
        low = max(0.0, -float(values[0])) + 1e-9 * float(np.abs(values).max()) + 1e-100
        high = low + float(np.linalg.norm(slope)) / radius
        for _ in range(40):  # towards the smallest shift with which the step is no longer than the radius
            shift = (low + high) / 2
            low, high = (shift, high) if np.linalg.norm(slope / (values + shift)) > radius else (low, shift)
        return basis @ (-slope / (values + high)), best


def scores(f: Array) -> Array:
    """Ranks of values as quantiles of the normal distribution, equal for equal values."""
    _, place, count = np.unique(f, return_inverse=True, return_counts=True)
    middle = np.cumsum(count) - (count - 1) / 2
    return ndtri((middle[place] - 0.375) / (len(f) + 0.25))
