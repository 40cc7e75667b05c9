"""A design for each of twelve families, on fresh instances beside known designs and other libraries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from autov.core import Array
from autov.core.atomic_files import to_json, write_text
from autov.designer import design
from autov.experiments import Comparison, compare
from autov.experiments.compact import read_compact, write_compact
from autov.problems import resolve_problem
from autov.reports.design_files import write_design
from autov.reports.tables import to_markdown
from autov.stats.ranksum import mark, rank_sum
from benchmarks.kernel import machine

PROBLEMS = ("rastrigin", "ackley", "griewank", "rosenbrock", "schwefel_2_26", "schwefel_1_2")
KINDS = (("translate",), ("translate", "rotate"))
RIVALS = ("paper-h3", "ga", "ma-es", "cma:default", "minion:arrde", "minion:lshade")
RUNS, SEED, DIM, MAXFEV = 30, 2026, 30, 10_000
SOLVED = 1e-8  # values this close to the minimum are equal: the difference is rounding


def bench_families(folder: str | Path = "runs/families", seed: int = 1, preset: str = "quick") -> dict[str, Any]:
    """Design for every family, then 30 runs of all; what is there already is not made again.

    Instances of the comparison are those of runs 0 to 29; those of a search are drawn from its seed, 63 bits wide.
    """
    place = Path(folder)
    for kinds in KINDS:
        for name in PROBLEMS:
            label = f"{name}+family={'-'.join(kinds)}"
            own = place / label.replace("+family=", "-")
            path = own / "optimizer.json"
            if not path.exists():
                found = design(name, dim=DIM, family=kinds, rng=seed, workers=-1, preset=preset, resume=True,
                               checkpoint=own / "search.npz")  # fmt: skip
                write_design(found, own)
                write_text(own / "summary.json", to_json(_summary(found), indent=2) + "\n")
            algorithms = {"designed": str(path), **{rival: rival for rival in RIVALS}}
            made = compare(
                algorithms, {label: label}, dim=DIM, maxfev=MAXFEV, runs=RUNS, rng=SEED, store=place / "results.db",
                reference="designed", name=label, workers=-1,
            )  # fmt: skip
            write_compact(made, own / "comparison.json")
            write_text(own / "comparison.md", to_markdown(made.table()))
    return summarise(place)


def summarise(folder: str | Path) -> dict[str, Any]:
    """Marks of all comparisons that a folder holds, written to its summary.json."""
    found = [read_compact(path) for path in sorted(Path(folder).glob("*/comparison.json"))]
    marks = {one.problems[0]: marks_of(one) for one in found}
    summary = {
        "marks": marks, "of": f"rivals against the design: + better, - worse, = neither (rank-sum test, 5 %; values "
        f"within {SOLVED:g} of the minimum are equal)",
        "never_worse": sum("+" not in row.values() for row in marks.values()),
        "better_than_all": sum(set(row.values()) == {"-"} for row in marks.values()), "machine": machine(),
    }  # fmt: skip
    write_text(Path(folder) / "summary.json", to_json(summary, indent=2) + "\n")
    return summary


def marks_of(comparison: Comparison) -> dict[str, str]:
    """The mark of each rival against the design on the one problem of a comparison."""
    (problem,) = comparison.problems
    minimum = resolve_problem(problem, dim=DIM).minimum
    assert minimum is not None  # of all six functions

    def floored(label: str) -> Array:
        values = comparison.values(problem, label)
        return np.where(values - minimum < SOLVED, minimum, values)

    return {rival: mark(*rank_sum(floored(rival), floored("designed"))) for rival in RIVALS}


def _summary(found: Any) -> dict[str, Any]:
    return {
        "retested_mean": found.retested_means, "known": found.known, "evaluations": found.evaluations,
        "spent": found.spent, "seconds": found.seconds,
        "beside": {label: float(values.mean()) for label, values in found.beside.items()}, "settings": found.settings,
    }  # fmt: skip
