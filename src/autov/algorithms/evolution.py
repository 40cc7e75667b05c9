"""The simple metaheuristic of the paper (Algorithm 2) around any operator.

With its defaults it is what the paper describes. The other settings open it up: the sizes of population and offspring,
the pressure of selection, who survives, and the frame in which an affine operator draws.

*Tournaments* of a real size s >= 1: the best of s random members has the rank floor(n (1 - (1 - u)^(1/s))), u uniform.

*Frame.* An operator that draws for every variable draws along the axes of the box, and is not rotation invariant.
With ``frame="learned"`` it draws along the eigenvectors of the population's covariance: all points are expressed in
that basis, drawn there and rotated back before clipping. The spread of the population is then that along each
eigenvector, the width of the box the root mean square of its widths. An eigenvector points from the mean towards the
best point, so a rotated population has rotated offspring, path by path. The basis is learned from the first population,
and again when 10 d evaluations were made since; this costs d^3.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from autov.algorithms.base import Outcome, renewed
from autov.algorithms.compiled import AnyRun, ResumableRun, run_to_end
from autov.algorithms.population import initial_points
from autov.core import ADDED, Array, Box, Generator, InputError, check_choice, check_ranges, generator
from autov.kernels.evolution import run as kernels
from autov.kernels.evolution.selection import tournaments
from autov.kernels.evolution.survival import replace_worst, survive
from autov.kernels.evolution.variation import Variation
from autov.kernels.objective import Objective
from autov.operators import AffineOperator, CallableOperator, load_operator, resolve_operator

# In the order of the kernels' numbers.
SURVIVAL, FRAMES, BOUNDS = ("plus", "comma"), ("axes", "learned"), ("clip", "midpoint")
NEAR = 0.05  # of the way from the centre of the box: where first points are in checks of what happens inside it


@dataclass(frozen=True, eq=False)
class EvolutionState:
    """What a run needs to continue: with the same state it continues with identical results."""

    key: np.ndarray  # two words of the counter-based stream
    generation: int  # 0 until the initial population is told
    box: Box
    x: Array
    f: Array
    learned: int = 0  # evaluations when the basis was learned last, 0 for never
    basis: Array = field(default_factory=lambda: np.empty((0, 0)))  # rows are axes; empty without a learned frame


@dataclass(frozen=True)
class Evolution:
    """Tournaments, offspring by the operator, clipping to the box, the better half survives.

    The operator is an affine one, by name, file or itself, or any ``h(parents, lower, upper, rng) -> offspring``; an
    affine one runs compiled on compiled problems.

    Attributes:
        operator: see above.
        popsize: size of the population; None is the driver's.
        offspring: how many a generation has, as a multiple of the population.
        tournament_first: members of the tournament for x1, a real number; 1 is a random member.
        tournament_others: the same for x2, x3, ...
        survival: the best of parents and offspring (plus), or of the offspring alone (comma).
        frame: the directions along which an affine operator draws variables.
        bounds: variables outside the box are clipped to it; or placed half way between the bound and those of x1,
            unless a parent is on that bound.
    """

    name: ClassVar[str] = "evolution"
    rotates_draws: ClassVar[bool] = False  # `rotated` leaves them alone: a learned frame turns with the points
    _nearness: ClassVar[float] = 1.0  # another one only for checks, see `inside`
    operator: AffineOperator | CallableOperator = field(default_factory=lambda: load_operator("paper-h3"))
    popsize: int | None = field(default=None, metadata=ADDED)
    offspring: float = field(default=1.0, metadata=ADDED)
    tournament_first: float = field(default=2.0, metadata=ADDED)
    tournament_others: float = field(default=2.0, metadata=ADDED)
    survival: Literal["plus", "comma"] = field(default="plus", metadata=ADDED)
    frame: Literal["axes", "learned"] = field(default="axes", metadata=ADDED)
    bounds: Literal["clip", "midpoint"] = field(default="clip", metadata=ADDED)

    @property
    def uses_popsize(self) -> bool:
        """Whether it uses the popsize of a run: it has no popsize itself."""
        return self.popsize is None

    def __post_init__(self) -> None:
        object.__setattr__(self, "operator", resolve_operator(self.operator))
        check_ranges(self, popsize=(2, 10**6), offspring=(1e-6, 1e3), tournament_first=(1, 1e6))
        check_ranges(self, tournament_others=(1, 1e6))
        check_choice(self, survival=SURVIVAL, frame=FRAMES, bounds=BOUNDS)
        if self.popsize is not None:
            if self.popsize != int(self.popsize):
                raise InputError(f"popsize: must be an integer, got {self.popsize!r}")
            object.__setattr__(self, "popsize", int(self.popsize))
        for name in ("offspring", "tournament_first", "tournament_others"):
            object.__setattr__(self, name, float(getattr(self, name)))
        if self.survival == "comma" and self.offspring < 1:
            raise InputError(f"offspring: must be at least 1 if survival is comma, got {self.offspring!r}")
        if self.frame == "learned" and not isinstance(self.operator, AffineOperator):
            raise InputError(f"frame: learned is for affine operators only, not for {self.operator.name}")
        if self.bounds == "midpoint" and not isinstance(self.operator, AffineOperator):
            raise InputError(f"bounds: midpoint is for affine operators only, not for {self.operator.name}")

    def plan(self, variation: Variation | None = None) -> kernels.Plan:
        """The settings as the kernels read them, with their own operator or with another one or a stack of them."""
        if variation is None:
            assert isinstance(self.operator, AffineOperator)
            variation = self.operator.variation()
        choices = [SURVIVAL.index(self.survival), FRAMES.index(self.frame), BOUNDS.index(self.bounds)]
        return kernels.Plan(variation, self._tournaments(), np.array(choices, dtype=np.int64))

    def offspring_of(self, n: int) -> int:
        """How many offspring a population of n has in a generation."""
        return max(1, round(self.offspring * n))

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> EvolutionState:
        """Random points behind those of x0."""
        return self.start(rng.integers(0, 2**64, 2, dtype=np.uint64), box, popsize, maxfev, x0)

    def start(
        self, key: np.ndarray, box: Box, popsize: int, maxfev: int, x0: Array | None = None  # noqa: ARG002
    ) -> EvolutionState:  # fmt: skip
        """The same from a key."""
        n = self.popsize or popsize
        given = initial_points(box, n, x0)
        x = np.empty((n, box.dim))
        x[: len(given)] = given
        kernels.initial(key, box.lower, box.upper, x, len(given))
        if self._nearness != 1:
            centre = (box.lower + box.upper) / 2
            x = centre + self._nearness * (x - centre)
        basis = np.eye(box.dim) if self.frame == "learned" else np.empty((0, 0))
        return EvolutionState(key, 0, box, x, np.full(n, np.inf), 0, basis)

    def ask(self, state: EvolutionState, rng: Generator) -> tuple[Array, EvolutionState]:  # noqa: ARG002
        """The initial population, then offspring; asking again gives the same."""
        if state.generation == 0:
            return state.x.copy(), state
        box = state.box
        if isinstance(self.operator, AffineOperator):
            plan, work = self._work(state)
            kernels.evolution_ask(plan, work, box.lower, box.upper)
            return work.offspring, state
        index = np.empty((self.offspring_of(len(state.x)), self.operator.n_parents), np.int64)
        tournaments(state.key, state.generation, self._tournaments(), state.f, index)
        own = generator(int(state.key[0]), int(state.key[1]), state.generation)
        offspring = self.operator.offspring(state.x[index.T], box.lower, box.upper, own, state.x, state.f)
        return box.clip(offspring), state

    def tell(self, state: EvolutionState, x: Array, f: Array, rng: Generator) -> EvolutionState:  # noqa: ARG002
        """Choose the survivors among the population and x; perhaps learn the frame anew."""
        if state.generation == 0:
            told = renewed(state, generation=1, x=np.array(x), f=np.array(f))
        elif self.survival == "comma":
            order = np.argsort(f, kind="stable")[: len(state.f)]
            told = renewed(state, generation=state.generation + 1, x=np.array(x)[order], f=np.array(f)[order])
        else:
            told = renewed(self.inject(state, x, f), generation=state.generation + 1)
        _, work = self._work(told) if self.frame == "learned" else (None, None)
        if work is None or work.frame is None:
            return told
        kernels.learn(work)
        return replace(told, learned=int(work.scalars[0].learned_at), basis=work.frame.basis)

    def inject(self, state: EvolutionState, x: Array, f: Array) -> EvolutionState:
        """Points of other origin compete with the population."""
        population, values = state.x.copy(), state.f.copy()
        survive(population, values, np.ascontiguousarray(x), np.ascontiguousarray(f))
        return renewed(state, x=population, f=values)

    def calls(self, state: EvolutionState) -> list[tuple[Any, tuple[Any, ...]]]:
        """Kernels that ``ask`` and ``tell`` will call, with such arguments."""
        if not self.compiles:
            return []
        plan, work = self._work(state)
        asking = (kernels.evolution_ask, (plan, work, state.box.lower, state.box.upper))
        telling = (replace_worst, (work.pool[: len(work.f)], work.f, work.offspring, work.values, work.ranking))
        return [asking] if self.survival == "comma" else [asking, telling]

    def population(self, state: EvolutionState) -> tuple[Array, Array]:
        """Current points and values."""
        return state.x, state.f

    @property
    def compiles(self) -> bool:
        """Affine operators do."""
        return isinstance(self.operator, AffineOperator)

    def run_compiled(
        self, state: EvolutionState, objective: Objective, maxfev: int, begun: list[AnyRun] | None = None
    ) -> Outcome:  # fmt: skip
        """Continue until maxfev evaluations are made, as one compiled piece; only for affine operators."""
        return run_to_end(self.resumable_run(state), objective, maxfev, begun)

    def resumable_run(self, state: EvolutionState) -> ResumableRun:
        """The run that begins with a state, which can be resumed."""
        plan, work = self._work(state)
        least = min(len(work.f), len(work.values))
        return ResumableRun(kernels.evolve, plan, work, state.box, least, last_population, waiting_batch)

    def inside(self) -> Evolution:
        """With first points near the centre of the box, for checks away from the border."""
        near = copy(self)
        object.__setattr__(near, "_nearness", NEAR)
        return near

    def rotated(self, state: EvolutionState, rotation: Array) -> EvolutionState:
        """The state after a rotation of the box about its centre, x - c to (x - c) R: points, and the frame if learned.

        On a function rotated in the same way it continues along the rotated path if all draws are for whole solutions
        or in a learned frame, the operator reads neither lower nor upper, and all points are inside the box.

        Args:
            state: any.
            rotation: orthogonal (d, d).
        """
        box, d = state.box, state.box.dim
        R = np.asarray(rotation, dtype=np.float64)
        if R.shape != (d, d) or not np.allclose(R @ R.T, np.eye(d), atol=1e-9):
            raise InputError(f"rotation: must be an orthogonal matrix of shape ({d}, {d})")
        centre = (box.lower + box.upper) / 2
        basis = state.basis @ R if state.learned else state.basis
        return replace(state, x=box.clip(centre + (state.x - centre) @ R), basis=basis)

    @cached_property
    def _plan(self) -> kernels.Plan:
        """`plan` with the own operator, packed once and not at every batch."""
        return self.plan()

    def _tournaments(self) -> Array:
        return np.array([self.tournament_first, self.tournament_others])

    def _work(self, state: EvolutionState) -> tuple[kernels.Plan, kernels.Work]:
        """The settings, and buffers with a copy of the state."""
        plan, n = self._plan, len(state.x)
        m = self.offspring_of(n)
        work = kernels.evolution_work(state.key, plan, n, m, state.box.dim)
        work.pool[:n], work.f[:] = state.x, state.f
        if work.frame is not None:
            work.frame.basis[:] = state.basis
        nfev, best = n + m * (state.generation - 1) if state.generation else 0, int(np.argmin(state.f))
        work.scalars[0] = state.generation, nfev, 0, state.learned, state.f[best]
        work.best[:] = state.x[best]
        return plan, work


def waiting_batch(work: kernels.Work) -> int:
    """Points of the next batch: the first population, or offspring."""
    return len(work.values) if work.scalars[0].generation else len(work.f)


def last_population(work: kernels.Work) -> tuple[Array, Array]:
    """The population, or those evaluated if not even the first population was."""
    scalars = work.scalars[0]
    count = len(work.f) if scalars.generation else int(scalars.nfev)
    return work.pool[:count].copy(), work.f[:count].copy()
