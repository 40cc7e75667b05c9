"""Spaces of described variables, functions of their values, and constraints."""

import json

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint

import autov
from autov.core import InputError, identity
from autov.problems import (
    FreeVariables,
    constrained,
    function_problem,
    kinds_of,
    ordered,
    read_space,
    resolve_problem,
    space,
    space_from,
    space_of,
    space_of_bounds,
    without_fixed,
)

PLANT = space(
    gain=(0.1, 10, "log"), stages=range(1, 9), kind=["a", "b", "c"], size=ordered(["s", "m", "l"]),
    width=(0, 10, "step", 0.25),
)  # fmt: skip
POINT = {"gain": 2.0, "stages": 3, "kind": "b", "size": "l", "width": 2.5}


def names_of(**values):
    return values


def test_points_go_and_come_back():
    x = PLANT.coordinates("x0", POINT)
    assert x.tolist() == [np.log(2.0), 3, 1, 2, 10]
    back = PLANT.point(x)
    assert back == POINT | {"gain": pytest.approx(2.0, rel=1e-15)}
    assert [type(value) for value in back.values()] == [float, int, str, str, float]
    assert np.array_equal(PLANT.coordinates("x0", list(POINT.values())), x)
    assert np.array_equal(PLANT.several("x0", [POINT, POINT]), [x, x])
    assert PLANT.several("x0", []).shape == (0, 5)


def test_the_box_of_coordinates():
    assert PLANT.box.lower.tolist() == [np.log(0.1), 1, 0, 0, 0]
    assert PLANT.box.upper.tolist() == [np.log(10), 8, 2, 2, 40]
    assert PLANT.integrality == (False, True, True, True, True)
    assert PLANT.categories == (0, 0, 3, 0, 0)
    assert PLANT.search_box.lower.tolist() == [np.log(0.1), 0.5, -0.5, -0.5, -0.5]


def test_without_names_points_are_lists_and_of_numbers_arrays():
    numbers = space([(1e-3, 1, "log"), (0, 5), range(3)])
    assert numbers.is_array
    found = numbers.point(np.array([np.log(0.1), 2.0, 1.0]))
    assert isinstance(found, np.ndarray)
    assert found.tolist() == pytest.approx([0.1, 2.0, 1.0])
    assert numbers.points(np.empty((0, 3))).shape == (0, 3)
    assert space([(0, 5), ["a", "b"]]).point(np.array([2.0, 1.0])) == [2.0, "b"]


def test_plain_bounds_are_no_space():
    for bounds in ([(0, 1), [0, 5]], [(0, 1)] * 2, Bounds([0], [1]), np.zeros((2, 2)), None, [(None, 3)], [(0, 1, 2)]):
        assert space_of_bounds(bounds) is None
    for bounds in ([(1, 2, "log"), [0, 5]], [["a", "b"], (0, 1)], [range(3), (0, 1)], {"a": (0, 1)}, [[1, 2, 5]],
                   [[False, True]], [ordered([1, 2])]):  # fmt: skip
        assert space_of_bounds(bounds) is not None
    with pytest.raises(InputError, match=r"^bounds: variable 0: "):
        space_of_bounds([(0, 1, "log"), [0, 5]])
    assert space_of_bounds([["a", "b"], [0, 5]]).categories == (2, 0)  # a list of two numbers is a pair there


@pytest.mark.parametrize("bad", [{}, [], 3, "ab", {3: (0, 1)}, {"": (0, 1)}])
def test_what_is_no_space(bad):
    with pytest.raises(InputError, match=r"^space: "):
        space(bad)
    with pytest.raises(InputError, match=r"^space: "):
        space({"a": (0, 1)}, b=(0, 1))


