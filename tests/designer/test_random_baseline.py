"""The best of as many random designs, beside the result of a search."""

import numpy as np

from autov import design
from autov.designer.cost import expected_evaluations
from autov.designer.presets import design_settings

TINY = {"generations": 3, "population": 4, "race_size": 2, "race_runs": 2, "retest_runs": 3, "members": "ma-es",
        "trial": {"evaluations": 40, "popsize": 6, "runs": 2}}  # fmt: skip


def test_it_is_what_a_search_among_random_designs_finds_at_the_same_cost():
    plain = design("sphere", dim=2, rng=1, **TINY)
    both = design("sphere", dim=2, rng=1, random_baseline=True, **TINY)
    alone = design("sphere", dim=2, rng=1, searcher="random", known=False, **TINY)
    label = "best of 16 random designs"
    assert both.rivals[label] == alone.algorithm
    assert both.algorithm == plain.algorithm
    assert both.spent["search"] == plain.spent["search"]
    assert both.spent["random baseline"] == alone.spent["search"] + alone.spent["race"]
    assert both.baselines[label].shape == both.retested.shape
    assert np.isfinite(both.baselines[label]).all()
    assert label not in plain.baselines


def test_it_can_be_added_to_a_search_that_has_ended_and_after_an_interruption(tmp_path):
    place = {"checkpoint": tmp_path / "search.npz", "rng": 1, "dim": 2}
    first = design("sphere", **place, **TINY)
    added = design("sphere", resume=True, random_baseline=True, **place, **TINY)
    assert added.algorithm == first.algorithm
    assert "best of 16 random designs" in added.baselines


def test_its_cost_is_expected():
    settings, both = (design_settings(random_baseline=flag, **TINY) for flag in (False, True))
    cost, more = (expected_evaluations(each, (40,), 5) for each in (settings, both))
    assert (more["search"], more["race"]) == (2 * cost["search"], 2 * cost["race"])
    assert more["retest"] == cost["retest"] + 3 * 40
