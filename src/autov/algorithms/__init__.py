"""Metaheuristics: the paper's own around an operator, eight others, other libraries', and what runs them."""

from autov.algorithms.ask_tell import Optimizer
from autov.algorithms.base import Algorithm, Metaheuristic
from autov.algorithms.driver import Run, check_fit, solve
from autov.algorithms.evolution import Evolution
from autov.algorithms.minimization import minimize
from autov.algorithms.registry import ALGORITHMS, make_algorithm
from autov.algorithms.resolve import Algorithms, resolve_algorithm, resolve_algorithms

__all__ = [
    "ALGORITHMS", "Algorithm", "Algorithms", "Evolution", "Metaheuristic", "Optimizer", "Run", "check_fit",
    "make_algorithm", "minimize", "resolve_algorithm", "resolve_algorithms", "solve",
]  # fmt: skip