@pytest.mark.parametrize(
    "bad",
    [
        {"gain": 1.0}, POINT | {"other": 1}, POINT | {"gain": 20.0}, POINT | {"kind": "z"}, POINT | {"width": 0.3}, 3,
        "abcde", [1.0], POINT | {"stages": 1.5},
    ],
)  # fmt: skip
def test_points_that_are_none(bad):
    with pytest.raises(InputError, match=r"^x0: "):
        PLANT.coordinates("x0", bad)


def test_files(tmp_path):
    path = tmp_path / "variables.json"
    path.write_text(json.dumps(PLANT.to_dict()))
    assert repr(read_space(path)) == repr(PLANT)
    listed = space([(0, 1), ["a", "b"]])
    assert repr(space_from(listed.to_dict())) == repr(listed)
    path.write_text('{"a": [1, 2, 3]}')
    with pytest.raises(InputError, match=r"variables.json: a: a list of numbers"):
        read_space(path)
    for bad in ({}, [], 3):
        with pytest.raises(InputError, match=r"^variables: expected"):
            space_from(bad)
    with pytest.raises(InputError, match=r"^kind: .* cannot be written"):
        space(kind=[max, min]).to_dict()


def test_equal_values_have_equal_keys():
    x = PLANT.coordinates("x0", POINT | {"gain": 0.3})
    again = PLANT.coordinates("x0", PLANT.point(x))
    assert PLANT.key(x) == PLANT.key(again)
    assert PLANT.key(x) != PLANT.key(PLANT.coordinates("x0", POINT | {"gain": 0.300001}))


def test_tables_of_texts():
    found = PLANT.table("known", [["2", "3", " b ", "l", "2.5"]])
    assert np.array_equal(found[0], PLANT.coordinates("x0", POINT))
    assert space(n=[1, 2, None]).table("known", [["2"], ["None"]]).tolist() == [[1.0], [2.0]]
    with pytest.raises(InputError, match=r"^known: stages is 'x'"):
        PLANT.table("known", [["2", "x", "b", "l", "2.5"]])


def called(fun, described, **options):
    return function_problem(fun, described, **options).point(space_of_bounds(described).box.lower)


def test_how_functions_are_called():
    two = space(a=(0, 1), b=["x", "y"])
    assert called(lambda p: float(p == {"a": 0.0, "b": "x"}), two) == 1.0
    assert called(lambda a, b: float((a, b) == (0.0, "x")), two) == 1.0
    assert called(lambda b, a, c=3: float((a, b, c) == (0.0, "x", 3)), two) == 1.0
    assert called(lambda a, **rest: float(rest == {"b": "x"} and a == 0), two) == 1.0
    assert called(lambda p, **rest: float(rest == {} and p == {"a": 0.0, "b": "x"}), two) == 1.0
    assert called(lambda **values: float(values == {"a": 0.0, "b": "x"}), two) == 1.0
    assert called(lambda p, more: p["a"] + more, two, args=(2.0,)) == 2.0
    assert called(lambda p: float(p == [0.0, "x"]), [(0, 1), ["x", "y"]]) == 1.0
    with pytest.raises(InputError, match=r"^args: "):
        function_problem(lambda a, b: float(a == b), two, args=(1,))


def test_vectorized_functions_get_columns():
    def batch(p):
        assert p["kind"].dtype.kind == "U"
        return p["gain"] + (p["kind"] == "b")

    problem = function_problem(batch, PLANT, vectorized=True)
    x = np.stack([PLANT.coordinates("x0", POINT), PLANT.coordinates("x0", POINT | {"kind": "a"})])
    assert problem(x, np.random.default_rng(1)) == pytest.approx([3.0, 2.0])
    numbers = function_problem(lambda x: x[:, 0], [(1e-2, 1, "log"), (0, 1)], vectorized=True)
    assert numbers(np.log([[0.1, 1.0], [0.5, 1.0]]), np.random.default_rng(1)) == pytest.approx([0.1, 0.5])


