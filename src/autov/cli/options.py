"""Options that several commands share, each declared once, and the class that shows commands in groups.

A command names a dataclass of options as the type of one of its parameters; `with_options` declares the options of
its fields. `LAYOUT` says in which group of the help an option stands, and which are shown by ``--help-all`` only.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand

from autov.cli.bounds import bounds_of

ENGINES = ("auto", "serial", "threads", "processes", "dask")
ON_ERRORS = ("raise", "worst")
DRAWS = ("variable", "solution")
FORMATS = ("text", "markdown", "latex", "csv", "json")
METAVARS = {"int": "N", "float": "X"}
REST = "Other options"


def one_of(default: Any, name: str, choices: Sequence[str], help_: str) -> Any:
    """An option with a few values, which its help lists and the shell completes."""
    return typer.Option(
        default, name, metavar="|".join(choices), help=help_, autocompletion=lambda: list(choices), show_default=True
    )


def algorithm_names() -> list[str]:
    """For the shell."""
    from autov.algorithms.files import shipped_names
    from autov.algorithms.resolve import NAMES
    from autov.peers import PEERS

    return [*shipped_names(), *NAMES, *PEERS]


def known_names() -> list[str]:
    """Algorithms and operators, for the shell."""
    from autov.operators import operator_names

    return [*algorithm_names(), *operator_names()]


def listed(names: Callable[[], list[str]]) -> Callable[[str], list[str]]:
    """Complete the last of several names with commas between them."""

    def complete(incomplete: str) -> list[str]:
        before, comma, _ = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in names()]

    return complete


def problem_names() -> list[str]:
    """For the shell."""
    from autov.problems import CONSTRAINED_NAMES, NAMES, NOISY_NAMES

    return [*NAMES, *NOISY_NAMES, *CONSTRAINED_NAMES]


@dataclass(frozen=True)
class ProblemOptions:
    """Number of variables, bounds and instances of the problems that are named."""

    dim: int | None = typer.Option(None, "--dim", min=1, help="Number of variables (30 for the classic problems).")
    lower: str | None = typer.Option(
        None, "--lower", metavar="X[,X...]", help="Lower bound of all variables, or of each (your function)."
    )
    upper: str | None = typer.Option(
        None, "--upper", metavar="X[,X...]", help="Upper bound of all variables, or of each (your function)."
    )
    bounds: Path | None = typer.Option(
        None, "--bounds", metavar="FILE", help="CSV file: lower,upper of one variable per line."
    )
    variables: Path | None = typer.Option(
        None,
        "--variables",
        metavar="FILE",
        help="JSON file: log scales, integers, categories (your function).",
    )
    vectorized: bool = typer.Option(False, "--vectorized", help="Your function takes batches (n, d).")
    instances: str | None = typer.Option(
        None, "--instances", metavar="N..N", help="Instances of bbob-f1..bbob-f24 and ma-bbob: 1..5, or 1..5,71..80."
    )

    def box(self) -> dict[str, Any]:
        """Bounds, as `resolve_problem` takes them."""
        given = bounds_of(self.lower, self.upper, self.bounds, self.dim, self.variables)
        return {**given, "vectorized": self.vectorized}

    @property
    def bounded(self) -> bool:
        """Whether bounds were typed."""
        return any(value is not None for value in (self.lower, self.upper, self.bounds, self.variables))


@dataclass(frozen=True)
class EngineOptions:
    """Where independent work runs."""

    workers: int | None = typer.Option(None, "--workers", help="Threads or processes; all cores by default.")
    engine: str = one_of("auto", "--engine", ENGINES, "Where the work runs.")
    scheduler: str | None = typer.Option(
        None, "--scheduler", metavar="ADDRESS", help="Join the Dask cluster at this address, such as tcp://HOST:8786."
    )
    scheduler_file: str | None = typer.Option(
        None, "--scheduler-file", metavar="FILE", help="Join the Dask cluster whose scheduler wrote this file."
    )

    def spread(self, workers: int | None = None) -> AbstractContextManager[Any]:
        """The engine that was asked for, which ends with the block; ``workers`` are for those who did not say."""
        from autov.engines import named_engine

        count = self.workers if self.workers is not None else workers
        return named_engine(self.engine, count, self.scheduler, self.scheduler_file)


@dataclass(frozen=True)
class FaultOptions:
    """What happens when the user function hangs or fails."""

    timeout: float | None = typer.Option(
        None,
        "--timeout",
        metavar="SECONDS",
        help="An evaluation that takes longer counts as infinitely bad (processes, Dask).",
    )
    on_error: str = one_of("raise", "--on-error", ON_ERRORS, "After an exception: stop, or count it as infinitely bad.")

    def policy(self) -> Any:
        """As `minimize`, `design` and `compare` take it."""
        from autov.runs.evaluation import FaultPolicy

        return FaultPolicy(self.timeout, self.on_error)


SEED: Any = typer.Option(1, "--seed", min=0, help="Seed of all random numbers.")
JSON: Any = typer.Option(False, "--json", help="Print JSON for machines.")

# Command -> group -> options that --help shows, and those that only --help-all shows.
LAYOUT: dict[str, dict[str, tuple[str, str]]] = {
    "minimize": {
        "Problem": ("dim lower upper bounds variables integers constraints", "vectorized instances"),
        "Effort": ("algorithm maxfev popsize runs seed", ""),
        "Start and earlier evaluations": ("x0 x0_std known learn_from", "context"),
        "Output": ("store out json_", ""),
        "Execution": ("workers engine timeout on_error", "scheduler scheduler_file"),
    },
    "design": {
        "Problem": ("dim family lower upper bounds variables", "vectorized instances metric"),
        "Effort": ("preset time evaluations seed", "generations population"),
        "What is designed": ("space members", "fix form rows draw tie_bounds searcher known"),
        "Several cases": ("dims budgets validate aggregate", "stops cases panel over_runs"),
        "Output": ("out resume json_", ""),
        "Execution": ("workers engine timeout on_error", "scheduler scheduler_file"),
        "Earlier runs and cheap models": ("", "learn_from real_runs surrogate"),
        "Runs that try a candidate": ("", "runs trial_popsize trial_generations"),
        "Selection and re-test": ("", "reevaluate final_race race_runs retest_runs random_baseline insight remember"),
    },
    "explain": {
        "Problem": ("dim lower upper bounds variables", "vectorized instances"),
        "Effort": ("runs maxfev evaluations seed", ""),
        "Output": ("json_", ""),
        "Execution": ("workers engine", "scheduler scheduler_file"),
    },
    "compare": {
        "Problem": ("algorithms problems dim lower upper bounds variables", "vectorized instances"),
        "Effort": ("runs maxfev popsize seed", ""),
        "Statistics": ("reference median", "holm test"),
        "Output": ("store out format_ json_", "plots ioh_logs ioh_points coco_data"),
        "Execution": ("workers engine timeout on_error", "retry_failed scheduler scheduler_file"),
    },
    "reproduce": {
        "Tables and figures": ("list_ runs preset seed", "designs"),
        "Output": ("store out save load format_ json_", "docs"),
        "Execution": ("workers engine", "scheduler scheduler_file"),
    },
}  # fmt: skip


class GroupedCommand(TyperCommand):
    """A command whose help shows its options in groups and its examples line by line; all take ``--help-all``."""

    def __init__(self, *args: Any, help: str | None = None, **options: Any) -> None:
        # A paragraph that begins with \b is not filled.
        super().__init__(*args, help=help and help.replace("\nExamples:", "\n\b\nExamples:"), **options)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take --help-all for --help where no option is rare."""
        if all(param.name != "help_all" for param in self.params):
            args = ["--help" if part == "--help-all" else part for part in args]
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then each group; rare options are shown by --help-all."""
        whole = bool(ctx.meta.get("autov.help_all"))
        rows = {str(param.name): _row(param, ctx) for param in self.get_params(ctx) if param.get_help_record(ctx)}
        arguments = [str(param.name) for param in self.params if param.param_type_name == "argument"]
        groups = {"Arguments": arguments}
        placed = set(arguments)
        layout = LAYOUT.get(str(self.name), {})
        for group, (common, rare) in layout.items():
            names = [*common.split(), *(rare.split() if whole else [])]
            groups[group] = [name for name in names if name in rows]
            placed |= {*common.split(), *rare.split()}
        groups[REST if layout else "Options"] = [name for name in rows if name not in placed]
        for group, names in groups.items():
            if names:
                with formatter.section(group):
                    formatter.write_dl([rows[name] for name in names])


def _row(param: Any, ctx: Any) -> tuple[str, str]:
    """Names and help of an option or argument, without the names of types and ranges of numbers."""
    names, text = param.get_help_record(ctx)
    if param.param_type_name == "argument":
        names = names.split()[0]
    names = re.sub(r"(?:<[^>]*>|\b(?:INTEGER|FLOAT|TEXT)\b.*)$", lambda found: _metavar(found[0]), names)
    text = re.sub(r"; x>=[\d.]+\]", "]", re.sub(r" *\[x>=[\d.]+\]", "", text))
    return names.replace("; --", " / --"), text


def _metavar(kind: str) -> str:
    return next((short for name, short in METAVARS.items() if name in kind.lower()), "TEXT")


def _show_all(ctx: typer.Context, asked: bool) -> None:
    """Show the whole help."""
    if asked:
        ctx.meta["autov.help_all"] = True
        typer.echo(ctx.get_help(), color=ctx.color)
        raise typer.Exit


HELP_ALL: Any = typer.Option(
    False, "--help-all", is_eager=True, callback=_show_all, help="Show all options, rare ones too."
)


def with_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command that declares the options of each parameter whose type is a dataclass; and ``--help-all``."""
    hints = get_type_hints(function)
    shared: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    declared: list[inspect.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        kind = shared.get(parameter.name)
        if kind is None:
            declared.append(parameter.replace(annotation=hints[parameter.name], kind=parameter.KEYWORD_ONLY))
            continue
        types = get_type_hints(kind)
        declared += [
            inspect.Parameter(field.name, parameter.KEYWORD_ONLY, default=field.default, annotation=types[field.name])
            for field in fields(kind)
        ]
    declared.append(inspect.Parameter("help_all", inspect.Parameter.KEYWORD_ONLY, default=HELP_ALL, annotation=bool))

    @functools.wraps(function)
    def command(**given: Any) -> Any:
        given.pop("help_all", None)
        made = {name: kind(**{field.name: given.pop(field.name) for field in fields(kind)})
                for name, kind in shared.items()}  # fmt: skip
        return function(**given, **made)

    command.__signature__ = inspect.Signature(declared)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in declared}
    return command
