"""autov designs, checks, compares and runs invariant variation operators for black-box optimisation.

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
    from autov.invariance import AlgorithmReport, BiasReport, Certificate, check, check_algorithm, check_bias
    from autov.operators import AffineOperator, Operator, load_operator, operator_names
    from autov.paper import Reproduction, reproduce
    from autov.problems import Classic, Problem, Rotated, Scaled, Translated, function_problem
    from autov.problems import resolve_problem as problem
    from autov.runs import FaultPolicy, Optimizer, Run, Stopping, minimize, solve
    from autov.runs.result import Result

_HOME = {
    "autov.adapters.exports": ("export",),
    "autov.adapters.scipy": ("scipy_method",),
    "autov.algorithms": ("Evolution", "Metaheuristic"),
    "autov.cli.search_display": ("ProgressDisplay",),
    "autov.core": ("Box", "FileError", "InputError"),
    "autov.designer": ("Design", "DesignSettings", "OperatorGenome", "TrialBudget", "design"),
    "autov.experiments": ("Comparison", "compare"),
    "autov.invariance": ("AlgorithmReport", "BiasReport", "Certificate", "check", "check_algorithm", "check_bias"),
    "autov.operators": ("AffineOperator", "Operator", "load_operator", "operator_names"),
    "autov.paper": ("Reproduction", "reproduce"),
    "autov.problems": ("Classic", "Problem", "Rotated", "Scaled", "Translated", "function_problem"),
    "autov.runs": ("FaultPolicy", "Optimizer", "Run", "Stopping", "minimize", "solve"),
    "autov.runs.result": ("Result",),
}
_PLACE = {name: (package, name) for package, names in _HOME.items() for name in names}
_PLACE["problem"] = ("autov.problems", "resolve_problem")

__version__ = VERSION
__all__ = [
    "AffineOperator", "AlgorithmReport", "BiasReport", "Box", "Certificate", "Classic", "Comparison", "Design",
    "DesignSettings", "Evolution", "FaultPolicy", "FileError", "InputError", "Metaheuristic", "Operator",
    "OperatorGenome", "Optimizer", "Problem", "ProgressDisplay", "Reproduction", "Result", "Rotated", "Run",
    "Scaled", "Stopping", "Translated", "TrialBudget", "check", "check_algorithm", "check_bias", "compare",
    "design", "export", "function_problem", "load_operator", "minimize", "operator_names", "problem", "reproduce",
    "scipy_method", "solve",
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
