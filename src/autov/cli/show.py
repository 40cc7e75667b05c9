"""``autov show`` and ``autov list``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import typer

from autov.cli.options import JSON, GroupedCommand, known_names
from autov.cli.output import console, print_json, print_words
from autov.core import InputError, unknown, unknown_name

REFERENCE = r"^[A-Z]\.(?:-[A-Z]\.)? .*?\b(?:19|20)\d\d\b"  # in the text of a module: authors, title, journal and year
FACTS = {  # key in files -> words
    "what": "purpose", "chosen": "selection", "judged_on": "tested on", "problem": "trained on", "dim": "variables",
    "fitness": "training fitness", "retested_fitness": "mean best value of the re-test",
    "translated_retest": "mean best values on translated instances", "failed": "failed evaluations",
    "failed_runs": "share of failed runs", "retest_runs": "runs of the re-test",
}  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(cls=GroupedCommand)(show)
    app.command("list", cls=GroupedCommand)(list_)


def show(
    name: str = typer.Argument(
        autocompletion=known_names, help="An operator or an algorithm: its name, or a JSON file; or a store of runs."
    ),
    latex: bool = typer.Option(False, "--latex", help="Print the LaTeX formula of an operator."),
    json_: bool = JSON,
) -> None:
    """Explain an operator, optimiser or store.

    Prints a description, formulas and the source. For a store, prints the effect of its runs on the next one.

    Examples:
      autov show paper-h3
      autov show runs/first/optimizer.json
      autov show runs.db
    """
    if name.endswith(".db") or (Path(name).is_file() and not name.endswith(".json")):
        from autov.runs.experience_text import kinds_of, text_of

        kinds = kinds_of(name)
        if json_:
            print_json([kind.to_dict() for kind in kinds])
        else:
            print_words(text_of(name, kinds))
        return
    from autov.algorithms.files import algorithm_to_dict
    from autov.algorithms.resolve import find_algorithm
    from autov.algorithms.text import explain
    from autov.operators import AffineOperator, load_operator, operator_names, to_dict

    algorithm, provenance = find_algorithm(name)
    if algorithm is None:
        if not name.endswith(".json") and name not in operator_names():
            raise _not_shown(name)
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
        for line in _about(name) if algorithm is not None else ():
            print_words(line)
        print_words(text)
        if algorithm is not None and provenance:
            print_words("\nSource:")
        for line in _source(provenance):
            print_words(f"  {line}")


def _not_shown(name: str) -> InputError:
    """The error for a name that is neither an operator nor an algorithm."""
    from autov.problems import resolve_problem

    try:
        resolve_problem(name)
    except InputError:
        return unknown_name("show", name, known_names())
    error = InputError(f"show: {name!r} is a problem; show explains operators, algorithms and stores")
    error.add_note("autov list problems shows problems")
    return error


def _about(name: str) -> list[str]:
    """The sentence of `autov list` on an algorithm, and the references that begin the text of its module."""
    from autov.algorithms import ALGORITHMS

    found = [str(row["description"]) for row in _algorithms() if row["name"] == name]
    text = (sys.modules[ALGORITHMS[name].__module__].__doc__ or "") if name in ALGORITHMS else ""
    _, _, rest = text.partition("\n\n")
    papers = re.findall(REFERENCE, rest.partition("\n\n")[0], re.DOTALL | re.MULTILINE)
    return [*found, *(f"Paper: {' '.join(paper.split())}." for paper in papers), *([""] if found else [])]


def _source(provenance: dict[str, Any]) -> list[str]:
    """Where an operator or an algorithm comes from, a line for each fact."""
    from autov.designer.cases import few, labels_of

    lines = []
    for key, value in provenance.items():
        what = FACTS.get(key, key.replace("_", " "))
        if key == "failed" and isinstance(value, dict):
            lines.append(f"{what}: {', '.join(f'{count:,} {how}' for how, count in value.items())}")
        elif key == "certificate" and isinstance(value, dict):
            words = {True: "yes", False: "no", None: "open"}
            lines.append(f"invariance: {', '.join(f'{k} {words[v]}' for k, v in value['holds'].items())}")
        elif key == "problem":
            lines.append(f"{what}: {few(labels_of(str(value)))}")
        elif value is not None and not isinstance(value, dict):
            values = value if isinstance(value, list) else [value]
            lines.append(f"{what}: {', '.join(str(one) if key == 'seed' else _typed(one) for one in values)}")
    return lines


def _typed(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def list_(
    what: str | None = typer.Argument(
        None,
        metavar="problems|operators|algorithms",
        autocompletion=lambda: ["problems", "operators", "algorithms"],
        help="One of these; all without it.",
    ),
    json_: bool = JSON,
) -> None:
    """List problems, operators and algorithms.

    Example: autov list problems
    """
    kinds = {"problems": _problems, "operators": _operators, "algorithms": _algorithms}
    if what is not None and what not in kinds:
        raise InputError("list: " + unknown(what, kinds, f"one of {', '.join(kinds)}"))
    found = {name: rows() for name, rows in kinds.items() if what in (None, name)}
    if json_:
        print_json(found if what is None else found[what])
        return
    from rich.table import Table

    for name, rows in found.items():
        if what is None:
            console().print(f"{'' if name == 'problems' else chr(10)}{name.capitalize()}", style="bold")
        table = Table(*rows[0].keys(), box=None, pad_edge=False)
        for row in rows:
            table.add_row(*(str(value) for value in row.values()))
        console().print(table)


def _problems() -> list[dict[str, object]]:
    from autov.problems import (
        CONSTRAINED_NAMES,
        LARGE_SCALE_NAMES,
        MORE_NAMES,
        NAMES,
        NOISY_NAMES,
        PAPER_NAMES,
        resolve_problem,
    )  # fmt: skip
    from autov.problems.bbob import BBOB_DIM

    groups = {
        "classic": NAMES, "added": MORE_NAMES, "noisy": NOISY_NAMES, "paper": PAPER_NAMES, "lsgo": LARGE_SCALE_NAMES,
        "constrained": CONSTRAINED_NAMES,
    }  # fmt: skip
    rows: list[dict[str, object]] = []
    for group, names in groups.items():
        for i, name in enumerate(names, start=1):
            problem = resolve_problem(name)
            rows.append({
                "name": f"f{i}, {name}" if group == "classic" else name, "group": group, "variables": problem.box.dim,
                "box": _box(problem), "minimum": "" if problem.minimum is None else f"{problem.minimum:.6g}",
            })  # fmt: skip
    bbob = {"group": "bbob", "variables": BBOB_DIM, "box": "[-5, 5]", "minimum": "(extra ioh)"}
    return [*rows, *({"name": name, **bbob} for name in ("bbob-f1..bbob-f24", "ma-bbob"))]


def _box(problem: Any) -> str:
    """The bounds of all variables, and whether some are integers."""
    import numpy as np

    whole = getattr(problem, "whole", np.zeros(1, dtype=bool))
    ends = np.stack([problem.box.lower, problem.box.upper])
    ends = problem.rounded(ends) if whole.any() else ends
    text = f"[{ends[0, 0]:g}, {ends[1, 0]:g}]" if len(np.unique(ends, axis=1).T) == 1 else "differs"
    return f"{text}, integers" if whole.any() else text


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


DIFFERENCES = {  # algorithm -> how it differs from the others
    "general": "The default: local searches with models, then a portfolio of lq-ma-es and a small evolution.",
    "ill-conditioned": "Designed for one optimum in a narrow valley.",
    "large-scale": "Designed for 1,000 variables and 120,000 evaluations.",
    "noisy": "Designed for values with multiplicative noise.",
    "rotated-multimodal": "Designed for many optima and dependent variables.",
    "separable-multimodal": "Designed for many optima and independent variables.",
    "evolution": "The metaheuristic of the paper (Algorithm 2), with any operator: evolution:OPERATOR.",
    "paper-h3": "The metaheuristic of the paper with the operator that the paper prints.",
    "ga": "Genetic algorithm: simulated binary crossover and polynomial mutation, settings of the paper.",
    "pso": "Particle swarm with inertia weight and one global best.",
    "de": "Differential evolution DE/rand/1/bin with fixed rates, settings of the paper.",
    "shade": "Differential evolution that adapts its rates to successes.",
    "imode": "Differential evolution with several operators and a local search (CEC 2020).",
    "cma-es": "Evolution strategy that adapts a full covariance matrix, settings of the paper, without restarts.",
    "ma-es": "Evolution strategy as CMA-ES, but without a covariance matrix; compiled, with restarts.",
    "lq-ma-es": "ma-es that ranks most points by a linear or quadratic model, for few evaluations.",
    "fep": "Evolutionary programming with Cauchy mutations.",
    "cso": "Competitive swarm: losers of pairs learn from winners, for many variables.",
    "coordinate": "Line searches along the axes, for sums of functions of one variable.",
    "quasi-newton": "Quasi-Newton with difference quotients and restarts, for smooth functions.",
    "trust-region": "Quadratic interpolation models in a trust region (as BOBYQA), for few evaluations.",
    "portfolio": "Several algorithms that share the budget: portfolio+members=NAME/NAME.",
    "memetic": "A global search that starts local searches.",
    "cat-cma": "Evolution strategy for real, integer and categorical variables together.",
}


def _algorithms() -> list[dict[str, object]]:
    from autov.algorithms import ALGORITHMS
    from autov.algorithms.files import shipped_data, shipped_names
    from autov.algorithms.registry import PAPER
    from autov.peers import PEERS

    kinds = {name: str(shipped_data(name)["provenance"].get("what", "")) for name in shipped_names()}
    for name, kind in ALGORITHMS.items():
        kinds[name] = (sys.modules[kind.__module__].__doc__ or "").strip().splitlines()[0].replace("`", "")
    kinds = {**dict.fromkeys(name for name in DIFFERENCES if name in {*kinds, PAPER}), **kinds}
    rows: list[dict[str, object]] = [
        {"name": name, "description": DIFFERENCES.get(name, what)} for name, what in kinds.items()
    ]
    for name, what in PEERS.items():
        library = name.partition(":")[0]
        own = "optuna-gp" if name == "optuna:gp" else library if library in ("pypop7", "optuna", "smac") else "peers"
        extra = "" if library == "scipy" else f" (extra {own})"
        rows.append({"name": name, "description": f"{what}{extra}."})
    return rows
