"""Gaussian processes fitted to evaluations of a function: warped values, one length for each variable, and roughness.

The kernel is a smooth and a rough Matern 5/2 function with the lengths of the variables; the rough one is a small part
as long. There is no noise term: where neighbours differ, that is structure of the function, and samples have it, too.
Values are fitted as log(f - floor); the floor lies below the smallest value. All parameters maximise the likelihood of
the values (with the Jacobian of the logarithm) times a weak prior of the lengths, by L-BFGS-B with exact derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from autov.core import Array, Generator

NUGGET = 1e-7  # added to the diagonal, for the Cholesky factor
LENGTHS = (0.05, 3.0)  # of variables in the unit box
RATIO = (0.02, 0.4)  # lengths of the rough part
SHARE = (1e-3, 0.8)  # of the variance that is rough
SHIFT = (0.02, 3.0)  # from the floor to the smallest value, in medians of the distance of values from it
SPREAD = 1.5  # standard deviation of logarithms of lengths, beforehand
ITERATIONS = 60
ROOT5 = np.sqrt(5.0)


@dataclass(frozen=True, eq=False)
class Process:
    """A fitted process.

    Attributes:
        u: (n, d) points in the unit box.
        residual: (n,) warped values minus their mean.
        lengths: (d,) of the variables.
        ratio: of rough lengths.
        share: of the variance that is rough.
        mean: of warped values.
        variance: of them.
        floor: below all values.
        factor: Cholesky factor of the correlations, lower.
    """

    u: Array
    residual: Array
    lengths: Array
    ratio: float
    share: float
    mean: float
    variance: float
    floor: float
    factor: Array

    def correlation(self, u: Array) -> Array:
        """With the points, (k, n)."""
        r = _distances(u / self.lengths, self.u / self.lengths)
        return (1 - self.share) * matern(r) + self.share * matern(r / self.ratio)

    def predict(self, u: Array) -> Array:
        """Expected warped values: they order points as expected medians of values do."""
        return self.mean + self.correlation(u) @ cho_solve((self.factor, True), self.residual)


def _distances(a: Array, b: Array) -> Array:
    return np.asarray(cdist(a, b), dtype=np.float64)


def matern(r: Array) -> Array:
    """Matern 5/2."""
    return (1 + ROOT5 * r + 5 / 3 * r**2) * np.exp(-ROOT5 * r)


def _slope(r: Array) -> Array:
    """-1/r dk/dr."""
    return 5 / 3 * (1 + ROOT5 * r) * np.exp(-ROOT5 * r)


def fit(u: Array, f: Array) -> Process:
    """The process of points (n, d) of the unit box and their finite values (n,), of which some differ."""
    d = u.shape[1]
    start = np.concatenate([np.full(d, _usual_length(d)), np.log([0.1, 0.1, 0.05])])
    bounds = [tuple(np.log(each)) for each in [LENGTHS] * d + [RATIO, SHARE, SHIFT]]
    found = minimize(
        loss, start, (u, f), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": ITERATIONS}
    )  # fmt: skip
    lengths, (ratio, share, shift) = np.exp(found.x[:d]), np.exp(found.x[d:])
    return _conditioned(u, f, lengths, float(ratio), float(share), float(f.min() - shift * _typical(f)))


def loss(theta: Array, u: Array, f: Array) -> tuple[float, Array]:
    """Minus the logarithm of the posterior density of parameters, and its gradient.

    Args:
        theta: logarithms of the lengths (d of them), of ratio and share, and of the distance of the floor.
        u: (n, d) points.
        f: (n,) values.
    """
    n, d = u.shape
    lengths, (ratio, share, shift) = np.exp(theta[:d]), np.exp(theta[d:])
    r = _distances(u / lengths, u / lengths)
    smooth, rough = matern(r), matern(r / ratio)
    factor = cho_factor((1 - share) * smooth + share * rough + NUGGET * np.eye(n), lower=True)
    c = shift * _typical(f)
    y = np.log(f - f.min() + c)
    solved = cho_solve(factor, np.column_stack([y, np.ones(n)]))
    mean = solved[:, 0].sum() / solved[:, 1].sum()
    alpha = solved[:, 0] - mean * solved[:, 1]
    variance = float((y - mean) @ alpha) / n
    away = (theta[:d] - _usual_length(d)) / SPREAD
    value = n / 2 * np.log(variance) + np.log(np.diag(factor[0])).sum() + y.sum() + 0.5 * (away**2).sum()
    weight = 0.5 * (cho_solve(factor, np.eye(n)) - np.outer(alpha, alpha) / variance)
    near = weight * share * _slope(r / ratio) / ratio**2
    both = near + weight * (1 - share) * _slope(r)
    by_length = 2 * (both.sum(axis=1) @ u**2 - (u * (both @ u)).sum(axis=0)) / lengths**2
    by_shift = float((alpha / variance + 1) @ (c / (f - f.min() + c)))
    others = [(near * r**2).sum(), share * (weight * (rough - smooth)).sum(), by_shift]
    return float(value), np.concatenate([by_length + away / SPREAD, others])


def _usual_length(dim: int) -> float:
    """The logarithm of the length that is expected beforehand."""
    return float(np.log(np.clip(np.sqrt(dim) / 2, *LENGTHS)))


def _typical(f: Array) -> float:
    """The median distance of values from the smallest one, the mean where most are the same."""
    gap = f - f.min()
    return float(np.median(gap)) or float(gap.mean()) or 1.0


def refitted(process: Process, u: Array, f: Array) -> Process:
    """The same parameters, with other points."""
    floor = process.floor - max(0.0, float(process.floor - f.min()) * 1.05)
    return _conditioned(u, f, process.lengths, process.ratio, process.share, floor)


def _conditioned(u: Array, f: Array, lengths: Array, ratio: float, share: float, floor: float) -> Process:
    r = _distances(u / lengths, u / lengths)
    correlation = (1 - share) * matern(r) + share * matern(r / ratio) + NUGGET * np.eye(len(u))
    factor = np.tril(cho_factor(correlation, lower=True)[0])
    y = np.log(f - floor)
    solved = cho_solve((factor, True), np.column_stack([y, np.ones(len(y))]))
    mean = float(solved[:, 0].sum() / solved[:, 1].sum())
    residual = y - mean
    variance = float(residual @ (solved[:, 0] - mean * solved[:, 1])) / len(y)
    return Process(u, residual, lengths, ratio, share, mean, variance, floor, factor)


def sample(process: Process, features: int, rng: Generator) -> tuple[Array, Array, Array, Array]:
    """A posterior sample: frequencies (m, d), amplitudes (m,), phases (m,) of features, and weights (n,) of points.

    Frequencies of Matern 5/2 are those of a t distribution with five degrees of freedom.
    """
    d = process.u.shape[1]
    frequencies = rng.standard_normal((features, d)) / np.sqrt(rng.chisquare(5, (features, 1)) / 5)
    rough = np.arange(features) % 2 == 1
    frequencies[rough] /= process.ratio
    part = np.where(rough, process.share, 1 - process.share) * process.variance
    amplitudes = np.sqrt(2 * part / (features / 2))
    phases = rng.uniform(0, 2 * np.pi, features)
    prior = np.cos(process.u / process.lengths @ frequencies.T + phases) @ amplitudes
    prior = prior + np.sqrt(NUGGET * process.variance) * rng.standard_normal(len(prior))
    half = solve_triangular(process.factor, process.residual - prior, lower=True)
    return frequencies, amplitudes, phases, solve_triangular(process.factor.T, half, lower=False)
