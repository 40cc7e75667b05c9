"""A design for each of twelve families, on fresh instances with known designs and other libraries as baselines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from autov.core.atomic_files import to_json, write_text
from autov.designer import design
from autov.experiments import Comparison, compare
from autov.experiments.compact import read_compact, write_compact
from autov.reports.design_files import write_design
from autov.reports.tables import to_markdown
from autov.stats import SOLVED
from benchmarks.kernel import machine

PROBLEMS = ("rastrigin", "ackley", "griewank", "rosenbrock", "schwefel_2_26", "schwefel_1_2")
KINDS = (("translate",), ("translate", "rotate"))
RIVALS = ("paper-h3", "ga", "ma-es", "cma:default", "minion:arrde", "minion:lshade")
DEFAULT = "general"  # takes part in every race, so a design may be this very algorithm: shown, and not a baseline
RUNS, SEED, DIM, MAXFEV = 100, 2026, 30, 10_000


def bench_families(folder: str | Path = "runs/families", seed: int = 1, preset: str = "quick") -> dict[str, Any]:
    """Design for every family, then 100 runs of all; what is there already is not made again.

    Instances of the comparison are those of runs 0 to 99; those of a search are drawn from its seed, 63 bits wide.
    """
    place = Path(folder)
    for kinds in KINDS:
        for name in PROBLEMS:
            family_result(place, name, kinds, seed, preset)
    return summarise(place)


def family_result(place: Path, name: str, kinds: tuple[str, ...], seed: int = 1, preset: str = "quick") -> None:
    """The design for one family and its comparison, in a folder of their own."""
    label = f"{name}+family={'-'.join(kinds)}"
    own = place / label.replace("+family=", "-")
    path = own / "optimizer.json"
    if not path.exists():
        found = design(name, dim=DIM, family=kinds, rng=seed, workers=-1, preset=preset, resume=True,
                       checkpoint=own / "search.npz")  # fmt: skip
        write_design(found, own)
        write_text(own / "summary.json", to_json(_summary(found), indent=2) + "\n")
    algorithms = {"designed": str(path), **{rival: rival for rival in (*RIVALS, DEFAULT)}}
    made = compare(
        algorithms, {label: label}, dim=DIM, maxfev=MAXFEV, runs=RUNS, rng=SEED, store=place / "results.db",
        reference="designed", name=label, workers=-1,
    )  # fmt: skip
    write_compact(made, own / "comparison.json")
    write_text(own / "comparison.md", to_markdown(made.table()))


def summarise(folder: str | Path) -> dict[str, Any]:
    """Marks of all comparisons that a folder holds, written to its summary.json."""
    found = [read_compact(path) for path in sorted(Path(folder).glob("*/comparison.json"))]
    marks = {one.problems[0]: marks_of(one) for one in found}
    baselines = [[row[rival] for rival in RIVALS] for row in marks.values()]
    summary = {
        "marks": marks, "of": "baselines against the design: + better, - worse, = neither (signed-rank test of runs on "
        f"the same instances, Holm-corrected, 5 %; values within {SOLVED:g} of the minimum are equal)",
        "failed_runs": {one.problems[0]: failed_runs(one) for one in found},
        "never_worse": sum("+" not in row for row in baselines),
        "better_than_all": sum(set(row) == {"-"} for row in baselines), "of_families": len(marks),
        "runs": RUNS, "seed": SEED, "dim": DIM, "maxfev": MAXFEV, "machine": machine(),
    }  # fmt: skip
    write_text(Path(folder) / "summary.json", to_json(summary, indent=2) + "\n")
    return summary


def marks_of(comparison: Comparison) -> dict[str, str]:
    """The mark of each baseline, and of the default, against the design on the one problem of a comparison."""
    (problem,) = comparison.problems
    scores = comparison.scores()
    return {label: scores.cells[problem, label].mark for label in comparison.algorithms if label != "designed"}


def failed_runs(comparison: Comparison) -> dict[str, float]:
    """The share of runs of each algorithm that end worse than the median run of the best baseline."""
    (problem,) = comparison.problems
    limit = min(float(np.median(comparison.gaps(problem, rival))) for rival in RIVALS)
    return {a: float((comparison.gaps(problem, a) > limit).mean()) for a in comparison.algorithms}


def _summary(found: Any) -> dict[str, Any]:
    return {
        "retested_mean": found.retested_means, "baseline": found.baseline, "evaluations": found.evaluations,
        "failed_runs": found.failed_runs, "spent": found.spent, "seconds": found.seconds,
        "baselines": {label: float(values.mean()) for label, values in found.baselines.items()},
        "settings": found.settings,
    }  # fmt: skip
