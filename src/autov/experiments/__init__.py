"""Experiments: tasks, the store of their results, runs in processes, comparisons."""

from autov.experiments.comparison import Comparison, compare, compare_experiment
from autov.experiments.measures import Targets
from autov.experiments.plan import Experiment, experiment
from autov.experiments.row import Failure, Row
from autov.experiments.runner import Outcome, run
from autov.experiments.store import Store
from autov.experiments.table import Entry, Table
from autov.experiments.task import Task
from autov.experiments.trace import Trace

__all__ = [
    "Comparison", "Entry", "Experiment", "Failure", "Outcome", "Row", "Store", "Table", "Targets", "Task", "Trace",
    "compare", "compare_experiment", "experiment", "run",
]  # fmt: skip
