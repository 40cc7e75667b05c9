"""Constraints in SciPy's forms, Deb's order, integers, and the test problems with known optima."""

import itertools

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint, milp
from scipy.sparse import csr_array

import autov
from autov.core import InputError
from autov.problems import CONSTRAINED_NAMES, Constrained, Function, constrained_problem, feasibility, unpenalized
from autov.problems.constrained import CAPACITY, USE, WORTH
from autov.problems.constraints import EQUALITY, LARGEST, Constraint, constraints_of
from autov.problems.feasibility import HUGE, LEVEL, compressed, constrained, penalized
from tests.algorithms.driver import sized

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
    assert (result.maxcv, result.status) == (0.0, 0)
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
    numbers = penalized(values, violation)
    assert np.argsort(numbers).tolist() == [2, 1, 0, 4, 5, 6, 3]
    assert numbers[:4].tolist() == [LEVEL, 5.0, -3.0, np.inf]
    assert unpenalized(numbers).tolist() == [LEVEL, 5.0, -3.0, np.inf, np.inf, np.inf, np.inf]


def slowly(constraints, x):
    """The violation of a point, number by number; constraint by constraint the sums that NumPy makes."""
    total = 0.0
    for constraint in constraints:
        parts, values = [], constraint.values(x[None])[0]
        for value, low, high in zip(values, *constraint.limits(len(values)), strict=True):
            side = low if low - value > value - high else high
            outside = max(low - value, value - high, 0.0)
            parts.append(np.inf if np.isnan(value) else outside / (max(abs(side), 1.0) if np.isfinite(side) else 1.0))
        total += np.array(parts).sum()
    return total


def test_many_constraints_are_the_sum_of_each():
    rng = np.random.default_rng(3)
    matrix = rng.normal(0, 10, (12, 2))
    given = [
        *({"type": kind, "fun": lambda x, a=a: float(a @ x - 1)} for a in matrix for kind in ("eq", "ineq")),
        NonlinearConstraint(lambda x: matrix @ x, -3, np.linspace(-3, 40, 12)), LinearConstraint(matrix[:3], 5, 7),
        NonlinearConstraint(lambda x: x[:0], 0, 1), {"type": "ineq", "fun": lambda x: [x[0], np.sqrt(abs(x[1])) - 1]},
        {"type": "ineq", "fun": lambda x: 2 if x[0] > 0 else np.array([-1])},
    ]  # fmt: skip
    for some in (given, given[:24], given[-3:]):
        problem = constrained(Function(total, autov.Box.cube(-5, 5, 2)), some)
        x = rng.uniform(-5, 5, (50, 2))
        found = problem.violation(x)
        assert found.tolist() == [slowly(problem.constraints, row) for row in x]
        assert (problem.violation(x[7:8]) == found[7]).all()
        for row in x[:3]:
            each = [c.excess(row[None])[0] for c in problem.constraints]
            assert [e.tolist() for e in problem.excess(row)] == [e.tolist() for e in each]


def test_bounds_of_constraints_are_computed_once_and_all_are_measured_in_one_pass(monkeypatch):
    calls = []
    for name in ("limits_of", "exceeded"):
        real = getattr(feasibility, name)
        monkeypatch.setattr(feasibility, name, lambda *given, name=name, real=real: calls.append(name) or real(*given))
    given = [{"type": "ineq", "fun": lambda x, i=i: x[0] - i} for i in range(50)]
    problem = constrained(Function(total, autov.Box.cube(-5, 5, 2)), given)
    for x in X:
        problem.point(x)
    assert calls == ["limits_of", *["exceeded"] * len(X)]


def outside_by(*amounts):
    return constrained(
        Function(total, autov.Box.cube(-5, 5, 2)),
        [{"type": "ineq", "fun": lambda _, v=v: -v} for v in amounts],
    )  # fmt: skip


