"""``autov show`` and ``autov list``."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from autov.cli.output import JSON, console, print_json, print_words
from autov.core import InputError, meant


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(show)
    app.command("list")(list_)


def show(
    name: str = typer.Argument(help="An operator or an algorithm: its name, or a JSON file; or a store of runs."),
    latex: bool = typer.Option(False, "--latex", help="Print the LaTeX formula of an operator."),
    json_: bool = JSON,
) -> None:
    """Explain an operator, optimiser or store.

    In words and formulas, and where it comes from; of a store of runs, what they teach about the next one.

    Example: autov show paper-h3, autov show runs/first/optimizer.json, autov show runs.db
    """
    if name.endswith(".db") or (Path(name).is_file() and not name.endswith(".json")):
        from autov.runs.experience_text import kinds_of, text_of

        kinds = kinds_of(name)
        if json_:
            print_json([kind.to_dict() for kind in kinds])
        else:
            print_words(text_of(name, kinds))
        return
    from autov.algorithms.files import algorithm_to_dict, shipped_names
    from autov.algorithms.resolve import NAMES, find_algorithm
    from autov.algorithms.text import explain
    from autov.operators import AffineOperator, load_operator, operator_names, to_dict

    algorithm, provenance = find_algorithm(name)
    if algorithm is None:
        if not name.endswith(".json") and name not in operator_names():
            known = [*shipped_names(), *NAMES, *operator_names()]
            raise InputError(f"show: no operator or algorithm {name!r}{meant(name, known)}; see autov list")
        operator = load_operator(name)
        text, data, provenance = str(operator), to_dict(operator), dict(operator.provenance)
    else:
        operator = getattr(algorithm, "operator", None)
        text = explain(algorithm)
        data = {**algorithm_to_dict(algorithm), "provenance": provenance} if json_ else {}
    if json_:
        print_json(data)
    elif latex:
        if not isinstance(operator, AffineOperator):
            raise InputError(f"latex: {name} has no formula, only an affine operator has one")
        typer.echo(operator.latex())
    else:
        from autov.designer.cases import few, labels_of

        print_words(text)
        if algorithm is not None and provenance:
            print_words("\nWhere it comes from:")
        for key, value in provenance.items():
            if key == "failed" and isinstance(value, dict):
                print_words(f"  failed: {', '.join(f'{count} {what}' for what, count in value.items())}")
            elif not isinstance(value, dict):
                print_words(f"  {key}: {few(labels_of(str(value))) if key == 'problem' else value}")


def list_(
    what: str = typer.Argument(help="problems, operators or algorithms"),
    json_: bool = JSON,
) -> None:
    """List what can be used by name.

    Example: autov list problems
    """
    kinds = {"problems": _problems, "operators": _operators, "algorithms": _algorithms}
    if what not in kinds:
        raise InputError(f"list: expected problems, operators or algorithms, got {what!r}")
    rows = kinds[what]()
    if json_:
        print_json(rows)
        return
    from rich.table import Table

    table = Table(*rows[0].keys(), box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    console().print(table)


def _problems() -> list[dict[str, object]]:
    from autov.problems import (
        ADDED_NAMES,
        CONSTRAINED_NAMES,
        LARGE_SCALE_NAMES,
        NAMES,
        NOISY_NAMES,
        PAPER_NAMES,
        resolve_problem,
    )  # fmt: skip
    from autov.problems.bbob import BBOB_DIM

    rows: list[dict[str, object]] = []
    names = [(f"f{i + 1}, {word}", word) for i, word in enumerate(NAMES)]
    for shown, name in [
        *names,
        *((n, n) for n in (*ADDED_NAMES, *NOISY_NAMES, *PAPER_NAMES, *LARGE_SCALE_NAMES, *CONSTRAINED_NAMES)),
    ]:
        problem = resolve_problem(name)
        box = f"[{problem.box.lower[0]:g}, {problem.box.upper[0]:g}]"
        minimum = "" if problem.minimum is None else f"{problem.minimum:.6g}"
        rows.append({"name": shown, "variables": problem.box.dim, "box": box, "minimum": minimum})
    rows.append({"name": "bbob-f1..bbob-f24", "variables": BBOB_DIM, "box": "[-5, 5]", "minimum": "(extra ioh)"})
    rows.append({"name": "ma-bbob", "variables": BBOB_DIM, "box": "[-5, 5]", "minimum": "(extra ioh)"})
    return rows


def _operators() -> list[dict[str, object]]:
    from autov.designer.cases import few, labels_of
    from autov.operators import load_operator, operator_names
    from autov.operators.inputs import form_name
    from autov.operators.named_operators import CLASSIC

    rows: list[dict[str, object]] = []
    for name in operator_names():
        operator = load_operator(name)
        source = few(labels_of(str(operator.provenance.get("problem", ""))))
        rows.append({"name": name, "form": form_name(operator.inputs), "rows": operator.rows, "designed on": source})
    for name in CLASSIC:
        rows.append({"name": name, "form": "classic", "rows": "", "designed on": ""})
    return rows


def _algorithms() -> list[dict[str, object]]:
    from autov.algorithms import ALGORITHMS
    from autov.algorithms.files import shipped_data, shipped_names
    from autov.algorithms.registry import PAPER
    from autov.peers import PEERS

    rows: list[dict[str, object]] = []
    for name in shipped_names():
        rows.append({"name": name, "what": f"designed: {shipped_data(name)['provenance'].get('what', '')}"})
    for name, kind in ALGORITHMS.items():
        module = sys.modules[kind.__module__]
        rows.append({"name": name, "what": (module.__doc__ or "").strip().splitlines()[0].replace("`", "")})
    rows.append({"name": PAPER, "what": f"The paper's: evolution with the operator {PAPER}."})
    for name, what in PEERS.items():
        library = name.partition(":")[0]
        extra = {"pypop7": " (extra pypop7)", "optuna": " (extra optuna)", "scipy": ""}.get(library, " (extra peers)")
        extra = " (extra optuna-gp)" if name == "optuna:gp" else extra
        rows.append({"name": name, "what": f"{what}{extra}"})
    return rows
