"""Metaheuristics: the paper's own around an operator, a portfolio, and others, one paper one file."""

from autov.algorithms.base import Algorithm, Metaheuristic
from autov.algorithms.evolution import Evolution
from autov.algorithms.registry import ALGORITHMS, make_algorithm
from autov.algorithms.resolve import Algorithms, resolve_algorithm, resolve_algorithms

__all__ = [
    "ALGORITHMS", "Algorithm", "Algorithms", "Evolution", "Metaheuristic", "make_algorithm", "resolve_algorithm",
    "resolve_algorithms",
]  # fmt: skip
