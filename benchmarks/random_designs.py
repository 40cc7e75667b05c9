"""Does the search beat the best of as many random designs? Two families, five seeds, equal cost.

Known designs have no part in searches and races: `general` and others would win some of them, with every searcher. All
designs of a family then run on the same 100 instances that no search saw.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from autov.core.atomic_files import read_json, to_json, write_text
from autov.designer import design
from autov.experiments import compare
from autov.stats import floored, mark, signed_rank
from autov.version import VERSION
from benchmarks.kernel import machine

FAMILIES = ("rastrigin+family=translate", "ackley+family=translate-rotate")
SEARCHERS = ("best-operator", "ma-es", "random")
SEEDS, DIM, MAXFEV, RUNS, TEST_SEED = (1, 2, 3, 4, 5), 10, 3000, 100, 77
SIZE: dict[str, Any] = {
    "population": 20, "generations": 40, "race_size": 8, "race_runs": 8, "retest_runs": 2, "known": False,
}  # fmt: skip


def bench_random_designs(path: str | Path = "runs/random-designs.json", workers: int = 1) -> dict[str, Any]:
    """Design and run what the file does not have yet; gaps and evaluations by family, seed and searcher."""
    path = Path(path)
    data = read_json(path, "designs") if path.exists() else {"cells": {}}
    for seed in SEEDS:
        for family in FAMILIES:
            cell = data["cells"].setdefault(f"{family}, seed {seed}", {})
            for searcher in SEARCHERS:
                if searcher not in cell:
                    cell[searcher] = _made(family, seed, searcher, workers)
                    write_text(path, to_json(data, indent=1) + "\n")
    data |= {"judged": judged(data["cells"]), "machine": machine(), "autov": VERSION, "dim": DIM, "maxfev": MAXFEV,
             "runs": RUNS, "settings": SIZE}  # fmt: skip
    write_text(path, to_json(data, indent=1) + "\n")
    return data


def _made(family: str, seed: int, searcher: str, workers: int) -> dict[str, Any]:
    """Gaps of a design on the instances of the test, and what it cost."""
    found = design(family, dim=DIM, searcher=searcher, rng=seed, workers=workers, trial={"evaluations": MAXFEV}, **SIZE)
    made = compare(
        {"own": found.algorithm}, family, dim=DIM, maxfev=MAXFEV, runs=RUNS, rng=TEST_SEED, store=None, workers=workers
    )
    return {"gaps": np.maximum(made.values(family, "own"), 0.0).tolist(), "evaluations": found.evaluations}


def judged(cells: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """For each family and searcher that searches: on how many seeds its design is better than the random one."""
    found: dict[str, dict[str, Any]] = {}
    for family in FAMILIES:
        own = [cell for name, cell in cells.items() if name.startswith(family)]
        for searcher in SEARCHERS:
            gaps = [floored(np.array(cell[searcher]["gaps"]), 0.0) for cell in own]
            others = [floored(np.array(cell["random"]["gaps"]), 0.0) for cell in own]
            signs = [mark(*signed_rank(a, b)) for a, b in zip(gaps, others, strict=True)]
            found[f"{family}, {searcher}"] = {
                "median_gap": float(np.median([np.median(a) for a in gaps])), "better": signs.count("+"),
                "worse": signs.count("-"), "of": len(signs),
                "evaluations": float(np.mean([cell[searcher]["evaluations"] for cell in own])),
            }  # fmt: skip
    return found
