"""Minimise black-box functions, and design optimisers for the kinds of problems that you solve again and again.

The public names live in the packages below and are imported when first used, so that the command starts fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from autov.version import VERSION

if TYPE_CHECKING:
    from autov.adapters.exports import export
    from autov.adapters.scipy import scipy_method
    from autov.algorithms import Evolution, Metaheuristic
    from autov.cli.search_display import ProgressDisplay
    from autov.core import Box, FileError, InputError
    from autov.designer import Design, DesignSettings, OperatorGenome, TrialBudget, design
    from autov.experiments import Comparison, compare
    from autov.experiments.ablation import explain
    from autov.experiments.explanation import Explanation
    from autov.experiments.generalisation import Generalisation, generalise
    from autov.invariance import AlgorithmReport, BiasReport, Certificate, check, check_algorithm, check_bias
    from autov.operators import AffineOperator, Operator, load_operator, operator_names
    from autov.paper import Reproduction, reproduce
    from autov.problems import (
        Classic,
        Problem,
        Rotated,
        Scaled,
        Space,
        Translated,
        family,
        function_problem,
        ordered,
        space,
    )
    from autov.problems import resolve_problem as problem
    from autov.runs import FaultPolicy, Optimizer, Run, RunState, Stopping, minimize, solve
    from autov.runs.result import Result

_HOME = {
    "autov.adapters.exports": ("export",),
    "autov.adapters.scipy": ("scipy_method",),
    "autov.algorithms": ("Evolution", "Metaheuristic"),
    "autov.cli.search_display": ("ProgressDisplay",),
    "autov.core": ("Box", "FileError", "InputError"),
    "autov.designer": ("Design", "DesignSettings", "OperatorGenome", "TrialBudget", "design"),
    "autov.experiments": ("Comparison", "compare"),
    "autov.experiments.ablation": ("explain",),
    "autov.experiments.explanation": ("Explanation",),
    "autov.experiments.generalisation": ("Generalisation", "generalise"),
    "autov.invariance": ("AlgorithmReport", "BiasReport", "Certificate", "check", "check_algorithm", "check_bias"),
    "autov.operators": ("AffineOperator", "Operator", "load_operator", "operator_names"),
    "autov.paper": ("Reproduction", "reproduce"),
    "autov.problems": (
        "Classic",
        "Problem",
        "Rotated",
        "Scaled",
        "Space",
        "Translated",
        "family",
        "function_problem",
        "ordered",
        "space",
    ),
    "autov.runs": ("FaultPolicy", "Optimizer", "Run", "RunState", "Stopping", "minimize", "solve"),
    "autov.runs.result": ("Result",),
}
_PLACE = {name: (package, name) for package, names in _HOME.items() for name in names}
_PLACE["problem"] = ("autov.problems", "resolve_problem")

__version__ = VERSION
__all__ = [
    "AffineOperator", "AlgorithmReport", "BiasReport", "Box", "Certificate", "Classic", "Comparison", "Design",
    "DesignSettings", "Evolution", "Explanation", "FaultPolicy", "FileError", "Generalisation", "InputError",
    "Metaheuristic", "Operator", "OperatorGenome", "Optimizer", "Problem", "ProgressDisplay", "Reproduction",
    "Result", "Rotated", "Run", "RunState", "Scaled", "Space", "Stopping", "Translated", "TrialBudget", "check",
    "check_algorithm", "check_bias", "compare", "design", "explain", "export", "family", "function_problem",
    "generalise", "load_operator", "minimize", "operator_names", "ordered", "problem", "reproduce", "scipy_method",
    "solve", "space",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _PLACE:
        raise AttributeError(f"module 'autov' has no attribute {name!r}")
    package, original = _PLACE[name]
    value = getattr(importlib.import_module(package), original)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
