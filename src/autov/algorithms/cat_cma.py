"""Evolution strategy for numbers, integers and categories together.

R. Hamano, S. Saito, M. Nomura, K. Uchida and S. Shirakawa, CatCMA: stochastic optimization for mixed-category problems,
GECCO 2024, and R. Hamano, M. Nomura, S. Saito, K. Uchida and S. Shirakawa, CatCMA with margin: stochastic optimization
for continuous, integer, and categorical variables, GECCO 2025: numbers and integers are drawn from a normal
distribution that CMA-ES adapts, categories from categorical distributions (`categorical`); margins keep integers
(`integer_margin`) and categories from getting stuck.

Written from the papers. What is not in them: variables are scaled to the unit box; the first batch is uniform, and the
distributions begin at its better half; of ``candidates`` times as many points as are evaluated those are evaluated
that a model (`mixed_model`) expects most of, as long as it orders them well; and a run that has contracted begins
anew with twice the population.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from autov.algorithms.categorical import STAYS, Categorical
from autov.algorithms.cma_es import decompose
from autov.algorithms.integer_margin import with_margin
from autov.algorithms.mixed_kinds import Kinds
from autov.algorithms.mixed_model import MixedModel, scores
from autov.algorithms.population import initial_points
from autov.core import Array, Box, Generator, InputError, check_ranges

CONTRACTED = 1e-8  # largest standard deviation, of the box, at which a run begins anew
STAGNATED = 20  # batches without a better value after which it does so, too
KEPT = 4  # points for each term of a model that are kept


@dataclass(frozen=True, eq=False)
class Strategy:
    """The distributions: of numbers and integers in the unit box, and of categories."""

    mean: Array
    sigma: float
    a: Array  # A, the scale of each variable that margins of integers have set
    C: Array
    p_sigma: Array
    p_c: Array
    categorical: Categorical
    generation: int = 0


@dataclass(frozen=True, eq=False)
class CatCMAState:
    """A state: the distributions (None before the first batch is told), the batch that is out, and what is known."""

    box: Box
    given: Array  # first points that the caller wants, until they are asked
    popsize: int
    first: int  # points of the first batch of this start
    strategy: Strategy | None
    y: Array  # steps of the batch, before they were clipped or rounded
    known_x: Array
    known_f: Array
    expected: Array  # what the models expect of the batch, (2, m); empty without models
    trust: float  # candidates for each point of the batch
    scored: int  # which model orders them: 0 that of values, 1 that of ranks
    best: float  # of this start
    waited: int  # batches since it got better
    x: Array
    f: Array


@dataclass(frozen=True)
class CatCMA:
    """Settings.

    Attributes:
        popsize_factor: population over 4 + 3 log(d).
        sigma: first standard deviation, as a part of the box.
        candidates: most points drawn for each that is evaluated; 1 for none but these.
        categories: of each variable, 0 where it has an order; empty for none. `minimize` knows them of a space.
        integers: which variables are integers.
    """

    name: ClassVar[str] = "cat-cma"
    uses_popsize: ClassVar[bool] = False
    popsize_factor: float = 1.5
    sigma: float = 0.25
    candidates: float = 20.0
    categories: tuple[int, ...] = ()
    integers: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        check_ranges(self, popsize_factor=(0.5, 100), sigma=(1e-6, 1), candidates=(1, 1000))
        object.__setattr__(self, "categories", tuple(int(n) for n in self.categories))
        object.__setattr__(self, "integers", tuple(bool(one) for one in self.integers))

    def with_variables(self, categories: tuple[int, ...], integers: tuple[bool, ...]) -> CatCMA:
        """The same for variables of these kinds."""
        return replace(self, categories=categories, integers=integers)

    def init(self, box: Box, popsize: int, maxfev: int, rng: Generator, x0: Array | None = None) -> CatCMAState:  # noqa: ARG002
        """See `Metaheuristic`."""
        for kind in ("categories", "integers"):
            if len(getattr(self, kind)) not in (0, box.dim):
                raise InputError(f"{kind}: one for each of {box.dim} variables, got {len(getattr(self, kind))}")
        given = initial_points(box, popsize, x0)
        own = max(4, int(self.popsize_factor * (4 + int(3 * math.log(box.dim)))))
        none, empty = np.empty((0, box.dim)), np.empty(0)
        return CatCMAState(
            box, given, own, max(own, len(given)), None, none, none, empty, empty, 2.0, 0, np.inf, 0, none, empty
        )

    def room(self, box: Box, popsize: int, maxfev: int) -> int:  # noqa: ARG002
        """How many known points it starts from."""
        return min(popsize, 4 + int(3 * math.log(box.dim)))

    def population(self, state: CatCMAState) -> tuple[Array, Array]:
        """The last points told."""
        return state.x, state.f

    def ask(self, state: CatCMAState, rng: Generator) -> tuple[Array, CatCMAState]:
        """The first batch is uniform; later ones come from the distributions."""
        kinds, box = self._kinds(state.box), state.box
        if state.strategy is None:
            u = rng.random((state.first, box.dim))
            x = kinds.points(u)
            x[: len(state.given)] = state.given
            return x, replace(state, given=state.given[:0])
        model = self._model(state, kinds) if self.candidates > 1 else None
        count = state.popsize if model is None else max(state.popsize, int(state.trust * state.popsize))
        y, chosen = self._drawn(state.strategy, count, rng)
        if model is not None:
            y, chosen = np.concatenate([model[1][None], y]), np.concatenate([model[2][None], chosen])
        u = np.empty((len(y), box.dim))
        u[:, kinds.ordered] = np.clip(state.strategy.mean + state.strategy.sigma * y, 0, 1)
        u[:, kinds.unordered] = (chosen + 0.5) / kinds.sizes
        x = kinds.points(u)
        if model is None:
            return x.copy(), replace(state, y=y, expected=np.empty((2, 0)))
        inner, chosen = kinds.split(x)
        t = self._whitened(state.strategy, inner)
        expected = np.stack([one.expected(t, chosen) for one in model[0]])
        order = np.argsort(expected[state.scored], kind="stable")[: state.popsize]
        return x[order], replace(state, y=y[order], expected=expected[:, order])

    def tell(self, state: CatCMAState, x: Array, f: Array, rng: Generator) -> CatCMAState:  # noqa: ARG002
        """Move the distributions; begin anew where they have contracted."""
        kinds = self._kinds(state.box)
        most = KEPT * int((1 + 2 * kinds.ordered.sum() + kinds.sizes.sum()) + kinds.ordered.sum() ** 2 / 2)
        known_x = np.concatenate([state.known_x, x])[-most:]
        known_f = np.concatenate([state.known_f, f])[-most:]
        trust, scored = state.trust, state.scored
        if state.expected.size:
            taus = [_kendall(expected, f) for expected in state.expected]
            scored = int(np.argmax(taus))
            tau = taus[state.scored]
            trust = min(self.candidates, trust * 1.5) if tau > 0.2 else max(1.0, trust / 1.5) if tau < 0 else trust
        better = f.min() < state.best
        state = replace(
            state, known_x=known_x, known_f=known_f, trust=trust, scored=scored, best=min(state.best, float(f.min())),
            waited=0 if better else state.waited + 1, x=x.copy(), f=f.copy(),
        )  # fmt: skip
        if state.strategy is None:
            return replace(state, strategy=self._begun(kinds, x, f))
        moved = self._moved(state.strategy, kinds, state.y, x, f)
        deviation = moved.sigma * float((moved.a * np.sqrt(np.diag(moved.C))).max(initial=0.0))
        if (len(moved.mean) and deviation < CONTRACTED) or state.waited > STAGNATED:
            return self._anew(state)
        return replace(state, strategy=moved)

    def _anew(self, state: CatCMAState) -> CatCMAState:
        none = np.empty(0)
        return replace(
            state, strategy=None, popsize=2 * state.popsize, first=2 * state.popsize, expected=none, trust=2.0,
            best=np.inf, waited=0, known_x=state.known_x[:0], known_f=none,
        )  # fmt: skip

    def _kinds(self, box: Box) -> Kinds:
        return Kinds.of(box, self.categories or (0,) * box.dim, self.integers or (False,) * box.dim)

    def _begun(self, kinds: Kinds, x: Array, f: Array) -> Strategy:
        """Distributions about the better half of the first batch."""
        u, chosen = kinds.split(x)
        d = u.shape[1]
        best, w = np.argsort(f, kind="stable")[: max(1, len(f) // 2)], _weights(len(f))[0]
        own = w[: len(best)] / w[: len(best)].sum()
        categorical = Categorical.uniform(kinds.sizes).with_margin()
        if len(kinds.sizes):
            categorical = categorical.toward(chosen[best], own)
        zero = np.zeros(d)
        return Strategy(own @ u[best], self.sigma, np.ones(d), np.eye(d), zero, zero, categorical)

    def _drawn(self, strategy: Strategy, count: int, rng: Generator) -> tuple[Array, np.ndarray]:
        """Steps (count, d) in standard deviations, and categories."""
        d = len(strategy.mean)
        z = rng.standard_normal((count, d))
        if d:
            basis, scale = decompose(strategy.C)
            z = (z * scale) @ basis.T
        chosen = strategy.categorical.sample(count, rng)
        return z * strategy.a, chosen

    def _model(
        self, state: CatCMAState, kinds: Kinds
    ) -> tuple[list[MixedModel], Array, np.ndarray] | None:  # fmt: skip
        """Models of values and of ranks, and the step and the categories to the minimum of the one that is trusted."""
        strategy = state.strategy
        assert strategy is not None
        u, chosen = kinds.split(state.known_x)
        t = self._whitened(strategy, u)
        worst = np.where(np.isfinite(state.known_f), state.known_f, -np.inf).max()
        if not np.isfinite(worst):
            return None
        values = np.where(np.isfinite(state.known_f), state.known_f, worst)
        found = [MixedModel.fitted(t, chosen, f, kinds.sizes) for f in (values, scores(values))]
        models = [one for one in found if one is not None]
        if len(models) < 2:
            return None
        d = t.shape[1]
        at, best = models[state.scored].minimum(math.sqrt(d) + 2 if d else 0.0)
        if d:
            basis, scale = decompose(strategy.C)
            at = basis @ (scale * at) * strategy.a
        return models, at, best

    def _whitened(self, strategy: Strategy, u: Array) -> Array:
        """Ordered variables (n, d) in standard deviations of the strategy, along its axes."""
        t = (u - strategy.mean) / (strategy.sigma * strategy.a)
        if not t.shape[1]:
            return t
        basis, scale = decompose(strategy.C)
        return (t @ basis) / scale

    def _moved(self, now: Strategy, kinds: Kinds, y: Array, x: Array, f: Array) -> Strategy:
        """One generation of CMA-ES, of the categorical distributions, and the margins."""
        n, d = len(f), len(now.mean)
        order = np.argsort(f, kind="stable")
        w, mu_eff = _weights(n)
        categorical = now.categorical
        if len(kinds.sizes):
            categorical = categorical.toward(kinds.split(x)[1][order[: len(w)]], w)
        if not d:
            return replace(now, categorical=categorical, generation=now.generation + 1)
        c_sigma = (mu_eff + 2) / (d + mu_eff + 5)
        d_sigma = 1 + c_sigma + 2 * max(0.0, math.sqrt((mu_eff - 1) / (d + 1)) - 1)
        c_c = (4 + mu_eff / d) / (d + 4 + 2 * mu_eff / d)
        c_1 = 2 / ((d + 1.3) ** 2 + mu_eff)
        c_mu = min(1 - c_1, 2 * (mu_eff - 2 + 1 / mu_eff) / ((d + 2) ** 2 + mu_eff))
        free = now.mean + now.sigma * y
        y = np.where((free < 0) | (free > 1), (np.clip(free, 0, 1) - now.mean) / now.sigma, y)
        best = y[order[: len(w)]] / now.a
        step, generation = w @ best, now.generation + 1
        basis, scale = decompose(now.C)
        p_sigma = (1 - c_sigma) * now.p_sigma
        p_sigma = p_sigma + math.sqrt(c_sigma * (2 - c_sigma) * mu_eff) * (basis @ ((step @ basis) / scale))
        length = float(np.linalg.norm(p_sigma)) / (math.sqrt(d) * (1 - 1 / (4 * d) + 1 / (21 * d * d)))
        sigma = now.sigma * math.exp(min(1.0, c_sigma / d_sigma * (length - 1)))
        h = length < (1.4 + 2 / (d + 1)) * math.sqrt(1 - (1 - c_sigma) ** (2 * generation))
        p_c = (1 - c_c) * now.p_c + h * math.sqrt(c_c * (2 - c_c) * mu_eff) * step
        C = (1 - c_1 - c_mu + (not h) * c_1 * c_c * (2 - c_c)) * now.C
        C = C + c_1 * np.outer(p_c, p_c) + c_mu * (best * w[:, None]).T @ best
        mean, a = np.clip(now.mean + now.sigma * step * now.a, 0, 1), now.a
        sigma = min(max(sigma, 1e-200), 1e3)
        if kinds.counts.any():
            j, root = kinds.counts > 0, np.sqrt(np.diag(C))
            alpha = 1 - STAYS ** (1 / (j.sum() + len(kinds.sizes)))
            middle, std = with_margin(mean[j], sigma * a[j] * root[j], kinds.counts[j], alpha)
            mean, a = mean.copy(), a.copy()
            mean[j], a[j] = middle, std / (sigma * root[j])
        return Strategy(mean, sigma, a, C, p_sigma, p_c, categorical, generation)


def _weights(n: int) -> tuple[Array, float]:
    """Weights of the better half of n points, and how many points they represent."""
    w = math.log(n // 2 + 0.5) - np.log(np.arange(1, n // 2 + 1))
    w /= w.sum()
    return w, float(1 / (w @ w))


def _kendall(expected: Array, f: Array) -> float:
    """Kendall's correlation, 0 where all are equal."""
    one, other = ((values[:, None] > values) * 1.0 - (values[:, None] < values) for values in (expected, f))
    return float((one * other).sum() / (len(f) * (len(f) - 1)))
