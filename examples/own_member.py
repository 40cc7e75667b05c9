"""Your own member of a portfolio, with the genes that it declares.

The same from the command line:
    autov design rastrigin --dim 5 --members ma-es,examples/own_member.py:TunedSearch --out runs/mine
    autov minimize rastrigin --algorithm runs/mine/optimizer.json+own=examples/own_member.py:TunedSearch
"""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from own_algorithm import StepSearch

import autov
from autov.algorithms.files import load_algorithm
from autov.designer import Gene


@dataclass(frozen=True)
class TunedSearch(StepSearch):
    """The search of own_algorithm.py, whose first step is designed."""

    name = "tuned-search"
    genes = (Gene("first_step", 0.001, 0.5, "log"),)


if __name__ == "__main__":
    size = {"population": 8, "generations": 5, "race_size": 2, "race_runs": 3, "retest_runs": 10}
    if "--quick" in sys.argv:
        size |= {"population": 4, "generations": 1, "retest_runs": 2}
    trial = {"popsize": 20, "evaluations": 500, "runs": 2}
    members = ("ma-es", TunedSearch)
    found = autov.design("rastrigin", dim=5, members=members, known=False, trial=trial, rng=1, **size)
    path = Path(tempfile.mkdtemp()) / "optimizer.json"
    found.save(path)
    again = load_algorithm(path, own=[TunedSearch])
    print(f"{again.members[1]} ({found.evaluations:,} evaluations):", found.retested_means)
