"""``autov design``."""

from __future__ import annotations

import ast
import contextlib
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from autov.cli.options import (
    DRAWS,
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
    check_unused,
    console,
    hint,
    log,
    print_json,
    print_words,
    quiet_functions,
    show_table,
)

if TYPE_CHECKING:
    from autov.designer import SearchProgress

FAMILIES = ("translate", "translate-rotate", "translate-rotate-scale", "none")
CUT = "best-so-far.json"  # next to the checkpoint of a search that was stopped


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(cls=GroupedCommand)(with_options(design))


def design(
    problems: list[str] | None = typer.Argument(
        None,
        autocompletion=problem_names,
        help="Training problems: names, or file.py:function (not needed with --learn-from).",
    ),
    *,
    where: ProblemOptions,
    run_on: EngineOptions,
    faults: FaultOptions,
    preset: str = one_of("quick", "--preset", ("quick", "standard", "paper"), "Size of the search."),
    space: str | None = one_of(
        None, "--space", ("operator", "evolution", "portfolio"), "Space of the design, or file.py:NAME with a Space."
    ),
    members: str | None = typer.Option(
        None,
        "--members",
        metavar="NAME[,NAME...]",
        autocompletion=listed(algorithm_names),
        help="Members of a portfolio: evolution,ma-es, file.py:Name.",
    ),
    fix: list[str] | None = typer.Option(
        None, "--fix", metavar="GENE=VALUE", help="Fix a gene, as in popsize=20; may be repeated."
    ),
    searcher: str | None = one_of(
        None,
        "--searcher",
        ("best-operator", "ma-es", "random"),
        "Method that proposes candidates (random: a baseline).",
    ),
    dims: str | None = typer.Option(None, "--dims", metavar="N,N", help="Train with several numbers of variables."),
    budgets: str | None = typer.Option(
        None, "--budgets", metavar="N,N", help="Evaluations per run: 3000,10000, or 100d,300d with d variables."
    ),
    stops: str | None = typer.Option(
        None, "--stops", metavar="X,X", help="Measure runs at these fractions of the budget, too: 1,0.3,0.1."
    ),
    cases: int | None = typer.Option(
        None, "--cases", min=1, help="Train on this many of all problems x dims x budgets x stops."
    ),
    panel: str | None = typer.Option(
        None, "--panel", metavar="NAMES", help="Peers in the final race and the re-test: cma:default,minion:arrde."
    ),
    time: str | None = typer.Option(None, "--time", metavar="TIME", help="Size the search to this time: 90s, 10m, 2h."),
    evaluations: float | None = typer.Option(
        None, "--evaluations", metavar="N", min=1, help="Size the search to this many evaluations, such as 1e6."
    ),
    surrogate: list[str] | None = typer.Option(
        None,
        "--surrogate",
        metavar="FILE.PY:NAME",
        help="Train on this cheap model of the problem, re-test on the problem itself.",
    ),
    learn_from: list[Path] | None = typer.Option(
        None, "--learn-from", metavar="FILE", help="Train on functions learned from earlier runs (store or CSV file)."
    ),
    real_runs: int | None = typer.Option(
        None, "--real-runs", min=0, help="With --learn-from: runs on the problem that check the learned functions."
    ),
    validate: str | None = typer.Option(
        None,
        "--validate",
        metavar="NAMES|none",
        help="Held-out problems of the re-test (default: every fourth of four or more). With --learn-from: a number of "
        "runs on the problem.",
    ),
    form: str | None = typer.Option(
        None, "--form", metavar="h1..h5|NAMES", help="Inputs of an operator, such as h3 or x1,x2,best,lower,upper."
    ),
    rows: int | None = typer.Option(None, "--rows", min=1, help="Parameter sets of an operator (k in the paper)."),
    draw: str | None = one_of(None, "--draw", DRAWS, "An operator draws per variable or solution."),
    tie_bounds: bool | None = typer.Option(None, "--tie-bounds/--free-bounds", help="One weight for upper - lower."),
    family: str | None = typer.Option(
        None,
        "--family",
        metavar="NAME",
        autocompletion=lambda: list(FAMILIES),
        help="Each run meets its own instance: translate (default), translate-rotate, translate-rotate-scale, none.",
    ),
    known: bool | None = typer.Option(
        None,
        "--known/--no-known",
        help="Put baselines into the first population and the race (the preset paper does not).",
    ),
    remember: bool | None = typer.Option(
        None,
        "--remember/--no-remember",
        help="Start where training runs ended (default: if that is better on held-out problems).",
    ),
    generations: int | None = typer.Option(None, "--generations", min=0, help="Generations of the search."),
    population: int | None = typer.Option(None, "--population", min=2, help="Candidates in the population."),
    runs: int | None = typer.Option(None, "--runs", min=1, help="Runs of each candidate."),
    trial_popsize: int | None = typer.Option(None, "--trial-popsize", min=2, help="Population size in these runs."),
    trial_generations: int | None = typer.Option(None, "--trial-generations", min=1, help="Generations of these runs."),
    reevaluate: int | None = typer.Option(
        None, "--reevaluate", min=0, help="New runs of each survivor in every generation."
    ),
    final_race: bool | None = typer.Option(None, "--final-race/--no-final-race", help="Race the best survivors."),
    race_runs: int | None = typer.Option(None, "--race-runs", min=1, help="Runs of each in its first round."),
    retest_runs: int | None = typer.Option(None, "--retest-runs", min=2, help="Held-out runs of the result."),
    random_baseline: bool | None = typer.Option(
        None, "--random-baseline", help="Compare with the best of as many random designs (doubles the cost)."
    ),
    over_runs: str | None = one_of(
        None, "--over-runs", ("median", "quantile", "gap", "rank"), "Fitness of the runs on one problem."
    ),
    aggregate: str | None = one_of(
        None,
        "--aggregate",
        ("rank", "log-gap", "panel"),
        "Fitness over several problems (panel: share of peers' results that are better).",
    ),
    metric: str | None = typer.Option(
        None, "--metric", metavar="hypervolume", help="Design an operator for NSGA-II on problems of pymoo (zdt1, ...)."
    ),
    seed: int = SEED,
    out: Path | None = typer.Option(
        None, "--out", metavar="FOLDER", help="Folder for the results (default: runs/PROBLEM-SPACE-PRESET-SEED)."
    ),
    insight: bool = typer.Option(
        True,
        "--insight/--no-insight",
        help="Test generalisation and the effect of each part, too, for up to 7 % more evaluations.",
    ),
    resume: bool = typer.Option(False, "--resume", help="Resume the search in the folder."),
    json_: bool = JSON,
) -> None:
    """Design an optimiser for your problems.

    Example: autov design rastrigin --preset quick --seed 1 --out runs/first
    """
    from autov.algorithms.text import explain
    from autov.cli.facts import clock
    from autov.cli.live_report import LiveReport
    from autov.cli.search_display import ProgressDisplay
    from autov.core import InputError
    from autov.designer import design as search
    from autov.designer import design_settings
    from autov.designer.cases import few
    from autov.designer.cost import counted
    from autov.experiments.design_comparison import compare_design, insight_of
    from autov.problems import expand_names, resolve_problem, with_instances
    from autov.reports.design_files import certify_design, write_design
    from autov.runs.evaluation import sentence

    problems = problems or []
    if not problems and (not learn_from or metric is not None):
        raise InputError("problems: needed, or --learn-from with earlier runs")
    if metric is not None:
        from autov.cli.design_crossover import design_crossover

        design_crossover(
            problems, metric, population=population, generations=generations, seed=seed,
            workers=run_on.workers, out=out, resume=resume, json_=json_,
            given={"form": form, "rows": rows, "tie_bounds": tie_bounds, "popsize": trial_popsize, "n_var": where.dim,
                   "generations": trial_generations, "runs": runs,
                   "shifted": None if family is None else family != "none"},
        )  # fmt: skip
        return
    problems = [one for name in problems for one in ([name] if ":" in name else expand_names(name))]
    problems = with_instances(problems, where.instances)
    dim, box = where.dim, where.box()
    trial = {"runs": runs, "popsize": trial_popsize, "generations": trial_generations}
    overrides = {
        "space": space, "members": members, "fix": _pairs(fix), "searcher": searcher, "form": form, "rows": rows,
        "draw": draw, "tie_bounds": tie_bounds, "dims": _numbers("dims", dims), "budgets": _numbers("budgets", budgets),
        "stops": stops, "cases": cases,
        "panel": panel, "population": population, "generations": generations, "known": known,
        "trial": {key: value for key, value in trial.items() if value is not None} or None,
        "family": None if family is None else () if family == "none" else tuple(family.replace("-", ",").split(",")),
        "over_runs": over_runs, "aggregate": aggregate, "reevaluate": reevaluate,
        "final_race": final_race, "race_runs": race_runs, "retest_runs": retest_runs,
        "remember": remember,
        "random_baseline": random_baseline,
    }  # fmt: skip
    settings = design_settings(preset, **overrides)
    if settings.training.dims and where.bounded:
        raise InputError("dims: for problems that leave their number of variables open, not with bounds")
    named: list = problems if settings.training.dims else [resolve_problem(name, dim=dim, **box) for name in problems]
    held_out = _held_out(validate, bool(learn_from), bool(settings.training.dims), dim, box)
    twins = [resolve_problem(name, dim=dim, **box) for name in surrogate] if surrogate else None
    if not problems:
        problems = [path.stem for path in learn_from or []]
    folder = out or Path("runs") / f"{_name(problems)}-{settings.designed.space_name}-{preset}-{seed}"
    checkpoint = check_unused(folder, "search.npz", resume)
    again = shlex.join(["autov", *sys.argv[1:]])
    what = f"designing ({settings.designed.space_name}) for {few(problems)}"
    hint_ = f"Ctrl-C writes it to {CUT}, --resume resumes"
    report = None if json_ else LiveReport(folder / "report.html", what)
    display = None if report is None else ProgressDisplay(title=what, hint=hint_, report=report)
    last: list[SearchProgress] = []

    def progress(now: SearchProgress) -> None:
        last[:] = [now]
        if display is not None:
            display(now)

    try:
        with (
            quiet_functions(json_),
            run_on.spread() as spread,
            display or contextlib.nullcontext(),
        ):
            found = search(
                named or None, None if named else _table_bounds(box, dim), preset=preset, rng=seed, workers=spread,
                checkpoint=checkpoint, resume=resume,
                progress=progress, time=time, evaluations=evaluations, surrogate=twins, log=None if json_ else log,
                learn_from=list(learn_from) if learn_from else None, real_runs=real_runs,
                validate=held_out,
                faults=faults.policy(),
                **{name: value for name, value in overrides.items() if value is not None},
            )  # fmt: skip
            safe = faults.timeout is None and faults.on_error == "raise" and not found.failed
            found.save(folder / "optimizer.json")  # what follows may be interrupted
            compared = compare_design(found, spread, safe)
            insights = insight_of(found, spread) if insight and safe else ()
    except KeyboardInterrupt:
        if last:
            _write_best(last[0], folder, few(problems))
        sys.stderr.write("autov: interrupted\n")
        hint(f"resume with: {again if resume else f'{again} --resume'}")
        raise SystemExit(130) from None
    certificate = certify_design(found)
    paths = write_design(found, folder, compared, again.replace(" --resume", ""), insights, certificate=certificate)
    names = found.settings["problems"]
    means = {
        problem: {
            "designed": float(found.retested[p].mean()),
            **{k: float(v[p].mean()) for k, v in found.baselines.items()},
        }
        for p, problem in enumerate(names)
    }
    if json_:
        print_json({
            "problems": names, "space": found.settings["space"], "baseline": found.baseline, "fitness": found.fitness,
            "retested_means": found.retested_means, "retested_values": found.retested,
            "evaluations": found.evaluations, "spent": found.spent, "seconds": found.seconds, "comparison": means,
            "translated_values": found.translated, "settings": found.settings, "failed": found.failed,
            "first_failure": found.first_failure, "failed_runs": dict(zip(names, found.failed_runs, strict=True)),
            "self_check": found.self_check or None,
            "validation": found.provenance.get("validation"), "memory": found.provenance.get("memory"),
            **dict(zip(("elsewhere", "parts"), (one.to_dict() for one in insights), strict=False)),
            "certificate": certificate and certificate.to_dict(),
            "files": {key: str(path) for key, path in paths.items()},
        })  # fmt: skip
        return
    from autov.reports.design_page import comparison_table, in_short, summary_table
    from autov.reports.design_text import spent_in_words

    out_ = console()
    print_words(explain(found.algorithm))
    print_words(f"\n{spent_in_words(found, counted)} in {clock(found.seconds)}.")
    if found.failed:
        print_words(sentence(found.failed, found.first_failure))
    out_.print()
    if len(names) > SHOWN and found.baselines:  # the page has a table for each
        show_table(summary_table(found))
    else:
        for p in range(len(names)):
            show_table(comparison_table(found, p))
    out_.print()
    for text in in_short(found, compared):
        print_words(text)
    if found.memory is not None:
        print_words(f"Memory: {found.memory.line}.")
    if found.self_check:
        print_words("All of these are runs on learned functions, not on the problem itself.")
        told = found.provenance["validation"]
        print_words(f"{told[0].upper()}{told[1:]}." if told else "It was not run on the problem: --validate N does.")
    if found.translated is not None:
        for problem, values in zip(names, found.translated, strict=True):
            print_words(f"On translated instances of {problem}: mean best value {values.mean():.5g}.")
    for one in insights:
        print_words("\n" + " ".join(one.sentences()))
    if certificate is not None:
        print_words(f"{certificate.in_short}.")
    out_.print(f"\nreport: autov open {folder}")
    out_.print(f"use it: autov minimize PROBLEM --algorithm {paths['optimizer.json']}")


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


