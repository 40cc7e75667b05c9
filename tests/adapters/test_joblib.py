"""joblib keeps the promises of every engine, and takes functions that do not pickle."""

import joblib
import numpy as np
import pytest

import autov
from autov.adapters.joblib import JoblibEngine
from autov.core import InputError
from tests.engines.calls import square
from tests.engines.test_contract import (  # noqa: F401 - collected here, with the engines below
    test_a_map_inside_a_map,
    test_an_exception_comes_out_unchanged_and_the_engine_goes_on,
    test_closed_early_and_used_again,
    test_is_an_engine,
    test_no_items,
    test_results_do_not_depend_on_the_engine,
    test_several_functions_in_turn,
    test_what_the_items_raise_comes_out,
)


@pytest.fixture(params=["loky", "threading"])
def engine(request):
    with JoblibEngine(2, request.param) as made:
        yield made


def test_number_of_workers():
    assert JoblibEngine(2, "loky").workers == 2
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert JoblibEngine(None).workers == 3


@pytest.mark.parametrize(("jobs", "backend"), [(0, None), ("two", None), (2, "nosuch")])
def test_what_joblib_refuses_is_said_at_once(jobs, backend):
    with pytest.raises(InputError, match=r"^n_jobs, backend: joblib refuses"):
        JoblibEngine(jobs, backend)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_minimize_with_a_lambda_gives_the_same_bits(backend):
    scale = 2.0
    options = {"maxfev": 90, "rng": 3}
    here = autov.minimize(lambda x: scale * float(x @ x), [(-5, 5)] * 3, **options)
    there = autov.minimize(lambda x: scale * float(x @ x), [(-5, 5)] * 3, workers=JoblibEngine(2, backend), **options)
    assert np.array_equal(here.x, there.x)
    assert here.fun == there.fun


def test_a_map_of_many_items_is_complete():
    with JoblibEngine(2, "threading", pre_dispatch="all") as engine:
        assert sorted(engine.map(square, range(200), chunk=7)) == [(i, i * i) for i in range(200)]


def test_the_backend_of_dask():
    distributed = pytest.importorskip("distributed")
    options = {"maxfev": 40, "popsize": 20, "rng": 3, "algorithm": "de"}
    here = autov.minimize(lambda x: float(x @ x), [(-5, 5)] * 3, **options)
    with distributed.Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"):
        there = autov.minimize(lambda x: float(x @ x), [(-5, 5)] * 3, workers=JoblibEngine(2, "dask"), **options)
    assert np.array_equal(here.x, there.x)
