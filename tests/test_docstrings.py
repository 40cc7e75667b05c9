"""What docstrings show works."""

import doctest
import importlib
import inspect
import re

import pytest

import autov

MODULES = (
    "autov.adapters.exports.exporting", "autov.runs.optimizer", "autov.runs.minimization",
    "autov.designer.designing", "autov.experiments.comparison", "autov.invariance.certify",
    "autov.invariance.trajectories", "autov.operators.operator_files", "autov.problems.function",
    "autov.problems.named_problems",
)  # fmt: skip
TAUGHT = ("check", "check_algorithm", "compare", "design", "export", "function_problem", "load_operator", "minimize",
          "problem", "Optimizer")  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_run(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("name", TAUGHT)
def test_help_teaches_by_an_example(name):
    assert ">>> " in inspect.getdoc(getattr(autov, name))


@pytest.mark.parametrize("name", ["check", "check_algorithm", "compare", "design", "export", "minimize", "reproduce"])
def test_help_tells_what_every_argument_is(name):
    text, called = inspect.getdoc(getattr(autov, name)), inspect.signature(getattr(autov, name))
    assert "Returns:" in text
    for argument in called.parameters:
        assert re.search(rf"^ +\*{{0,2}}{argument}: ", text, flags=re.MULTILINE), argument
