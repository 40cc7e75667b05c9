"""Searches in single precision beside those in double."""

from autov.designer import TrialBudget
from benchmarks.precision import PRECISIONS, bench_precision


def test_both_precisions_are_measured_and_designed_with(monkeypatch):
    monkeypatch.setattr("benchmarks.precision.DIMS", (4,))
    monkeypatch.setattr("benchmarks.precision.RUNS", 4)
    small = {"population": 6, "generations": 2, "trial": TrialBudget(10, 4, 3), "race_runs": 2, "retest_runs": 5}
    found = bench_precision((1, 2), ("sphere",), repeats=1, **small, dim=3)
    for rates in found["speed"].values():
        assert rates["ratio"] == rates["single"] / rates["double"]
    assert list(found["designs"]) == ["sphere, seed 1", "sphere, seed 2"]
    for one in found["designs"].values():
        assert one["runs"] == 5
        assert 0 <= one["p"] <= 1
        assert all(one[f"{name}_median"] > 0 for name in PRECISIONS)
