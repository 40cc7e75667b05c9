"""Which space and which searcher find the best designs at equal cost: several families, three seeds each."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from autov.core.atomic_files import read_json, to_json, write_text
from autov.designer import design
from benchmarks.kernel import machine

FAMILIES = (
    ("rastrigin", ("translate",)), ("ackley", ("translate", "rotate")), ("rosenbrock", ("translate", "rotate")),
    ("schwefel_2_26", ("translate",)),
)  # fmt: skip
VARIANTS: dict[str, dict[str, Any]] = {
    "operator, Algorithm 1": {"space": "operator"},
    "evolution, Algorithm 1": {"space": "evolution"},
    "portfolio, Algorithm 1": {"space": "portfolio"},
    "portfolio, ma-es": {"space": "portfolio", "searcher": "ma-es"},
}
SEEDS, EVALUATIONS = (1, 2, 3), 10_000_000


def bench_spaces(
    folder: str | Path = "runs/spaces", seeds: tuple[int, ...] = SEEDS, evaluations: int = EVALUATIONS, dim: int = 30
) -> dict[str, Any]:
    """Re-tested means of designs, each with the same number of evaluations; results are kept and gone on with.

    The searchers are compared on the portfolio, and the spaces under Algorithm 1. A rank is that among the variants
    with the same family and seed.
    """
    path = Path(folder) / "spaces.json"
    made: dict[str, dict[str, float]] = read_json(path, "results")["means"] if path.exists() else {}
    begun = time.perf_counter()
    for seed in seeds:
        for name, kinds in FAMILIES:
            key = f"{name}+family={'-'.join(kinds)}, seed {seed}"
            row = made.setdefault(key, {})
            for label, variant in VARIANTS.items():
                if label not in row:
                    found = design(
                        name, dim=dim, family=kinds, rng=seed, evaluations=evaluations, workers=-1, **variant
                    )
                    row[label] = float(found.retested[0].mean())
                    write_text(path, to_json({"means": made}, indent=2) + "\n")
    ranks = np.mean([rankdata([row[label] for label in VARIANTS]) for row in made.values()], axis=0)
    result = {
        "what": f"re-tested means of 30 runs, designs of at most {evaluations:,} evaluations, {dim} variables",
        "means": made, "mean_ranks": dict(zip(VARIANTS, ranks.tolist(), strict=True)),
        "seconds": time.perf_counter() - begun, "machine": machine(),
    }  # fmt: skip
    write_text(path, to_json(result, indent=2) + "\n")
    return result
