"""``autov compare`` and ``autov reproduce``."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from autov.cli.output import JSON, SEED, WORKERS, console, print_json, progress_bar

FORMATS = ("text", "markdown", "latex", "csv", "json")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(compare)
    app.command()(reproduce)


def _with_progress(title: str, call: Callable[[Callable[[int, int, float | None], None]], Any]) -> Any:
    """Call with a progress callback that feeds a bar."""
    with progress_bar() as bar:
        task = bar.add_task(title, total=None)
        return call(lambda done, total, _left: bar.update(task, completed=done, total=total))


def _write(folder: Path | None, files: dict[str, Callable[[Path], object]]) -> None:
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in files.items():
        write(folder / name)
    sys.stderr.write(f"autov: wrote {', '.join(str(folder / name) for name in files)}\n")


def compare(
    algorithms: str = typer.Option(
        ..., "--algorithms", help="Comma-separated: ga,shade,autov,mine=autov:op.json,cma:default"
    ),
    problems: str = typer.Option(..., "--problems", help="Comma-separated names and ranges: paper-f1..paper-f13"),
    dim: int | None = typer.Option(None, "--dim", min=1, help="Number of variables (30 for the classic problems)."),
    maxfev: int = typer.Option(10_000, "--maxfev", min=1, help="Evaluations of each run."),
    popsize: int = typer.Option(100, "--popsize", min=2, help="Population size."),
    runs: int = typer.Option(30, "--runs", min=1, help="Runs of each algorithm on each problem."),
    seed: int = SEED,
    store: Path = typer.Option(Path("results.db"), "--store", help="SQLite file; what is in it is not run again."),
    reference: str | None = typer.Option(None, "--reference", help="Label that the others are marked against."),
    holm: bool = typer.Option(False, "--holm", help="Mark by Holm-corrected p-values."),
    median: bool = typer.Option(False, "--median", help="Show medians instead of means."),
    format_: str = typer.Option("text", "--format", help="text, markdown, latex, csv or json."),
    out: Path | None = typer.Option(None, "--out", help="Folder for the HTML page, plots and tables."),
    workers: int | None = WORKERS,
    json_: bool = JSON,
) -> None:
    """Compare algorithms on problems, with statistics; repeat it with more runs and only the new ones run.

    Example: autov compare --algorithms ga,de,shade,autov --problems f1..f13 --runs 30 --store results.db
    """
    from autov.adapters import register as register_peers
    from autov.core import InputError
    from autov.experiments import compare as run_comparison
    from autov.reports import comparison_page, convergence_plot, rank_plot, render, save_plot

    if format_ not in FORMATS:
        raise InputError(f"--format: one of {', '.join(FORMATS)}, got {format_!r}")
    register_peers()
    names = [part.strip() for part in algorithms.split(",") if part.strip()]
    wanted = [part.strip() for part in problems.split(",") if part.strip()]
    result = _with_progress(
        "comparing",
        lambda report: run_comparison(
            names, wanted, dim=dim, maxfev=maxfev, popsize=popsize, runs=runs, rng=seed, store=store, workers=workers,
            reference=reference, progress=report,
        ),
    )  # fmt: skip
    table = result.table("median" if median else "mean", correct=holm)
    files: dict[str, Callable[[Path], object]] = {
        "report.html": lambda path: path.write_text(comparison_page(result, table=table), encoding="utf-8"),
        "convergence.svg": lambda path: save_plot(convergence_plot(result), path),
        "table.md": lambda path: path.write_text(render(table, "markdown"), encoding="utf-8"),
        "table.tex": lambda path: path.write_text(render(table, "latex"), encoding="utf-8"),
        "table.csv": lambda path: path.write_text(render(table, "csv"), encoding="utf-8"),
    }
    if len(result.algorithms) > 1 and result.scores().ranked:
        files["ranks.svg"] = lambda path: save_plot(rank_plot(result), path)
    typer.echo(render(table, "json" if json_ else format_))
    _write(out, files)
    for failure in result.failures:
        sys.stderr.write(f"autov: {failure.label} on {failure.problem}, run {failure.run} failed: {failure.error}\n")
    if result.failures:
        raise typer.Exit(1)


def reproduce(
    name: str | None = typer.Argument(None, help="A table or figure (see --list), or all."),
    list_: bool = typer.Option(False, "--list", help="Show everything that can be reproduced."),
    runs: str | None = typer.Option(None, "--runs", help="Fewer than the paper's 30: 5, or 5,AutoV=10,SHADE=10."),
    seed: int = SEED,
    store: Path = typer.Option(Path("results.db"), "--store", help="SQLite file; what is in it is not run again."),
    preset: str = typer.Option("quick", "--preset", help="Of the searches behind table-5, table-6 and fig-5."),
    designs: Path = typer.Option(Path("runs/designs"), "--designs", help="Folder of the operators designed for them."),
    format_: str = typer.Option("text", "--format", help="text, markdown, latex, csv or json."),
    out: Path | None = typer.Option(None, "--out", help="Folder for pages and plots; for all: runs/paper."),
    save: Path | None = typer.Option(None, "--save", help="Also write all best values to this JSON file."),
    load: Path | None = typer.Option(None, "--load", help="Show results saved before instead of running."),
    docs: Path | None = typer.Option(None, "--docs", help="Write the page of all tables saved in this folder."),
    workers: int | None = WORKERS,
    json_: bool = JSON,
) -> None:
    """Reproduce a table or figure of the paper, or all: its value beside ours, its sign and ours.

    Example: autov reproduce table-7 --runs 30 --store results.db
    """
    from autov.core import InputError
    from autov.designer.presets import preset as check_preset
    from autov.experiments import EXPERIMENTS
    from autov.experiments.behaviour import FIGURES
    from autov.reports.reproduced import reproduced_page

    if docs is not None:
        typer.echo(reproduced_page(docs), nl=False)
        return
    titles = {key: entry.title for key, entry in EXPERIMENTS.items()} | {key: fig.title for key, fig in FIGURES.items()}
    if list_ or name is None:
        if json_:
            print_json(titles)
            return
        for key, title in titles.items():
            typer.echo(f"{key:16} {title}")
        return
    if format_ not in FORMATS:
        raise InputError(f"--format: one of {', '.join(FORMATS)}, got {format_!r}")
    check_preset(preset)
    if name not in (*titles, "all"):
        raise InputError(f"reproduce: unknown {name!r}; one of {', '.join(titles)}, all")
    if name == "all" and (save or load):
        raise InputError("--save, --load: for one table; all writes its values into the folder of --out")
    folder = (out or Path("runs/paper")) if name == "all" else out
    if name in FIGURES and (runs or save or load):
        raise InputError(f"--runs, --save, --load: not for {name}, which is one run of each algorithm")
    for each in titles if name == "all" else (name,):
        if each in FIGURES:
            _figure(each, seed, folder, json_)
            continue
        keep = folder / f"{each}.json" if name == "all" and folder else save
        _table(each, runs, seed, store, preset, designs, "json" if json_ else format_, folder, keep, load, workers)
    if name == "all" and folder:
        _write(folder, {"reproduce.md": lambda path: path.write_text(reproduced_page(folder), encoding="utf-8")})


def _table(
    name: str, runs: str | None, seed: int, store: Path, preset: str, designs: Path, form: str, out: Path | None,
    save: Path | None, load: Path | None, workers: int | None,
) -> None:  # fmt: skip
    from autov.experiments import reproduce as run_reproduction
    from autov.experiments.compact import read_compact, write_compact
    from autov.experiments.designed import design_operators
    from autov.experiments.paper import pair, printed
    from autov.reports import convergence_plot, render, reproduction_page, save_plot
    from autov.reports.plots import parameter_plot

    if load is not None:
        result = pair(name, read_compact(load))
    else:
        counts = _runs(name, runs)
        if wanted := printed(name).designs:  # here, so that the display of the searches and the bar do not meet
            design_operators(wanted, designs, preset=preset, seed=seed, workers=workers, announce=_announce)
        result = _with_progress(
            name,
            lambda report: run_reproduction(
                name, runs=counts, workers=workers, store=store, seed=seed, progress=report, preset=preset,
                designs=designs,
            ),
        )  # fmt: skip
    if save is not None:
        write_compact(result.comparison, save)
    plot = parameter_plot if name == "fig-5" else convergence_plot
    files: dict[str, Callable[[Path], object]] = {
        f"{name}.html": lambda path: path.write_text(reproduction_page(result), encoding="utf-8"),
        f"{name}.md": lambda path: path.write_text(render(result.table(), "markdown"), encoding="utf-8"),
    }
    if result.comparison.has_curves or name == "fig-5":
        files[f"{name}.svg"] = lambda path: save_plot(plot(result.comparison), path)
    typer.echo(render(result.table(), form))
    _write(out, files)


def _announce(search: str) -> None:
    sys.stderr.write(f"autov: designing {search}\n")


def _runs(name: str, text: str | None) -> int | dict[str, int] | None:
    """What ``--runs`` says: nothing, a number, or a number and exceptions."""
    from autov.core import InputError
    from autov.experiments.paper import printed

    if text is None:
        return None
    match = re.fullmatch(r"(\d+)((?:,[^,=]+=\d+)*)", text.replace(" ", ""))
    if match is None:
        raise InputError(f"--runs: expected a number such as 5, or 5,AutoV=10, got {text!r}")
    if not match[2]:
        return int(match[1])
    others = dict(pair.split("=") for pair in match[2][1:].split(","))
    return dict.fromkeys(printed(name).columns, int(match[1])) | {key: int(value) for key, value in others.items()}


def _figure(name: str, seed: int, out: Path | None, json_: bool) -> None:
    from autov.experiments.behaviour import behaviour
    from autov.reports.behaviour import behaviour_plot
    from autov.reports.plots import save_plot

    found = behaviour(name, seed)
    folder = out or Path()
    folder.mkdir(parents=True, exist_ok=True)
    for ending in ("svg", "png"):
        save_plot(behaviour_plot(found), folder / f"{name}.{ending}")
    if json_:
        print_json(found.to_dict())
        return
    out_ = console()
    for line in found.lines():
        out_.print(line)
    out_.print(f"wrote {folder / name}.svg and .png")
