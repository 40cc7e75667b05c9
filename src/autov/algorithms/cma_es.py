"""Evolution strategy with covariance matrix adaptation, (mu/mu_w, lambda)-CMA-ES.

N. Hansen and A. Ostermeier, Completely derandomized self-adaptation in evolution strategies, Evolutionary Computation
9, 2001; equations and default formulas as in N. Hansen, The CMA evolution strategy: a tutorial, arXiv:1604.00772.

Variables are scaled to the unit box, so one step size serves variables of any width. Points are clipped to the box,
and the update uses the clipped points. The tutorial (B.5) advises against that and proposes a penalty, which a driver
that only sees values cannot add; ``steps="sampled"`` updates with the points before clipping. Unlike the tutorial's
Table 1 there are no negative weights, c_mu is that of its program, and a step size grows at most by e in a generation.
The package cma (4.5) has other formulas for the step size and is slower on the sphere; with its rates the two agree
(tests/algorithms/test_fidelity.py).

Table IV fixes c_sigma, d_sigma and c_c to numbers that no formula gives for 30 variables and 100 points (about 0.47,
1.47 and 0.14). They are the defaults, for any dimension: step size and paths then look back about ten generations,
which is short but sound for 1000 variables, too. None means the tutorial's formula. The two learning rates of
the matrix are not in Table IV and follow the formulas; ``c_mu=0`` is the rank-one update of 2001.

The eigendecomposition costs d^3 and is brought up to date only when 1 / (2 d (c_1 + c_mu)) generations have passed
since the last one, when the matrix has learnt 1 / (2 d) of what is new: every generation for 30 variables, every tenth
for 1000. Memory: a state holds the matrix and
its eigenvectors, 2 d^2 numbers, and an update about five times d^2 for a moment (16 MB and 40 MB for 1000 variables).
The decomposition is quickest with BLAS on one thread.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from autov.algorithms.population import initial_points, require_popsize, spread
from autov.core import Array, Box, Generator, check_choice, check_ranges

SMALLEST_START = 1e-3  # least first step from given points: they may have converged far from any optimum


@dataclass(frozen=True, eq=False)
class CMAESState:
    """The distribution in the unit box, the steps being evaluated, and the last points told."""

    box: Box
    popsize: int
    given: Array  # first points that the caller wants, until they are asked
    mean: Array
    sigma: float
    C: Array
    basis: Array  # C = basis diag(scale^2) basis^T when it was last decomposed
    scale: Array
    p_sigma: Array
    p_c: Array
    generation: int
    decomposed: int
    y: Array
    x: Array
    f: Array


class Rates(NamedTuple):
    """Recombination weights and learning rates."""

    weights: Array
    mu_eff: float
    c_sigma: float
    d_sigma: float
    c_c: float
    c_1: float
    c_mu: float


@dataclass(frozen=True)
class CMAES:
    """Settings; those of Table IV by default, None for the tutorial's formula. Sigma is a part of the box width.

    Damping multiplies d_sigma, whether given or by its formula.
    """

    name: ClassVar[str] = "cma-es"
    sigma: float = 0.6
    c_sigma: float | None = 0.15
    d_sigma: float | None = 1.15
    c_c: float | None = 0.105
    c_1: float | None = None
    c_mu: float | None = None
    damping: float = 1.0
    steps: Literal["clipped", "sampled"] = "clipped"

    def __post_init__(self) -> None:
        check_ranges(self, sigma=(1e-100, 1e100), c_sigma=(1e-9, 1), d_sigma=(1e-3, 1e9), c_c=(1e-9, 1))
        check_ranges(self, c_1=(0, 1), c_mu=(0, 1), damping=(1e-3, 1e3))
        check_choice(self, steps=("clipped", "sampled"))
        importlib.import_module("scipy.linalg")  # brings a BLAS of its own, which must be there when a run limits it

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> CMAESState:  # noqa: ARG002
        """A uniform mean, or that of the given points, which then join the first sample.

        Where several points are given, first steps are as long as they are spread, and not longer than ``sigma``.
        """
        require_popsize(self.name, popsize, 2)
        d = box.dim
        given = initial_points(box, popsize, x0)
        mean = (given.mean(axis=0) - box.lower) / box.width if len(given) else rng.random(d)
        sigma = spread(box, given, SMALLEST_START, self.sigma) if len(given) > 1 else float(self.sigma)
        zero, none = np.zeros(d), np.empty((0, d))
        eye = np.eye(d)
        return CMAESState(
            box, popsize, given, mean, sigma, C=eye, basis=eye, scale=np.ones(d), p_sigma=zero, p_c=zero,
            generation=0, decomposed=0, y=none, x=none, f=np.empty(0),
        )  # fmt: skip

    def room(self, box: Box, popsize: int, maxfev: int) -> int:  # noqa: ARG002
        """How many known points it starts from: the better half of a population."""
        return max(1, popsize // 2)

    def ask(self, state: CMAESState, rng: Generator) -> tuple[Array, CMAESState]:
        """A sample, clipped to the box."""
        box = state.box
        y = (rng.standard_normal((state.popsize, box.dim)) * state.scale) @ state.basis.T  # (38), (39)
        free = state.mean + state.sigma * y  # (40)
        inside = np.clip(free, 0, 1)
        if self.steps == "clipped":
            y = np.where(inside == free, y, (inside - state.mean) / state.sigma)
        x = box.clip(box.lower + inside * box.width)
        k = len(state.given)
        x[:k] = state.given
        y[:k] = ((x[:k] - box.lower) / box.width - state.mean) / state.sigma
        return x, replace(state, given=state.given[:0], y=y)

    def tell(self, state: CMAESState, x: Array, f: Array, rng: Generator) -> CMAESState:  # noqa: ARG002
        """Move the mean, then the paths, the matrix and the step size."""
        w, mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu = self.rates(len(x), x.shape[1])
        d, generation = x.shape[1], state.generation + 1
        y = state.y[np.argsort(f, kind="stable")[: len(w)]]
        step = w @ y  # (41)
        whitened = state.basis @ ((step @ state.basis) / state.scale)
        p_sigma = (1 - c_sigma) * state.p_sigma + math.sqrt(c_sigma * (2 - c_sigma) * mu_eff) * whitened  # (43)
        expected = math.sqrt(d) * (1 - 1 / (4 * d) + 1 / (21 * d * d))
        length = float(np.linalg.norm(p_sigma)) / expected
        sigma = state.sigma * math.exp(min(1.0, c_sigma / d_sigma * (length - 1)))  # (44)
        h = length < (1.4 + 2 / (d + 1)) * math.sqrt(1 - (1 - c_sigma) ** (2 * generation))
        p_c = (1 - c_c) * state.p_c + h * math.sqrt(c_c * (2 - c_c) * mu_eff) * step  # (45)
        rows = np.concatenate([np.sqrt(c_mu * w)[:, None] * y, math.sqrt(c_1) * p_c[None]])
        C = rows.T @ rows  # (47), one product for both ranks
        C += (1 - c_1 - c_mu + (not h) * c_1 * c_c * (2 - c_c)) * state.C
        basis, scale, decomposed = state.basis, state.scale, state.decomposed
        if (generation - decomposed) * 2 * d * (c_1 + c_mu) >= 1:
            basis, scale = decompose(C)
            decomposed = generation
        return replace(
            state, mean=state.mean + state.sigma * step, sigma=max(sigma, 1e-200), C=C, basis=basis, scale=scale,
            p_sigma=p_sigma, p_c=p_c, generation=generation, decomposed=decomposed, x=x.copy(), f=f.copy(),
        )  # fmt: skip

    def population(self, state: CMAESState) -> tuple[Array, Array]:
        """The last points told."""
        return state.x, state.f

    def rates(self, popsize: int, d: int) -> Rates:
        """What the settings mean for popsize points of d variables."""
        mu = popsize // 2
        w = math.log(mu + 0.5) - np.log(np.arange(1, mu + 1))  # Table IV
        w /= w.sum()
        mu_eff = float(1 / (w @ w))
        c_sigma = (mu_eff + 2) / (d + mu_eff + 5) if self.c_sigma is None else self.c_sigma
        d_sigma = self.d_sigma
        if d_sigma is None:
            d_sigma = 1 + 2 * max(0.0, math.sqrt((mu_eff - 1) / (d + 1)) - 1) + c_sigma
        c_c = (4 + mu_eff / d) / (d + 4 + 2 * mu_eff / d) if self.c_c is None else self.c_c
        c_1 = 2 / ((d + 1.3) ** 2 + mu_eff) if self.c_1 is None else self.c_1
        c_mu = 2 * (mu_eff - 2 + 1 / mu_eff) / ((d + 2) ** 2 + mu_eff) if self.c_mu is None else self.c_mu
        return Rates(w, mu_eff, c_sigma, d_sigma * self.damping, c_c, c_1, min(1 - c_1, c_mu))


def decompose(C: Array) -> tuple[Array, Array]:
    """Eigenvectors and roots of the eigenvalues, these not below 1e-14 of the largest and never zero.

    The largest component of each vector is positive and the array is in C order: which sign LAPACK gives depends on the
    processor and on the last digits of C, and products depend on the order: a restored state would take another path.
    """
    from scipy.linalg import eigh

    values, basis = eigh(C, check_finite=False)
    largest = np.abs(basis).argmax(axis=0)
    basis = np.ascontiguousarray(basis * np.where(basis[largest, np.arange(len(basis))] < 0, -1.0, 1.0))
    return basis, np.sqrt(np.maximum(values, max(1e-14 * values[-1], 1e-200)))
