"""AutoVSearchCV as scikit-learn expects a search to be."""

import warnings

import numpy as np
import pytest
from scipy.stats import loguniform, randint
from sklearn.datasets import load_iris, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import estimator_checks_generator

from autov.adapters.sklearn import AutoVSearchCV
from autov.core import InputError

# What scikit-learn's own searches do not pass either (an expected failure in its test suite).
EXPECTED = {"check_supervised_y_2d": "DataConversionWarning not caught"}


def searches():
    common = {"n_iter": 3, "popsize": 3, "cv": 2, "random_state": 0, "error_score": "raise"}
    yield AutoVSearchCV(Ridge(), {"alpha": (0.1, 1.0)}, **common)
    yield AutoVSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, **common)


def name_of(check):
    return getattr(check, "func", check).__name__


CHECKS = [
    (search, check)
    for one in searches()
    for search, check in estimator_checks_generator(one)
    if not name_of(check).startswith("check_array_api")  # about other array libraries
]


@pytest.mark.parametrize(("estimator", "check"), CHECKS, ids=lambda value: name_of(value) if callable(value) else "")
def test_estimator_checks(estimator, check):
    name = name_of(check)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the estimators inside
        if name in EXPECTED:
            pytest.xfail(EXPECTED[name])
        check(estimator)


def test_finds_a_good_ridge_and_repeats():
    x, y = make_regression(60, 20, noise=20.0, random_state=1)
    options = {"n_iter": 60, "popsize": 10, "cv": 3, "random_state": 3, "algorithm": "paper-h3"}
    search = AutoVSearchCV(Ridge(), {"alpha": (1e-4, 1e4, "log")}, **options).fit(x, y)
    grid = [
        AutoVSearchCV(Ridge(), {"alpha": [a]}, n_iter=1, popsize=2, cv=3).fit(x, y).best_score_
        for a in 10.0 ** np.arange(-4, 5)
    ]
    assert search.best_score_ > max(grid)
    assert 40 < len(search.cv_results_["params"]) <= 60
    again = AutoVSearchCV(Ridge(), {"alpha": (1e-4, 1e4, "log")}, **options).fit(x, y)
    assert again.best_params_ == search.best_params_
    assert np.array_equal(again.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"])


def test_numbers_categories_and_distributions_together():
    x, y = load_iris(return_X_y=True)
    space = {"C": loguniform(1e-2, 1e2), "kernel": ["linear", "rbf"], "degree": randint(2, 5), "cache_size": (50, 60)}
    search = AutoVSearchCV(SVC(), space, n_iter=20, popsize=10, cv=2, random_state=0, algorithm="shade").fit(x, y)
    for params in search.cv_results_["params"]:
        assert 1e-2 <= params["C"] <= 1e2
        assert params["kernel"] in ("linear", "rbf")
        assert params["degree"] in (2, 3, 4)
        assert params["cache_size"] in range(50, 61)
    assert {params["kernel"] for params in search.cv_results_["params"]} == {"linear", "rbf"}
    assert search.best_score_ > 0.9
    assert search.predict(x[:1]).shape == (1,)


def test_settings_that_come_again_are_not_computed_again():
    x, y = make_regression(30, 3, random_state=1)
    space = {"alpha": [0.1, 1.0], "fit_intercept": [True, False]}
    for seed in range(4):
        search = AutoVSearchCV(Ridge(), space, n_iter=40, cv=2, random_state=seed).fit(x, y)
        tried = [tuple(params.values()) for params in search.cv_results_["params"]]
        assert 2 <= len(tried) <= 4  # of 40 points
        assert len(set(tried)) == len(tried)


def test_several_metrics_and_failing_fits():
    x, y = make_regression(30, 3, random_state=1)
    scoring = {"a": "r2", "b": "neg_mean_absolute_error"}
    search = AutoVSearchCV(
        Ridge(), {"alpha": (0.1, 100.0)}, n_iter=20, cv=2, scoring=scoring, refit="b", random_state=1
    ).fit(x, y)
    assert search.best_score_ == search.cv_results_["mean_test_b"].max()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = AutoVSearchCV(Ridge(), {"alpha": (-1.0, 1.0)}, n_iter=20, cv=2, random_state=1).fit(x, y)
    assert search.best_params_["alpha"] >= 0
    assert np.isnan(search.cv_results_["mean_test_score"]).any()


@pytest.mark.parametrize("space", [{}, [("alpha", (0, 1))], {"alpha": "abc"}, {"alpha": (1.0, 0.0)}, {"alpha": []}])
def test_bad_spaces(space):
    x, y = make_regression(30, 3, random_state=1)
    with pytest.raises(InputError, match=r"^(param_space|alpha|space): "):
        AutoVSearchCV(Ridge(), space, n_iter=2).fit(x, y)
