"""Constraints in SciPy's forms, Deb's order, whole numbers, and the test problems with known optima."""

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint, milp
from scipy.sparse import csr_array

import autov
from autov.core import InputError
from autov.problems import CONSTRAINED_NAMES, Constrained, Function, constrained_problem, shown
from autov.problems.constrained import CAPACITY, USE, WORTH
from autov.problems.constraints import EQUALITY, constraints_of
from autov.problems.feasibility import LEVEL, comparable, constrained

X = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
RNG = np.random.default_rng(0)


def total(x):
    return x[0] + x[1]


def scaled_total(x, factor):
    return factor * total(x)


FORMS = {
    "linear": LinearConstraint([[1, 1]], -np.inf, 2),
    "sparse": LinearConstraint(csr_array([[1, 1]]), -np.inf, 2),
    "nonlinear": NonlinearConstraint(total, -np.inf, 2),
    "dict": {"type": "ineq", "fun": lambda x: 2 - total(x)},
    "dict with args": {"type": "ineq", "fun": lambda x, most: most - total(x), "args": (2,)},
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_forms_of_one_constraint_agree(form):
    (found,) = constraints_of(form, 2)
    assert found.excess(X).ravel().tolist() == [1.0, 0.0, 0.0]


def test_excess_is_that_of_scipy():
    (both,) = constraints_of(NonlinearConstraint(lambda x: [x[0], x[1]], [1, -0.5], [2, 1]), 2)
    assert both.excess(X).tolist() == [[0.0, 1.0], [1.0, 0.5], [0.5, 0.0]]
    (box,) = constraints_of(Bounds([1, -0.5], [2, 1]), 2)
    assert np.array_equal(box.excess(X), both.excess(X))


def test_violations_are_measured_in_units_of_their_bound():
    (large,) = constraints_of(NonlinearConstraint(lambda x: 1e6 * x[0], 1e6, np.inf), 2)
    assert large.violation(np.array([[0.5, 0.0]])) == [0.5]
    (both,) = constraints_of(NonlinearConstraint(lambda x: x[0], -1000, 10), 2)
    assert both.violation(np.array([[-1500.0, 0.0], [15.0, 0.0]])).tolist() == [0.5, 0.5]


def test_equalities_have_a_tolerance_and_nan_is_infinitely_wrong():
    (equal,) = constraints_of({"type": "eq", "fun": lambda x: x[0] - 1}, 2)
    inside, outside = 0.9 * EQUALITY, 2 * EQUALITY
    assert equal.excess(np.array([[1 + inside, 0], [1 - inside, 0]])).tolist() == [[0.0], [0.0]]
    assert equal.excess(np.array([[1 + outside, 0]]))[0, 0] == pytest.approx(EQUALITY)
    (none,) = constraints_of(NonlinearConstraint(lambda x: np.nan, 0, 1), 2)  # noqa: ARG005
    assert none.excess(X[:1]).tolist() == [[np.inf]]


@pytest.mark.parametrize(("value", "size"), [(0.5, 1.0), (-2000.0, 2000.0)])
def test_the_tolerance_of_an_equality_grows_with_its_value_above_one(value, size):
    (equal,) = constraints_of(NonlinearConstraint(lambda x: x[0], value, value), 2)
    steps = size * EQUALITY * np.array([-2.0, -0.9, 0.9, 2.0])
    outside = equal.excess(np.stack([value + steps, np.zeros(4)], axis=1))[:, 0]
    assert outside == pytest.approx(size * EQUALITY * np.array([1.0, 0.0, 0.0, 1.0]), abs=1e-9)


def test_an_infinite_value_is_inside_an_infinite_bound_only():
    with np.errstate(divide="ignore"):
        (most,) = constraints_of(
            NonlinearConstraint(lambda x: [np.log(x[0]), -np.log(x[0])], [-np.inf, 0], [1, np.inf]), 2
        )
        assert most.excess(np.zeros((1, 2))).tolist() == [[0.0, 0.0]]
        (least,) = constraints_of(NonlinearConstraint(lambda x: np.log(x[0]), 0, np.inf), 2)
        assert least.excess(np.zeros((1, 2))).tolist() == [[np.inf]]


@pytest.mark.parametrize("form", [LinearConstraint(np.empty((0, 2)), 0, 1), NonlinearConstraint(lambda x: x[:0], 0, 1)])
def test_a_constraint_of_no_numbers_always_holds(form):
    result = autov.minimize(total, [(0, 1)] * 2, constraints=form, algorithm="de", maxfev=30, popsize=10, rng=1)
    assert (result.maxcv, result.success) == (0.0, True)
    nothing = NonlinearConstraint(lambda x: x[:, :0], 0, 1)
    batch = autov.minimize(lambda x: x.sum(axis=1), [(0, 1)] * 2, constraints=nothing, algorithm="de", maxfev=30,
                           popsize=10, rng=1, vectorized=True)  # fmt: skip
    assert batch.maxcv == 0.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "expected scipy"), ([3], "expected scipy"), ({"type": "less", "fun": total}, "'eq' or 'ineq'"),
        ({"type": "eq"}, "callable fun"), (LinearConstraint([[1, 1, 1]], 0, 1), "3 columns"),
        (NonlinearConstraint(total, 2, 1), "lb must not be above"),
        ({"type": "ineq", "fun": scaled_total, "args": 3}, "args of a dict must be a tuple .* got 3"),
    ],
)  # fmt: skip
def test_bad_constraints_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        constraints_of(given, 2)


