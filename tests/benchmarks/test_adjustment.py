"""What was changed by hand in the default: that, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autov.algorithms import resolve_algorithm
from autov.algorithms.files import algorithm_to_dict
from autov.experiments import compare
from benchmarks.adjustment import FIRST_TRIAL, STRATEGY, THOROUGH, adjusted, side_by_side


def test_the_default_is_what_was_searched_but_for_five_settings():
    searched, shared = resolve_algorithm(str(THOROUGH)), resolve_algorithm("general").global_search
    evolution = replace(shared.members[1], bounds="clip")  # as it was then
    general = replace(shared, members=(shared.members[0].strategy, evolution))  # without its model
    assert algorithm_to_dict(adjusted(searched)) == algorithm_to_dict(general)
    before, after = (algorithm_to_dict(one)["settings"] for one in (searched, general))
    assert [key for key in before if before[key] != after[key]] == ["members", "trial"]
    assert after["trial"] == [FIRST_TRIAL, before["trial"][1]]
    assert before["members"][1] == after["members"][1]
    old, new = before["members"][0]["settings"], after["members"][0]["settings"]
    assert {key: new[key] for key in old if old[key] != new[key]} == STRATEGY


def test_wins_are_over_all_pairs_of_runs_and_ties_are_half():
    made = compare(["ma-es", "ga"], ["sphere", "michalewicz"], dim=3, maxfev=300, runs=4, popsize=10, rng=1,
                   reference="ga", store=None, workers=1)  # fmt: skip
    found = side_by_side(made)
    assert found["ga"]["wins"] == 0.5
    shares = []
    for problem in made.problems:
        own, other = made.values(problem, "ma-es"), made.values(problem, "ga")
        minimum = made.minimum(problem)
        if minimum is not None:
            own, other = np.maximum(own - minimum, 1e-8), np.maximum(other - minimum, 1e-8)
        shares.append(np.mean([(a < b) + 0.5 * (a == b) for a in own for b in other]))
    assert np.isclose(found["ma-es"]["wins"], np.mean(shares), rtol=1e-12)
    assert found["ma-es"]["area"] == made.targets().area("ma-es")
