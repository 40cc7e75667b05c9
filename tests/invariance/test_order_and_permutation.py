"""Whether algorithms read ranks of values only, and treat variables alike, in 2, 10 and 50 variables."""

# ruff: noqa: ARG001

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

from autov.algorithms import Evolution
from autov.algorithms.de import DE
from autov.invariance import check, check_algorithm
from autov.invariance.permuted_draws import PermutedDraws
from autov.invariance.theorem import exchangeable
from autov.operators import load_operator
from autov.reports import certificate_table, to_latex
from tests.invariance.test_trajectories import Small, Valley


def random_step(p, lower, upper, rng):
    return p[0] + 0.5 * rng.random(p[0].shape) * (p[1] - p[2])


def first_is_special(p, lower, upper, rng):
    o = random_step(p, lower, upper, rng)
    o[:, 0] = p[0][:, 0]
    return o


def one_random_variable(p, lower, upper, rng):
    o, rows = p[0].copy(), np.arange(len(p[0]))
    k = rng.integers(0, p.shape[2], len(p[0]))
    o[rows, k] += 0.5 * (p[1] - p[2])[rows, k]
    return o


def above_15(p, lower, upper, rng):
    return first_is_special(p, lower, upper, rng) if p.shape[2] > 15 else random_step(p, lower, upper, rng)


def clipped(p, lower, upper, rng):
    return np.clip(p[0] + 0.5 * (p[1] - p[2]), -1e6, 1e6)


def biased(p, lower, upper, rng):
    return p[0] + 0.5 * (p[1] - p[2]) + 1e-10


for function in (random_step, first_is_special, one_random_variable, above_15, clipped, biased):
    function.n_parents = 3


@dataclass(frozen=True)
class Proportional(Small):
    """Accepts worse offspring with a chance that depends on values, not on ranks."""

    affine: bool = False

    def tell(self, state, x, f, rng):
        if state.f is None:
            return replace(state, f=f)
        scale = np.ptp(np.append(state.f, f)) if self.affine else 1e3  # the range of all values, or a fixed one
        better = rng.random(len(f)) < 0.5 + np.clip((state.f - f) / scale, -0.5, 0.5)
        return replace(state, x=np.where(better[:, None], x, state.x), f=np.where(better, f, state.f))


def test_ranks_are_all_that_a_rank_based_algorithm_reads():
    found = check_algorithm(Small(random_step), Valley(), properties=["order"], runs=20, rng=1)["order"]
    assert found.holds is True
    assert found.deviation == 0


@pytest.mark.parametrize("affine", [False, True])
def test_values_that_decide_are_seen(affine):
    found = check_algorithm(Proportional(random_step, affine=affine), Valley(), properties=["order"], runs=200, rng=1)[
        "order"
    ]
    assert found.holds is not True  # what depends on the range differs too little to be seen in law
    assert affine or found.holds is False
    assert found.affine is affine
    assert ("populations agree for a f + b" in found.note()) is affine


def test_increasing_functions_that_merge_values_are_left_out():
    class Far(Valley):
        def __call__(self, x, rng):
            return 1e-9 * super().__call__(x, rng)

    found = check_algorithm(Small(random_step), Far(), properties=["order"], runs=20, rng=1)["order"]
    assert found.holds is True
    assert found.scope.transformations < 7  # f - 2^20 merges values of 1e-9


@pytest.mark.parametrize(
    ("function", "holds"),
    [(random_step, True), (one_random_variable, True), (first_is_special, False), (above_15, False)],
)
def test_permutations_of_the_variables(function, holds):
    alone = check(function, properties=["permutation"], trials=6)["permutation"]
    assert alone.holds is holds
    found = check_algorithm(Small(function, clip=False), properties=["permutation"], runs=100, rng=1)["permutation"]
    assert found.holds is holds
    if holds:
        assert alone.level == "pathwise"
        assert not alone.pathwise  # with permuted draws only
        assert found.turned
        assert "permuted" in found.note()
    if function is above_15:
        assert found.dim == 50
        assert found.scope.dims == (2, 10, 50)


def test_what_shows_for_many_variables_or_large_numbers_only():
    """An algorithm around an operator that is clipped at 1e6, or has a bias of 1e-10."""
    for function, broken in ((clipped, ("translation", "scale")), (biased, ("scale",))):
        found = check_algorithm(Small(function, clip=False), Valley(), properties=broken, runs=100, rng=1)
        assert set(found.holds.values()) == {False}
    assert found["scale"].scope.sizes == (2.0**-40, 2.0**40)


def test_exchangeable_by_theorem():
    found = check_algorithm(Evolution(load_operator("paper-h3")), Valley(), properties=["permutation"], runs=50, rng=1)
    assert (found.holds["permutation"], found["permutation"].level) == (True, "theorem")
    assert exchangeable(Evolution(load_operator("uniform-crossover")))
    assert not exchangeable(Evolution(random_step))
    assert not exchangeable(Evolution(load_operator("uniform-crossover"), frame="learned"))
    assert not exchangeable(DE())


def test_draws_are_permuted_with_the_variables():
    order = np.array([2, 0, 1])
    for name, args in (("random", ((5, 3),)), ("standard_normal", (3,)), ("uniform", (0.0, 2.0, (4, 3)))):
        plain = getattr(np.random.default_rng(1), name)(*args)
        moved = getattr(PermutedDraws(np.random.default_rng(1), order), name)(*args)
        assert np.array_equal(moved, plain[..., order])
    means = np.array([1.0, 10.0, 100.0])
    plain = np.random.default_rng(1).normal(means, 0.1)
    assert np.array_equal(PermutedDraws(np.random.default_rng(1), order).normal(means[order], 0.1), plain[order])
    index, there = np.random.default_rng(1).integers(0, 3, 20), PermutedDraws(np.random.default_rng(1), order)
    assert np.array_equal(order[there.integers(0, 3, 20)], index)
    shared = np.random.default_rng(1)
    PermutedDraws(shared, order).random(7)
    assert shared.random() != np.random.default_rng(1).random()  # the stream goes on


def test_a_report_states_what_was_tried():
    report = check_algorithm("de", runs=20, rng=1)
    data = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    for row in data["trajectories"]:
        assert set(row["scope"]["dims"]) <= {2, 10, 50}
        assert row["scope"]["tolerance"] == 1e-6
        assert row["scope"]["failure_rate"] == pytest.approx(3 / row["scope"]["points"])
        assert row["scope"]["run_failure_rate"] == pytest.approx(3 / row["scope"]["transformations"])
        assert (row["power"] is None) == (row["detectable"] is None)
    assert "with 95% confidence" in str(report)
    for certificate in (report, check("sbx", dim=3, trials=4)):
        latex = to_latex(certificate_table(certificate))
        assert "variables" in latex
        assert "confidence" in latex
        assert "<table" in certificate._repr_html_()