def test_bad_values_of_constraints_are_refused():
    (three,) = constraints_of(NonlinearConstraint(total, [0, 0, 0], 1), 2)
    with pytest.raises(InputError, match="gives 1 numbers, its bounds have shapes"):
        three.excess(X)
    (text,) = constraints_of(NonlinearConstraint(lambda x: "a", 0, 1), 2)  # noqa: ARG005
    with pytest.raises(InputError, match="must give numbers"):
        text.excess(X)
    (nothing,) = constraints_of(NonlinearConstraint(lambda x: None, 0, 1), 2)  # noqa: ARG005
    with pytest.raises(InputError, match="must give numbers, got None"):
        nothing.excess(X)
    (matrix,) = constraints_of(NonlinearConstraint(lambda x: x[None], 0, 1), 2)
    with pytest.raises(InputError, match=r"a number or shape \(m,\) for a point, got \(1, 2\)"):
        matrix.excess(X)
    (changing,) = constraints_of(NonlinearConstraint(lambda x: x[: 1 + (x[0] > 1)], 0, 1), 2)
    with pytest.raises(InputError, match="gives 1 numbers at one point and 2 at another"):
        changing.excess(X)
    (raising,) = constraints_of(NonlinearConstraint(lambda x: 1 / 0, 0, 1), 2)  # noqa: ARG005
    with pytest.raises(ZeroDivisionError, match=r"constraint failed at x = \[1., 2.\]"):
        raising.excess(X)
    (batch,) = constraints_of(NonlinearConstraint(lambda x: x[0], 0, 1), 2, vectorized=True)
    with pytest.raises(InputError, match=r"got \(2,\)"):
        batch.excess(X)


def test_the_order_is_that_of_deb():
    values = np.array([1e60, 5.0, -3.0, np.inf, 0.0, 0.0, 0.0])
    violation = np.array([0.0, 0.0, 0.0, 0.0, 1e-14, 1e-3, 1e9])
    numbers = comparable(values, violation)
    assert np.argsort(numbers).tolist() == [2, 1, 0, 4, 5, 6, 3]
    assert numbers[:4].tolist() == [LEVEL, 5.0, -3.0, np.inf]
    assert shown(numbers).tolist() == [LEVEL, 5.0, -3.0, np.inf, np.inf, np.inf, np.inf]


def test_the_objective_is_called_at_feasible_rounded_points_only():
    seen = []

    def fun(x):
        seen.append(x.tolist())
        return x.sum()

    problem = constrained(Function(fun, autov.Box.cube(0, 3, 2)), FORMS["linear"], [True, False])
    values = problem(np.array([[1.4, 0.5], [1.6, 0.5], [-0.5, 1.0]]), RNG)
    assert seen == [[1.0, 0.5], [0.0, 1.0]]
    assert values[[0, 2]].tolist() == [1.5, 1.0]
    assert values[1] == LEVEL * 2.25  # 2.5 is 0.5 beyond 2, in units of 2


