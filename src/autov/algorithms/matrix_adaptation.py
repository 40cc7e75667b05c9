"""Matrix adaptation evolution strategy, (mu/mu_w, lambda)-MA-ES: CMA-ES without a covariance matrix.

H.-G. Beyer and B. Sendhoff, Simplify your covariance matrix adaptation evolution strategy, IEEE Transactions on
Evolutionary Computation 21(5), 2017. With z_i ~ N(0, I), d_i = M z_i and <.> the weighted mean of the better half:

    x_i    = y + sigma d_i
    y     <- y + sigma <d>
    s     <- (1 - c_s) s + sqrt(mu_eff c_s (2 - c_s)) <z>
    M     <- M (I + c_1 / 2 (s s' - I) + c_mu / 2 (<z z'> - I))
    sigma <- sigma exp(c_s / d_s (|s| / E|N(0, I)| - 1))

M z is the step that was made anyway, so an update costs lambda d^2 and there is no decomposition. What is not in the
paper: the worse half has negative weights (<z z'> then goes over all points, those of negative weight scaled by
d / |z|^2, as in active CMA-ES: N. Hansen, The CMA evolution strategy: a tutorial, arXiv:1604.00772); the rank-one
update may have a path of its own (``paths="two"``, rate c_c of the tutorial); the box and restarts below; and by
default the rank-mu update learns faster (``c_mu_factor``).

*Box.* Variables are scaled to the unit box. A point outside is evaluated at its mirror image (``bounds="fold"``), at
the nearest point (``"clip"``, the mean is clipped, too), or where a transformation takes it that has mirrors outside
and bends near the border, so that an optimum at the border looks like one inside (``"smooth"``, as in the package
cma). The strategy learns from the steps as drawn. The standard deviation of no variable exceeds ``longest`` of its
width: beyond the mirrors a box has no end, and nothing else would stop a step from growing.

*Start.* The first mean is uniform, or the centre of the box (``first_mean``): of an optimum that lies anywhere in the
inner 80 % of a box the centre is at 0.6 times the distance of a uniform point. The population may grow with the budget
(``popsize_budget``): a large one finds better optima, a small one finds them sooner.

*Restarts.* A run has converged when the largest standard deviation is below ``tol_x`` of the width, or when the best
values of 10 + 30 d / lambda generations differ by less than ``tol_f`` of their size. It is stuck when it has found
nothing better for ``patience`` times 60 + 30 d / lambda generations. The next run starts elsewhere: with a population
``growth`` times as large (``"ipop"``: A. Auger and N. Hansen, CEC 2005), or in turns with that and with smaller
populations and steps (``"bipop"``: N. Hansen, GECCO workshops 2009). No population exceeds a tenth of the budget, 512
times the first one, or 2^22 / d points; the next one is then as small as the first. With ``"none"`` a run continues for
ever, unless its numbers leave the range of floating point, and starts again then.

*Invariance.* The next mean is the mean plus weighted steps, an affine combination of the points, and the step size and
M act on steps only: in the words of the AutoV paper weights that sum to one (Theorem 3), so the strategy is
translation and scale invariant path by path for a > 0. Normals are drawn along the axes, so a rotated or mirrored
problem gives another path of the same law; `MatrixAdaptation.rotated` turns the draws, too, and then it is the same
path. This holds in a cube while no point is outside and no deviation at its limit. Only the order of values matters,
apart from ``tol_f``.

*Memory.* A state holds M, d^2 numbers (8 MB for 1000 variables); a compiled run four populations more.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from autov.algorithms.base import Outcome, renewed
from autov.algorithms.compiled import AnyRun, ResumableRun, run_to_end
from autov.algorithms.population import initial_points, relative_spreads, spread
from autov.core import Array, Box, Generator, InputError, check_choice, check_ranges
from autov.kernels.matrix_adaptation import steps as kernels
from autov.kernels.objective import Objective

# In the order of the kernels' numbers.
RESTARTS, BOUNDS = ("none", "ipop", "bipop"), ("fold", "smooth", "clip")
MEANS, PATHS = ("uniform", "best", "mixed"), ("one", "two")
FIRST_MEANS = ("uniform", "centre")
CHOICES = {
    "restarts": RESTARTS, "bounds": BOUNDS, "restart_mean": MEANS, "paths": PATHS, "first_mean": FIRST_MEANS,
}  # fmt: skip
SMALL_STEP = 0.01  # of the width: some generations of such steps stay inside a box that is not tiny
SMALLEST_START = 1e-3  # least first step from given points: they may have converged far from any optimum
SAVED = ("scalars", "mean", "path", "slow", "matrix", "best")  # what a step changes


@dataclass(frozen=True, eq=False)
class MatrixAdaptationState:
    """Arrays as in `autov.kernels.matrix_adaptation.work.Work` (padded; rows of matrix and basis are columns of M)."""

    key: np.ndarray  # two words of the counter-based stream
    generation: int  # batches told so far
    box: Box
    given: Array  # first points that the caller wants, until they are told
    scalars: np.ndarray  # one record
    mean: Array
    path: Array
    slow: Array
    matrix: Array
    basis: Array
    best: Array
    x: Array
    f: Array


@dataclass(frozen=True)
class StrategySettings:
    """Settings. A factor multiplies a formula of the paper (c_c: of the tutorial); lengths are parts of the box width.

    Attributes:
        popsize: lambda of the first run; None is ``popsize_factor`` times 4 + floor(3 ln d). The driver's is ignored.
        popsize_factor: see popsize.
        popsize_budget: the population is (budget / 50 d) to this power as large, where the budget is more than 50 d.
        sigma: first step size.
        longest: largest standard deviation of a variable, or sigma if that is more.
        c_1_factor: learning rate of the rank-one update.
        c_mu_factor: learning rate of the rank-mu update.
        c_sigma_factor: rate of the path.
        d_sigma_factor: damping of the step size.
        c_c_factor: rate of the second path, if there are two.
        paths: one, or another one for the rank-one update.
        negative: factor of the negative weights; 0 for none.
        bounds: where a point outside is evaluated.
        margin: where the smooth transformation bends, at each side of the box.
        restarts: regime of restarts.
        growth: factor of the population at a restart.
        restart_sigma: factor of the step size at a restart.
        first_mean: where the first run begins: anywhere, or at the centre of the box, which is nearer to most points of
            it. The centre itself is not evaluated.
        restart_mean: where a restart begins: anywhere, at the best point so far, or ("mixed") there with the small
            populations of "bipop" and anywhere with the large ones.
        tol_x: a run ends at this step.
        tol_f: a run ends when values differ by this part of their size.
        patience: factor of the generations without a better value after which a run ends.
    """

    popsize: int | None = None
    popsize_factor: float = 1.0
    popsize_budget: float = 0.0
    sigma: float = 0.2
    longest: float = 0.2
    c_1_factor: float = 1.0
    c_mu_factor: float = 1.5
    c_sigma_factor: float = 1.0
    d_sigma_factor: float = 1.0
    c_c_factor: float = 1.0
    paths: Literal["one", "two"] = "one"
    negative: float = 1.0
    bounds: Literal["fold", "smooth", "clip"] = "smooth"
    margin: float = 0.02
    restarts: Literal["none", "ipop", "bipop"] = "ipop"
    growth: float = 2.0
    restart_sigma: float = 1.0
    first_mean: Literal["uniform", "centre"] = "uniform"
    restart_mean: Literal["uniform", "best", "mixed"] = "uniform"
    tol_x: float = 1e-12
    tol_f: float = 1e-12
    patience: float = 1.0

    def __post_init__(self) -> None:
        check_ranges(
            self,
            popsize=(2, 10**6),
            popsize_factor=(0.1, 1e3),
            popsize_budget=(0, 1),
            sigma=(1e-9, 1e3),
            longest=(1e-9, 1e3),
        )
        check_ranges(self, c_1_factor=(0, 1e3), c_mu_factor=(0, 1e3), c_sigma_factor=(1e-3, 1e3), negative=(0, 10))
        check_ranges(self, d_sigma_factor=(1e-2, 1e3), c_c_factor=(1e-3, 1e3), growth=(1, 10))
        check_ranges(
            self, restart_sigma=(1e-6, 1e3), tol_x=(0, 1), tol_f=(0, 1), margin=(1e-6, 0.5), patience=(0.01, 1e6)
        )
        check_choice(self, paths=PATHS, bounds=BOUNDS, restarts=RESTARTS, restart_mean=MEANS,
                     first_mean=FIRST_MEANS)  # fmt: skip
        if self.popsize is not None and self.popsize != int(self.popsize):
            raise InputError(f"popsize: must be an integer, got {self.popsize!r}")

    def plan(self) -> kernels.Plan:
        """The settings as the kernels read them."""
        choices = {name: names.index(getattr(self, name)) for name, names in CHOICES.items()}
        numbers = {name: float(getattr(self, name) or 0) for name in kernels.Plan._fields if name not in CHOICES}
        return kernels.Plan(**numbers, **choices)

    @cached_property
    def strategy(self) -> MatrixAdaptation:
        """The strategy of these settings without a model."""
        return MatrixAdaptation(**{field.name: getattr(self, field.name) for field in fields(StrategySettings)})


@dataclass(frozen=True)
class MatrixAdaptation(StrategySettings):
    """The strategy with its settings."""

    name: ClassVar[str] = "ma-es"
    uses_popsize: ClassVar[bool] = False  # it has its own, by the number of variables
    compiles: ClassVar[bool] = True

    @cached_property
    def _plan(self) -> kernels.Plan:
        return self.plan()

    def init(
        self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None
    ) -> MatrixAdaptationState:  # fmt: skip
        """`start` with a key from the generator."""
        return self.start(rng.integers(0, 2**64, 2, dtype=np.uint64), box, popsize, maxfev, x0)

    def start(
        self, key: np.ndarray, box: Box, popsize: int, maxfev: int, x0: Array | None = None
    ) -> MatrixAdaptationState:  # fmt: skip
        """The mean that ``first_mean`` says, or that of the given points, which then join the first sample.

        Where several points are given, first steps are as long as they are spread in each variable, and not longer than
        ``sigma`` in the mean.
        """
        plan, d = self._plan, box.dim
        given = initial_points(box, max(popsize, int(kernels.base_popsize(plan, d, maxfev))), x0).copy()
        most = kernels.most_points(plan, d, maxfev, len(given))
        work = kernels.workspace(key, d, 1, most, given, np.empty((0, 0)))
        kernels.es_start(plan, work, box.lower, box.upper, most, maxfev)
        if len(given) > 1:
            work.scalars["sigma"] = spread(box, given, SMALLEST_START, self.sigma)
            work.matrix[np.arange(d), np.arange(d)] = relative_spreads(box, given)
        saved = {name: getattr(work, name) for name in SAVED}
        return MatrixAdaptationState(
            key.copy(), 0, box, given, **saved, basis=work.basis, x=np.empty((0, d)), f=np.empty(0)
        )

    def room(self, box: Box, popsize: int, maxfev: int) -> int:  # noqa: ARG002
        """How many known points it starts from: a population."""
        return int(kernels.base_popsize(self._plan, box.dim, maxfev))

    def ask(self, state: MatrixAdaptationState, rng: Generator) -> tuple[Array, MatrixAdaptationState]:  # noqa: ARG002
        """A sample inside the box; asking again gives the same."""
        plan, work = self._work(state, int(state.scalars["batch"][0]))
        kernels.es_next(plan, work, state.box.lower, state.box.upper, False)
        return work.x, state

    def tell(self, state: MatrixAdaptationState, x: Array, f: Array, rng: Generator) -> MatrixAdaptationState:  # noqa: ARG002
        """Move the mean, then the path, the matrix and the step size; perhaps begin another run."""
        n = int(state.scalars["batch"][0])
        if np.shape(x) != (n, state.box.dim) or np.shape(f) != (n,):
            raise InputError(f"tell: needs the {n} points that were asked for, got shapes {np.shape(x)}, {np.shape(f)}")
        plan, work = self._work(state, n)
        work.f[:] = f
        kernels.es_next(plan, work, state.box.lower, state.box.upper, True)
        saved = {name: getattr(work, name) for name in SAVED}
        return renewed(
            state, generation=state.generation + 1, given=state.given[:0], **saved, x=np.array(x), f=np.array(f)
        )

    def calls(self, state: MatrixAdaptationState) -> list[tuple[Any, tuple[Any, ...]]]:
        """Kernels that ``ask`` and ``tell`` will call, with such arguments."""
        plan, work = self._work(state, int(state.scalars["batch"][0]))
        return [(kernels.es_next, (plan, work, state.box.lower, state.box.upper, False))]

    def population(self, state: MatrixAdaptationState) -> tuple[Array, Array]:
        """The last points told."""
        return state.x, state.f

    def run_compiled(
        self, state: MatrixAdaptationState, objective: Objective, maxfev: int, begun: list[AnyRun] | None = None
    ) -> Outcome:  # fmt: skip
        """Continue until maxfev evaluations are made, as one compiled piece: identical to ask and tell."""
        return run_to_end(self.resumable_run(state), objective, maxfev, begun)

    def resumable_run(self, state: MatrixAdaptationState) -> ResumableRun:
        """The run that begins with a state, which can be resumed."""
        plan, work = self._work(state, int(state.scalars["capacity"][0]))
        return ResumableRun(
            kernels.es_run, plan, work, state.box, smallest_batch(state), last_population, waiting_batch
        )

    def inside(self) -> MatrixAdaptation:
        """With small first steps and no bend at the border, for checks of what it does away from it."""
        return replace(self, sigma=SMALL_STEP, restarts="none", bounds="fold")

    def rotated(self, state: MatrixAdaptationState, rotation: Array) -> MatrixAdaptationState:
        """The state after a rotation about the centre of the box, x - c to (x - c) R: mean, given points, steps, draws.

        On a function rotated in the same way it continues along the rotated path, as long as all points are inside.

        Args:
            state: in a cube, unless the rotation only mirrors variables; a restart draws its mean in the box as it is.
            rotation: orthogonal (d, d).
        """
        box, d = state.box, state.box.dim
        R = np.asarray(rotation, dtype=np.float64)
        if R.shape != (d, d) or not np.allclose(R @ R.T, np.eye(d), atol=1e-9):
            raise InputError(f"rotation: must be an orthogonal matrix of shape ({d}, {d})")
        if (np.diag(R.diagonal()) != R).any() and not np.allclose(box.width, box.width[0], rtol=1e-9, atol=0):
            raise InputError("rotation: the box must be a cube, other boxes do not turn")
        centre = (box.lower + box.upper) / 2
        mean, matrix, basis = state.mean.copy(), state.matrix.copy(), np.zeros_like(state.matrix)
        mean[:d] = 0.5 + (mean[:d] - 0.5) @ R
        matrix[:d, :d] = matrix[:d, :d] @ R
        basis[:d, :d] = (state.basis[:d, :d] if state.basis.size else np.eye(d)) @ R
        given, best = (box.clip(centre + (points - centre) @ R) for points in (state.given, state.best))
        return replace(state, mean=mean, matrix=matrix, basis=basis, given=given, best=best)

    def _work(self, state: MatrixAdaptationState, capacity: int) -> tuple[kernels.Plan, kernels.Work]:
        """The settings, and buffers with a copy of the state."""
        plan = self._plan
        most = int(state.scalars["capacity"][0])
        work = kernels.workspace(state.key, state.box.dim, capacity, most, state.given, state.basis)
        saved = {name: getattr(state, name).copy() for name in SAVED[1:]}
        scalars = state.scalars.view(np.int64).copy().view(state.scalars.dtype)  # field by field it would take longer
        return plan, work._replace(scalars=scalars, **saved)


def smallest_batch(state: MatrixAdaptationState) -> int:
    """Of all batches to come."""
    return max(2, int(min(state.scalars["popsize"][0], state.scalars["batch"][0])))


def waiting_batch(work: kernels.Work) -> int:
    """Points of the next batch."""
    return int(work.scalars["batch"][0])


def last_population(work: kernels.Work) -> tuple[Array, Array]:
    """The last points told, or those evaluated if not even the first population was."""
    told, used = int(work.scalars[0].told), int(work.scalars[0].nfev)
    if told == 0:
        return work.x[:used].copy(), work.f[:used].copy()
    return work.told_x[:told].copy(), work.told_f[:told].copy()
