"""Runs of algorithms on problems: minimize, ask and tell, the driver, budgets, stopping, stores."""

from autov.runs.driver import check_fit, solve
from autov.runs.evaluation import FaultPolicy
from autov.runs.live_run import LiveRun, Run
from autov.runs.minimization import minimize
from autov.runs.optimizer import Optimizer
from autov.runs.run_state import RunState
from autov.runs.stopping import Stopping

__all__ = ["FaultPolicy", "LiveRun", "Optimizer", "Run", "RunState", "Stopping", "check_fit", "minimize", "solve"]