def test_whole_numbers_are_equally_likely_and_inside():
    problem = constrained(Function(total, autov.Box([0.2, -1.0], [3.9, 1.0])), None, [1, 0])
    assert problem.box.lower.tolist() == [0.5, -1.0]
    assert problem.box.upper.tolist() == [3.5, 1.0]
    x = problem.settled(problem.box.sample(30_000, np.random.default_rng(1)))
    values, counts = np.unique(x[:, 0], return_counts=True)
    assert values.tolist() == [1.0, 2.0, 3.0]
    assert np.abs(counts - 10_000).max() < 400  # five standard deviations
    assert problem.settled(problem.box.upper[None])[0, 0] == 3.0


@pytest.mark.parametrize(
    ("integrality", "message"),
    [([1, 2], "0 or 1"), ("x", "truth value"), ([1, 1, 1], "2 variables"), ([0, 1], "no whole number")],
)
def test_bad_integrality_is_refused(integrality, message):
    with pytest.raises(InputError, match=message):
        constrained(Function(total, autov.Box([0.0, 0.2], [1.0, 0.8])), None, integrality)


def test_one_problem_is_constrained_once():
    with pytest.raises(InputError, match="brings its own"):
        constrained(constrained_problem("g06"), FORMS["linear"])
    plain = Function(total, autov.Box.cube(0, 1, 2))
    assert constrained(plain, (), [False, False]) is plain


@pytest.mark.parametrize("name", CONSTRAINED_NAMES)
def test_known_optima_are_feasible_and_have_the_published_value(name):
    problem = autov.problem(name)
    assert isinstance(problem, Constrained)
    x = problem.optimum
    assert np.array_equal(problem.settled(x[None])[0], x)
    assert problem.violation(x[None])[0] < 1e-6  # published digits end somewhere
    assert problem.problem(x[None], RNG)[0] == pytest.approx(problem.minimum, rel=1e-7)


@pytest.mark.parametrize("name", CONSTRAINED_NAMES)
def test_no_feasible_neighbour_of_a_known_optimum_is_better(name):
    problem, rng = autov.problem(name), np.random.default_rng(3)
    for width in (1e-5, 1e-3, 1e-1):
        step = np.where(problem.whole, rng.integers(-1, 2, (4000, problem.box.dim)), 0)
        step = step + np.where(problem.whole, 0, width * problem.box.width * rng.standard_normal(step.shape))
        x = problem.box.clip(problem.optimum + step)
        assert problem(x, rng).min() >= problem.minimum - 1e-6 * abs(problem.minimum)


def test_the_knapsack_optimum_is_that_of_milp():
    found = milp(
        -WORTH, constraints=LinearConstraint(USE, -np.inf, CAPACITY), integrality=[1] * 11 + [0] * 4,
        bounds=Bounds([0] * 15, [5] * 11 + [1] * 4), options={"mip_rel_gap": 0},
    )  # fmt: skip
    assert found.fun == pytest.approx(constrained_problem("knapsack").minimum)


def test_batches_and_points_have_the_same_bits():
    def fun(x):
        return float(np.sin(x).sum())

    rows = RNG.random((40, 7))
    given = LinearConstraint(RNG.standard_normal((5, 7)), -np.inf, 0.3)
    box = autov.Box.cube(0, 1, 7)
    single = constrained(Function(fun, box), given)
    batch = constrained(Function(lambda x: np.array([fun(row) for row in x]), box, True), given)
    assert np.array_equal(single(rows, RNG), batch(rows, RNG))
    assert [single.point(row) for row in rows] == batch(rows, RNG).tolist()


def test_rounded_points_stay_inside_and_have_no_negative_zero():
    problem = constrained(Function(total, autov.Box([-2.0, 3.0], [4.0, 3.6])), None, True)
    assert (problem.box.lower.tolist(), problem.box.upper.tolist()) == ([-2.5, 3.0], [4.5, 3.0])  # 3 is the only one
    settled = problem.settled(np.array([[-0.3, 3.0], [4.5, 3.6], [-2.5, 3.0], [3.5, 3.0]]))
    assert settled.tolist() == [[0.0, 3.0], [4.0, 3.0], [-2.0, 3.0], [4.0, 3.0]]
    assert not np.signbit(settled[0, 0])
    assert problem.settled(np.array([[4.6, 3.0], [-2.7, 3.0]])).tolist() == [[4.0, 3.0], [-2.0, 3.0]]
