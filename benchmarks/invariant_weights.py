"""Does a design with weights that depend on the shape of the inputs beat one with constant weights?

Both designs have the same genes, evaluations and candidates; the slopes of the weights (`InvariantWeights`) are
designed in one and fixed at zero in the other. Three rotated families, five seeds; all designs of a family then run on
the same 50 instances that no search saw. Operators in Python are slow, so the searches are small.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from autov.algorithms import Evolution
from autov.core.atomic_files import read_json, to_json, write_text
from autov.designer import Gene, Space, design
from autov.experiments import compare
from autov.operators.invariant_weights import InvariantWeights
from autov.stats import floored, mark, signed_rank
from autov.version import VERSION
from benchmarks.kernel import machine

FAMILIES = tuple(f"{name}+family=translate-rotate" for name in ("rastrigin", "ackley", "rosenbrock"))
ROWS, INPUTS = 3, ("x2", "best", "difference")
SLOPES = tuple(f"row{j}.{name}.slope" for j in range(1, ROWS + 1) for name in INPUTS)
VARIANTS: dict[str, dict[str, float]] = {"constant": dict.fromkeys(SLOPES, 0.0), "point-dependent": {}}
SEEDS, DIM, MAXFEV, RUNS, TEST_SEED = (1, 2, 3, 4, 5), 10, 1000, 50, 77
SIZE: dict[str, Any] = {
    "population": 12, "generations": 15, "race_size": 4, "race_runs": 4, "retest_runs": 2, "known": False,
}  # fmt: skip


def made_of(values: Mapping[str, Any]) -> Evolution:
    """An evolution with the operator of some genes."""

    def rows(part: str) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(values[f"row{j}.{name}.{part}"] for name in INPUTS) for j in range(1, ROWS + 1))

    noise, chance = (tuple(values[f"row{j}.{part}"] for j in range(1, ROWS + 1)) for part in ("noise", "probability"))
    operator = InvariantWeights(rows("mean"), rows("slope"), rows("std"), noise, chance)
    first, others = values["tournament_first"], values["tournament_others"]
    return Evolution(operator, popsize=values["popsize"], tournament_first=first, tournament_others=others)  # type: ignore[arg-type]


def space() -> Space:
    """The genes of the operator, and of the evolution around it."""
    genes = [Gene("popsize", 20, 60, "integer"), Gene("tournament_first", 1.0, 8.0, "log"),
             Gene("tournament_others", 1.0, 8.0, "log")]  # fmt: skip
    for j in range(1, ROWS + 1):
        for name in INPUTS:
            genes += [Gene(f"row{j}.{name}.mean", -1.0, 1.0), Gene(f"row{j}.{name}.slope", -1.0, 1.0),
                      Gene(f"row{j}.{name}.std", 0.01, 1.0, "zero-log")]  # fmt: skip
        genes += [Gene(f"row{j}.noise", 0.01, 2.0, "zero-log"), Gene(f"row{j}.probability", 0.01, 1.0, "log")]
    return Space("invariant-weights", tuple(genes), made_of)


def bench_invariant_weights(path: str | Path = "runs/invariant-weights.json", workers: int = 1) -> dict[str, Any]:
    """Design and run what the file does not have yet; gaps by family, seed and kind of weights."""
    path = Path(path)
    data = read_json(path, "designs") if path.exists() else {"cells": {}}
    for seed in SEEDS:
        for family in FAMILIES:
            cell = data["cells"].setdefault(f"{family}, seed {seed}", {})
            for variant, fix in VARIANTS.items():
                if variant not in cell:
                    cell[variant] = _made(family, seed, fix, workers)
                    write_text(path, to_json(data, indent=1) + "\n")
    data |= {"judged": judged(data["cells"]), "machine": machine(), "autov": VERSION, "dim": DIM, "maxfev": MAXFEV,
             "runs": RUNS, "rows": ROWS, "settings": SIZE}  # fmt: skip
    write_text(path, to_json(data, indent=1) + "\n")
    return data


def _made(family: str, seed: int, fix: dict[str, float], workers: int) -> dict[str, Any]:
    """Gaps of a design on the instances of the test, and what it cost."""
    trial = {"evaluations": MAXFEV, "runs": 2}
    found = design(family, dim=DIM, space=space(), fix=fix, rng=seed, workers=workers, trial=trial, **SIZE)
    made = compare(
        {"own": found.algorithm}, family, dim=DIM, maxfev=MAXFEV, runs=RUNS, rng=TEST_SEED, store=None, workers=workers
    )
    operator = found.algorithm.operator.function
    return {"gaps": np.maximum(made.values(family, "own"), 0.0).tolist(), "evaluations": found.evaluations,
            "slope": operator.slope, "mean": operator.mean, "probability": operator.probability}  # fmt: skip


def judged(cells: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """For each family: medians, and on how many seeds point-dependent weights are better or worse."""
    found: dict[str, dict[str, Any]] = {}
    for family in FAMILIES:
        own = [cell for name, cell in cells.items() if name.startswith(family)]
        gaps = {v: [floored(np.array(cell[v]["gaps"]), 0.0) for cell in own] for v in VARIANTS}
        pairs = zip(gaps["point-dependent"], gaps["constant"], strict=True)
        signs = [mark(*signed_rank(a, b)) for a, b in pairs]
        medians = {v: [float(np.median(each)) for each in gaps[v]] for v in VARIANTS}
        found[family] = {"medians": medians, "better": signs.count("+"), "worse": signs.count("-"), "of": len(signs)}
    return found
