"""``autov minimize``."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from autov.cli.output import (
    BOUNDS,
    ENGINE,
    INSTANCES,
    JSON,
    LOWER,
    ON_ERROR,
    SCHEDULER,
    SCHEDULER_FILE,
    SEED,
    TIMEOUT,
    UPPER,
    VECTORIZED,
    WORKERS,
    check_places,
    console,
    print_json,
    quiet_functions,
)

if TYPE_CHECKING:
    from autov.problems import Problem
    from autov.runs.budget import Evaluations
    from autov.runs.experience import Experience
    from autov.runs.many_runs import Repeated


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(minimize)


def minimize(
    problem: str = typer.Argument(
        help="f1..f13, a name such as rastrigin, paper-f1.., lsgo-f1.., file.py:function; f9+rotate=3 etc."
    ),
    instances: str | None = INSTANCES,
    dim: int | None = typer.Option(None, "--dim", min=1, help="Number of variables (30 for the classic problems)."),
    algorithm: str | None = typer.Option(
        None,
        "--algorithm",
        help="general, paper-h3, shade, de+F=0.7, cma:default, optimizer.json, file.py:name, evolution:OPERATOR, "
        "...; general by default.",
    ),
    maxfev: int = typer.Option(10_000, "--maxfev", min=1, help="Evaluations of each run."),
    popsize: int | None = typer.Option(None, "--popsize", min=2, help="Population size."),
    runs: int = typer.Option(30, "--runs", min=1, help="Independent runs."),
    seed: int = SEED,
    lower: str | None = LOWER,
    upper: str | None = UPPER,
    bounds: Path | None = BOUNDS,
    vectorized: bool = VECTORIZED,
    workers: int | None = WORKERS,
    engine: str = ENGINE,
    scheduler: str | None = SCHEDULER,
    scheduler_file: str | None = SCHEDULER_FILE,
    timeout: float | None = TIMEOUT,
    on_error: str = ON_ERROR,
    known: Path | None = typer.Option(
        None,
        "--known",
        help="CSV file (variables, then the value) or store of evaluations made before; they are not "
        "made again and do not count.",
    ),
    learn_from: list[Path] | None = typer.Option(
        None,
        "--learn-from",
        help="Store or CSV file of earlier runs on problems of the kind: where to start. May be given several times.",
    ),
    context: str | None = typer.Option(None, "--context", help="Numbers that describe the problem, between commas."),
    out: Path | None = typer.Option(None, "--out", help="JSON file for the best point and all runs."),
    json_: bool = JSON,
) -> None:
    """Minimise a problem in several runs.

    Example: autov minimize rastrigin --dim 30 --runs 30 --seed 1 --out result.json
    """
    from autov.algorithms import resolve_algorithm
    from autov.algorithms.files import DEFAULT
    from autov.cli.bounds import bounds_of
    from autov.cli.search_display import ProgressDisplay
    from autov.core import to_json, write_text
    from autov.engines import named_engine
    from autov.problems import Constrained, resolve_problem, with_instances
    from autov.runs.budget import population_of
    from autov.runs.evaluation import FaultPolicy, sentence
    from autov.runs.many_runs import ManyRuns
    from autov.runs.stopping import NOISY

    policy = FaultPolicy(timeout, on_error)
    chosen, title = resolve_algorithm(algorithm), algorithm or DEFAULT
    problem = with_instances([problem], instances)[0]
    found = resolve_problem(problem, dim=dim, vectorized=vectorized, **bounds_of(lower, upper, bounds, dim))
    check_places(out)
    before, experience = _known(known, found), _experience(learn_from, context, found)
    size = population_of(popsize, chosen, stacklevel=2)
    with (
        quiet_functions(json_),
        named_engine(engine, workers, scheduler, scheduler_file) as spread,
        ProgressDisplay(title=f"{title} on {problem}") as display,
    ):
        work = ManyRuns(
            found, chosen, maxfev=maxfev, popsize=size, runs=runs, seed=seed, workers=spread,
            progress=run_counter(display, runs), policy=policy, title=title, known=before,
            experience=experience,
        )  # fmt: skip
        try:
            result = work.run()
        except (Exception, KeyboardInterrupt):
            if (cut := work.so_far()) is not None:
                _save_cut(cut, out)
            raise
    if out is not None:
        write_text(out, to_json(result.to_dict(), indent=2) + "\n")
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
    shown = console()
    shown.print(table)
    shown.print(f"best x: {short(result.best_x)}")
    if missed := result.values.count(math.inf):
        what = "feasible point" if isinstance(found, Constrained) and found.constraints else "finite value"
        shown.print(f"{missed} of {runs} runs found no {what}.")
    if out is not None:
        shown.print(f"all of it is in {out}")
    if result.failed:
        shown.print(sentence(result.failed, result.first_failure), markup=False)
    if result.noisy:
        shown.print(NOISY.replace("fun", "the best value of a run"), markup=False)
    if result.nans:
        shown.print(f"{result.nans} evaluations returned NaN and counted as worst.")


def _known(path: Path | None, problem: Problem) -> Evaluations | None:
    """Evaluations of a file that all runs begin with."""
    from autov.core import InputError, canonical, digest, identity
    from autov.problems import ProblemFamily
    from autov.runs.known_points import known_points

    if path is None:
        return None
    if isinstance(problem, ProblemFamily):
        raise InputError(f"known: {problem.name} is another problem in every run; give one instance")
    return known_points(path, problem, digest(canonical(identity(problem))))


def _experience(paths: list[Path] | None, context: str | None, problem: Problem) -> Experience | None:
    """What earlier runs teach."""
    from autov.cli.bounds import numbers
    from autov.problems import instance_of
    from autov.runs.experience import learn
    from autov.runs.sources import context_of, sources_of

    told = context_of(numbers("--context", context))
    instance = instance_of(problem, 0)
    return learn(sources_of(paths, instance), instance.box, told if len(told) else None) if paths else None


def run_counter(
    show: Callable[[int, int, float | None, float | None], None], runs: int,
    now: Callable[[], float] = time.perf_counter,
) -> Callable[[float], None]:  # fmt: skip
    """What is called with the best value of each run that has ended, and tells how many, the time left and the best.

    The first run compiles, or measures the function, and is made alone: the time of the others tells how long it will
    take.
    """
    ended: list[float] = []
    best = float("inf")

    def count(value: float) -> None:
        nonlocal best
        ended.append(now())
        best = min(best, value)
        made = len(ended) - 1
        left = (ended[-1] - ended[0]) / made * (runs - len(ended)) if made else None
        show(len(ended), runs, left, best)

    show(0, runs, None, None)
    return count


def _save_cut(result: Repeated, out: Path | None) -> None:
    """What there was when Ctrl-C came, or when a run failed: a line, and the file."""
    from autov.core import to_json, write_text

    where = f"; its point is in {out}" if out is not None else "; --out FILE would have kept its point"
    if out is not None:
        write_text(out, to_json(result.to_dict() | {"interrupted": True}, indent=2) + "\n")
    sys.stderr.write(f"autov: best value so far {min(result.values):.6g}, of {len(result.values)} runs{where}\n")


def short(x: Sequence[float], most: int = 10) -> str:
    """A point with six digits a number, the middle left out where it is long."""
    texts = [f"{value:.6g}" for value in x]
    if len(texts) > most:
        texts = [*texts[: most // 2], f"... ({len(texts)} variables) ...", *texts[-(most // 2) :]]
    return f"[{', '.join(texts)}]"
