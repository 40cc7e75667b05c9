"""``autov minimize``."""

from __future__ import annotations

import typer

from autov.cli.output import (
    ENGINE,
    JSON,
    ON_ERROR,
    SCHEDULER,
    SCHEDULER_FILE,
    SEED,
    TIMEOUT,
    WORKERS,
    console,
    print_json,
    progress_bar,
    quiet_functions,
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(minimize)


def minimize(
    problem: str = typer.Argument(help="f1..f13, a word, paper-f1.., lsgo-f1.., file.py:function; f9+rotate=3 etc."),
    dim: int | None = typer.Option(None, "--dim", min=1, help="Number of variables (30 for the classic problems)."),
    operator: str | None = typer.Option(
        None, "--operator", help="For autov: library name, JSON file or file.py:name; paper-h3 by default."
    ),
    algorithm: str = typer.Option(
        "autov", "--algorithm", help="autov, shade, de+F=0.7, cma:default, file.py:name, ..."
    ),
    maxfev: int = typer.Option(10_000, "--maxfev", min=1, help="Evaluations of each run."),
    popsize: int = typer.Option(100, "--popsize", min=2, help="Population size."),
    runs: int = typer.Option(30, "--runs", min=1, help="Independent runs."),
    seed: int = SEED,
    lower: float | None = typer.Option(None, "--lower", help="Lower bound of every variable (your function)."),
    upper: float | None = typer.Option(None, "--upper", help="Upper bound of every variable (your function)."),
    vectorized: bool = typer.Option(False, "--vectorized", help="Your function takes batches (n, d)."),
    workers: int | None = WORKERS,
    engine: str = ENGINE,
    scheduler: str | None = SCHEDULER,
    scheduler_file: str | None = SCHEDULER_FILE,
    timeout: float | None = TIMEOUT,
    on_error: str = ON_ERROR,
    json_: bool = JSON,
) -> None:
    """Minimise a problem in several independent runs.

    Example: autov minimize rastrigin --dim 30 --runs 30 --seed 1
    """
    from autov.algorithms import resolve_algorithm
    from autov.algorithms.faults import FaultPolicy, sentence
    from autov.algorithms.repetition import repeat
    from autov.engines import named_engine
    from autov.problems import resolve_problem

    policy = FaultPolicy(timeout, on_error)
    chosen = resolve_algorithm(algorithm, operator)
    found = resolve_problem(problem, dim=dim, lower=lower, upper=upper, vectorized=vectorized)
    with (
        quiet_functions(json_),
        named_engine(engine, workers, scheduler, scheduler_file) as spread,
        progress_bar() as bar,
    ):
        task = bar.add_task(problem, total=runs)
        result = repeat(
            found, chosen, maxfev=maxfev, popsize=popsize, runs=runs, seed=seed, workers=spread,
            operator=operator or "paper-h3", progress=lambda: bar.advance(task), policy=policy,
        )  # fmt: skip
    if json_:
        print_json(result.to_dict())
        return
    from rich.table import Table

    table = Table(
        title=f"{result.algorithm} on {result.problem}, {result.dim} variables, {maxfev} evaluations, {runs} runs"
    )
    for name in ("best", "mean", "std", "median", "worst"):
        table.add_column(name, justify="right")
    table.add_row(*(f"{value:.6g}" for value in result.summary().values()))
    out = console()
    out.print(table)
    if result.failed:
        out.print(sentence(result.failed, result.first_failure), markup=False)
    if result.nans:
        out.print(f"{result.nans} evaluations returned NaN and counted as worst.")
