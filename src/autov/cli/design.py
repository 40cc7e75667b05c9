"""``autov design``."""

from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path

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
    quiet_functions,
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(design)


def design(
    problems: list[str] = typer.Argument(help="Training problem, or several: names or file.py:function."),
    dim: int | None = typer.Option(None, "--dim", min=1, help="Number of variables (30 for the classic problems)."),
    form: str = typer.Option("h3", "--form", help="h1..h5, or inputs such as x1,x2,best,lower,upper."),
    rows: int = typer.Option(10, "--rows", min=1, help="Parameter sets, the paper's k."),
    draw: str = typer.Option("variable", "--draw", help="variable or solution."),
    tie_bounds: bool | None = typer.Option(None, "--tie-bounds/--free-bounds", help="One weight for upper - lower."),
    preset: str = typer.Option("quick", "--preset", help="quick, standard or paper."),
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
        None, "--trial-popsize", "--inner-popsize", min=2, help="Population of the runs that try a candidate."
    ),
    trial_generations: int | None = typer.Option(
        None, "--trial-generations", "--inner-generations", min=1, help="Generations of these runs."
    ),
    reevaluate: int | None = typer.Option(
        None, "--reevaluate", min=0, help="Fresh runs for survivors, each generation."
    ),
    final_race: bool | None = typer.Option(None, "--final-race/--no-final-race", help="Race of the best survivors."),
    race_runs: int | None = typer.Option(None, "--race-runs", min=1, help="Runs of each in the first round of it."),
    retest_runs: int | None = typer.Option(None, "--retest-runs", min=2, help="Fresh runs of the result."),
    early_stop: bool | None = typer.Option(None, "--early-stop/--no-early-stop", help="Lossless shortcut."),
    aggregate: str = typer.Option("rank", "--aggregate", help="For several problems: rank or log-gap."),
    lower: float | None = typer.Option(None, "--lower", help="Lower bound of every variable (your function)."),
    upper: float | None = typer.Option(None, "--upper", help="Upper bound of every variable (your function)."),
    vectorized: bool = typer.Option(False, "--vectorized", help="Your function takes batches (n, d)."),
    seed: int = SEED,
    out: Path | None = typer.Option(None, "--out", help="Folder of the results (runs/PROBLEM-FORM-PRESET-SEED)."),
    workers: int | None = WORKERS,
    engine: str = ENGINE,
    scheduler: str | None = SCHEDULER,
    scheduler_file: str | None = SCHEDULER_FILE,
    timeout: float | None = TIMEOUT,
    on_error: str = ON_ERROR,
    resume: bool = typer.Option(False, "--resume", help="Go on with the search in the folder."),
    json_: bool = JSON,
) -> None:
    """Design an operator for a problem, or for several.

    Example: autov design rastrigin --preset quick --seed 1 --out runs/first
    """
    from autov.algorithms.faults import sentence
    from autov.cli.search_display import ProgressDisplay, clock
    from autov.designer import design as search
    from autov.designer.known import beside_known
    from autov.engines import named_engine
    from autov.problems import instance_of, resolve_problem, takes_points
    from autov.reports.design import write_design

    bounds = {"lower": lower, "upper": upper, "vectorized": vectorized}
    training = [resolve_problem(name, dim=dim, **bounds) for name in problems]
    kinds = None if family is None else () if family == "none" else tuple(family.replace("-", ",").split(","))
    name = "-".join(problem.name for problem in training)
    folder = out or Path("runs") / f"{name}-{form.replace(',', '-')}-{preset}-{seed}"
    trial = {"runs": runs, "popsize": trial_popsize, "generations": trial_generations}
    again = shlex.join(["autov", *sys.argv[1:]])
    display = None if json_ else ProgressDisplay()
    try:
        with (
            quiet_functions(json_),
            named_engine(engine, workers, scheduler, scheduler_file) as spread,
            display or contextlib.nullcontext(),
        ):
            found = search(
                training, form=form, rows=rows, draw=draw, tie_bounds=tie_bounds, population=population,
                generations=generations, trial={key: value for key, value in trial.items() if value is not None},
                preset=preset, family=kinds, known=known, rng=seed, workers=spread, checkpoint=folder / "search.npz",
                resume=resume, progress=display, aggregate=aggregate, reevaluate=reevaluate, final_race=final_race,
                race_runs=race_runs, retest_runs=retest_runs, early_stop=early_stop, timeout=timeout, on_error=on_error,
            )  # fmt: skip
            fast = [problem for problem in found.problems if not takes_points(instance_of(problem, 0))]
            beside = {problem.name: beside_known(found, problem, spread) for problem in fast}
    except KeyboardInterrupt:
        hint = again if resume else f"{again} --resume"
        sys.stderr.write(f"autov: interrupted; go on with: {hint}\n")
        raise SystemExit(130) from None
    paths = write_design(found, folder, beside, again.replace(" --resume", ""))
    means = {p: {label: float(v.mean()) for label, v in values.items()} for p, values in beside.items()}
    summary = {
        "problems": found.settings["problems"], "fitness": found.fitness, "retested_means": found.retested_means,
        "retested_values": found.retested, "evaluations": found.evaluations, "spent": found.spent,
        "seconds": found.seconds, "comparison": means, "moved_values": found.moved, "settings": found.settings,
        "failed": found.failed, "files": {key: str(path) for key, path in paths.items()},
    }  # fmt: skip
    if json_:
        print_json(summary)
        return
    out_ = console()
    out_.print(str(found.operator), markup=False)
    made = ", ".join(f"{what} {count:.3g}" for what, count in found.spent.items())
    out_.print(f"\n{found.evaluations:.3g} evaluations ({made}) in {clock(found.seconds)}.")
    what = "mean rank among the last candidates" if len(training) > 1 and aggregate == "rank" else "fitness"
    out_.print(f"{what} in the search: {found.fitness:.5g}")
    for problem, mean in found.retested_means.items():
        out_.print(f"re-tested on {problem}, {found.retested.shape[1]} fresh seeds: mean best value {mean:.5g}")
    if found.moved is not None:
        for problem, values in zip(found.settings["problems"], found.moved, strict=True):
            out_.print(f"re-tested on {problem} with its optimum elsewhere: mean best value {values.mean():.5g}")
    if found.failed:
        out_.print(sentence(found.failed), markup=False)
    for problem, values in means.items():
        parts = ", ".join(f"{label} {mean:.5g}" for label, mean in values.items())
        out_.print(f"beside known designs on {problem}, 30 runs each, mean best value: {parts}")
    out_.print(f"report: {paths['report.html']}   operator: {paths['operator.json']}")
