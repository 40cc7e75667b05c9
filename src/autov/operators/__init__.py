"""Variation operators: the affine operator of the paper, classic ones, and files of operators."""

from autov.operators.affine import AffineOperator
from autov.operators.callable import CallableOperator, Operator
from autov.operators.cauchy import FEPMutation
from autov.operators.differential import DEMutation
from autov.operators.gaussian import GaussianSampling
from autov.operators.inputs import FORMS
from autov.operators.named_operators import CLASSIC, resolve_operator
from autov.operators.operator_files import from_dict, load_operator, operator_names, to_dict
from autov.operators.polynomial import PolynomialMutation
from autov.operators.sbx import SBX

__all__ = [
    "CLASSIC",
    "FORMS",
    "SBX",
    "AffineOperator",
    "CallableOperator",
    "DEMutation",
    "FEPMutation",
    "GaussianSampling",
    "Operator",
    "PolynomialMutation",
    "from_dict",
    "load_operator",
    "operator_names",
    "resolve_operator",
    "to_dict",
]
