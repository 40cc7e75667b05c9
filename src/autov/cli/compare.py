"""``autov compare``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from autov.cli.options import (
    FORMATS,
    JSON,
    SEED,
    EngineOptions,
    FaultOptions,
    GroupedCommand,
    ProblemOptions,
    algorithm_names,
    listed,
    one_of,
    problem_names,
    with_options,
)
from autov.cli.output import (
    check_places,
    hint,
    log,
    not_stored,
    print_json,
    quiet_functions,
    show_table,
    with_progress,
    write_files,
)
from autov.core import counted


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(cls=GroupedCommand)(with_options(compare))


def compare(
    algorithms: str = typer.Option(
        ...,
        "--algorithms",
        metavar="NAME[,NAME...]",
        autocompletion=listed(algorithm_names),
        help="Such as ga,shade,cma:default, or label=optimizer.json.",
    ),
    problems: str = typer.Option(
        ...,
        "--problems",
        metavar="NAME[,NAME...]",
        autocompletion=listed(problem_names),
        help="Names, ranges such as f1..f13, or file.py:function.",
    ),
    *,
    where: ProblemOptions,
    run_on: EngineOptions,
    faults: FaultOptions,
    maxfev: int = typer.Option(10_000, "--maxfev", min=1, help="Evaluations of each run."),
    popsize: int = typer.Option(100, "--popsize", min=2, help="Population size."),
    runs: int = typer.Option(30, "--runs", min=1, help="Runs of each algorithm on each problem."),
    seed: int = SEED,
    store: Path | None = typer.Option(
        None, "--store", metavar="FILE", help="SQLite file for all runs; the same command makes only the missing ones."
    ),
    reference: str | None = typer.Option(
        None,
        "--reference",
        metavar="NAME",
        help="Algorithm that the marks compare with (default: paper-h3 if it takes part, else the last one).",
    ),
    holm: bool = typer.Option(True, "--holm/--no-holm", help="Correct p-values per problem (Holm)."),
    test: str = one_of(
        "auto", "--test", ("auto", "bayes", "paper"), "auto: signed-rank on families, else rank-sum; bayes: Bayesian."
    ),
    median: bool = typer.Option(False, "--median", help="Show and rank medians instead of means."),
    format_: str = one_of("text", "--format", FORMATS, "Format of the printed table."),
    out: Path | None = typer.Option(None, "--out", metavar="FOLDER", help="Folder for report.html, plots and tables."),
    ioh_logs: Path | None = typer.Option(None, "--ioh-logs", metavar="FOLDER", help="Write logs for IOHanalyzer."),
    ioh_points: bool = typer.Option(
        False, "--ioh-points", help="With --ioh-logs: write points, too (repeats every run)."
    ),
    coco_data: Path | None = typer.Option(
        None, "--coco-data", metavar="FOLDER", help="Write data for cocopp (BBOB functions)."
    ),
    plots: str = one_of("svg", "--plots", ("svg", "pdf", "png"), "Format of the plot files."),
    retry_failed: bool = typer.Option(False, "--retry-failed", help="Repeat runs that killed their worker process."),
    json_: bool = JSON,
) -> None:
    """Compare algorithms, with statistics.

    Only --store keeps the runs. The same command with more --runs makes only the new ones.

    Example: autov compare --algorithms ga,de,shade,general --problems f1..f13 --runs 30 --store results.db
    """
    from autov.core import InputError, write_text
    from autov.experiments import best_points
    from autov.experiments import compare as run_comparison
    from autov.experiments.comparison import TESTS
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
    from autov.runs.evaluation import names_point

    if format_ not in FORMATS:
        raise InputError(f"--format: one of {', '.join(FORMATS)}, got {format_!r}")
    if test not in TESTS:
        raise InputError(f"--test: one of {', '.join(TESTS)}, got {test!r}")
    if ioh_points and ioh_logs is None:
        raise InputError("--ioh-points: only with --ioh-logs")
    if plots not in ("svg", "pdf", "png"):
        raise InputError(f"--plots: one of svg, pdf, png, got {plots!r}")
    names = [part.strip() for part in algorithms.split(",") if part.strip()]
    given, dim = (
        {name: value for name, value in where.box().items() if value is not None and value is not False},
        where.dim,
    )
    typed = expand_names([one for one in problems.split(",") if one.strip()])
    wanted = _bounded(with_instances(typed, where.instances), dim, given)
    check_places(folder=out)
    with (
        quiet_functions(json_ or format_ == "json"),
        run_on.spread() as spread,
    ):
        what = f"comparing {counted(len(names), 'algorithm')} on {counted(len(wanted), 'problem')}"
        result = with_progress(
            what,
            lambda report: run_comparison(
                names, wanted, dim=dim, maxfev=maxfev, popsize=popsize, runs=runs, rng=seed, store=store,
                workers=spread, reference=reference, progress=report, faults=faults.policy(),
                retry_failed=retry_failed,
            ),
            kept="" if store is None else str(store), page=None if out is None else out / "report.html",
        )  # fmt: skip
    show = "median" if median else "mean"
    table = result.table(show, correct=holm, test=test)
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
        not_stored()
    else:
        log(f"autov: all runs are in {store}")
    if ioh_logs is not None:
        points = best_points(result, run_on.workers or 1, faults.policy()) if ioh_points else None
        sys.stderr.write(f"autov: wrote {', '.join(map(str, write_ioh_logs(result, ioh_logs, points)))}\n")
    if coco_data is not None:
        sys.stderr.write(f"autov: wrote {', '.join(map(str, write_coco_data(result, coco_data)))}\n")
    for failure in result.failures:
        sys.stderr.write(f"autov: {failure.label} on {failure.problem}, run {failure.run} failed: {failure.error}\n")
    deadly = [failure.error for failure in result.failures if failure.error.startswith("WorkerError:")]
    if deadly and store is not None:
        how = "--retry-failed or --on-error worst" if all(map(names_point, deadly)) else "--retry-failed"
        hint(f"runs that killed their worker process are repeated only with {how}")
    if result.failures:
        raise typer.Exit(1)


def _bounded(names: list[str], dim: int | None, given: dict[str, Any]) -> dict[str, Any]:
    """Label -> name, or the problem of a function with the bounds that are given for it."""
    from autov.core import InputError
    from autov.problems import resolve_problem

    if given and not any(":" in name for name in names):
        raise InputError("--lower, --upper, --bounds, --variables, --vectorized: only for file.py:function")
    return {name: resolve_problem(name, dim=dim, **given) if given and ":" in name else name for name in names}
