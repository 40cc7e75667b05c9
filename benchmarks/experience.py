"""What earlier runs on eight plants are worth on six others: examples/tune_controllers.py, cold and with experience.

Besides the eight runs, two kinds of sources that cannot help: points anywhere in the box, and the best points of the
eight runs mirrored at its centre.
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import autov
from autov.core import to_json, write_text
from autov.experiments import Cell, Table
from benchmarks.kernel import machine

ROOT = Path(__file__).parents[1]
OLD, NEW = tuple(range(1, 9)), tuple(range(101, 107))
HISTORY, BUDGETS, RUNS = 500, (200, 1000), 8
ALGORITHMS = ("general", "ma-es", "de")


def _example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tune_controllers", ROOT / "examples" / "tune_controllers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bench_experience(
    save: Path | None = ROOT / "results" / "experience.json", *, old: tuple[int, ...] = OLD,
    new: tuple[int, ...] = NEW, history: int = HISTORY, budgets: tuple[int, ...] = BUDGETS, runs: int = RUNS,
    algorithms: tuple[str, ...] = ALGORITHMS,
) -> dict[str, Any]:  # fmt: skip
    """Best values of runs on new plants, cold and with each kind of sources (a few minutes)."""
    start, plant = time.perf_counter(), _example().plant
    values: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "runs.db"
        found = [autov.minimize(plant(number), maxfev=history, rng=number, store=store) for number in old]
        box = plant(old[0]).box
        rng = np.random.default_rng(1)
        anywhere = box.sample(len(old), rng)
        mirrored = [box.clip(box.lower + box.upper - result.x) for result in found]
        sources = {
            "cold": None,
            "related": store,
            "anywhere": [(point[None], [0.0]) for point in anywhere],
            "mirrored": [(point[None], [0.0]) for point in mirrored],
        }
        problems = {number: plant(number) for number in new}
        for algorithm in algorithms:
            own = values[algorithm] = {}
            for budget in budgets:
                for kind, given in sources.items():
                    own[f"{budget}, {kind}"] = {
                        str(number): [
                            autov.minimize(problem, algorithm=algorithm, maxfev=budget, rng=seed, learn_from=given).fun
                            for seed in range(runs)
                        ]
                        for number, problem in problems.items()
                    }
    result = {
        "history": history, "old": list(old), "new": list(new), "budgets": list(budgets), "seeds": list(range(runs)),
        "history_seeds": list(old), "history_best": [result.fun for result in found], "values": values,
        "seconds": time.perf_counter() - start, "machine": machine(),
    }  # fmt: skip
    if save is not None:
        write_text(save, to_json(result, indent=1) + "\n")
    return result


def experience_table(result: dict[str, Any]) -> Table:
    """Mean best values of the plants."""
    rows = []
    for algorithm, kinds in result["values"].items():
        for kind, plants in kinds.items():
            means = [float(np.mean(plants[str(number)])) for number in result["new"]]
            cells = tuple(Cell(f"{mean:.2f}") for mean in [*means, float(np.mean(means))])
            rows.append((f"{algorithm}, {kind}", cells))
    heads = ("evaluations, sources", *(f"plant {number}" for number in result["new"]), "mean")
    return Table("Mean best value on new plants", heads, tuple(rows))