def test_violations_up_to_the_largest_number_are_in_order():
    most = np.finfo(np.float64).max
    amounts = [
        (1e-300, 0), (1.0, 0), (HUGE, 0), (HUGE, 1e80), (HUGE, HUGE), (1e200, 1e200), (1e250, 0), (1e299, 1e299),
        (1e300, 0), (1e308, 0), (1e308, 7e307), (most, 0), (most, most / 2), (most, most), (np.nan, 0),
    ]  # fmt: skip
    problems = [outside_by(*one) for one in amounts]
    for numbers in (
        [problem.point(np.zeros(2)) for problem in problems],
        [float(problem(np.zeros((1, 2)), RNG)[0]) for problem in problems],
    ):
        assert all(a < b for a, b in itertools.pairwise(numbers)), numbers
        assert numbers[0] == LEVEL * 2
        assert np.isfinite(np.square(numbers[:-1])).all()
        assert numbers[-1] == np.inf
    told = penalized(np.zeros(4), compressed(np.array([1e89, 1e91, most, np.inf])))
    assert np.argsort(told).tolist() == [0, 1, 2, 3]
    assert compressed(np.array([0.5, HUGE])).tolist() == [0.5, HUGE]
    assert np.isfinite(told[:3]).all()


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_values_far_from_a_bound_near_the_largest_number_are_in_order(sign):
    values = sign * np.array([1e308, 0.0, -1e307, -1e308, -1.5e308, -np.inf])
    bounds = (1e308, np.inf) if sign > 0 else (-np.inf, -1e308)
    far = Constraint(lambda x: x[:, 0], *bounds, vectorized=True)
    found = far.violation(np.stack([values, values], axis=1))
    assert found.tolist() == pytest.approx([0.0, 1.0, 1.1, 2.0, 2.5, np.inf])
    outside = far.excess(np.stack([values, values], axis=1))[:, 0]
    assert outside.tolist() == pytest.approx([0.0, 1e308, 1.1e308, LARGEST, LARGEST, np.inf])
    equal = Constraint(lambda x: x[:, 0], sign * LARGEST, sign * LARGEST, vectorized=True)
    found = equal.excess(sign * np.array([[LARGEST, 0], [np.inf, 0], [0.99 * LARGEST, 0]]))[:, 0]
    assert found.tolist() == [0.0, np.inf, pytest.approx(0.0099 * LARGEST)]


@pytest.mark.parametrize("algorithm", ["general", "de", "shade", "imode", "cma-es", "ma-es", "pso", "paper-h3"])
def test_an_algorithm_descends_among_enormous_violations(algorithm):
    steep = [{"type": "ineq", "fun": lambda x, i=i: -1.7e307 * (x[i] + 5)} for i in range(2)]
    result = autov.minimize(total, [(-4, 5)] * 2, constraints=steep, algorithm=algorithm, maxfev=300, rng=1,
                            **sized(algorithm, 20))  # fmt: skip
    assert result.status == 8
    assert result.x.max() < -3


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
    x = problem.rounded(problem.box.sample(30_000, np.random.default_rng(1)))
    values, counts = np.unique(x[:, 0], return_counts=True)
    assert values.tolist() == [1.0, 2.0, 3.0]
    assert np.abs(counts - 10_000).max() < 400  # five standard deviations
    assert problem.rounded(problem.box.upper[None])[0, 0] == 3.0


@pytest.mark.parametrize(
    ("integrality", "message"),
    [([1, 2], "0 or 1"), ("x", "truth value"), ([1, 1, 1], "2 variables"), ([0, 1], "no integer")],
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
    assert np.array_equal(problem.rounded(x[None])[0], x)
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
    rounded = problem.rounded(np.array([[-0.3, 3.0], [4.5, 3.6], [-2.5, 3.0], [3.5, 3.0]]))
    assert rounded.tolist() == [[0.0, 3.0], [4.0, 3.0], [-2.0, 3.0], [4.0, 3.0]]
    assert not np.signbit(rounded[0, 0])
    assert problem.rounded(np.array([[4.6, 3.0], [-2.7, 3.0]])).tolist() == [[4.0, 3.0], [-2.0, 3.0]]
