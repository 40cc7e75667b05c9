"""Results of before: to the bit where they were made, up to rounding on other processors and versions."""

import json

import numpy as np
import pytest

from tests.golden.cases import cases
from tests.golden.record import PLACE, surroundings

STORED = json.loads(PLACE.read_text(encoding="utf-8"))
CASES = cases()


def test_every_case_is_stored():
    assert set(STORED["values"]) == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_before(name):
    stored = np.array([float.fromhex(text) for text in STORED["values"][name]])
    found = np.array(np.ravel(CASES[name]()), dtype=np.float64)
    if STORED["made with"] == surroundings():
        assert found.tolist() == stored.tolist()
    else:
        np.testing.assert_allclose(found, stored, rtol=1e-5, atol=1e-8)  # models amplify rounding
