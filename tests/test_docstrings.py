"""What docstrings show works."""

import doctest
import importlib

import pytest

MODULES = (
    "autov.algorithms.ask_tell", "autov.algorithms.minimization", "autov.experiments.comparison",
    "autov.invariance.certify", "autov.problems.function",
)  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_run(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
