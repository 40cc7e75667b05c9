"""``autov explain``."""

from __future__ import annotations

import shlex
import sys

import typer

from autov.cli.options import (
    JSON,
    EngineOptions,
    GroupedCommand,
    ProblemOptions,
    algorithm_names,
    problem_names,
    with_options,
)
from autov.cli.output import hint, log, print_json, print_words, quiet_functions, show_table

PAGE = "explanation.html"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(cls=GroupedCommand)(with_options(explain))


def explain(
    name: str = typer.Argument(
        autocompletion=algorithm_names,
        help="Folder of a design (autov design --out), or an algorithm: a name or a file.",
    ),
    problems: list[str] | None = typer.Argument(
        None, autocompletion=problem_names, help="Problems (default: those of the design)."
    ),
    *,
    where: ProblemOptions,
    run_on: EngineOptions,
    maxfev: int = typer.Option(10_000, "--maxfev", min=1, help="Evaluations of each run (a design knows its own)."),
    runs: int = typer.Option(30, "--runs", min=2, help="Runs of each variant on each problem."),
    evaluations: float | None = typer.Option(
        None, "--evaluations", metavar="N", min=1, help="Leave out parts that need more than this many evaluations."
    ),
    seed: int | None = typer.Option(None, "--seed", min=0, help="Seed of all random numbers (default: by the design)."),
    json_: bool = JSON,
) -> None:
    """Find out which part of a design matters.

    Runs the algorithm without each member, local search and row, and with each setting at its default, on held-out
    instances, and ranks the genes by importance. In the folder of a design it writes explanation.html.

    Example: autov explain runs/first
    """
    from autov.core.atomic_files import write_text
    from autov.experiments.ablation import OPTIMIZER, design_folder
    from autov.experiments.ablation import explain as found_in
    from autov.problems import expand_names, resolve_problem, with_instances

    folder, behind = design_folder(name)
    names = [one for given in problems or [] for one in ([given] if ":" in given else expand_names(given))]
    names = with_instances(names, where.instances)
    named = {one: resolve_problem(one, dim=where.dim, **where.box()) for one in names} or None
    with quiet_functions(json_), run_on.spread() as spread:
        found = found_in(
            name, named, maxfev=maxfev, runs=runs, rng=1 if seed is None and folder is None else seed,
            workers=spread, evaluations=evaluations, log=None if json_ else log,
        )  # fmt: skip
    page = None if folder is None else folder / PAGE
    if page is not None:
        from autov.reports.insight import explanation_page

        write_text(page, explanation_page(found, shlex.join(["autov", *sys.argv[1:]])))
    if json_:
        print_json(found.to_dict() | {"page": None if page is None else str(page)})
        return
    for text in found.sentences():
        print_words(text)
    for table in (found.table(), found.importance_table()):
        if table.rows:
            show_table(table)
    if page is not None:
        print_words(f"\nreport: autov open {page}")
    if found.changes:
        whole = name if folder is None else f"{folder / OPTIMIZER}{behind}"
        hint(f"autov compare --algorithms {whole},{whole}+{found.changes[0].spec} compares with one change")
