"""Variation operators: the affine operator of the paper, classic ones, and files of operators."""

from __future__ import annotations

import warnings
from typing import Any

from autov.operators.affine import AffineOperator
from autov.operators.base import Operator
from autov.operators.cauchy import FEPMutation
from autov.operators.classic import CLASSIC
from autov.operators.de import DEMutation
from autov.operators.files import from_dict, load_operator, operator_names, to_dict
from autov.operators.gaussian import GaussianSampling
from autov.operators.inputs import FORMS
from autov.operators.polynomial import PolynomialMutation
from autov.operators.sbx import SBX

__all__ = [
    "CLASSIC",
    "FORMS",
    "SBX",
    "AffineOperator",
    "DEMutation",
    "FEPMutation",
    "GaussianSampling",
    "Operator",
    "PolynomialMutation",
    "from_dict",
    "load_operator",
    "operator_names",
    "to_dict",
]
_RENAMED = {"load": "load_operator", "library": "operator_names"}


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        raise AttributeError(f"module 'autov.operators' has no attribute {name!r}")
    warnings.warn(
        f"autov.operators.{name} is now called {_RENAMED[name]}; the old name goes with the next version",
        DeprecationWarning,
        stacklevel=2,
    )
    return globals()[_RENAMED[name]]
