"""Names that have moved: they work with a warning, and others do not."""

import importlib

import pytest

import autov

MOVED = [
    ("autov.experiments", "EXPERIMENTS", "autov.paper", "PAPER_TABLES"),
    ("autov.experiments", "Paired", "autov.paper", "Paired"),
    ("autov.experiments", "Reproduction", "autov.paper", "Reproduction"),
    ("autov.experiments", "paper_experiment", "autov.paper", "paper_experiment"),
    ("autov.experiments", "paper_figures", "autov.paper", "printed_values"),
    ("autov.experiments", "reproduce", "autov.paper", "reproduce"),
    ("autov.reports", "reproduction_page", "autov.paper.page", "reproduction_page"),
]


@pytest.mark.parametrize(("old", "old_name", "new", "new_name"), MOVED)
def test_moved_names_work_with_a_warning(old, old_name, new, new_name):
    with pytest.warns(DeprecationWarning, match=f"{old}.{old_name} is now {new}.{new_name}") as caught:
        found = getattr(importlib.import_module(old), old_name)
    assert found is getattr(importlib.import_module(new), new_name)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("module", ["autov.experiments", "autov.reports"])
def test_other_names_are_unknown(module):
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'nothing'"):
        importlib.import_module(module).nothing  # noqa: B018


def test_the_public_function_stays():
    from autov.paper import reproduce

    assert autov.reproduce is reproduce
