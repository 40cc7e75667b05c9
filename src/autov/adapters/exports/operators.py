"""Affine operators in other languages: one term for each weight, the numbers as tables."""

from __future__ import annotations

import numpy as np

from autov.adapters.exports.templates import commented, fill, matlab_numbers, python_numbers
from autov.core import Array, InputError
from autov.operators import AffineOperator
from autov.operators.inputs import BOUNDS, form_name
from autov.operators.text import by_probability, row_formula

DRAW = (
    "row = bisect.bisect_right(CUMULATIVE, rng.random())",
    "r = [rng.gauss(m, s) for m, s in zip(MEAN[row], STD[row])]",
)


def cumulative(operator: AffineOperator) -> Array:
    """Sums of the chances of the rows; the last row that has a chance ends at one, whatever the rounding."""
    sums = np.cumsum(operator.probability / operator.probability.sum())
    sums[np.flatnonzero(operator.probability)[-1] :] = 1.0
    return sums


def points(operator: AffineOperator) -> list[str]:
    """The points besides parents and bounds that it needs."""
    return [name for name in ("best", "mean") if name in operator.inputs]


def parents(operator: AffineOperator) -> list[str]:
    """x1, x2, ..."""
    return [f"x{i + 1}" for i in range(operator.n_parents)]


def _difference(name: str, at: str = "") -> str:
    """What a weight multiplies."""
    return f"(upper{at} - lower{at})" if name == BOUNDS else f"({name}{at} - x1{at})"


def _formulas(operator: AffineOperator) -> str:
    """What it does, for a comment; N(a, b²) is a normal number with mean a and deviation b."""
    total = operator.probability.sum()
    drawn = "each variable of an offspring" if operator.draw == "variable" else "each offspring"
    lines = [f"For {drawn} one of these is chosen by its probability:"]
    for j in by_probability(operator):
        lines.append(f"  {operator.probability[j] / total:.4g}: {row_formula(operator, j).replace('²', '^2')}")
    return "\n".join(lines)


def common(operator: AffineOperator, version: str, title: str) -> dict[str, str]:
    """Parts of a template that every language has."""
    about = _formulas(operator)
    return {
        "title": title, "version": version, "about": about, "comment": commented(about),
        "weights": ", ".join(operator.weights), "count": str(operator.n_parents),
    }  # fmt: skip


def _tables(operator: AffineOperator, matlab: bool) -> dict[str, str]:
    write = matlab_numbers if matlab else python_numbers
    return {
        "mean": write(operator.mean), "std": write(operator.std), "cumulative": write(cumulative(operator)),
    }  # fmt: skip


def numpy_parts(operator: AffineOperator) -> dict[str, str]:
    """Tables and the function ``offspring`` in NumPy, for programs that hold it."""
    terms = [f"    child += weight({j}) * {_difference(name)}" for j, name in enumerate(operator.weights)]
    names = ", ".join(parents(operator)) + ("," if operator.n_parents == 1 else "")
    extra = "".join(f", {name}" for name in points(operator))
    size = "x1.shape" if operator.draw == "variable" else "(len(x1), 1)"
    function = fill(
        "function.numpy", points=extra, count=operator.n_parents, names=names, size=size, terms="\n".join(terms)
    )
    return {**_tables(operator, False), "function": function.rstrip("\n")}


def matlab_body(operator: AffineOperator) -> str:
    """The statements that make ``child`` from ``parents``, ``lower`` and ``upper``."""
    scale = "child = child + bsxfun(@times, weight({}), {});"
    terms = [scale.format(j + 1, _matlab_difference(name)) for j, name in enumerate(operator.weights)]
    names = "\n".join(f"{name} = parents{{{i + 1}}};" for i, name in enumerate(parents(operator)))
    draws = "numel(x1)" if operator.draw == "variable" else "n"
    weights = ", ".join(operator.weights)
    return fill(
        "function.matlab", weights=weights, names=names, draws=draws, terms="\n".join(terms), **_tables(operator, True)
    ).rstrip("\n")


def _matlab_difference(name: str) -> str:
    if name == BOUNDS:
        return "upper - lower"
    return f"{name} - x1" if name.startswith("x") else f"bsxfun(@minus, {name}, x1)"


def to_python(operator: AffineOperator, version: str, title: str, name: str) -> str:  # noqa: ARG001
    """A module without any library."""
    terms = " + ".join(["x1[k]", *(f"r[{j}] * {_difference(w, '[k]')}" for j, w in enumerate(operator.weights))])
    names = ", ".join(parents(operator)) + ("," if operator.n_parents == 1 else "")
    drawn = "".join(f"{' ' * (8 if operator.draw == 'variable' else 4)}{line}\n" for line in DRAW)
    before, inside = ("", drawn) if operator.draw == "variable" else (drawn, "")
    return fill(
        "operator.python", **common(operator, version, title), **_tables(operator, False), names=names, terms=terms,
        points="".join(f", {name}" for name in points(operator)), before=before, inside=inside,
    )  # fmt: skip


def to_numpy(operator: AffineOperator, version: str, title: str, name: str) -> str:  # noqa: ARG001
    """A module with a function of batches."""
    return fill("operator.numpy", **common(operator, version, title), **numpy_parts(operator))


def to_matlab(operator: AffineOperator, version: str, title: str, name: str) -> str:
    """A function file for MATLAB and Octave."""
    extra = "".join(f", {point}" for point in points(operator))
    head = common(operator, version, title)
    return fill("operator.matlab", **head, name=name, points=extra, body=matlab_body(operator))


def to_platemo(operator: AffineOperator, version: str, title: str, name: str) -> str:
    """A function file that PlatEMO's algorithms can call instead of their own operator."""
    if points(operator):
        raise InputError(f"export: PlatEMO's operators do not know {points(operator)[0]}; parents and bounds only")
    return fill("operator.platemo", **common(operator, version, title), name=name, body=matlab_body(operator))


def to_latex(operator: AffineOperator, version: str, title: str, name: str) -> str:  # noqa: ARG001
    """The formula as the paper prints it."""
    return operator.latex() + "\n"


def to_markdown(operator: AffineOperator, version: str, title: str, name: str) -> str:  # noqa: ARG001
    """A heading, a table of the rows, and where it comes from."""
    total = operator.probability.sum()
    drawn = "variable" if operator.draw == "variable" else "offspring"
    lines = [
        f"# {title}",
        "",
        f"Form {form_name(operator.inputs)}, {operator.rows} rows, one draw for each {drawn}.",
        "",
    ]
    lines += ["| probability | offspring |", "| ---: | :--- |"]
    lines += [
        f"| {operator.probability[j] / total:.4g} | {row_formula(operator, j)} |" for j in by_probability(operator)
    ]
    facts = [(key, value) for key, value in operator.provenance.items() if not isinstance(value, (dict, list))]
    if facts:
        lines += ["", *(f"- {key}: {value}" for key, value in facts)]
    return "\n".join(lines) + "\n"
