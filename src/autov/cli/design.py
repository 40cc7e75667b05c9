"""``autov design``."""

from __future__ import annotations

import ast
import contextlib
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    console,
    log,
    print_json,
    print_words,
    quiet_functions,
    show_table,
)

if TYPE_CHECKING:
    from autov.designer import SearchProgress

CUT = "best-so-far.json"  # beside the checkpoint of a search that was stopped


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(design)


def design(
    problems: list[str] = typer.Argument(help="Training problem, or several: names or file.py:function."),
    instances: str | None = INSTANCES,
    dim: int | None = typer.Option(None, "--dim", min=1, help="Number of variables (30 for the classic problems)."),
    preset: str = typer.Option("quick", "--preset", help="quick, standard or paper."),
    space: str | None = typer.Option(
        None, "--space", help="What is designed: operator, evolution or portfolio, instead of the preset's."
    ),
    members: str | None = typer.Option(None, "--members", help="Of a portfolio: evolution,ma-es or one of them."),
    fix: list[str] | None = typer.Option(None, "--fix", help="A gene that is not designed, as in popsize=20."),
    searcher: str | None = typer.Option(
        None, "--searcher", help="Who proposes candidates: best-operator, ma-es or random (a baseline)."
    ),
    dims: str | None = typer.Option(None, "--dims", help="Train with several numbers of variables: 10,30."),
    budgets: str | None = typer.Option(None, "--budgets", help="Evaluations of a run: 3000,10000 or 100d,300d."),
    stops: str | None = typer.Option(None, "--stops", help="Judge runs after these parts of them, too: 1,0.3,0.1."),
    cases: int | None = typer.Option(
        None, "--cases", min=1, help="So many of all problems x dims x budgets x stops only."
    ),
    panel: str | None = typer.Option(
        None, "--panel", help="Peers in the final race and the comparison: cma:default,minion:arrde."
    ),
    time: str | None = typer.Option(None, "--time", help="Make the search as large as this allows: 90s, 10m, 2h."),
    evaluations: float | None = typer.Option(
        None, "--evaluations", min=1, help="The same for a number of evaluations, such as 1e6."
    ),
    surrogate: list[str] | None = typer.Option(
        None, "--surrogate", help="A cheap model of it (file.py:function) to train on; judged on the problem itself."
    ),
    form: str | None = typer.Option(None, "--form", help="Of an operator: h1..h5, or x1,x2,best,lower,upper."),
    rows: int | None = typer.Option(None, "--rows", min=1, help="Parameter sets of an operator, the paper's k."),
    draw: str | None = typer.Option(None, "--draw", help="Of an operator: variable or solution."),
    tie_bounds: bool | None = typer.Option(None, "--tie-bounds/--free-bounds", help="One weight for upper - lower."),
    family: str | None = typer.Option(
        None,
        "--family",
        help="Each run on its own instance: some of translate,rotate,scale (translate in quick and standard), or none.",
    ),
    known: bool | None = typer.Option(
        None, "--known/--no-known", help="Known designs in the first population; off in the preset paper."
    ),
    generations: int | None = typer.Option(None, "--generations", min=0, help="Instead of the preset's."),
    population: int | None = typer.Option(None, "--population", min=2, help="Candidates, instead of the preset's."),
    runs: int | None = typer.Option(None, "--runs", min=1, help="Runs that try a candidate, instead of the preset's."),
    trial_popsize: int | None = typer.Option(
        None, "--trial-popsize", min=2, help="Population of the runs that try a candidate."
    ),
    trial_generations: int | None = typer.Option(None, "--trial-generations", min=1, help="Generations of these runs."),
    reevaluate: int | None = typer.Option(
        None, "--reevaluate", min=0, help="Fresh runs for survivors, each generation."
    ),
    final_race: bool | None = typer.Option(None, "--final-race/--no-final-race", help="Race of the best survivors."),
    race_runs: int | None = typer.Option(None, "--race-runs", min=1, help="Runs of each in the first round of it."),
    retest_runs: int | None = typer.Option(None, "--retest-runs", min=2, help="Fresh runs of the result."),
    aggregate: str | None = typer.Option(
        None, "--aggregate", help="For several problems: rank, log-gap, or panel (share of known results better)."
    ),
    lower: str | None = LOWER,
    upper: str | None = UPPER,
    bounds: Path | None = BOUNDS,
    vectorized: bool = VECTORIZED,
    metric: str | None = typer.Option(
        None, "--metric", help="hypervolume: an operator for NSGA-II on problems of pymoo (zdt1, dtlz2, ...)."
    ),
    seed: int = SEED,
    out: Path | None = typer.Option(None, "--out", help="Folder of the results (runs/PROBLEM-SPACE-PRESET-SEED)."),
    workers: int | None = WORKERS,
    engine: str = ENGINE,
    scheduler: str | None = SCHEDULER,
    scheduler_file: str | None = SCHEDULER_FILE,
    timeout: float | None = TIMEOUT,
    on_error: str = ON_ERROR,
    resume: bool = typer.Option(False, "--resume", help="Go on with the search in the folder."),
    json_: bool = JSON,
) -> None:
    """Design an optimiser for your problems.

    Example: autov design rastrigin --preset quick --seed 1 --out runs/first
    """
    from autov.algorithms.text import explain
    from autov.cli.bounds import bounds_of
    from autov.cli.facts import clock
    from autov.cli.search_display import ProgressDisplay
    from autov.core import InputError
    from autov.designer import design as search
    from autov.designer import design_settings
    from autov.designer.cases import few
    from autov.designer.cost import counted
    from autov.engines import named_engine
    from autov.experiments.design_comparison import compare_design
    from autov.problems import expand_names, resolve_problem, with_instances
    from autov.reports.design_files import write_design
    from autov.runs.evaluation import FaultPolicy, sentence

    if metric is not None:
        from autov.cli.design_crossover import design_crossover

        design_crossover(
            problems, metric, population=population, generations=generations, seed=seed, workers=workers, out=out,
            resume=resume, json_=json_,
            given={"form": form, "rows": rows, "tie_bounds": tie_bounds, "popsize": trial_popsize, "n_var": dim,
                   "generations": trial_generations, "runs": runs},
        )  # fmt: skip
        return
    problems = [one for name in problems for one in ([name] if ":" in name else expand_names(name))]
    problems = with_instances(problems, instances)
    box = {**bounds_of(lower, upper, bounds, dim), "vectorized": vectorized}
    trial = {"runs": runs, "popsize": trial_popsize, "generations": trial_generations}
    overrides = {
        "space": space, "members": members, "fix": _pairs(fix), "searcher": searcher, "form": form, "rows": rows,
        "draw": draw, "tie_bounds": tie_bounds, "dims": _numbers("dims", dims), "budgets": _numbers("budgets", budgets),
        "stops": stops, "cases": cases,
        "panel": panel, "population": population, "generations": generations, "known": known,
        "trial": {key: value for key, value in trial.items() if value is not None} or None,
        "family": None if family is None else () if family == "none" else tuple(family.replace("-", ",").split(",")),
        "aggregate": aggregate, "reevaluate": reevaluate, "final_race": final_race, "race_runs": race_runs,
        "retest_runs": retest_runs,
    }  # fmt: skip
    settings = design_settings(preset, **overrides)
    if settings.dims and any(value is not None for value in (lower, upper, bounds)):
        raise InputError("dims: for problems that leave their number of variables open, not with bounds")
    named: list = problems if settings.dims else [resolve_problem(name, dim=dim, **box) for name in problems]
    twins = [resolve_problem(name, dim=dim, **box) for name in surrogate] if surrogate else None
    folder = out or Path("runs") / f"{_name(problems)}-{settings.space}-{preset}-{seed}"
    again = shlex.join(["autov", *sys.argv[1:]])
    what = f"designing ({settings.space}) for {few(problems)}"
    display = None if json_ else ProgressDisplay(title=what, hint=f"Ctrl-C writes it to {CUT}, --resume goes on")
    last: list[SearchProgress] = []

    def progress(now: SearchProgress) -> None:
        last[:] = [now]
        if display is not None:
            display(now)

    try:
        with (
            quiet_functions(json_),
            named_engine(engine, workers, scheduler, scheduler_file) as spread,
            display or contextlib.nullcontext(),
        ):
            found = search(
                named, preset=preset, rng=seed, workers=spread, checkpoint=folder / "search.npz", resume=resume,
                progress=progress, time=time, evaluations=evaluations, surrogate=twins, log=None if json_ else log,
                faults=FaultPolicy(timeout, on_error),
                **{name: value for name, value in overrides.items() if value is not None},
            )  # fmt: skip
            compared = compare_design(found, spread, safe=timeout is None and on_error == "raise")
    except KeyboardInterrupt:
        if last:
            _write_best(last[0], folder, few(problems))
        hint = again if resume else f"{again} --resume"
        sys.stderr.write(f"autov: interrupted; go on with: {hint}\n")
        raise SystemExit(130) from None
    paths = write_design(found, folder, compared, again.replace(" --resume", ""))
    names = found.settings["problems"]
    means = {
        problem: {
            "designed": float(found.retested[p].mean()),
            **{k: float(v[p].mean()) for k, v in found.beside.items()},
        }
        for p, problem in enumerate(names)
    }
    if json_:
        print_json({
            "problems": names, "space": found.settings["space"], "known": found.known, "fitness": found.fitness,
            "retested_means": found.retested_means, "retested_values": found.retested,
            "evaluations": found.evaluations, "spent": found.spent, "seconds": found.seconds, "comparison": means,
            "moved_values": found.moved, "settings": found.settings, "failed": found.failed,
            "first_failure": found.first_failure,
            "files": {key: str(path) for key, path in paths.items()},
        })  # fmt: skip
        return
    from autov.reports.design_page import comparison_table, in_short, summary_table

    out_ = console()
    print_words(explain(found.algorithm))
    made = ", ".join(f"{what} {counted(count)}" for what, count in found.spent.items())
    print_words(f"\n{counted(found.evaluations)} evaluations ({made}) in {clock(found.seconds)}.")
    if found.failed:
        print_words(sentence(found.failed, found.first_failure))
    out_.print()
    if len(names) > SHOWN and found.beside:  # the page has a table for each
        show_table(summary_table(found))
    else:
        for p in range(len(names)):
            show_table(comparison_table(found, p))
    out_.print()
    for text in in_short(found, compared):
        print_words(text)
    if found.moved is not None:
        for problem, values in zip(names, found.moved, strict=True):
            print_words(f"With its optimum elsewhere, {problem}: mean best value {values.mean():.5g}.")
    out_.print(f"\nlook at it: autov open {folder}")
    out_.print(f"use it:     autov minimize PROBLEM --algorithm {paths['optimizer.json']}")


