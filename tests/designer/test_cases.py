import itertools

import pytest

from autov.designer.cases import few, labels_of, training_cases
from autov.designer.presets import design_settings

SIZES = list(itertools.product([(5,), (5, 10)], [(300,), (300, "30d")], [(1,), (1, 0.3)]))


@pytest.mark.parametrize(("dims", "budgets", "stops"), SIZES)
def test_labels_are_found_again_in_the_line_that_files_keep(dims, budgets, stops):
    settings = design_settings("quick", dims=dims, budgets=budgets, stops=stops)
    labels = [case.label for case in training_cases(["sphere", "ackley"], settings)]
    assert len(labels) == 2 * len(dims) * len(budgets) * len(stops)
    assert labels_of(", ".join(labels)) == labels


def test_few_labels_are_shown_and_the_others_counted():
    assert few(["a", "b", "c"]) == "a, b, c"
    assert few(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
    assert few([]) == ""
