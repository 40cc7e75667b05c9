"""Problems: the classic thirteen and thirteen more, transformations, families, suites, functions of users."""

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
    violation_of,
)
from autov.problems.function import Function, NumbaFunction, function_problem, is_returned
from autov.problems.generated import GeneratedFamily, family
from autov.problems.many_affine import ManyAffine
from autov.problems.more_functions import MORE_NAMES, NOISY_NAMES
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
from autov.problems.problem import MayRaise, PointFunction, Problem, ProblemFamily, instance_of, space_of, takes_points
from autov.problems.transforms import (
    FreeVariables,
    Rotated,
    Scaled,
    Translated,
    has_categories,
    kinds_of,
    to_base,
    without_fixed,
)
from autov.problems.value_function import ValueFunction
from autov.problems.variable_forms import ordered
from autov.problems.variable_space import Space, read_space, space, space_from, space_of_bounds

__all__ = [
    "BBOB",
    "BBOB_NAMES",
    "CONSTRAINED_NAMES",
    "EIGHT",
    "GROUPS",
    "LARGE_SCALE_NAMES",
    "MORE_NAMES",
    "NAMES",
    "NOISY_NAMES",
    "PAPER_NAMES",
    "SIX",
    "Classic",
    "Constrained",
    "Constraint",
    "Family",
    "FreeVariables",
    "Function",
    "GeneratedFamily",
    "ManyAffine",
    "MayRaise",
    "NumbaFunction",
    "PointFunction",
    "Problem",
    "ProblemFamily",
    "Problems",
    "Rotated",
    "Scaled",
    "Space",
    "Translated",
    "ValueFunction",
    "checked_kinds",
    "compressed",
    "constrained",
    "constrained_problem",
    "constraints_and_integers",
    "expand_names",
    "family",
    "function_problem",
    "has_categories",
    "instance_of",
    "is_returned",
    "is_told_by_name",
    "kinds_of",
    "ordered",
    "penalized",
    "problem_group",
    "read_space",
    "resolve_problem",
    "resolve_problems",
    "space",
    "space_from",
    "space_of",
    "space_of_bounds",
    "takes_points",
    "to_base",
    "unpenalized",
    "violation_of",
    "with_family",
    "with_instances",
    "without_fixed",
]  # fmt: skip
