"""Experiments: tasks, the store of their results, runs in processes, comparisons."""

from autov.experiments.comparison import Comparison, compare, compare_experiment
from autov.experiments.measures import Targets
from autov.experiments.plan import Experiment, experiment
from autov.experiments.row import Failure, Row
from autov.experiments.run_points import best_points
from autov.experiments.runner import Tally, run
from autov.experiments.store import Store
from autov.experiments.table import Cell, Table
from autov.experiments.task import Task
from autov.experiments.trace import Trace

__all__ = [
    "Cell", "Comparison", "Experiment", "Failure", "Row", "Store", "Table", "Tally", "Targets", "Task", "Trace",
    "best_points", "compare", "compare_experiment", "experiment", "run",
]  # fmt: skip