def _held_out(text: str | None, counted: bool, named: bool, dim: int | None, box: dict[str, Any]) -> Any:
    """What --validate means: runs where a design learns from others, otherwise problems; None if it is not given."""
    from autov.core import InputError
    from autov.problems import expand_names, resolve_problem

    if text is None:
        return None
    if counted:
        if not text.isdecimal():
            raise InputError(f"validate: with --learn-from a number of runs, got {text!r}")
        return int(text)
    if text == "none":
        return ()
    names = [one for part in text.split(",") for one in ([part] if ":" in part else expand_names(part))]
    return names if named else [resolve_problem(name, dim=dim, **box) for name in names]


def _table_bounds(box: dict[str, Any], dim: int | None) -> Any:
    """Bounds of tables of points, where no problem is given; None for stores, which tell them."""
    if box.get("lower") is not None and box.get("upper") is not None and dim is not None:
        return [(box["lower"], box["upper"])] * dim
    return box.get("bounds")


def _numbers(option: str, text: str | None) -> tuple[float | str, ...] | None:
    from autov.core import InputError

    if text is None:
        return None
    try:
        return tuple(part if part.endswith("d") else float(part) for part in map(str.strip, text.split(",")))
    except ValueError:
        raise InputError(f"{option}: expected integers such as 10,30, got {text!r}") from None


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
