"""Figures 1-3: invariant algorithms search alike, the others do not."""

import numpy as np
import pytest

from autov.algorithms import make_algorithm as make
from autov.core import Box, InputError, generator
from autov.paper import BEHAVIOUR_FIGURES, search_behaviour
from autov.paper.contours import behaviour_plot
from autov.paper.figures import GENERATIONS, POPSIZE, generations, quartic_bowl
from autov.reports import svg


@pytest.mark.parametrize("name", BEHAVIOUR_FIGURES)
def test_the_first_algorithm_is_invariant_and_the_second_is_not(name):
    found = search_behaviour(name)
    first, second = found.algorithms
    assert max(found.deviation[first, shown] for shown in found.transformations) < 1e-9
    assert max(found.deviation[second, shown] for shown in found.transformations) > 0.1
    assert found.deviation[second, "plain"] == 0.0
    kinds = [line.split(": ")[1].split(" (")[0] for line in found.lines()[1:]]
    assert kinds == ["the same search"] * (len(kinds) // 2) + ["another search"] * (len(kinds) // 2)
    assert len(found.to_dict()["deviations"]) == 2 * len(found.transformations)


def test_generations_start_where_they_are_told_to():
    box = Box.cube(-10.0, 10.0, 2)
    first = box.sample(POPSIZE, generator(5))
    history = generations(make("de", CR=1.0), quartic_bowl, box, first, seed=1)
    assert len(history) == GENERATIONS + 1
    assert np.array_equal(history[0], first)
    best = [quartic_bowl(population).min() for population in history]
    assert best == sorted(best, reverse=True)
    assert best[-1] < best[0]


def test_a_figure_has_a_panel_for_each_search():
    figure = behaviour_plot(search_behaviour("fig-1"))
    assert len(figure.axes) == 7, "six panels and the key of the shades"
    assert figure.axes[6].get_ylabel().startswith("generation")
    assert figure.axes[1].get_title() == "SBX based GA, x' = x + 4"
    assert len(figure.axes[0].collections) >= GENERATIONS + 1
    assert svg(behaviour_plot(search_behaviour("fig-1"))) == svg(figure)


def test_other_figures_are_unknown():
    with pytest.raises(InputError, match=r"^figure: "):
        search_behaviour("fig-4")
