"""What sources that cannot help cost: runs of `general` on ten translated and rotated functions, cold and with them.

Two kinds: points anywhere in the box, and points around the optimum mirrored at the centre of the box. What sources
that help are worth, `python -m benchmarks weekly` measures.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import autov
from autov.core import to_json, write_text
from autov.experiments import Cell, Table
from autov.experiments.row import versions
from autov.problems import instance_of, resolve_problem, with_family
from autov.stats import Versus, one_with_many, versus
from benchmarks.kernel import machine

ROOT = Path(__file__).parents[1]
FUNCTIONS = (
    "sphere", "schwefel_1_2", "rosenbrock", "rastrigin", "ackley", "griewank", "ellipsoid", "different_powers", "levy",
    "schwefel_2_26",
)  # fmt: skip
DIM, RUNS, MAXFEV = 10, 40, 1000
SOURCES, NEAR = 8, 0.05  # standard deviation of sources around the mirrored optimum, as a part of the box
USELESS = ("anywhere", "mirrored")


def bench_experience(
    save: Path | None = ROOT / "results" / "experience.json", *, functions: tuple[str, ...] = FUNCTIONS,
    runs: int = RUNS, maxfev: int = MAXFEV,
) -> dict[str, Any]:  # fmt: skip
    """Best values of all runs (some minutes)."""
    found: dict[str, Any] = {}
    for i, name in enumerate(functions):
        problem = instance_of(with_family(resolve_problem(name, dim=DIM), ("translate", "rotate")), 1)
        rng, box = np.random.default_rng(i), problem.box
        assert problem.optimum is not None
        corner = box.lower + box.upper - problem.optimum
        near = box.clip(corner + NEAR * box.width * rng.standard_normal((SOURCES, box.dim)))
        sources = {"cold": None, "anywhere": box.sample(SOURCES, rng), "mirrored": near}
        found[name] = {
            kind: [
                autov.minimize(
                    problem, maxfev=maxfev, rng=seed,
                    learn_from=None if points is None else [(point[None], [0.0]) for point in points],
                ).fun
                for seed in range(runs)
            ]
            for kind, points in sources.items()
        }  # fmt: skip
    result = {
        "dim": DIM, "maxfev": maxfev, "seeds": list(range(runs)), "values": found,
        "machine": machine(), "versions": versions(),
    }  # fmt: skip
    if save is not None:
        write_text(save, to_json(result, indent=1) + "\n")
    return result


def losses(result: dict[str, Any]) -> dict[str, Versus]:
    """Rank-sum tests of the runs with useless sources against the cold ones, Holm-corrected over all of them."""
    return one_with_many({
        f"{name}, {kind}": versus(kinds[kind], kinds["cold"])
        for name, kinds in result["values"].items()
        for kind in USELESS
    })  # fmt: skip


def experience_table(result: dict[str, Any]) -> Table:
    """Medians, with a mark: ``-`` is a significant loss."""
    tests, rows = losses(result), []
    for name, kinds in result["values"].items():
        cells = [Cell(f"{np.median(kinds['cold']):.3g}")]
        cells += [Cell(f"{np.median(kinds[kind]):.3g} {tests[f'{name}, {kind}'].mark()}") for kind in USELESS]
        rows.append((name, tuple(cells)))
    return Table(
        "Median best value, cold and with sources that cannot help", ("function", "cold", *USELESS), tuple(rows)
    )
