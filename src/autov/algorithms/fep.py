"""Fast evolutionary programming.

X. Yao, Y. Liu and G. Lin, Evolutionary programming made faster, IEEE Transactions on Evolutionary Computation 3,
1999: equations (1) and (2), or (4) with Cauchy numbers in place of the normal ones of (1).

Every individual carries one step size eta per variable. Its child moves by eta times a Cauchy number, with the eta of
the parent, and inherits an eta varied by a log-normal factor. Parents and children then meet q random opponents each,
and those with most wins survive; equal wins are settled by value, which the paper leaves open. Children are clipped
to the box. Numbers stay finite because eta is kept between 1e-100 and 1e100.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from autov.algorithms.population import first_points
from autov.core import Array, Box, Generator, check_choice, check_ranges


@dataclass(frozen=True, eq=False)
class FEPState:
    """The population with its step sizes, and those of its children; no values before the first tell."""

    box: Box
    x: Array
    eta: Array
    f: Array
    child_eta: Array


@dataclass(frozen=True)
class FEP:
    """Settings; those of Table IV by default. The number of opponents is that of the FEP paper.

    First step sizes are all eta, or uniform numbers up to eta with ``start="uniform"``.
    The FEP paper mutates by Cauchy numbers; eq. 5 of the AutoV paper writes normal ones (classical EP), law="normal".
    """

    name: ClassVar[str] = "fep"
    eta: float = 3.0
    opponents: int = 10
    law: Literal["cauchy", "normal"] = "cauchy"
    start: Literal["equal", "uniform"] = "equal"

    def __post_init__(self) -> None:
        check_ranges(self, eta=(1e-100, 1e100), opponents=(1, 1e6))
        check_choice(self, law=("cauchy", "normal"), start=("equal", "uniform"))

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> FEPState:  # noqa: ARG002
        """Uniform first points with their step sizes."""
        x = first_points(box, popsize, rng, x0)
        eta = np.full(x.shape, float(self.eta))
        if self.start == "uniform":
            eta *= 1 - rng.random(x.shape)  # never zero
        return FEPState(box, x, eta, np.empty(0), eta)

    def ask(self, state: FEPState, rng: Generator) -> tuple[Array, FEPState]:
        """One child per individual."""
        if not state.f.size:
            return state.x.copy(), state
        n, d = state.x.shape
        step = rng.standard_cauchy((n, d)) if self.law == "cauchy" else rng.standard_normal((n, d))
        child = state.box.clip(state.x + state.eta * step)  # (4), or (1) with normal numbers
        tau, tau_common = 1 / math.sqrt(2 * math.sqrt(d)), 1 / math.sqrt(2 * d)
        factor = np.exp(tau_common * rng.standard_normal((n, 1)) + tau * rng.standard_normal((n, d)))  # (2)
        return child, replace(state, child_eta=np.clip(state.eta * factor, 1e-100, 1e100))

    def tell(self, state: FEPState, x: Array, f: Array, rng: Generator) -> FEPState:
        """Those with most wins survive."""
        if not state.f.size:
            return replace(state, x=x.copy(), f=f.copy())
        all_f = np.concatenate([state.f, f])
        opponents = all_f[rng.integers(0, len(all_f), (len(all_f), int(self.opponents)))]
        wins = (all_f[:, None] <= opponents).sum(axis=1)
        keep = np.lexsort((all_f, -wins))[: len(state.x)]
        return replace(
            state,
            x=np.concatenate([state.x, x])[keep],
            eta=np.concatenate([state.eta, state.child_eta])[keep],
            f=all_f[keep],
        )

    def population(self, state: FEPState) -> tuple[Array, Array]:
        """The survivors."""
        return state.x, state.f
