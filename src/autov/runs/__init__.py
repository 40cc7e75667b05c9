"""Runs of algorithms on problems: minimize, ask and tell, the driver, budgets, stopping, stores."""

from autov.runs.driver import Run, check_fit, solve
from autov.runs.minimization import minimize
from autov.runs.optimizer import Optimizer

__all__ = ["Optimizer", "Run", "check_fit", "minimize", "solve"]
