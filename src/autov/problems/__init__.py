"""Problems: the classic thirteen, transformations, families, the CEC'2013 large-scale suite, functions of users."""

from autov.problems.base import MayRaise, PointFunction, Problem, ProblemFamily, instance_of, takes_points
from autov.problems.classic import EIGHT, NAMES, SIX, Classic
from autov.problems.constrained import CONSTRAINED_NAMES, constrained_problem
from autov.problems.constraints import Constraint
from autov.problems.families import Family, FreeVariables, checked_kinds, with_family, without_fixed
from autov.problems.feasibility import Constrained, comparable, constrained, constraints_and_integers, shown
from autov.problems.function import Function, NumbaFunction, function_problem
from autov.problems.resolve import (
    LARGE_SCALE_NAMES,
    PAPER_NAMES,
    Problems,
    expand_names,
    resolve_problem,
    resolve_problems,
)
from autov.problems.transforms import Rotated, Scaled, Translated, to_base

__all__ = [
    "CONSTRAINED_NAMES", "EIGHT", "LARGE_SCALE_NAMES", "NAMES", "PAPER_NAMES", "SIX", "Classic", "Constrained",
    "Constraint", "Family", "FreeVariables", "Function", "MayRaise", "NumbaFunction", "PointFunction", "Problem",
    "ProblemFamily", "Problems", "Rotated", "Scaled", "Translated", "checked_kinds", "comparable", "constrained",
    "constrained_problem", "constraints_and_integers", "expand_names", "function_problem", "instance_of",
    "resolve_problem", "resolve_problems", "shown", "takes_points", "to_base", "with_family", "without_fixed",
]  # fmt: skip
