"""Variation operators: the affine operator of the paper, classic ones, and files of operators."""

from autov.operators.affine import AffineOperator
from autov.operators.base import Operator
from autov.operators.cauchy import FEPMutation
from autov.operators.classic import CLASSIC
from autov.operators.de import DEMutation
from autov.operators.files import from_dict, library, load, to_dict
from autov.operators.forms import FORMS
from autov.operators.gaussian import GaussianSampling
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
    "library",
    "load",
    "to_dict",
]
