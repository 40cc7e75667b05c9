"""``autov minimize``."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from autov.cli.options import (
    JSON,
    SEED,
    EngineOptions,
    FaultOptions,
    GroupedCommand,
    ProblemOptions,
    algorithm_names,
    problem_names,
    with_options,
)
from autov.cli.output import check_places, console, print_json, quiet_functions
from autov.core import counted

if TYPE_CHECKING:
    from autov.problems import Problem
    from autov.runs.budget import Evaluations
    from autov.runs.experience import Experience
    from autov.runs.many_runs import Repeated


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(cls=GroupedCommand)(with_options(minimize))


def minimize(
    problem: str = typer.Argument(
        autocompletion=problem_names,
        help="A name such as rastrigin, f9+rotate=3 or bbob-f1, or file.py:name of a function or problem.",
    ),
    *,
    where: ProblemOptions,
    run_on: EngineOptions,
    faults: FaultOptions,
    algorithm: str | None = typer.Option(
        None,
        "--algorithm",
        metavar="NAME",
        autocompletion=algorithm_names,
        help="A name such as shade, de+F=0.7 or cma:default, a file optimizer.json, or file.py:name  [default: "
        "general]",
    ),
    maxfev: int | None = typer.Option(
        None, "--maxfev", min=1, help="Evaluations of each run (default: until converged; 10,000 with --runs)."
    ),
    popsize: int | None = typer.Option(None, "--popsize", min=2, help="Population size."),
    runs: int = typer.Option(1, "--runs", min=1, help="Independent runs, with a table of their best values."),
    seed: int = SEED,
    known: Path | None = typer.Option(
        None,
        "--known",
        metavar="FILE",
        help="Earlier evaluations (store, or CSV: variables, then value), which the run does not repeat.",
    ),
    learn_from: list[Path] | None = typer.Option(
        None,
        "--learn-from",
        metavar="FILE",
        help="Store or CSV file of runs on similar problems, to choose the start; may be repeated.",
    ),
    context: str | None = typer.Option(
        None, "--context", metavar="X[,X...]", help="Numbers that describe the problem (for --learn-from)."
    ),
    x0: str | None = typer.Option(None, "--x0", metavar="X[,X...]", help="First point."),
    x0_std: float | None = typer.Option(
        None, "--x0-std", metavar="PART", help="Standard deviation of first steps around --x0, a part of the box."
    ),
    integers: str | None = typer.Option(
        None, "--integers", metavar="all|N[,N...]", help="Integer variables, counted from 1 (your function)."
    ),
    constraints: str | None = typer.Option(
        None, "--constraints", metavar="FILE.PY:NAME", help="SciPy constraint, or list of them (your function)."
    ),
    store: Path | None = typer.Option(
        None, "--store", metavar="FILE", help="SQLite file for every evaluation; the same command resumes from it."
    ),
    out: Path | None = typer.Option(
        None, "--out", metavar="FILE", help="Result file: .json, or .html for a page (one run)."
    ),
    json_: bool = JSON,
) -> None:
    """Minimise a named problem, or your function.

    Write file.py:name for a function or problem in a file.

    Example: autov minimize cost.py:cost --dim 3 --lower 0 --upper 5 --maxfev 300 --store runs.db
    """
    from autov.algorithms import resolve_algorithm
    from autov.cli.bounds import numbers
    from autov.cli.search_display import ProgressDisplay
    from autov.cli.single_run import solve_once
    from autov.core import InputError, to_json, write_text
    from autov.problems import Constrained, resolve_problem, with_instances
    from autov.runs.budget import population_of
    from autov.runs.described import default_algorithm
    from autov.runs.evaluation import sentence
    from autov.runs.many_runs import ManyRuns
    from autov.runs.stopping import NOISY

    policy = faults.policy()
    problem = with_instances([problem], where.instances)[0]
    found = resolve_problem(problem, dim=where.dim, **where.box())
    endings = (".json", ".html", ".htm") if runs == 1 else (".json",)
    if out is not None and out.suffix.lower() not in endings:
        allowed = ".json or .html" if runs == 1 else ".json for several runs"
        raise InputError(f"out: must end in {allowed}, got {str(out)!r}")
    check_places(out)
    found = _with_constraints(found, constraints, integers)
    title = algorithm or default_algorithm(found)
    if runs == 1:
        with run_on.spread(1 if run_on.engine == "auto" else None) as spread:
            solve_once(
                found, maxfev=maxfev, seed=seed, title=title, label=problem, out=out, json_=json_, popsize=popsize,
                workers=spread, faults=policy, store=store, known=known, learn_from=learn_from or None,
                context=numbers("--context", context), x0=_first(x0, found), x0_std=x0_std,
            )  # fmt: skip
        return
    for name, value in (("--store", store), ("--x0", x0), ("--x0-std", x0_std)):
        if value is not None:
            raise InputError(f"{name}: only for one run (--runs 1)")
    maxfev = maxfev or 10_000
    before, experience = _known(known, found), _experience(learn_from, context, found)
    chosen = resolve_algorithm(title)
    size = population_of(popsize, chosen, title, stacklevel=2)
    with (
        quiet_functions(json_),
        run_on.spread() as spread,
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
                _save_cut(cut, found, out)
            raise
    if out is not None:
        write_text(out, to_json(result.to_dict(), indent=2) + "\n")
    if json_:
        print_json(result.to_dict())
        return
    from rich.table import Table

    size = f"{counted(result.dim, 'variable')}, {counted(maxfev, 'evaluation')}, {runs} runs"
    table = Table(title=f"{result.algorithm} on {result.problem}, {size}")
    for name in ("best", "mean", "std", "median", "worst"):
        table.add_column(name, justify="right")
    table.add_row(*(f"{value:.6g}" for value in result.summary().values()))
    shown = console()
    shown.print(table)
    shown.print("\n".join(["best point:", *_best_lines(result, found)]), markup=False)
    if missed := result.values.count(math.inf):
        what = (
            "feasible point"
            if isinstance(found, Constrained) and (found.constraints or found.returned)
            else "finite value"
        )
        shown.print(f"{missed} of {runs} runs found no {what}.")
    if out is not None:
        shown.print(f"wrote {out}")
    if result.failed:
        shown.print(sentence(result.failed, result.first_failure), markup=False)
    if result.noisy:
        shown.print(NOISY.replace("fun", "the best value of a run"), markup=False)
    if result.nans:
        shown.print(f"{counted(result.nans, 'evaluation')} returned NaN and counted as worst.")


def _first(text: str | None, problem: Problem) -> list[Any] | None:
    """A first point, typed."""
    import numpy as np

    from autov.cli.bounds import numbers
    from autov.core import InputError
    from autov.problems import space_of

    if text is not None and (space := space_of(problem)) is not None:
        cells = text.split(",")
        if len(cells) != len(space):
            raise InputError(f"--x0: {len(cells)} values do not fit {len(space)} variables")
        point = space.point(np.ravel(space.table("--x0", [cells])))
        return list(point.values() if isinstance(point, dict) else point)
    point = numbers("--x0", text)
    if point is not None and len(point) != problem.box.dim:
        raise InputError(f"--x0: {len(point)} numbers do not fit {problem.box.dim} variables")
    return point


def _with_constraints(problem: Problem, constraints: str | None, integers: str | None) -> Problem:
    """The problem with what was typed about constraints and integers."""
    from autov.core import InputError
    from autov.core.objects import import_object
    from autov.problems import constrained

    if constraints is None and integers is None:
        return problem
    which = None
    if integers is not None:
        dim = problem.box.dim
        try:
            numbered = list(range(1, dim + 1)) if integers == "all" else [int(part) for part in integers.split(",")]
        except ValueError:
            numbered = [0]
        if not all(1 <= number <= dim for number in numbered):
            raise InputError(f"--integers: must be all, or numbers of 1 to {dim} between commas, got {integers!r}")
        which = [number in numbered for number in range(1, dim + 1)]
    return constrained(problem, None if constraints is None else import_object(constraints), which)


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


def _best_lines(result: Repeated, problem: Problem) -> list[str]:
    """The best point of several runs."""
    import numpy as np

    from autov.cli.single_run import point_lines
    from autov.problems import space_of
    from autov.runs.result import Result

    x = result.best_x if space_of(problem) is not None else np.array(result.best_x)
    return point_lines(Result(x=x), problem)


def _save_cut(result: Repeated, problem: Problem, out: Path | None) -> None:
    """What there was when Ctrl-C came, or when a run failed: the best point, and the file."""
    from autov.core import to_json, write_text

    where = "" if out is None else f"; {out} holds its point"
    if out is not None:
        write_text(out, to_json(result.to_dict() | {"interrupted": True}, indent=2) + "\n")
    best = f"best value so far {min(result.values):.6g}, of {counted(len(result.values), 'run')}"
    sys.stderr.write("\n".join([f"autov: {best}{where}", *_best_lines(result, problem), ""]))
