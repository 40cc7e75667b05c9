"""Success-history based adaptive differential evolution.

R. Tanabe and A. Fukunaga, Success-history based parameter adaptation for differential evolution, IEEE Congress on
Evolutionary Computation, 2013.

DE/current-to-pbest/1/bin with an archive of replaced parents (as in JADE). F and CR of every trial come from a memory
of H weighted means of those that succeeded before. A variable outside the box is put half way between its parent and
the bound, as the SHADE paper does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from autov.algorithms.de import binomial
from autov.algorithms.population import distinct, first_points, require_popsize
from autov.core import Array, Box, Generator, check_choice, check_ranges


@dataclass(frozen=True, eq=False)
class SHADEState:
    """Population, archive and memories, and F and CR of the trials being evaluated; no values before the first tell."""

    box: Box
    x: Array
    f: Array
    archive: Array
    memory_f: Array
    memory_cr: Array
    slot: int
    F: Array
    CR: Array


@dataclass(frozen=True)
class SHADE:
    """Settings of the SHADE paper (Table IV adds none): H is the size of the memory, 100 there.

    The share p of best points that lead a trial is drawn for each from 2/n to p_max; the archive holds archive_ratio
    times the population. Spread is the scale of the Cauchy and the normal law of F and CR. A variable outside the box
    goes half way from its parent to the bound, or onto the bound with ``repair="clip"``.
    """

    name: ClassVar[str] = "shade"
    H: int = 100
    p_max: float = 0.2
    archive_ratio: float = 1.0
    spread: float = 0.1
    repair: Literal["midway", "clip"] = "midway"

    def __post_init__(self) -> None:
        check_ranges(self, H=(1, 1e6), p_max=(0, 1), archive_ratio=(0, 100), spread=(0, 10))
        check_choice(self, repair=("midway", "clip"))

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> SHADEState:  # noqa: ARG002
        """Uniform first points, four at least; all memories at 0.5."""
        require_popsize(self.name, popsize, 4)
        half, none = np.full(int(self.H), 0.5), np.empty(0)
        x = first_points(box, popsize, rng, x0)
        return SHADEState(box, x, none, np.empty((0, box.dim)), half, half, 0, none, none)

    def ask(self, state: SHADEState, rng: Generator) -> tuple[Array, SHADEState]:
        """One trial point per target."""
        if not state.f.size:
            return state.x.copy(), state
        x, n = state.x, len(state.x)
        r = rng.integers(0, len(state.memory_f), n)
        CR = np.clip(rng.normal(state.memory_cr[r], self.spread), 0, 1)  # N(M_CR, 0.1)
        F = scale_factors(state.memory_f[r], self.spread, rng)  # Cauchy(M_F, 0.1)
        p = rng.uniform(2 / n, max(self.p_max, 2 / n), n)  # p_i ~ U[p_min, 0.2]
        leader = np.argsort(state.f, kind="stable")[(rng.random(n) * np.maximum(p * n, 2).astype(int)).astype(int)]
        everyone = np.concatenate([x, state.archive])
        own = np.arange(n)[:, None]
        r1 = distinct(own, n, rng)
        r2 = distinct(np.column_stack([own, r1]), len(everyone), rng)
        mutant = x + F[:, None] * (x[leader] - x) + F[:, None] * (x[r1] - everyone[r2])  # current-to-pbest/1
        trial = binomial(x, repaired(mutant, x, state.box, self.repair), CR, rng)
        return trial, replace(state, F=F, CR=CR)

    def tell(self, state: SHADEState, x: Array, f: Array, rng: Generator) -> SHADEState:
        """Each trial against its target; what succeeded goes into the memory, whom it replaced into the archive."""
        if not state.f.size:
            return replace(state, x=x.copy(), f=f.copy())
        kept, better = f <= state.f, f < state.f
        archive = shrink(np.concatenate([state.archive, state.x[better]]), round(self.archive_ratio * len(x)), rng)
        memory_f, memory_cr, slot = state.memory_f.copy(), state.memory_cr.copy(), state.slot
        if better.any():
            weights = gains(state.f[better], f[better])  # w_k
            memory_cr[slot] = weights @ state.CR[better]  # weighted arithmetic mean
            memory_f[slot] = lehmer(state.F[better], weights)  # weighted Lehmer mean
            slot = (slot + 1) % len(memory_f)
        return replace(
            state,
            x=np.where(kept[:, None], x, state.x),
            f=np.where(kept, f, state.f),
            archive=archive,
            memory_f=memory_f,
            memory_cr=memory_cr,
            slot=slot,
        )

    def population(self, state: SHADEState) -> tuple[Array, Array]:
        """The targets."""
        return state.x, state.f


def scale_factors(location: Array, spread: float, rng: Generator) -> Array:
    """Cauchy numbers of that scale, drawn again while not positive, cut at 1."""
    F = location + spread * rng.standard_cauchy(len(location))
    while (low := F <= 0).any():
        F[low] = location[low] + spread * rng.standard_cauchy(int(low.sum()))
    return np.minimum(F, 1)


def repaired(mutant: Array, parent: Array, box: Box, how: str) -> Array:
    """Variables outside the box go onto the bound (clip) or half way between the parent and the bound."""
    if how == "clip":
        return box.clip(mutant)
    inner = np.where(mutant < box.lower, (box.lower + parent) / 2, mutant)
    return np.where(mutant > box.upper, (box.upper + parent) / 2, inner)


def shrink(archive: Array, size: int, rng: Generator) -> Array:
    """At most size members, the others dropped at random."""
    return archive if len(archive) <= size else archive[rng.permutation(len(archive))[:size]]


def gains(old: Array, new: Array) -> Array:
    """Improvements as weights that sum to one; equal ones where they cannot be compared (an infinite value)."""
    with np.errstate(invalid="ignore", over="ignore"):
        gain = old - new
        total = gain.sum()
    return gain / total if np.isfinite(total) else np.full(len(gain), 1 / len(gain))


def lehmer(values: Array, weights: Array) -> float:
    """Weighted Lehmer mean, sum w v^2 / sum w v."""
    return float(weights @ values**2 / (weights @ values))
