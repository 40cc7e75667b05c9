"""autov designs, checks, compares and runs invariant variation operators for black-box optimisation.

The public names live in the rooms below and are imported when first used, so that the command starts fast.
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autov.algorithms import Evolution, Metaheuristic, Optimizer, minimize, solve
    from autov.core import Box, FileError, InputError
    from autov.designer import Design, Encoding, Inner, design
    from autov.experiments import Comparison, compare, reproduce
    from autov.invariance import Certificate, check, check_algorithm
    from autov.operators import AffineOperator, Operator, load_operator, operator_names
    from autov.problems import Classic, Problem, Rotated, Scaled, Translated, function_problem, parse

_HOME = {
    "autov.algorithms": ("Evolution", "Metaheuristic", "Optimizer", "minimize", "solve"),
    "autov.core": ("Box", "FileError", "InputError"),
    "autov.designer": ("Design", "Encoding", "Inner", "design"),
    "autov.experiments": ("Comparison", "compare", "reproduce"),
    "autov.invariance": ("Certificate", "check", "check_algorithm"),
    "autov.operators": ("AffineOperator", "Operator", "load_operator", "operator_names"),
    "autov.problems": ("Classic", "Problem", "Rotated", "Scaled", "Translated", "function_problem", "parse"),
}
_ROOM = {name: room for room, names in _HOME.items() for name in names}
_RENAMED = {"load": "load_operator", "library": "operator_names"}

__version__ = "0.1.0"
__all__ = [
    "AffineOperator", "Box", "Certificate", "Classic", "Comparison", "Design", "Encoding", "Evolution", "FileError",
    "Inner", "InputError", "Metaheuristic", "Operator", "Optimizer", "Problem", "Rotated", "Scaled", "Translated",
    "check", "check_algorithm", "compare", "design", "function_problem", "load_operator", "minimize",
    "operator_names", "parse", "reproduce", "solve",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        warnings.warn(
            f"autov.{name} is now called autov.{_RENAMED[name]}; the old name goes with the next version",
            DeprecationWarning,
            stacklevel=2,
        )
        return __getattr__(_RENAMED[name])
    if name not in _ROOM:
        raise AttributeError(f"module 'autov' has no attribute {name!r}")
    value = getattr(importlib.import_module(_ROOM[name]), name)
    if name == "compare":  # so that it knows names such as cma:default
        importlib.import_module("autov.adapters").register()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
