"""Experiments: tasks, the store of their results, runs in processes, comparisons, the paper's tables."""

from autov.experiments.comparison import Comparison, compare, compare_experiment
from autov.experiments.paper import EXPERIMENTS, paper_experiment, paper_figures
from autov.experiments.plan import Experiment, expand_problems, experiment
from autov.experiments.reproduction import Paired, Reproduction, reproduce
from autov.experiments.runner import Outcome, run
from autov.experiments.store import Failure, Row, Store
from autov.experiments.table import Entry, Table
from autov.experiments.task import RESOLVERS, Task, resolve_algorithm

__all__ = [
    "EXPERIMENTS", "RESOLVERS", "Comparison", "Entry", "Experiment", "Failure", "Outcome", "Paired", "Reproduction",
    "Row", "Store", "Table", "Task", "compare", "compare_experiment", "expand_problems", "experiment",
    "paper_experiment", "paper_figures", "reproduce", "resolve_algorithm", "run",
]  # fmt: skip
