"""``autov check``."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import typer

from autov.cli.options import DRAWS, JSON, GroupedCommand, known_names, one_of
from autov.cli.output import print_json, print_words, quiet_functions

PROPERTIES = ("translation", "scale", "rotation", "permutation", "order")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(cls=GroupedCommand)(check)


def check(
    operator: str | None = typer.Argument(
        None,
        autocompletion=known_names,
        help="An operator (sbx, paper-h3, file.py:my_operator) or an algorithm (ma-es), or a JSON file of one.",
    ),
    algorithm: str | None = typer.Option(
        None, "--algorithm", metavar="NAME", help="A whole algorithm, such as file.py:MyAlgorithm."
    ),
    problem: str = typer.Option("rosenbrock", "--problem", metavar="NAME", help="Problem on which an algorithm runs."),
    dim: int | None = typer.Option(None, "--dim", min=1, help="Number of variables (2, 10 and 50; 10 for --bias)."),
    draw: str | None = one_of(None, "--draw", DRAWS, "Check an affine operator with this draw instead."),
    parents: int | None = typer.Option(None, "--parents", min=1, help="Number of parents of your operator."),
    require: str = typer.Option(
        "",
        "--require",
        metavar="PROPERTY[,PROPERTY...]",
        help=f"Properties that must hold, of {', '.join(PROPERTIES)}; else exit 1.",
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="Seed of the trials."),
    bias: bool = typer.Option(False, "--bias", help="Test for structural bias: where runs end if values are random."),
    runs: int = typer.Option(100, "--runs", min=20, help="Runs for --bias."),
    latex: bool = typer.Option(False, "--latex", help="Print a LaTeX table."),
    json_: bool = JSON,
) -> None:
    """Certify an operator or algorithm.

    The certificate has a proof, evidence or a counterexample for each invariance, and lists the trials.

    Examples:
      autov check paper-h3 --require translation,scale
      autov check runs/first/optimizer.json
    """
    from autov.core import InputError
    from autov.invariance import Certificate

    required = [name.strip() for name in require.split(",") if name.strip()]
    for name in required:
        if name not in PROPERTIES:
            raise InputError(f"--require: unknown property {name!r}; one of {', '.join(PROPERTIES)}")
    if operator is None and algorithm is None:
        raise InputError("check: give an operator, such as paper-h3 or sbx, or --algorithm NAME")
    if operator is not None and algorithm is not None:
        raise InputError("check: give an operator or --algorithm NAME, not both")
    if operator is not None and _is_algorithm(operator):
        operator, algorithm = None, operator
    if bias and (required or draw is not None or parents is not None):
        raise InputError("--require, --draw, --parents: not with --bias")
    found = None if operator is None else _operator(operator, draw)
    if bias:
        _bias(algorithm or f"evolution:{operator}", dim, runs, seed, latex, json_)
        return
    if algorithm is not None:
        from autov.invariance import check_algorithm

        if draw is not None or parents is not None:
            raise InputError("--draw, --parents: for operators, not with --algorithm")
        with quiet_functions(json_):
            result = check_algorithm(algorithm, problem, dim=dim, rng=seed)
    else:
        from autov.invariance import DIMS
        from autov.invariance import check as certify

        with quiet_functions(json_):
            result = certify(found, dim=dim or DIMS, n_parents=parents, rng=seed)
    if json_:
        print_json(result.to_dict())
    elif latex:
        from autov.reports import certificate_table, to_latex

        typer.echo(to_latex(certificate_table(result)))
    elif isinstance(result, Certificate):
        typer.echo(result.text(shutil.get_terminal_size().columns) if sys.stdout.isatty() else str(result))
    else:
        print_words(str(result))
    missing = [name for name in required if result.holds[name] is not True]
    for name in missing:
        typer.echo(f"autov: {name} {'is open' if result.holds[name] is None else 'does not hold'}", err=True)
    if missing:
        raise typer.Exit(1)


def _bias(algorithm: str, dim: int | None, runs: int, seed: int, latex: bool, json_: bool) -> None:
    """Test for structural bias and show what came out."""
    from autov.invariance import check_bias

    with quiet_functions(json_):
        found = check_bias(algorithm, dim=dim or 10, runs=runs, rng=seed)
    if json_:
        print_json(found.to_dict())
    elif latex:
        from autov.reports import bias_table, to_latex

        typer.echo(to_latex(bias_table([found.to_dict(points=False)])))
    else:
        print_words(str(found))


def _is_algorithm(name: str) -> bool:
    """Whether a name, a JSON file, or an object of a Python file is an algorithm."""
    from autov.algorithms.files import is_optimizer
    from autov.algorithms.resolve import find_algorithm, split_file
    from autov.core import InputError, import_object

    path, pairs = split_file(name)
    try:
        if path is not None:
            return Path(path).is_file() and (bool(pairs) or is_optimizer(path))
        if name.partition(":")[0].endswith(".py"):
            found = import_object(name)
            return hasattr(found, "minimize_with") or all(hasattr(found, part) for part in ("init", "ask", "tell"))
        return find_algorithm(name)[0] is not None
    except InputError:  # the operators have a message of their own
        return False


def _operator(name: str, draw: str | None) -> object:
    """The operator of a name; an affine one with another draw, if asked for."""
    import dataclasses

    from autov.core import FileError, InputError, unknown_name
    from autov.operators import AffineOperator, resolve_operator
    from autov.operators.named_operators import CLASSIC

    try:
        found = resolve_operator(name)
    except FileError:
        raise
    except InputError:
        if ":" in name or name.endswith(".json"):
            raise
        raise unknown_name("check", name, [*known_names(), *CLASSIC]) from None
    if draw is not None:
        if not isinstance(found, AffineOperator):
            raise InputError(f"--draw: only for affine operators, {name} is not one")
        found = dataclasses.replace(found, draw=draw)  # type: ignore[arg-type]
    return found
