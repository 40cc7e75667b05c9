"""Clean values or errors of one line that name what is wrong."""

import numpy as np
import pytest

from autov.core import InputError, values_of, whole_number


@pytest.mark.parametrize("value", [10_000, 1e4, np.int32(10_000), np.float64(1e4), np.uint64(10_000)])
def test_whole_numbers(value):
    found = whole_number("maxfev", value, 1)
    assert found == 10_000
    assert type(found) is int


@pytest.mark.parametrize("value", [1.5, np.nan, np.inf, -np.inf, True, False, np.True_, "3", None, 0, -1, 0.0, [3], 3j])
def test_what_is_no_whole_number(value):
    with pytest.raises(InputError) as caught:
        whole_number("maxfev", value, 1)
    assert str(caught.value) == f"maxfev: must be an integer of at least 1, got {value!r}"


def test_whole_numbers_have_an_upper_limit():
    assert whole_number("runs", 2**40, 0) == 2**40
    with pytest.raises(InputError, match=r"^runs: "):
        whole_number("runs", 1e13, 0)
    with pytest.raises(InputError, match=r"^rows: "):
        whole_number("rows", 6, 1, 5)


def test_values():
    f, nans = values_of([1, np.nan, -np.inf, np.inf], 4)
    assert f.dtype == np.float64
    assert f.tolist() == [1.0, np.inf, -np.inf, np.inf]
    assert nans == 1
    assert values_of([np.nan, 1, np.nan], 3)[1] == 2
    f, nans = values_of(np.array([1 + 0j, 2]), 2)
    assert (f.tolist(), f.dtype, nans) == ([1.0, 2.0], np.float64, 0)
    given = np.array([np.nan, 1.0])
    values_of(given, 2)
    assert np.isnan(given[0]), "what is given stays as it is"


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([1.0, 2.0], "objective: must give one value for each of 3 points, got shape (2,)"),
        (1.0, "objective: must give one value for each of 3 points, got shape ()"),
        ([[1.0], [2.0], [3.0]], "objective: must give one value for each of 3 points, got shape (3, 1)"),
        ([1, 2 + 1j, 3], "objective: must give real numbers, got (2+1j)"),
        ([1, complex(0, np.nan), 3], "objective: must give real numbers, got nanj"),
        (["a", "b", "c"], "objective: must give numbers, got list"),
        ([1, [2, 3], 4], "objective: must give numbers, got list"),
        (2 + 1j, "objective: must give real numbers, got (2+1j)"),
    ],
)
def test_values_that_are_refused(values, says):
    with pytest.raises(InputError) as caught:
        values_of(values, 3)
    assert str(caught.value) == says
