"""``autov compare``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from autov.cli.output import (
    BOUNDS,
    ENGINE,
    FORMATS,
    INSTANCES,
    JSON,
    LOWER,
    NOT_STORED,
    ON_ERROR,
    SCHEDULER,
    SCHEDULER_FILE,
    SEED,
    TIMEOUT,
    UPPER,
    VECTORIZED,
    WORKERS,
    check_places,
    log,
    print_json,
    quiet_functions,
    show_table,
    with_progress,
    write_files,
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(compare)


def compare(
    algorithms: str = typer.Option(
        ..., "--algorithms", help="Comma-separated: ga,shade,paper-h3,mine=evolution:op.json,cma:default"
    ),
    problems: str = typer.Option(
        ..., "--problems", help="Comma-separated names and ranges: paper-f1..paper-f13, file.py:function"
    ),
    instances: str | None = INSTANCES,
    dim: int | None = typer.Option(None, "--dim", min=1, help="Number of variables (30 for the classic problems)."),
    lower: str | None = LOWER,
    upper: str | None = UPPER,
    bounds: Path | None = BOUNDS,
    vectorized: bool = VECTORIZED,
    maxfev: int = typer.Option(10_000, "--maxfev", min=1, help="Evaluations of each run."),
    popsize: int = typer.Option(100, "--popsize", min=2, help="Population size."),
    runs: int = typer.Option(30, "--runs", min=1, help="Runs of each algorithm on each problem."),
    seed: int = SEED,
    store: Path | None = typer.Option(
        None, "--store", help="SQLite file that keeps all runs; what is in it is not run again."
    ),
    reference: str | None = typer.Option(None, "--reference", help="Label that the others are marked against."),
    holm: bool = typer.Option(False, "--holm", help="Mark by Holm-corrected p-values."),
    median: bool = typer.Option(False, "--median", help="Show medians, and rank by them, instead of means."),
    format_: str = typer.Option("text", "--format", help="text, markdown, latex, csv or json."),
    out: Path | None = typer.Option(None, "--out", help="Folder for the HTML page, plots and tables."),
    ioh_logs: Path | None = typer.Option(None, "--ioh-logs", help="Folder for logs that IOHanalyzer reads."),
    coco_data: Path | None = typer.Option(
        None, "--coco-data", help="Folder for data of the BBOB functions that cocopp reads."
    ),
    plots: str = typer.Option("svg", "--plots", help="Kind of plot files in the folder: svg, pdf or png."),
    workers: int | None = WORKERS,
    engine: str = ENGINE,
    scheduler: str | None = SCHEDULER,
    scheduler_file: str | None = SCHEDULER_FILE,
    timeout: float | None = TIMEOUT,
    on_error: str = ON_ERROR,
    retry_failed: bool = typer.Option(False, "--retry-failed", help="Run again what ended its worker process."),
    json_: bool = JSON,
) -> None:
    """Compare algorithms, with statistics.

    With --store, repeat it with more runs and only the new ones are made.

    Example: autov compare --algorithms ga,de,shade,autov --problems f1..f13 --runs 30 --store results.db
    """
    from autov.cli.bounds import bounds_of
    from autov.core import InputError, write_text
    from autov.engines import named_engine
    from autov.experiments import compare as run_comparison
    from autov.problems import expand_names, with_instances
    from autov.reports import (
        comparison_page,
        convergence_plot,
        ecdf_plot,
        profile_plot,
        rank_plot,
        render,
        save_plot,
        win_plot,
        write_coco_data,
        write_ioh_logs,
    )
    from autov.reports.tables import as_dict
    from autov.runs.evaluation import FaultPolicy, names_point

    if format_ not in FORMATS:
        raise InputError(f"--format: one of {', '.join(FORMATS)}, got {format_!r}")
    if plots not in ("svg", "pdf", "png"):
        raise InputError(f"--plots: one of svg, pdf, png, got {plots!r}")
    names = [part.strip() for part in algorithms.split(",") if part.strip()]
    given = bounds_of(lower, upper, bounds, dim) | ({"vectorized": True} if vectorized else {})
    wanted = _bounded(with_instances(expand_names([one for one in problems.split(",") if one.strip()]), instances),
                      dim, {name: value for name, value in given.items() if value is not None})  # fmt: skip
    check_places(folder=out)
    with (
        quiet_functions(json_ or format_ == "json"),
        named_engine(engine, workers, scheduler, scheduler_file) as spread,
    ):
        what = f"comparing {len(names)} algorithms on {len(wanted)} problem{'s' if len(wanted) > 1 else ''}"
        result = with_progress(
            what,
            lambda report: run_comparison(
                names, wanted, dim=dim, maxfev=maxfev, popsize=popsize, runs=runs, rng=seed, store=store,
                workers=spread, reference=reference, progress=report, faults=FaultPolicy(timeout, on_error),
                retry_failed=retry_failed,
            ),
            kept="" if store is None else str(store),
        )  # fmt: skip
    show = "median" if median else "mean"
    table = result.table(show, correct=holm)
    files: dict[str, Callable[[Path], object]] = {
        "report.html": lambda path: write_text(path, comparison_page(result, table=table, show=show)),
        f"convergence.{plots}": lambda path: save_plot(convergence_plot(result), path),
        "table.md": lambda path: write_text(path, render(table, "markdown")),
        "table.tex": lambda path: write_text(path, render(table, "latex")),
        "table.csv": lambda path: write_text(path, render(table, "csv")),
    }
    if len(result.algorithms) > 1 and result.scores().ranked:
        files[f"ranks.{plots}"] = lambda path: save_plot(rank_plot(result, show=show), path)
        files[f"wins.{plots}"] = lambda path: save_plot(win_plot(result), path)
    found = result.targets()
    if found.problems:
        measures = result.measures()
        files["measures.md"] = lambda path: write_text(path, render(measures, "markdown"))
        files["measures.csv"] = lambda path: write_text(path, render(measures, "csv"))
    if found.problems and found.timed:
        times = result.ert()
        files["ert.md"] = lambda path: write_text(path, render(times, "markdown"))
        files["ert.csv"] = lambda path: write_text(path, render(times, "csv"))
        files[f"ecdf.{plots}"] = lambda path: save_plot(ecdf_plot(result), path)
        files[f"ecdf-groups.{plots}"] = lambda path: save_plot(ecdf_plot(result, by_group=True), path)
        if found.profile()[0].size:
            files[f"profile.{plots}"] = lambda path: save_plot(profile_plot(result), path)
    if json_ or format_ == "json":
        print_json(as_dict(table) | ({"measures": as_dict(result.measures())} if found.problems else {}))
    else:
        show_table(table, format_)
        if found.problems and format_ != "csv":  # a file of CSV is one table
            show_table(result.measures(), format_)
    write_files(out, files)
    if store is None:
        log(NOT_STORED)
    for folder, write in ((ioh_logs, write_ioh_logs), (coco_data, write_coco_data)):
        if folder is not None:
            sys.stderr.write(f"autov: wrote {', '.join(map(str, write(result, folder)))}\n")
    for failure in result.failures:
        sys.stderr.write(f"autov: {failure.label} on {failure.problem}, run {failure.run} failed: {failure.error}\n")
    deadly = [failure.error for failure in result.failures if failure.error.startswith("WorkerError:")]
    if deadly and store is not None:
        how = "--retry-failed or --on-error worst" if all(map(names_point, deadly)) else "--retry-failed"
        sys.stderr.write(f"autov: what ended its worker process is run again with {how} only\n")
    if result.failures:
        raise typer.Exit(1)


def _bounded(names: list[str], dim: int | None, given: dict[str, Any]) -> dict[str, Any]:
    """Label -> name, or the problem of a function with the bounds that are given for it."""
    from autov.core import InputError
    from autov.problems import resolve_problem

    if given and not any(":" in name for name in names):
        raise InputError("--lower, --upper, --bounds, --vectorized: only for functions of yours, file.py:function")
    return {name: resolve_problem(name, dim=dim, **given) if given and ":" in name else name for name in names}
