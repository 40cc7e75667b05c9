"""A design from eight recorded runs of 500 evaluations: is it refused, and if not, is it better on new plants?

The plants of examples/tune_controllers.py. The self-check may make twelve real runs. ``python -m benchmarks history``.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import autov
from autov.core import InputError, to_json, write_text
from autov.experiments import Cell, Table
from autov.experiments.row import versions
from autov.stats import one_with_many, versus
from benchmarks.kernel import machine
from benchmarks.weekly import HISTORY, NEW, OLD, ROOT, fields, history_of

REAL_RUNS, BUDGETS, RUNS = 12, (200, 500, 1000), 8
SIZE: dict[str, Any] = {"generations": 12, "population": 16, "race_size": 4, "race_runs": 4, "retest_runs": 5}


def bench_history(
    save: Path | None = ROOT / "results" / "history.json", *, old: tuple[int, ...] = OLD, new: tuple[int, ...] = NEW,
    history: int = HISTORY, budgets: tuple[int, ...] = BUDGETS, runs: int = RUNS, **size: Any,
) -> dict[str, Any]:  # fmt: skip
    """The line of the self-check, and best values of the design and of the default (some ten minutes)."""
    field = fields()["controllers"]
    problems = [field.problem(number) for number in old]
    result: dict[str, Any] = {"self_check": "", "refused": "", "values": {}}
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "runs.db"
        history_of(field, old, history, store)
        trial = autov.TrialBudget(popsize=20, runs=1, evaluations=history)
        try:
            found = autov.design(
                problems, learn_from=store, real_runs=REAL_RUNS, space="portfolio", trial=trial, memory=4, rng=1,
                remember=False, **SIZE | size,
            )  # fmt: skip
        except InputError as error:
            result["refused"] = str(error)
        else:
            result |= {"self_check": found.self_check, "baseline": found.baseline}
            for name, algorithm in (("general", None), ("designed", found)):
                for budget in budgets:
                    result["values"][f"{budget}, {name}"] = {
                        str(number): [
                            autov.minimize(field.problem(number), algorithm=algorithm, maxfev=budget, rng=seed).fun
                            for seed in range(runs)
                        ]
                        for number in new
                    }
    result |= {
        "old": list(old), "new": list(new), "history": history, "real_runs": REAL_RUNS, "budgets": list(budgets),
        "seeds": list(range(runs)), "size": SIZE | size, "machine": machine(),
        "versions": versions(),
    }  # fmt: skip
    if save is not None:
        write_text(save, to_json(result, indent=1) + "\n")
    return result


def history_table(result: dict[str, Any]) -> Table:
    """Mean best values, and a mark of the rank-sum test beside the default (Holm-corrected)."""
    rows = []
    for kind, plants in result["values"].items():
        budget, name = kind.split(", ")
        cold = result["values"][f"{budget}, general"]
        tests = one_with_many({plant: versus(values, cold[plant]) for plant, values in plants.items()})
        marks = {plant: "" if name == "general" else f" {test.mark()}" for plant, test in tests.items()}
        cells = [Cell(f"{np.mean(values):.2f}{marks[plant]}") for plant, values in plants.items()]
        mean = float(np.mean(list(plants.values())))
        rows.append((f"{budget}, {name}", (*cells, Cell(f"{mean:.2f}"))))
    title = result["refused"] or result["self_check"]
    return Table(title, ("evaluations, algorithm", *(str(number) for number in result["new"]), "mean"), tuple(rows))
