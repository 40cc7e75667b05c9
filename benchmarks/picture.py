"""The picture of the README: the stored design for rotated Rastrigin functions on instances that nothing else used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from autov import compare
from autov.experiments.row import versions
from autov.reports.plots import quartiles
from autov.stats import one_with_many, versus

FAMILY = "rastrigin+family=translate-rotate"
DESIGN = "results/families/rastrigin-translate-rotate/optimizer.json"
OTHERS = ("general", "ma-es", "cma:default", "paper-h3", "ga")
RUNS, BUDGET, SEED = 100, 10_000, 2027


def bench_picture() -> dict[str, Any]:
    """Medians, quartiles over evaluations, and signed-rank tests against the design (Holm-corrected)."""
    algorithms = {"designed": str(Path(__file__).parents[1] / DESIGN), **{name: name for name in OTHERS}}
    made = compare(algorithms, [FAMILY], runs=RUNS, maxfev=BUDGET, rng=SEED, workers=-1)
    values = {label: made.values(FAMILY, label) for label in algorithms}
    tests = one_with_many({name: versus(values[name], values["designed"], True) for name in OTHERS})
    curves = {}
    for label in algorithms:
        x, y = made.curves(FAMILY, label)
        bands = quartiles(y)
        curves[label] = {"nfev": x.tolist(), "quartiles": [[float(f"{v:.5g}") for v in band] for band in bands]}
    return {
        "family": FAMILY, "design": DESIGN, "dim": 30, "maxfev": BUDGET, "runs": RUNS, "seed": SEED,
        "median": {label: float(f"{np.median(each):.5g}") for label, each in values.items()},
        "mark": {name: found.mark() for name, found in tests.items()},
        "curves": curves, "versions": versions(),
    }  # fmt: skip
