"""Metaheuristics: the paper's own around an affine operator, eight others, and the functions that run them."""

from autov.algorithms.base import Metaheuristic
from autov.algorithms.evolution import Evolution
from autov.algorithms.minimize import minimize
from autov.algorithms.optimizer import Optimizer
from autov.algorithms.solve import Run, solve

__all__ = ["Evolution", "Metaheuristic", "Optimizer", "Run", "minimize", "solve"]
