"""Hyper-parameter search for scikit-learn: a search like ``RandomizedSearchCV`` that learns from what it has tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autov.adapters import missing
from autov.adapters.points import algorithm_for, popsize_for, popsize_used
from autov.core import InputError, values_of, whole_number
from autov.problems import Space
from autov.problems.variable_forms import variable_of
from autov.problems.variables import Variable, is_number
from autov.runs import Optimizer

try:
    from sklearn.model_selection._search import BaseSearchCV
    from sklearn.utils import check_random_state
except ImportError as error:
    raise missing("sklearn", error) from None

DEFAULT = "portfolio"


class AutoVSearchCV(BaseSearchCV):
    """Cross-validated search over hyper-parameters with an algorithm of autov.

    Everything but the arguments below is as in scikit-learn's ``RandomizedSearchCV``: scoring, n_jobs, refit, cv,
    verbose, pre_dispatch, error_score, return_train_score, and the attributes after ``fit`` (best_params_,
    best_estimator_, cv_results_, ...). A population is evaluated at once: ``n_jobs`` helps up to
    popsize times folds.

    Args:
        estimator: the estimator to fit.
        param_space: for each parameter a list of values, a tuple (low, high) or (low, high, "log") whose ends are both
            integers for integers, other forms of `autov.space`, or a distribution of scipy.stats; or a space.
        n_iter: how many settings are tried; settings that come again are not computed again.
        algorithm: a name such as "shade" or "ma-es", or settings; None for "cat-cma" where a parameter has categories
            (a list of values), else for "portfolio", which asks for whole
            populations: scikit-learn ends a search when all fits of a batch fail, and `general` asks for single points.
        popsize: settings of one batch; None for the square root of twice n_iter, from 10 to 100.
        random_state: seed.
    """

    def __init__(
        self, estimator: Any, param_space: Any, *, n_iter: int = 50, algorithm: Any = None,
        popsize: int | None = None, scoring: Any = None, n_jobs: int | None = None, refit: Any = True, cv: Any = None,
        verbose: int = 0, pre_dispatch: Any = "2*n_jobs", random_state: Any = None, error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:  # fmt: skip
        self.param_space = param_space
        self.n_iter = n_iter
        self.algorithm = algorithm
        self.popsize = popsize
        self.random_state = random_state
        super().__init__(
            estimator=estimator, scoring=scoring, n_jobs=n_jobs, refit=refit, cv=cv, verbose=verbose,
            pre_dispatch=pre_dispatch, error_score=error_score, return_train_score=return_train_score,
        )  # fmt: skip

    def _run_search(self, evaluate_candidates: Callable[[list[dict[str, Any]]], Any]) -> None:  # type: ignore[override]
        """Batches of the algorithm until n_iter settings are tried."""
        space = _space(self.param_space)
        maxfev = whole_number("n_iter", self.n_iter, 1)
        popsize = popsize_for(maxfev) if self.popsize is None else self.popsize
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        algorithm = algorithm_for(space, self.algorithm, DEFAULT)
        optimizer = Optimizer(
            space.search_box, popsize=popsize_used(algorithm, popsize), rng=seed, algorithm=algorithm,
            maxfev=maxfev,
        )  # fmt: skip
        known: dict[str, int] = {}  # settings -> their place in the results
        scores = np.empty(0)
        while not optimizer.stop():
            x = optimizer.ask()
            settings = space.points(x)
            keys = [space.key(point) for point in x]
            new = []
            for key, one in zip(keys, settings, strict=True):
                if key not in known:
                    known[key] = len(known)
                    new.append(one)
            if new:
                scores = np.asarray(self._scores(evaluate_candidates(new)), dtype=np.float64)
            losses, _ = values_of(-scores[[known[key] for key in keys]], len(keys))
            optimizer.tell(x, losses)

    def _scores(self, results: Mapping[str, Any]) -> Any:
        """The mean scores that decide: of several metrics the one to refit with, else the first."""
        name = "mean_test_score"
        if name not in results:
            refit = f"mean_test_{self.refit}"
            name = refit if refit in results else next(key for key in results if key.startswith("mean_test_"))
        return results[name]


def _space(given: Any) -> Space:
    """The space of parameters."""
    if isinstance(given, Space) and given.names:
        return given
    if not isinstance(given, Mapping) or not given:
        raise InputError(f"param_space: expected a dict of parameter -> values, or autov.space(...), got {given!r}")
    return Space(tuple(parameter_of(name, one) for name, one in given.items()), tuple(given))


def parameter_of(name: str, given: Any) -> Variable:
    """What `autov.space` takes, but a tuple of two integers means integers, as in other searches of parameters."""
    if isinstance(given, tuple) and len(given) in (2, 3) and all(is_number(v) for v in given[:2]):
        whole = all(isinstance(v, (int, np.integer)) for v in given[:2])
        if whole and (len(given) == 2 or given[2] in ("log", "linear")):
            given = (*given, "int")
    return variable_of(name, given)
