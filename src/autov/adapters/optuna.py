"""autov's algorithms as a sampler of optuna.

``optuna.create_study(sampler=AutoVSampler(seed=1))``. All parameters that every finished trial has (numbers and
categories) are sampled together by the algorithm, in coordinates of `autov.problems.variables`; the first trial, and
parameters that only some trials have (conditional spaces), are sampled alone by another sampler. Trials that were
pruned or failed count as worst. With ``n_jobs`` all threads draw from one algorithm; with one job and a seed a study
repeats itself exactly.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from autov.adapters import missing
from autov.adapters.points import Points, algorithm_for, asked_algorithm, popsize_for
from autov.core import seed_of, whole_number
from autov.problems import Space
from autov.problems.variables import Choice, Integer, Real, Variable

try:
    from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
    from optuna.samplers import BaseSampler, RandomSampler
    from optuna.search_space import IntersectionSearchSpace
    from optuna.study import Study, StudyDirection
    from optuna.trial import FrozenTrial, TrialState
except ImportError as error:
    raise missing("optuna", error) from None


class AutoVSampler(BaseSampler):
    """Relative sampling by an algorithm of autov.

    Args:
        algorithm: a name such as "shade" or settings; None for "cat-cma" where there are categories, else for the
            default of `autov.Optimizer`.
        n_trials: how many trials are planned; some algorithms adapt to it. When they are over, a new run begins at
            the best point.
        popsize: size of the population; None for the square root of twice n_trials, from 10 to 100.
        seed: of all random numbers.
        independent_sampler: for parameters that cannot be sampled together; random by default.
    """

    def __init__(
        self, algorithm: Any = None, *, n_trials: int = 1000, popsize: int | None = None,
        seed: int | None = None, independent_sampler: BaseSampler | None = None,
    ) -> None:  # fmt: skip
        asked_algorithm(algorithm)  # says now what does not fit
        self._algorithm = algorithm
        self._maxfev = whole_number("n_trials", n_trials, 1)
        self._popsize = popsize_for(self._maxfev) if popsize is None else whole_number("popsize", popsize, 2)
        self._seed = seed_of(seed)
        self._independent = independent_sampler or RandomSampler(seed=self._seed % 2**32)
        self._intersection = IntersectionSearchSpace()
        self._variables: Space | None = None
        self._space: dict[str, BaseDistribution] = {}
        self._points: Points | None = None
        self._spaces = 0
        self._out: dict[int, tuple[int, np.ndarray]] = {}  # trial number -> space and point
        self._known: set[int] = set()  # trials that were told, or came before the space was known
        self._lock = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._lock = threading.RLock()

    def reseed_rng(self) -> None:
        """Only of the sampler for single parameters: all threads share one algorithm, which never repeats a point."""
        self._independent.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:  # noqa: ARG002
        """What all finished trials have, without parameters of one value."""
        with self._lock:
            found = self._intersection.calculate(study)
        return {name: kind for name, kind in found.items() if not kind.single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:  # fmt: skip
        """The next point of the algorithm."""
        self._raise_error_if_multi_objective(study)
        if not search_space:
            return {}
        with self._lock:
            if self._points is None or search_space != self._space:
                self._begin(search_space)
            assert self._points is not None
            self._learn(study)
            point = self._points.ask()
            self._out[trial.number] = (self._spaces, point)
            assert self._variables is not None
            return self._variables.point(point)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:  # fmt: skip
        """A parameter that is not in the common space."""
        self._raise_error_if_multi_objective(study)
        with self._lock:
            return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Pass it on."""
        self._independent.before_trial(study, trial)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:  # fmt: skip
        """Tell the algorithm."""
        with self._lock:
            space, point = self._out.pop(trial.number, (-1, np.empty(0)))
            if space == self._spaces and self._points is not None:
                self._known.add(trial.number)
                self._points.tell(point, _loss(study, values if state == TrialState.COMPLETE else None))
        self._independent.after_trial(study, trial, state, values)

    def _begin(self, search_space: dict[str, BaseDistribution]) -> None:
        self._space, self._spaces = dict(search_space), self._spaces + 1
        names = tuple(sorted(search_space))
        self._variables = Space(tuple(_variable(search_space[name]) for name in names), names)
        seed = int(np.random.SeedSequence([self._seed, self._spaces]).generate_state(1, np.uint64)[0])
        algorithm = algorithm_for(self._variables, self._algorithm, None)
        self._points = Points(algorithm, self._variables, self._maxfev, self._popsize, seed)
        self._known = set()

    def _learn(self, study: Study) -> None:
        """Tell what the algorithm has not asked for: earlier trials, enqueued ones, and those of other processes."""
        assert self._points is not None
        assert self._variables is not None
        for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
            if trial.number in self._known or trial.number in self._out:
                continue
            self._known.add(trial.number)
            if all(trial.distributions.get(name) == kind for name, kind in self._space.items()):
                point = self._variables.coordinates("trial", {name: trial.params[name] for name in self._space})
                self._points.tell(point, _loss(study, trial.values))


def _loss(study: Study, values: Sequence[float] | None) -> float:
    if values is None:
        return math.inf
    return -values[0] if study.direction == StudyDirection.MAXIMIZE else values[0]


def _variable(kind: BaseDistribution) -> Variable:
    if isinstance(kind, FloatDistribution):
        return Real(kind.low, kind.high, kind.log, kind.step)
    if isinstance(kind, IntDistribution):
        return Integer(kind.low, kind.high, kind.log, kind.step)
    assert isinstance(kind, CategoricalDistribution)
    return Choice(tuple(kind.choices))
