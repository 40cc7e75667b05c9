"""Problems: the classic thirteen, transformations, the CEC'2013 large-scale suite, functions of users."""

from autov.problems.base import Problem
from autov.problems.classic import EIGHT, NAMES, SIX, Classic
from autov.problems.names import LSGO, PAPER, as_problem, parse
from autov.problems.transforms import Rotated, Scaled, Translated
from autov.problems.user import Function, NumbaFunction, function_problem

__all__ = [
    "EIGHT", "LSGO", "NAMES", "PAPER", "SIX", "Classic", "Function", "NumbaFunction", "Problem", "Rotated", "Scaled",
    "Translated", "as_problem", "function_problem", "parse",
]  # fmt: skip
