"""Improved multi-operator differential evolution, winner of the CEC 2020 competition.

K. M. Sallam, S. M. Elsayed, R. K. Chakrabortty and M. J. Ryan, Improved multi-operator differential evolution
algorithm for solving unconstrained problems, IEEE Congress on Evolutionary Computation, 2020.

Three mutations share the population: current-to-phibest/1 with archive, the same without archive, and
weighted-rand-to-phibest. Each trial takes one of them at random; the shares follow the quality and diversity that each
brought about (``emphasis="quality"``, the text of the paper) or its mean relative improvement (``"improvement"``, after
the authors' program), and stay between 0.1 and 0.9. F and CR come from a success history as in SHADE, better points get
smaller CR, a whole generation is crossed binomially or exponentially, and the population shrinks linearly.

The third mutation, F x_r1 + F (x_phi - x_r3), scales a point, so IMODE is NOT translation invariant: it is drawn to the
origin and looks better than it is where the optimum lies there. ``weighted=False`` uses x_r1 + F (x_phi - x_r3).

Left out: the local search (SQP) on the last 15 % of the budget. The authors' later release turns it off, and it needs
single evaluations where everything here is a batch; the AutoV paper's figures show no trace of it. The constants are
those of the authors' program. The first population is the one asked for (the paper: 6 d^2). Variables outside the box
go half way to the bound; the authors' program draws one of three repairs. Negative values are shifted to zero before
the shares are computed, where the paper's rule would favour the worst operator.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from autov.algorithms.de import binomial
from autov.algorithms.population import Index, best, distinct, first_points, require_popsize
from autov.algorithms.shade import gains, lehmer, repaired, scale_factors, shrink
from autov.core import Array, Box, Generator, check_choice, check_ranges

TERMINAL = -1.0  # a memory of CR that stays at zero


@dataclass(frozen=True, eq=False)
class IMODEState:
    """Population, archive, memories and shares; F, CR and operator of the trials being evaluated."""

    box: Box
    popsize: int
    maxfev: int
    evaluations: int
    x: Array
    f: Array
    archive: Array
    memory_f: Array
    memory_cr: Array
    slot: int
    share: Array
    F: Array
    CR: Array
    operator: Index


@dataclass(frozen=True)
class IMODE:
    """Settings; minimum_popsize and archive_ratio of Table IV, the others of the authors' program.

    The memory has memory_ratio times d slots. Leaders are drawn from the best quarter of the population for the first
    two mutations and from the best half for the third. Spread and repair are those of SHADE.
    """

    name: ClassVar[str] = "imode"
    minimum_popsize: int = 4
    archive_ratio: float = 2.6
    memory_ratio: int = 20
    memory_start: float = 0.2
    best_share: float = 0.25
    best_share_third: float = 0.5
    binomial_probability: float = 0.4
    weighted: bool = True
    emphasis: Literal["quality", "improvement"] = "quality"
    spread: float = 0.1
    repair: Literal["midway", "clip"] = "midway"

    def __post_init__(self) -> None:
        check_ranges(self, minimum_popsize=(4, 1e6), archive_ratio=(0, 100), memory_ratio=(1, 1e6))
        check_ranges(
            self, memory_start=(1e-9, 1), best_share=(0, 1), best_share_third=(0, 1), binomial_probability=(0, 1)
        )
        check_ranges(self, spread=(0, 10))
        check_choice(self, emphasis=("quality", "improvement"), repair=("midway", "clip"), weighted=(True, False))

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> IMODEState:
        """Uniform first points, four at least."""
        require_popsize(self.name, popsize, 4)
        x = first_points(box, popsize, rng, x0)
        memory, none = np.full(int(self.memory_ratio) * box.dim, float(self.memory_start)), np.empty(0)
        return IMODEState(
            box, popsize, maxfev, 0, x, none, np.empty((0, box.dim)), memory, memory, 0,
            share=np.full(3, 1 / 3), F=none, CR=none, operator=np.empty(0, np.intp),
        )  # fmt: skip

    def ask(self, state: IMODEState, rng: Generator) -> tuple[Array, IMODEState]:
        """One trial point per target, after the population has shrunk."""
        if not state.f.size:
            return state.x.copy(), state
        least = min(int(self.minimum_popsize), state.popsize)
        n = round(state.popsize + (least - state.popsize) * state.evaluations / state.maxfev)
        x, f = best(state.x, state.f, max(n, least))
        n = len(x)
        archive = shrink(state.archive, round(self.archive_ratio * n), rng)
        r = rng.integers(0, len(state.memory_f), n)
        CR = np.clip(rng.normal(state.memory_cr[r], self.spread), 0, 1)
        CR = np.sort(np.where(state.memory_cr[r] == TERMINAL, 0.0, CR))  # the best point gets the smallest
        F = scale_factors(state.memory_f[r], self.spread, rng)
        operator = np.searchsorted(np.cumsum(state.share / state.share.sum())[:2], rng.random(n))
        mutant = self._mutate(x, archive, F, operator, rng)
        crossover = binomial if rng.random() < self.binomial_probability else exponential
        trial = crossover(x, repaired(mutant, x, state.box, self.repair), CR, rng)
        return trial, replace(state, x=x, f=f, archive=archive, F=F, CR=CR, operator=operator)

    def _mutate(self, x: Array, archive: Array, F: Array, operator: Index, rng: Generator) -> Array:
        """Mutants of the points x, sorted best first."""
        n = len(x)
        everyone = np.concatenate([x, archive])
        own = np.arange(n)[:, None]
        r1 = distinct(own, n, rng)
        r3 = distinct(np.column_stack([own, r1]), n, rng)
        r2 = distinct(np.column_stack([own, r1, r3]), len(everyone), rng)
        third = operator == 2
        leaders = np.where(third, max(round(self.best_share_third * n), 2), max(round(self.best_share * n), 1))
        leader = x[rng.integers(0, leaders)]
        minus = np.where((operator == 0)[:, None], everyone[r2], x[r3])
        mutant = x + F[:, None] * (leader - x + x[r1] - minus)
        weight = F[third, None] if self.weighted else 1.0
        mutant[third] = weight * x[r1[third]] + F[third, None] * (leader - x[r3])[third]
        return mutant

    def tell(self, state: IMODEState, x: Array, f: Array, rng: Generator) -> IMODEState:
        """Each trial against its target; successes go into memory, archive and shares."""
        evaluations = state.evaluations + len(x)
        if not state.f.size:
            return replace(state, x=x.copy(), f=f.copy(), evaluations=evaluations)
        better = f < state.f
        archive = shrink(np.concatenate([state.archive, state.x[better]]), round(self.archive_ratio * len(x)), rng)
        memory_f, memory_cr, slot = state.memory_f.copy(), state.memory_cr.copy(), state.slot
        if better.any():
            F, CR, weights = state.F[better], state.CR[better], gains(state.f[better], f[better])
            memory_f[slot] = lehmer(F, weights)
            ended = memory_cr[slot] == TERMINAL or not weights @ CR
            memory_cr[slot] = TERMINAL if ended else lehmer(CR, weights)
            slot = (slot + 1) % len(memory_f)
        else:
            memory_f[slot] = memory_cr[slot] = 0.5
        new_x, new_f = np.where(better[:, None], x, state.x), np.where(better, f, state.f)
        rule = quality if self.emphasis == "quality" else improvement
        return replace(
            state, x=new_x, f=new_f, archive=archive, memory_f=memory_f, memory_cr=memory_cr, slot=slot,
            share=rule(new_x, new_f, state.f, state.operator), evaluations=evaluations,
        )  # fmt: skip

    def population(self, state: IMODEState) -> tuple[Array, Array]:
        """The targets, as many as are left."""
        return state.x, state.f


def exponential(x: Array, mutant: Array, CR: Array, rng: Generator) -> Array:
    """From a random variable on, the mutant as long as u < CR^k, but not past the last variable."""
    n, d = x.shape
    k = np.arange(d) - rng.integers(0, d, (n, 1))
    taken = rng.random((n, 1)) < CR[:, None] ** np.maximum(k, 0)
    return np.where((k >= 0) & taken, mutant, x)


def quality(x: Array, f: Array, old: Array, operator: Index) -> Array:  # noqa: ARG001
    """Shares by (1 - normalised best value) + normalised mean distance to the best, of each operator's points."""
    found, distance = np.full(3, f.max()), np.zeros(3)
    for o in np.unique(operator):
        mine, values = x[operator == o], f[operator == o]
        found[o] = values.min()
        distance[o] = np.linalg.norm(mine - mine[np.argmin(values)], axis=1).mean()
    with np.errstate(all="ignore"):
        found -= min(found.min(), 0.0)
        return shares(1 - found / found.sum() + distance / (distance.sum() or 1.0))


def improvement(x: Array, f: Array, old: Array, operator: Index) -> Array:  # noqa: ARG001
    """Shares by the mean of (old value - new value) / |old value| of each operator's points."""
    with np.errstate(all="ignore"):
        gain = np.where(f < old, (old - f) / np.abs(old), 0.0)
        return shares(np.array([gain[operator == o].sum() / max((operator == o).sum(), 1) for o in range(3)]))


def shares(score: Array) -> Array:
    """Scores as shares between 0.1 and 0.9; equal shares where they say nothing."""
    share = score / score.sum()
    return np.clip(share, 0.1, 0.9) if np.isfinite(share).all() else np.full(3, 1 / 3)
