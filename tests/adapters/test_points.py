"""Points one by one, and parameters as coordinates."""

import numpy as np
import pytest
from scipy import stats

import autov
from autov.adapters import missing
from autov.adapters.points import Points, popsize_for
from autov.adapters.sklearn import parameter_of
from autov.algorithms import make_algorithm
from autov.core import InputError
from autov.problems.variables import Choice, Distribution, Integer, Real
from tests.algorithms.driver import sized


def sphere(x):
    return float(((x - 0.3) ** 2).sum())


@pytest.mark.parametrize("name", ["paper-h3", "shade", "ma-es"])
def test_one_by_one_is_the_course_of_the_optimizer(name):
    points = Points(make_algorithm(name), 3, 60, 10, 5)
    own = autov.Optimizer(
        [(0, 1)] * 3, algorithm=name, rng=np.random.SeedSequence([5, 0]), maxfev=60, **sized(name, 10)
    )  # fmt: skip
    while not own.stop():
        batch = own.ask()
        for expected in batch:
            x = points.ask()
            assert np.array_equal(x, expected)
            points.tell(x, sphere(x))
        own.tell(batch, [sphere(x) for x in batch])


def test_more_points_than_a_batch_has_and_any_order():
    points = Points(make_algorithm("paper-h3"), 2, 100, 10, 1)
    out = [points.ask() for _ in range(25)]
    assert len({x.tobytes() for x in out}) == 25
    for x in reversed(out):
        points.tell(x, sphere(x))
    later = [points.ask() for _ in range(10)]
    first = np.median([sphere(x) for x in out[:10]])
    assert np.median([sphere(x) for x in later]) < first  # the algorithm has learnt


def test_after_the_budget_a_run_begins_at_the_best_point():
    points = Points(make_algorithm("paper-h3"), 2, 30, 10, 1)
    seen = []
    for _ in range(30):
        seen.append(points.ask())
        points.tell(seen[-1], sphere(seen[-1]))
    assert np.array_equal(points.ask(), min(seen, key=sphere))


@pytest.mark.parametrize("name", ["paper-h3", "shade"])
def test_points_that_were_not_asked_for_use_up_no_budget(name):
    points, plain = (Points(make_algorithm(name), 2, 30, 10, 1) for _ in range(2))
    for x in np.random.default_rng(1).random((40, 2)):
        points.tell(x, 1.0 + sphere(x))
    for _ in range(30):
        x = points.ask()
        assert np.array_equal(x, plain.ask())
        points.tell(x, sphere(x))
        plain.tell(x, sphere(x))


def test_points_that_are_never_told_do_not_stop_the_algorithm():
    points = Points(make_algorithm("paper-h3"), 2, 400, 10, 1)
    for i in range(300):
        x = points.ask()
        if i not in (3, 77):
            points.tell(x, sphere(x))
    assert np.median([sphere(points.ask()) for _ in range(5)]) < 1e-3
    points.tell(x, sphere(x))  # late ones are welcome


def test_nan_is_worst():
    points = Points(make_algorithm("paper-h3"), 2, 100, 10, 1)
    for i in range(100):
        x = points.ask()
        points.tell(x, float("nan") if i % 2 else sphere(x))
    assert sphere(points.ask()) < 0.05


@pytest.mark.parametrize(
    ("maxfev", "least", "size"), [(10, 1, 10), (200, 1, 20), (1000, 1, 44), (10**6, 1, 100), (50, 30, 30)]
)
def test_popsize(maxfev, least, size):
    assert popsize_for(maxfev, least) == size


def test_what_people_write():
    assert parameter_of("p", (1, 5)) == Integer(1, 5)
    assert parameter_of("p", (1, 5.0)) == Real(1.0, 5.0)
    assert parameter_of("p", (1, 100, "log")) == Integer(1, 100, log=True)
    assert parameter_of("p", [1, "a"]) == Choice((1, "a"))
    assert parameter_of("p", np.array([1, 2])) == Choice((1, 2))
    normal = parameter_of("p", stats.norm(1, 2))
    assert isinstance(normal, Distribution)
    assert normal.value(0.5) == pytest.approx(1.0)
    assert np.isfinite([normal.value(0.0), normal.value(1.0)]).all()
    whole = parameter_of("p", stats.randint(3, 6)).value(0.5)
    assert (whole, type(whole)) == (4, int)
    for bad in ((1, 2, "cubic"), "text", 3, (1, 2, 3, 4), ("a", "b")):
        with pytest.raises(InputError, match=r"^p: expected"):
            parameter_of("p", bad)
    for bad in ((0.0, 1.0, "log"), (2.0, 1.0), (5, 1), (0, 3, "log"), []):
        with pytest.raises(InputError, match=r"^p: needs|^p: a logarithmic"):
            parameter_of("p", bad)


def test_missing_libraries_are_told_with_their_extra():
    told = missing("optuna", ImportError("No module named 'optuna'", name="optuna"))
    assert str(told) == 'optuna is not installed; in a copy of the repository: pip install ".[optuna]"'
    told = missing("sklearn", ImportError("No module named 'joblib'", name="joblib"))
    reason = "No module named 'joblib'"
    assert str(told) == f'sklearn is not installed ({reason}); in a copy of the repository: pip install ".[sklearn]"'
