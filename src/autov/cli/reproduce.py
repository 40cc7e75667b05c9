"""``autov reproduce``."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from autov.cli.options import FORMATS, JSON, SEED, EngineOptions, GroupedCommand, one_of, with_options
from autov.cli.output import (
    check_places,
    console,
    print_json,
    show_table,
    with_progress,
    write_files,
)

NUMBER = re.compile(r"\d")  # in the name of a table: another number is no slip


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(cls=GroupedCommand)(with_options(reproduce))


def reproduce(
    name: str | None = typer.Argument(None, help="A table or figure (see --list), or all."),
    *,
    run_on: EngineOptions,
    list_: bool = typer.Option(False, "--list", help="List all tables and figures."),
    runs: str | None = typer.Option(
        None, "--runs", metavar="N[,NAME=N...]", help="Fewer than the paper's 30: 5, or 5,AutoV=10,SHADE=10."
    ),
    seed: int = SEED,
    store: Path = typer.Option(
        Path("results.db"),
        "--store",
        metavar="FILE",
        help="SQLite file for all runs; the same command makes only the missing ones.",
    ),
    preset: str = one_of(
        "quick", "--preset", ("quick", "standard", "paper"), "Size of the searches behind table-5, table-6 and fig-5."
    ),
    designs: Path = typer.Option(
        Path("runs/designs"), "--designs", metavar="FOLDER", help="Folder of the operators designed for them."
    ),
    format_: str = one_of("text", "--format", FORMATS, "Format of the printed table."),
    out: Path | None = typer.Option(
        None, "--out", metavar="FOLDER", help="Folder for pages and plots; for all: runs/paper."
    ),
    save: Path | None = typer.Option(
        None, "--save", metavar="FILE", help="Also write all best values to this JSON file."
    ),
    load: Path | None = typer.Option(
        None, "--load", metavar="FILE", help="Show results saved before instead of running."
    ),
    docs: Path | None = typer.Option(
        None, "--docs", metavar="FOLDER", help="Write the page of all tables saved in this folder."
    ),
    json_: bool = JSON,
) -> None:
    """Reproduce tables and figures of the paper.

    Shows the values and signs of the paper and of our runs.

    Example: autov reproduce table-7 --runs 30 --store results.db
    """
    from autov.core import InputError, unknown_name, write_text
    from autov.designer import design_settings
    from autov.paper import BEHAVIOUR_FIGURES, PAPER_TABLES

    if docs is not None:
        typer.echo(_page(docs), nl=False)
        return
    titles = {key: shown.title for key, shown in (*PAPER_TABLES.items(), *BEHAVIOUR_FIGURES.items())}
    if list_ or name is None:
        if json_:
            print_json(titles)
            return
        for key, title in titles.items():
            typer.echo(f"{key:16} {title}")
        return
    if format_ not in FORMATS:
        raise InputError(f"--format: one of {', '.join(FORMATS)}, got {format_!r}")
    design_settings(preset)
    if name not in (*titles, "all"):
        numbered = [each for each in (*titles, "all") if set(NUMBER.findall(each)) == set(NUMBER.findall(name))]
        raise unknown_name("reproduce", name, numbered, "autov reproduce --list shows all")
    if name == "all" and (save or load):
        raise InputError("--save, --load: for one table; all writes its values into the folder of --out")
    folder = (out or Path("runs/paper")) if name == "all" else out
    if name in BEHAVIOUR_FIGURES and (runs or save or load):
        raise InputError(f"--runs, --save, --load: not for {name}, which is one run of each algorithm")
    check_places(save, folder)
    with run_on.spread() as spread:
        for each in titles if name == "all" else (name,):
            if each in BEHAVIOUR_FIGURES:
                _figure(each, seed, folder, json_)
                continue
            keep = folder / f"{each}.json" if name == "all" and folder else save
            _table(each, runs, seed, store, preset, designs, "json" if json_ else format_, folder, keep, load, spread)
    if name == "all" and folder:
        write_files(folder, {"reproduce.md": lambda path: write_text(path, _page(folder))})


def _table(
    name: str, runs: str | None, seed: int, store: Path, preset: str, designs: Path, form: str, out: Path | None,
    save: Path | None, load: Path | None, workers: Any,
) -> None:  # fmt: skip
    from autov.core import write_text
    from autov.experiments.compact import read_compact, write_compact
    from autov.paper import design_operators, pair, paper_table
    from autov.paper import reproduce as run_reproduction
    from autov.paper.page import reproduction_page
    from autov.reports import convergence_plot, render, save_plot
    from autov.reports.plots import parameter_plot

    if load is not None:
        result = pair(name, read_compact(load))
    else:
        counts = _runs(name, runs)
        if wanted := paper_table(name).designs:  # here, so that the display of the searches and the bar do not meet
            design_operators(wanted, designs, preset=preset, seed=seed, workers=workers, announce=_announce)
        result = with_progress(
            f"{name}: {paper_table(name).title}",
            lambda report: run_reproduction(
                name, runs=counts, workers=workers, store=store, rng=seed, progress=report, preset=preset,
                designs=designs,
            ),
            kept=str(store),
        )  # fmt: skip
    if save is not None:
        write_compact(result.comparison, save)
    plot = parameter_plot if name == "fig-5" else convergence_plot
    files: dict[str, Callable[[Path], object]] = {
        f"{name}.html": lambda path: write_text(path, reproduction_page(result)),
        f"{name}.md": lambda path: write_text(path, render(result.table(), "markdown")),
    }
    if result.comparison.has_curves or name == "fig-5":
        files[f"{name}.svg"] = lambda path: save_plot(plot(result.comparison), path)
    show_table(result.table(), form)
    write_files(out, files)


def _page(folder: Path) -> str:
    from autov.paper.page import tables_page  # waits for Matplotlib

    return tables_page(folder)


def _announce(search: str) -> None:
    sys.stderr.write(f"autov: designing {search}\n")


def _runs(name: str, text: str | None) -> int | dict[str, int] | None:
    """What ``--runs`` says: nothing, a number, or a number and exceptions."""
    from autov.core import InputError
    from autov.paper import paper_table

    if text is None:
        return None
    match = re.fullmatch(r"(\d+)((?:,[^,=]+=\d+)*)", text.replace(" ", ""))
    if match is None:
        raise InputError(f"--runs: expected a number such as 5, or 5,AutoV=10, got {text!r}")
    if not match[2]:
        return int(match[1])
    others = dict(pair.split("=") for pair in match[2][1:].split(","))
    return dict.fromkeys(paper_table(name).columns, int(match[1])) | {key: int(value) for key, value in others.items()}


def _figure(name: str, seed: int, out: Path | None, json_: bool) -> None:
    from autov.paper import search_behaviour
    from autov.paper.contours import behaviour_plot
    from autov.reports import save_plot

    found = search_behaviour(name, seed)
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
