"""Which figure of a candidate's runs should a search minimise? Small designs for families that decide nothing else.

For each of six families and two seeds, one design for each way that `DesignSettings.over_runs` knows, with all other
settings alike. All designs of a family then run on the same 100 instances that no search saw. Known designs have no
part in the searches and races, because `general` wins many of them, whatever the figure.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from autov.core import Array
from autov.core.atomic_files import read_json, to_json, write_text
from autov.designer import design
from autov.designer.fitness import OVER_RUNS
from autov.experiments import compare
from autov.problems import resolve_problem
from autov.stats import floored, mark, signed_rank
from benchmarks.kernel import machine

FAMILIES = (
    "levy+family=translate", "penalized_1+family=translate-rotate", "lunacek+family=translate-rotate",
    "styblinski_tang+family=translate", "weierstrass+family=translate-rotate", "expanded_schaffer_f6+family=translate",
)  # fmt: skip
SEEDS, DIM, MAXFEV, RUNS, TEST_SEED = (1, 2, 3, 4), 10, 3000, 100, 77
SIZE = {"population": 20, "generations": 40, "race_size": 8, "race_runs": 8, "retest_runs": 2, "known": False}
BASELINE = "ma-es"


def bench_fitness(path: str | Path = "runs/fitness.json", workers: int = 1) -> dict[str, Any]:
    """Design and run what the file does not have yet; gaps by family, seed and figure."""
    path = Path(path)
    data = read_json(path, "figures") if path.exists() else {"values": {}}
    for seed in SEEDS:
        for family in FAMILIES:
            cell = data["values"].setdefault(f"{family}, seed {seed}", {})
            for way in (*OVER_RUNS, BASELINE):
                if way not in cell:
                    cell[way] = _values(family, seed, way, workers).tolist()
                    write_text(path, to_json(data, indent=1) + "\n")
    data |= {"judged": judged(data["values"]), "machine": machine(), "dim": DIM, "maxfev": MAXFEV, "runs": RUNS,
             "settings": SIZE}  # fmt: skip
    write_text(path, to_json(data, indent=1) + "\n")
    return data


def _values(family: str, seed: int, way: str, workers: int) -> Array:
    """Gaps of a design on the instances of the test."""
    own: Any = way
    if way != BASELINE:
        trial = {"evaluations": MAXFEV}
        own = design(family, dim=DIM, over_runs=way, rng=seed, workers=workers, trial=trial, **SIZE).algorithm
    made = compare({way: own}, family, dim=DIM, maxfev=MAXFEV, runs=RUNS, rng=TEST_SEED, store=None, workers=workers)
    minimum = resolve_problem(family, dim=DIM).minimum
    assert minimum is not None
    return np.maximum(made.values(family, way) - minimum, 0.0)


def judged(values: dict[str, dict[str, list[float]]]) -> dict[str, dict[str, Any]]:
    """For each figure: mean rank in the same run, share of failed runs, and marks against the median's designs.

    A run fails if it ends worse than the median run of `BASELINE` on that family.
    """
    cells = [{way: floored(row, 0.0) for way, row in cell.items()} for cell in values.values()]
    ranks = np.mean([rankdata([cell[w] for w in OVER_RUNS], axis=0).mean(axis=1) for cell in cells], axis=0)
    found = {}
    for way, rank in zip(OVER_RUNS, ranks, strict=True):
        signs = [mark(*signed_rank(cell[way], cell["median"])) for cell in cells]
        failed = [float((cell[way] > np.median(cell[BASELINE])).mean()) for cell in cells]
        tail = [float(np.log10(np.quantile(cell[way], 0.9))) for cell in cells]
        found[way] = {
            "rank": float(rank), "failed": float(np.mean(failed)), "log10_upper_decile": float(np.mean(tail)),
            "better": signs.count("+"), "worse": signs.count("-"), "of": len(cells),
        }  # fmt: skip
    return found
