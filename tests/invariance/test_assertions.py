"""autov.testing, as it is used in the tests of others."""

from __future__ import annotations

import pytest

from autov.invariance import distribution
from autov.operators import SBX, DEMutation, FEPMutation
from autov.testing import assert_invariant


def test_what_holds_passes_and_gives_the_certificate():
    assert all(assert_invariant(DEMutation()).holds.values())
    assert assert_invariant(SBX(), "translation", "scale").holds == {"translation": True, "scale": True}


def test_what_fails_raises_with_the_witness():
    with pytest.raises(AssertionError, match="sbx-prime is not translation invariant: b = 1: variable"):
        assert_invariant(SBX(keep=0.1), "translation", "scale")


def test_pathwise_is_stricter(monkeypatch):
    monkeypatch.setattr(distribution, "STAGES", (100, 500))
    normal = FEPMutation(law="normal")
    assert_invariant(normal, "rotation", dim=3)
    with pytest.raises(AssertionError, match="not rotation invariant: swap"):
        assert_invariant(normal, "rotation", dim=3, pathwise=True)


def test_callables_of_people():
    assert_invariant(lambda parents, lower, upper, rng: parents.mean(axis=0), n_parents=2)  # noqa: ARG005
