"""An operator designed for NSGA-II of pymoo, against SBX with polynomial mutation (SBX + PM), on held-out problems.

All problems have their optimum at another place in each run: on ZDT as it is, clipping to the box finds the optimum.
Needs `pip install ".[pymoo]"` in a copy of the repository; a minute without --quick. Results of larger runs are in
docs/nsga2.md.
"""

import argparse
from typing import Any

import numpy as np

from autov.adapters.pymoo import HypervolumeTrial, design_crossover

TRAINING, TEST = ("zdt1", "dtlz2"), ("zdt2", "wfg4")

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    nsga2: dict[str, Any] = {"popsize": 12, "generations": 5} if quick else {"popsize": 40, "generations": 40}
    search: dict[str, Any] = {"runs": 1, "candidates": 4, "trials": 8} if quick else {"runs": 1, "trials": 40}

    found = design_crossover(TRAINING, rng=1, **nsga2, **search)
    print(f"{found.budget}: {found.verdict}")
    print("part of the front's hypervolume on held-out problems, median:")
    for name in TEST:
        trial = HypervolumeTrial(name, **nsga2, shifted=True)
        runs = range(1000, 1002 if quick else 1011)
        for label, operator in {"SBX + PM": None, "designed": found.operator}.items():
            print(f"{trial.label:12} {label:10} {np.median([trial((operator, run)) for run in runs]):.3f}")
