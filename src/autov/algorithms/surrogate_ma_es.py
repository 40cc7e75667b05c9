"""The matrix adaptation strategy with a linear or quadratic model of the function: lq-CMA-ES in the manner of MA-ES.

N. Hansen, A global surrogate assisted CMA-ES, GECCO 2019. The strategy samples as `ma-es` does. A model of the recent
evaluations orders the sample, and the points that it takes for the best are evaluated, first one or two, then more,
until the model ranks the latest points as the function does (Kendall's tau of at least ``tau``). Then the strategy
learns from the model's order of all points, so a generation may cost a single evaluation. Where the model is never good
enough, all points are evaluated, and the generation is one of `ma-es`.

*Model.* Least squares with a weight for each rank: linear at first, then with squares of the variables, then with all
products, as soon as there are 1.1 points for each term among the better three quarters of the archive, which holds the
latest two points for each term of the largest model. Models have at most 500 terms, so that the full one serves up to
30 variables, squares up to 249, and a linear one up to 499; beyond there is none, and the strategy is `ma-es`. A fit
costs the third power of the number of terms; so a model is fitted anew only after ``refit`` new points for each term.

*Values.* With ``values="function"`` the model is fitted to the values, as in the paper: a quadratic function is solved
as soon as its model has enough points, but a function that is not nearly quadratic gets other models after an
increasing transformation. With ``values="ranks"`` it is fitted to numbers that only have the order of the values
(`autov.kernels.matrix_adaptation.surrogate_fit`). All that follows then depends on the order alone, apart from
``tol_f`` and values that are not finite. Quadratics then take ten to fifty times the evaluations, a quarter to a half
of those of `ma-es`; Rosenbrock's function takes 1.1 to 1.4 times as many as with values.

*Its optimum.* One point of each generation is where the model is smallest within a step that a normal sample might
make.

*Box, start, restarts* are those of `ma-es`; a restart forgets the archive.

*Invariance.* Translation and scale as `ma-es`. A model with squares of the variables prefers the axes of the box, so
with ``middle="diagonal"``, as in the paper, the strategy is not rotation invariant. With ``"round"`` the middle model
has one curvature, of |M^-1 x|^2, instead: all models then turn with the problem, and so does the strategy.

*Batches.* What is asked for is a portion of a generation, often a single point. ``portion`` is its least part: 0.5
keeps half as many workers busy as there are points in a generation.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from autov.algorithms.base import Outcome, renewed
from autov.algorithms.compiled import AnyRun, ResumableRun, run_to_end
from autov.algorithms.local_search import last_batch
from autov.algorithms.matrix_adaptation import SAVED as STRATEGY_SAVED
from autov.algorithms.matrix_adaptation import MatrixAdaptationState, StrategySettings, waiting_batch
from autov.core import Array, Box, Generator, InputError, check_choice, check_ranges
from autov.kernels.matrix_adaptation import surrogate as kernels
from autov.kernels.objective import Objective

SAVED = ("scalars", "best", "archive_x", "archive_f", "queue", "known_f", "z")  # what a step changes
VALUES = ("function", "ranks")  # in the order of the kernels' numbers
MIDDLES = {"diagonal": kernels.DIAGONAL, "round": kernels.ROUND}
MODEL = ("centre", "frame", "coefficients")


@dataclass(frozen=True, eq=False)
class SurrogateState:
    """Arrays as in `autov.kernels.matrix_adaptation.surrogate.Work`."""

    key: np.ndarray  # two words of the counter-based stream
    box: Box
    strategy: MatrixAdaptationState  # at the beginning of the generation
    scalars: np.ndarray  # one record
    best: Array
    archive_x: Array
    archive_f: Array
    queue: np.ndarray
    known_f: Array
    z: Array
    centre: Array
    frame: Array
    coefficients: Array
    waiting: Array  # the batch asked for
    x: Array  # the last one told
    f: Array

    @property
    def generation(self) -> int:
        """Batches told."""
        return int(self.scalars["generation"][0])


@dataclass(frozen=True)
class SurrogateMatrixAdaptation(StrategySettings):
    """Settings: those of `MatrixAdaptation`, and some of the model.

    Attributes:
        tau: rank correlation between model and function at which a generation is learnt from the model.
        portion: least part of a generation that is evaluated at once.
        refit: new points for each term of a model before it is fitted anew.
        values: what a model is fitted to: values of the function, or their ranks only.
        middle: the model between the linear and the full one: with a square for each variable, or with one for all.
    """

    name: ClassVar[str] = "lq-ma-es"
    uses_popsize: ClassVar[bool] = False
    compiles: ClassVar[bool] = True
    tau: float = 0.85
    portion: float = 0.02
    refit: float = 0.04
    values: Literal["function", "ranks"] = "function"
    middle: Literal["diagonal", "round"] = "diagonal"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, tau=(-1, 1), portion=(0, 1), refit=(0, 10))
        check_choice(self, values=VALUES, middle=tuple(MIDDLES))

    @cached_property
    def _plan(self) -> kernels.Plan:
        numbers = float(self.tau), float(self.portion), float(self.refit)
        return kernels.Plan(self.plan(), *numbers, VALUES.index(self.values), MIDDLES[self.middle])

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> SurrogateState:
        """`start` with a key from the generator."""
        return self.start(rng.integers(0, 2**64, 2, dtype=np.uint64), box, popsize, maxfev, x0)

    def start(
        self, key: np.ndarray, box: Box, popsize: int, maxfev: int, x0: Array | None = None
    ) -> SurrogateState:  # fmt: skip
        """The mean that ``first_mean`` says, or that of the given points, which are then evaluated first.

        The first batch is made when it is asked for, or by a compiled run: a start compiles nothing.
        """
        own = self.strategy.start(key, box, popsize, maxfev, x0)
        capacity = int(own.scalars["capacity"][0])
        work = kernels.workspace(self._plan, key, self.strategy._work(own, capacity)[1], capacity)
        return SurrogateState(key.copy(), box, own, **_saved(work), x=np.empty((0, box.dim)), f=np.empty(0))

    def room(self, box: Box, popsize: int, maxfev: int) -> int:
        """How many known points it starts from: those of the strategy."""
        return self.strategy.room(box, popsize, maxfev)

    def ask(self, state: SurrogateState, rng: Generator) -> tuple[Array, SurrogateState]:  # noqa: ARG002
        """The portion of the generation that waits for its values; asking again gives the same."""
        state = self._begun(state)
        return state.waiting.copy(), state

    def _begun(self, state: SurrogateState) -> SurrogateState:
        """With a batch."""
        if len(state.waiting):
            return state
        work = self._work(state)
        kernels.proceed(self._plan, work, state.box.lower, state.box.upper, False)
        return replace(state, **_saved(work))

    def tell(self, state: SurrogateState, x: Array, f: Array, rng: Generator) -> SurrogateState:
        """Perhaps fit the model anew; ask for more of the generation, or learn from it and begin the next one."""
        return self.tell_over(_copied(state), x, f, rng)

    def tell_over(self, state: SurrogateState, x: Array, f: Array, rng: Generator) -> SurrogateState:  # noqa: ARG002
        """As ``tell``, in the arrays of the state, which is of no use afterwards."""
        n = int(state.scalars["batch"][0])
        if np.shape(x) != (n, state.box.dim) or np.shape(f) != (n,):
            raise InputError(f"tell: needs the {n} points that were asked for, got shapes {np.shape(x)}, {np.shape(f)}")
        work = _shared_work(self, state)
        work.f[:n] = f
        kernels.proceed(self._plan, work, state.box.lower, state.box.upper, True)
        strategy, generation = state.strategy, int(state.strategy.scalars["generation"][0])
        if generation != strategy.generation:
            strategy = renewed(strategy, generation=generation, given=strategy.given[:0])
        waiting = work.x[: int(work.scalars["batch"][0])].copy()
        new = renewed(state, strategy=strategy, waiting=waiting, x=np.array(x), f=np.array(f))
        _buffers.last = (new, work) if strategy.given is work.strategy.given else (None, None)
        return new

    def calls(self, state: SurrogateState) -> list[tuple[Any, tuple[Any, ...]]]:
        """Kernels that ``ask`` and ``tell`` will call, with such arguments."""
        return [(kernels.proceed, (self._plan, self._work(state), state.box.lower, state.box.upper, False))]

    def population(self, state: SurrogateState) -> tuple[Array, Array]:
        """The last points told."""
        return state.x, state.f

    def run_compiled(
        self, state: SurrogateState, objective: Objective, maxfev: int, begun: list[AnyRun] | None = None
    ) -> Outcome:  # fmt: skip
        """Go on until maxfev evaluations are made, as one compiled piece, bit-identical to ask and tell."""
        return run_to_end(self.resumable_run(state), objective, maxfev, begun)

    def resumable_run(self, state: SurrogateState) -> ResumableRun:
        """The run that begins with a state, which can be resumed."""
        return ResumableRun(kernels.run, self._plan, self._work(state), state.box, 1, last_batch, waiting_batch)

    def inside(self) -> SurrogateMatrixAdaptation:
        """With small first steps and no bend at the border, for checks of what it does away from it."""
        calm = self.strategy.inside()
        return replace(self, sigma=calm.sigma, restarts=calm.restarts, bounds=calm.bounds)

    def rotated(self, state: SurrogateState, rotation: Array) -> SurrogateState:
        """The state after a rotation of the box about its centre, as `MatrixAdaptation.rotated`.

        Diagonal models stay along the axes. With them the draws turn only if axes become axes: turning them for good
        would be another algorithm.
        """
        state = self._begun(state)
        R, strategy = np.asarray(rotation, dtype=np.float64), self.strategy.rotated(state.strategy, rotation)
        if self.middle == "diagonal" and (np.abs(R).max(axis=0) < 1 - 1e-9).any():
            strategy = replace(strategy, matrix=state.strategy.matrix, basis=state.strategy.basis)
        middle = (state.box.lower + state.box.upper) / 2
        turned = replace(
            state,
            strategy=strategy,
            best=state.box.clip(middle + (state.best - middle) @ R),
            archive_x=0.5 + (state.archive_x - 0.5) @ R,
            centre=0.5 + (state.centre - 0.5) @ R,
            frame=state.frame @ R,
            x=middle + (state.x - middle) @ R,
        )
        work = self._work(turned)
        kernels.proceed(self._plan, work, state.box.lower, state.box.upper, False)
        return replace(turned, **_saved(work))

    def _work(self, state: SurrogateState) -> kernels.Work:
        """New buffers with a copy of the state."""
        return _bound(self._new_work(state), _copied(state))

    def _new_work(self, state: SurrogateState) -> kernels.Work:
        capacity = len(state.queue)
        return kernels.workspace(self._plan, state.key, self.strategy._work(state.strategy, capacity)[1], capacity)


_buffers = threading.local()


def _shared_work(algorithm: SurrogateMatrixAdaptation, state: SurrogateState) -> kernels.Work:
    """The arrays of the state, and buffers of this thread, which serve until the next call.

    A step needs a megabyte of buffers, which takes longer to allocate than to fill.
    """
    last, work = getattr(_buffers, "last", (None, None))
    if last is state and work is not None:
        return work
    size = (len(state.queue), state.box.dim, algorithm.middle, int(state.strategy.scalars["capacity"][0]))
    if getattr(_buffers, "size", None) != size:
        _buffers.size, _buffers.work = size, algorithm._new_work(state)
    return _bound(_buffers.work, state)


def _bound(work: kernels.Work, state: SurrogateState) -> kernels.Work:
    """Buffers with the arrays of a state in their places."""
    own, named = state.strategy, {name: getattr(state, name) for name in SAVED}
    strategy = work.strategy._replace(
        key=own.key, given=own.given, basis=own.basis, **{name: getattr(own, name) for name in STRATEGY_SAVED}
    )  # fmt: skip
    model = work.model._replace(**{name: getattr(state, name) for name in MODEL})
    return work._replace(key=state.key, strategy=strategy, model=model, **named)


def _copied(state: SurrogateState) -> SurrogateState:
    """The state with arrays of its own."""
    strategy = renewed(state.strategy, **_copies(state.strategy, STRATEGY_SAVED))
    return renewed(state, strategy=strategy, **_copies(state, (*SAVED, *MODEL)))


def _copies(state: Any, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Copies of arrays of a state; a record is copied as the words it is made of, which is faster."""
    arrays = {name: getattr(state, name) for name in names}
    return {
        name: array.view(np.int64).copy().view(array.dtype) if array.dtype.names else array.copy()
        for name, array in arrays.items()
    }


def _saved(work: kernels.Work) -> dict[str, np.ndarray]:
    """The arrays of a state."""
    waiting = work.x[: int(work.scalars["batch"][0])].copy()
    kept = {name: getattr(work, name) for name in SAVED} | {name: getattr(work.model, name) for name in MODEL}
    return kept | {"waiting": waiting}
