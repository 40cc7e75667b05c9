"""``autov design``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import typer

from autov.cli.output import JSON, SEED, WORKERS, console, print_json


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
    generations: int | None = typer.Option(None, "--generations", min=0, help="Instead of the preset's."),
    population: int | None = typer.Option(None, "--population", min=2, help="Candidates, instead of the preset's."),
    runs: int | None = typer.Option(None, "--runs", min=1, help="Inner runs of a candidate, instead of the preset's."),
    inner_popsize: int | None = typer.Option(None, "--inner-popsize", min=2, help="Population of the inner runs."),
    inner_generations: int | None = typer.Option(None, "--inner-generations", min=1, help="Generations of inner runs."),
    reevaluate: int | None = typer.Option(
        None, "--reevaluate", min=0, help="Fresh runs for survivors, each generation."
    ),
    final_race: bool | None = typer.Option(None, "--final-race/--no-final-race", help="Race of the best survivors."),
    early_stop: bool | None = typer.Option(None, "--early-stop/--no-early-stop", help="Lossless shortcut."),
    aggregate: str = typer.Option("rank", "--aggregate", help="For several problems: rank or log-gap."),
    lower: float | None = typer.Option(None, "--lower", help="Lower bound of every variable (your function)."),
    upper: float | None = typer.Option(None, "--upper", help="Upper bound of every variable (your function)."),
    vectorized: bool = typer.Option(False, "--vectorized", help="Your function takes batches (n, d)."),
    seed: int = SEED,
    out: Path | None = typer.Option(None, "--out", help="Folder of the results (runs/PROBLEM-FORM-PRESET-SEED)."),
    workers: int | None = WORKERS,
    resume: bool = typer.Option(False, "--resume", help="Go on with the search in the folder."),
    json_: bool = JSON,
) -> None:
    """Design an operator for a problem, or for several.

    Example: autov design rastrigin --preset quick --seed 1 --out runs/first
    """
    import dataclasses

    from autov.designer import design as search
    from autov.designer.against import against
    from autov.designer.display import Display, clock
    from autov.designer.presets import preset as preset_settings
    from autov.problems import LSGO, Function, parse
    from autov.reports.design import write_design

    bounds = {"lower": lower, "upper": upper, "vectorized": vectorized}
    training = [parse(name, dim if dim or name in LSGO else 30, **bounds) for name in problems]
    inner = preset_settings(preset)["inner"]
    changes = {"runs": runs, "popsize": inner_popsize, "generations": inner_generations}
    inner = dataclasses.replace(inner, **{name: value for name, value in changes.items() if value is not None})
    name = "-".join(problem.name for problem in training)
    folder = out or Path("runs") / f"{name}-{form.replace(',', '-')}-{preset}-{seed}"
    checkpoint = folder / "search.npz"
    again = shlex.join(["autov", *sys.argv[1:]])
    display = None if json_ else Display()
    try:
        found = search(
            training, form=form, rows=rows, draw=draw, tie_bounds=tie_bounds, population=population,  # type: ignore[arg-type]
            generations=generations, inner=inner, preset=preset, rng=seed, workers=workers, checkpoint=checkpoint,
            resume=resume, progress=display, aggregate=aggregate, reevaluate=reevaluate, final_race=final_race,
            early_stop=early_stop,
        )  # fmt: skip
    except KeyboardInterrupt:
        hint = again if resume else f"{again} --resume"
        sys.stderr.write(f"autov: interrupted; go on with: {hint}\n")
        raise SystemExit(130) from None
    slow = isinstance(training[0], Function) and not training[0].vectorized
    values = None if slow else against(found, training[0], workers)
    paths = write_design(found, folder, values, again.replace(" --resume", ""))
    summary = {
        "problems": [p.name for p in training], "fitness": found.fitness, "retested_mean": found.retested_fitness,
        "retested_values": found.retested, "evaluations": found.evaluations, "seconds": found.seconds,
        "comparison": None if values is None else {label: float(v.mean()) for label, v in values.items()},
        "settings": found.settings, "files": {key: str(path) for key, path in paths.items()},
    }  # fmt: skip
    if json_:
        print_json(summary)
        return
    out_ = console()
    out_.print(str(found.operator), markup=False)
    out_.print(f"\n{found.evaluations:.3g} evaluations in {clock(found.seconds)}.")
    out_.print(
        f"fitness in the search {found.fitness:.5g}; re-tested on 30 fresh seeds: mean {found.retested_fitness:.5g}"
    )
    if values is not None:
        parts = ", ".join(f"{label} {v.mean():.5g}" for label, v in values.items())
        out_.print(f"mean best value on {training[0].name}, 30 runs each: {parts}")
    out_.print(f"report: {paths['report.html']}   operator: {paths['operator.json']}")
