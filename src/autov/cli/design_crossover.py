"""``autov design ... --metric hypervolume``: an operator for NSGA-II of pymoo."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from autov.cli.output import check_unused, console, print_json, print_words, show_table
from autov.cli.search_display import ProgressDisplay
from autov.core import InputError, new_folder
from autov.experiments import Cell, Table

POPULATION, GENERATIONS = 10, 5  # of the search


def design_crossover(
    problems: list[str], metric: str, *, given: dict[str, Any], population: int | None, generations: int | None,
    seed: int, workers: int | None, out: Path | None, resume: bool, json_: bool,
) -> None:  # fmt: skip
    """Search the operator and write it; ``given`` are arguments of the search, None for its defaults."""
    from autov.adapters.pymoo import design_crossover as search

    if metric != "hypervolume":
        raise InputError(f"metric: must be hypervolume, got {metric!r}")
    folder = out or Path("runs") / f"{'-'.join(problems)}-nsga2-{seed}"
    checkpoint = check_unused(folder, "search.json", resume)
    candidates = population or POPULATION
    trials = candidates * (1 + (GENERATIONS if generations is None else generations))
    chosen = {name: value for name, value in given.items() if value is not None}
    try:
        with new_folder(folder), ProgressDisplay(title=f"{metric} of {', '.join(problems)}") as display:
            found = search(
                problems, metric=metric, candidates=candidates, trials=trials, rng=seed, workers=workers or -1,
                checkpoint=checkpoint, progress=lambda tried, *_: display(tried, trials), **chosen,
            )  # fmt: skip
    except KeyboardInterrupt:
        sys.stderr.write("autov: interrupted; the same command with --resume resumes\n")
        raise SystemExit(130) from None
    path = folder / "operator.json"
    found.operator.save(path)
    if json_:
        print_json({
            "problems": problems, "metric": metric, "fitness": found.fitness, "baselines": found.baselines,
            "budget": found.budget,
            "history": list(found.history), "evaluations": found.evaluations, "files": {"operator.json": str(path)},
        })  # fmt: skip
        return
    shown = console()
    shown.print(str(found.operator), markup=False, highlight=False)
    figures = {"designed": found.fitness, **found.baselines}
    rows = tuple((label, (Cell(f"{value:.4f}"),)) for label, value in figures.items())
    shown.print()
    show_table(Table(f"Part of the {metric} that is missed: {found.budget}", ("", "missed"), rows))
    print_words(f"{found.verdict[0].upper()}{found.verdict[1:]}.")
    shown.print(f"{found.evaluations:,} evaluations; the operator: {path}")
