"""Variables: coordinates and values, what people write, and what files hold."""

import math

import numpy as np
import pytest
from scipy import stats

from autov.core import InputError
from autov.problems import ordered
from autov.problems.variable_forms import as_text, variable_from, variable_of
from autov.problems.variables import Choice, Distribution, Integer, Levels, Real

KINDS = {
    "real": (Real(-2.0, 3.0), -2.0, 3.0),
    "log": (Real(1e-3, 1e3, log=True), 1e-3, 1e3),
    "step": (Real(0.0, 1.0, step=0.25), 0.0, 1.0),
    "step that does not fit": (Real(0.0, 1.0, step=0.3), 0.0, 0.9),
    "integer": (Integer(-1, 5), -1, 5),
    "integer log": (Integer(1, 64, log=True), 1, 64),
    "integer step": (Integer(1, 9, step=2), 1, 9),
    "choice": (Choice(("a", None, 3)), "a", 3),
    "levels": (Levels(("s", "m", "l")), "s", "l"),
}


@pytest.mark.parametrize("name", KINDS)
def test_values_reach_from_end_to_end_and_come_back(name):
    kind, first, last = KINDS[name]
    for coordinate, end in ((kind.lower, first), (kind.upper, last)):
        assert kind.value(coordinate) == (pytest.approx(end, rel=1e-12) if isinstance(end, float) else end)
    half = 0.499 if kind.whole else 0.0
    for u in np.linspace(kind.lower - half, kind.upper + half, 101).tolist():
        value = kind.value(u)
        back = kind.coordinate(value)
        assert kind.lower <= back <= kind.upper
        assert kind.value(back) == (pytest.approx(value, rel=1e-14) if isinstance(value, float) else value)
        assert back == (round(u) if kind.whole else pytest.approx(kind.coordinate(value)))


@pytest.mark.parametrize("name", KINDS)
def test_files_hold_what_makes_them_again(name):
    kind = KINDS[name][0]
    assert variable_from("p", kind.to_dict()) == kind


def test_logarithms_are_coordinates():
    kind = Real(1e-4, 1.0, log=True)
    assert (kind.lower, kind.upper) == (math.log(1e-4), 0.0)
    assert kind.value(math.log(1e-2)) == pytest.approx(1e-2, rel=1e-15)
    assert not kind.whole


def test_steps_give_the_numbers_that_people_expect():
    kind = Real(0.0, 1.0, step=0.1)
    assert [kind.value(u) for u in range(11)] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert kind.coordinate(0.1 + 0.2) == 3.0


def test_integers_on_a_logarithmic_scale_have_intervals_of_equal_ends():
    kind = Integer(1, 8, log=True)
    assert [kind.value(math.log(n + shift)) for n in (1, 3, 8) for shift in (-0.49, 0.49)] == [1, 1, 3, 3, 8, 8]


def test_choices_may_be_arrays_and_equal_to_each_other():
    arrays = (np.array([1, 2]), np.array([3, 4]), np.array([5, 6]))
    assert [Choice(arrays).coordinate(one) for one in arrays] == [0, 1, 2]
    mixed = Choice((1, True, 1.0, "a"))
    assert [mixed.coordinate(one) for one in (1, True, 1.0, "a")] == [0, 1, 2, 3]
    assert Choice((1, 2)).coordinate(np.float64(2.0)) == 1


def test_only_categories_have_no_order():
    assert Choice(("a", "b")).categories == 2
    assert Levels(("a", "b")).categories == Integer(0, 1).categories == Real(0, 1, step=1.0).categories == 0


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((1, 5), Real(1.0, 5.0)),
        ((1e-6, 1, "log"), Real(1e-6, 1.0, log=True)),
        ((1, 8, "int"), Integer(1, 8)),
        ((1, 1000, "int", "log"), Integer(1, 1000, log=True)),
        ((1, 1000, "log", "int"), Integer(1, 1000, log=True)),
        ((0, 10, "step", 0.25), Real(0.0, 10.0, step=0.25)),
        ((0, 9, "int", "step", 3), Integer(0, 9, step=3)),
        (range(1, 9), Integer(1, 8)),
        (range(0, 100, 5), Integer(0, 95, step=5)),
        (range(9, 0, -2), Integer(1, 9, step=2)),
        (["a", "b"], Choice(("a", "b"))),
        ([1, 2], Choice((1, 2))),
        (np.array([1, 2]), Choice((1, 2))),
        (ordered(["s", "m"]), Levels(("s", "m"))),
        ((3, 3), Real(3.0, 3.0)),
    ],
)
def test_what_people_write(given, expected):
    assert variable_of("p", given) == expected
    assert type(variable_of("p", given)) is type(expected)


def test_distributions_of_scipy():
    normal = variable_of("p", stats.norm(1, 2))
    assert isinstance(normal, Distribution)
    assert normal.value(0.5) == pytest.approx(1.0)
    assert np.isfinite([normal.value(0.0), normal.value(1.0)]).all()
    with pytest.raises(InputError, match=r"^a distribution"):
        normal.to_dict()


@pytest.mark.parametrize(
    "bad",
    [
        (1, 2, "cubic"), "text", 3, (1, 2, 3, 4), ("a", "b"), (0, 1, "log"), (2, 1), (0, np.inf), [], ["a", "a"],
        (0, 1, "step"), (0, 1, "step", -1), (0, 1, "step", 0.1, "log"), (0.5, 3, "int"), range(3, 3), {"a"}, True,
        (0, 5, "int", "log"), (0, 2**60, "int"), (1, 8, "step", 0.5, "int"),
    ],
)  # fmt: skip
def test_bad_descriptions_name_the_variable(bad):
    with pytest.raises(InputError, match=r"^p: "):
        variable_of("p", bad)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([0.1, 10, "log"], Real(0.1, 10.0, log=True)),
        ([1, 8, "int"], Integer(1, 8)),
        (["a", "b"], Choice(("a", "b"))),
        ({"categories": [1, 2, 5]}, Choice((1, 2, 5))),
        ({"low": 0, "high": 1, "step": 0.5}, Real(0.0, 1.0, step=0.5)),
    ],
)
def test_files_may_be_short(data, expected):
    assert variable_from("p", data) == expected


@pytest.mark.parametrize(
    "bad", [[1, 2, 5], "a", {}, {"low": 1}, {"low": 1, "high": 2, "x": 3}, {"categories": "ab"}, {"levels": []},
            {"low": 0, "high": 1, "type": "text"}, {"low": 0, "high": 1, "scale": 2}, []]
)  # fmt: skip
def test_bad_files_name_the_variable(bad):
    with pytest.raises(InputError, match=r"^p: "):
        variable_from("p", bad)


@pytest.mark.parametrize(
    ("kind", "bad"),
    [
        (Real(0.0, 1.0), 2.0), (Real(0.0, 1.0), "a"), (Real(0.0, 1.0), float("nan")), (Real(0.0, 1.0, step=0.25), 0.3),
        (Integer(0, 5), 1.5), (Integer(0, 6, step=2), 3), (Choice(("a", "b")), "c"), (Real(0.0, 1.0), True),
    ],
)  # fmt: skip
def test_values_that_are_none(kind, bad):
    with pytest.raises(InputError, match=r"^is "):
        kind.coordinate(bad)


def test_text_is_what_people_write():
    written = [
        '(0.1, 10, "log")', '(1, 8, "int")', '(0, 10, "step", 0.25)', "['a', 'b']", "ordered(['s', 'm'])", "(0, 1)"
    ]  # fmt: skip
    for text in written:
        assert as_text(variable_of("p", eval(text, {"ordered": ordered}))) == text
