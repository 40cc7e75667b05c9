"""Problems: the classic thirteen and thirteen more, transformations, families, suites, functions of users."""

from autov.problems.added import ADDED_NAMES, NOISY_NAMES
from autov.problems.bbob import BBOB, BBOB_NAMES, with_instances
from autov.problems.classics import EIGHT, NAMES, SIX, Classic
from autov.problems.constrained import CONSTRAINED_NAMES, constrained_problem
from autov.problems.constraints import Constraint
from autov.problems.families import Family, checked_kinds, with_family
from autov.problems.feasibility import (
    Constrained,
    compressed,
    constrained,
    constraints_and_integers,
    penalized,
    unpenalized,
)
from autov.problems.function import Function, NumbaFunction, function_problem
from autov.problems.many_affine import ManyAffine
from autov.problems.named_problems import (
    GROUPS,
    LARGE_SCALE_NAMES,
    PAPER_NAMES,
    Problems,
    expand_names,
    is_told_by_name,
    problem_group,
    resolve_problem,
    resolve_problems,
)
from autov.problems.problem import MayRaise, PointFunction, Problem, ProblemFamily, instance_of, takes_points
from autov.problems.transforms import FreeVariables, Rotated, Scaled, Translated, to_base, without_fixed

__all__ = [
    "ADDED_NAMES", "BBOB", "BBOB_NAMES", "CONSTRAINED_NAMES", "EIGHT", "GROUPS", "LARGE_SCALE_NAMES", "NAMES",
    "NOISY_NAMES", "PAPER_NAMES", "SIX", "Classic", "Constrained", "Constraint", "Family", "FreeVariables",
    "Function", "ManyAffine", "MayRaise", "NumbaFunction", "PointFunction", "Problem", "ProblemFamily", "Problems",
    "Rotated", "Scaled", "Translated", "checked_kinds", "compressed", "constrained", "constrained_problem",
    "constraints_and_integers", "expand_names", "function_problem", "instance_of", "is_told_by_name", "penalized",
    "problem_group", "resolve_problem", "resolve_problems", "takes_points", "to_base", "unpenalized", "with_family",
    "with_instances", "without_fixed",
]  # fmt: skip
