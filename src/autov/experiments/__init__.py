"""Experiments: tasks, the store of their results, runs in processes, comparisons."""

from autov.deprecation import moved
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

__getattr__ = moved(
    __name__,
    {
        "expand_problems": "autov.problems.expand_names",
        "resolve_algorithm": "autov.algorithms.resolve_algorithm",
        "EXPERIMENTS": "autov.paper.PAPER_TABLES",
        "Paired": "autov.paper.Paired",
        "Reproduction": "autov.paper.Reproduction",
        "paper_experiment": "autov.paper.paper_experiment",
        "paper_figures": "autov.paper.printed_values",
        "reproduce": "autov.paper.reproduce",
    },
)