def test_errors_show_values():
    def bad(**_):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match=r"no \(objective failed at x = {'gain': 0.1"):
        called(bad, PLANT)
    worse = function_problem(bad, PLANT, constraints="returned")
    with pytest.raises(RuntimeError, match=r"failed at x = {'gain': 0.1"):
        worse.point(PLANT.box.lower)


def test_constraints_get_values():
    seen = []

    def limit(p):
        seen.append(p)
        return p["gain"] + p["stages"]

    problem = function_problem(lambda _: 0.0, PLANT, constraints=NonlinearConstraint(limit, -np.inf, 4))
    x = PLANT.coordinates("x0", POINT)
    assert problem.excess(x)[0] == pytest.approx([1.0])
    assert seen[0] == POINT | {"gain": pytest.approx(2.0)}
    keyword = function_problem(lambda _: 0.0, PLANT, constraints={"type": "ineq", "fun": lambda **v: 4 - v["stages"]})
    assert keyword.violation(x[None]) == 0
    numbers = space(a=(1e-2, 10, "log"), b=range(5))
    linear = function_problem(lambda _: 0.0, numbers, constraints=LinearConstraint([[1, 1]], -np.inf, 3))
    assert linear.excess(numbers.coordinates("x", {"a": 2.0, "b": 4}))[0] == pytest.approx([3.0])
    with pytest.raises(InputError, match=r"^constraints: linear"):
        function_problem(lambda _: 0.0, PLANT, constraints=LinearConstraint(np.ones((1, 5)), 0, 1))
    later = constrained(function_problem(lambda _: 0.0, PLANT), NonlinearConstraint(limit, -np.inf, 4))
    assert later.excess(x)[0] == pytest.approx([1.0])
    assert later.integrality == PLANT.integrality


def test_integers_are_described_not_given():
    with pytest.raises(InputError, match=r"^integrality: "):
        function_problem(lambda _: 0.0, PLANT, integrality=True)
    with pytest.raises(InputError, match=r"^integrality: "):
        autov.minimize(lambda _: 0.0, [(1e-3, 1, "log"), (0, 5)], integrality=[0, 1], maxfev=5)


def test_kinds_of_problems():
    fixed = space(a=(0, 1), b=["x"], c=["x", "y"], d=range(3))
    problem = function_problem(lambda _: 0.0, fixed)
    assert kinds_of(problem) == ((0, 1, 2, 0), (False, True, True, True))
    free = without_fixed(problem)
    assert isinstance(free, FreeVariables)
    assert kinds_of(free) == ((0, 2, 0), (False, True, True))
    assert space_of(free) is fixed
    assert kinds_of(resolve_problem("rastrigin", dim=2)) == ((0, 0), (False, False))


def test_a_problem_has_its_own_variables():
    problem = function_problem(lambda _: 0.0, PLANT)
    assert resolve_problem(problem, PLANT) is problem
    with pytest.raises(InputError, match=r"^bounds, lower, upper: "):
        resolve_problem(problem, space(a=(0, 1)))
    with pytest.raises(InputError, match=r"^bounds: "):
        resolve_problem("rastrigin", PLANT)


def test_descriptions_decide_results():
    def same(_):
        return 0.0

    one, two, other = (
        function_problem(same, space(a=described)) for described in ((1, 2), (1, 2), (1, 2, "log"))
    )  # fmt: skip
    assert identity(one) == identity(two) != identity(other)
    levels, kinds = (function_problem(same, space(a=one)) for one in (ordered(["x", "y"]), ["x", "y"]))
    assert identity(levels) != identity(kinds)
    keyed = [function_problem(same, space(a=one), key="k") for one in ((1, 2), (1, 2, "step", 0.5))]
    assert identity(keyed[0]) != identity(keyed[1])


def test_the_optimum_is_given_in_values():
    problem = function_problem(lambda _: 0.0, PLANT, minimum=0.0, optimum=POINT)
    assert np.array_equal(problem.optimum, PLANT.coordinates("x", POINT))
