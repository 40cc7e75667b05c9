"""A design for each of twelve families, on fresh instances beside known designs and other libraries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from autov.core.files import to_json, write_text
from autov.designer import design
from autov.experiments import compare
from autov.experiments.compact import write_compact
from autov.reports.design import write_design
from autov.reports.tables import to_markdown
from benchmarks.kernel import machine

PROBLEMS = ("rastrigin", "ackley", "griewank", "rosenbrock", "schwefel_2_26", "schwefel_1_2")
KINDS = (("translate",), ("translate", "rotate"))
RIVALS = ("autov", "ga", "ma-es", "cma:default", "minion:arrde", "minion:lshade")
RUNS, SEED, DIM, MAXFEV = 30, 2026, 30, 10_000


def bench_families(folder: str | Path = "runs/families", seed: int = 1, preset: str = "quick") -> dict[str, Any]:
    """Design for every family, then 30 runs of all; what is there already is not made again.

    Instances of the comparison are those of runs 0 to 29; those of a search are drawn from its seed, 63 bits wide.
    """
    place = Path(folder)
    verdicts: dict[str, Any] = {}
    for kinds in KINDS:
        for name in PROBLEMS:
            label = f"{name}+family={'-'.join(kinds)}"
            own = place / label.replace("+family=", "-")
            path = own / "optimizer.json"
            if not path.exists():
                found = design(name, dim=DIM, family=kinds, rng=seed, preset=preset, resume=True,
                               checkpoint=own / "search.npz")  # fmt: skip
                write_design(found, own)
                write_text(own / "summary.json", to_json(_summary(found), indent=2) + "\n")
            algorithms = {"designed": str(path), **{rival: rival for rival in RIVALS}}
            made = compare(
                algorithms, {label: label}, dim=DIM, maxfev=MAXFEV, runs=RUNS, rng=SEED, store=place / "results.db",
                reference="designed", name=label,
            )  # fmt: skip
            write_compact(made, own / "comparison.json")
            write_text(own / "comparison.md", to_markdown(made.table()))
            cells = made.scores().cells
            verdicts[label] = {rival: cells[label, rival].mark for rival in RIVALS}
    summary = {
        "marks": verdicts, "of": "rivals against the design: + better, - worse, = neither (rank sum, 5 %)",
        "never_worse": sum("+" not in row.values() for row in verdicts.values()),
        "better_than_all": sum(set(row.values()) == {"-"} for row in verdicts.values()), "machine": machine(),
    }  # fmt: skip
    write_text(place / "summary.json", to_json(summary, indent=2) + "\n")
    return summary


def _summary(found: Any) -> dict[str, Any]:
    return {
        "retested_mean": found.retested_means, "known": found.known, "evaluations": found.evaluations,
        "spent": found.spent, "seconds": found.seconds,
        "beside": {label: float(values.mean()) for label, values in found.beside.items()}, "settings": found.settings,
    }  # fmt: skip