SHOWN = 2  # training problems whose tables are printed; of more, a summary


def _write_best(progress: SearchProgress, folder: Path, problems: str) -> None:
    """The best candidate of a search that was stopped, as a file that can be used like any other optimiser."""
    from autov.algorithms.files import save_algorithm

    state, path = progress.state, folder / CUT
    note = f"the best of a search that was stopped after generation {state.generation} of {progress.generations}"
    told = {"problem": problems, "note": f"{note}; neither raced nor re-tested", "fitness": float(state.fitness[0])}
    save_algorithm(progress.genome.decode(state.vectors[0]), path, told)
    sys.stderr.write(f"autov: the best so far, not re-tested, is in {path}\n")


def _name(problems: list[str]) -> str:
    """A folder name for problems."""
    return "-".join(Path(name.split(":")[0]).stem + name.partition(":")[2] for name in problems)


def _numbers(option: str, text: str | None) -> tuple[float | str, ...] | None:
    from autov.core import InputError

    if text is None:
        return None
    try:
        return tuple(part if part.endswith("d") else float(part) for part in map(str.strip, text.split(",")))
    except ValueError:
        raise InputError(f"{option}: expected whole numbers such as 10,30, got {text!r}") from None


def _pairs(given: list[str] | None) -> dict[str, Any] | None:
    """Name -> value of ``name=value``."""
    from autov.core import InputError

    found: dict[str, Any] = {}
    for pair in given or []:
        name, equals, text = pair.partition("=")
        if not equals:
            raise InputError(f"fix: expected gene=value, got {pair!r}")
        try:
            found[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            found[name] = text
    return found or None
