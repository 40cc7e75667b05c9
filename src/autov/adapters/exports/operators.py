"""Affine operators in other languages: one term for each weight, the numbers as tables."""

from __future__ import annotations

import numpy as np

from autov.adapters.exports.templates import commented, fill, matlab_numbers, python_numbers
from autov.core import Array, InputError
from autov.operators import AffineOperator
from autov.operators.formulas import by_probability, row_formula
from autov.operators.inputs import BOUNDS, form_name, input_of

DRAW = (
    "row = bisect.bisect_right({}, rng.random())",
    "r = [rng.gauss(m, s) for m, s in zip(MEAN[row], STD[row])]",
)


def draw_of(operator: AffineOperator) -> str:
    """What one draw is for: "variable", "solution", or "mixed" where rows differ in that."""
    drawn = operator.probability > 0
    whole = operator.per_solution[drawn]
    return "mixed" if whole.any() and not whole.all() else "solution" if whole.any() else "variable"


def chances(operator: AffineOperator) -> dict[str, np.ndarray]:
    """Sums of the chances of the rows; where rows differ in what a draw is for, also of those for single variables."""
    found: dict[str, np.ndarray] = {"cumulative": _sums(operator.probability)}
    if draw_of(operator) == "mixed":
        found["single"] = _sums(np.where(operator.per_solution, 0.0, operator.probability))
        found["whole"] = operator.per_solution & (operator.probability > 0)
    return found


def _sums(probability: Array) -> Array:
    """The last row that has a chance ends at one, whatever the rounding."""
    sums = np.cumsum(probability / probability.sum())
    sums[np.flatnonzero(probability)[-1] :] = 1.0
    return sums


def points(operator: AffineOperator) -> list[str]:
    """The points besides parents and bounds that it needs."""
    return [name for name in ("best", "mean", "difference", "spread") if name in operator.inputs]


def parents(operator: AffineOperator) -> list[str]:
    """x1, x2, ..."""
    return [f"x{i + 1}" for i in range(operator.n_parents)]


def _difference(name: str, at: str = "") -> str:
    """What a weight multiplies."""
    if name in (BOUNDS, "width"):
        return f"(upper{at} - lower{at})"
    return f"({name}{at} - x1{at})" if input_of(name).from_x1 else f"{name}{at}"


def formulas(operator: AffineOperator) -> str:
    """What it does, for a comment; N(a, b²) is a normal number with mean a and deviation b."""
    total, draw = operator.probability.sum(), draw_of(operator)
    drawn = {"variable": "each variable of an offspring", "solution": "each offspring"}
    lines = [f"For {drawn.get(draw, drawn['solution'])} one of these is chosen by its probability:"]
    if draw == "mixed":
        lines = ["For each offspring one of these is chosen by its probability; if it is marked variable, then again",
                 "for each variable, among those marked so:"]  # fmt: skip
    for j in by_probability(operator):
        if operator.probability[j] > 0:
            unit = "" if draw != "mixed" else " solution," if operator.per_solution[j] else " variable,"
            formula = row_formula(operator, j).replace("²", "^2")
            lines.append(f"  {operator.probability[j] / total:.4g}:{unit} {formula}")
    return "\n".join(lines)


def common(operator: AffineOperator, version: str, title: str) -> dict[str, str]:
    """Parts of a template that every language has."""
    about = formulas(operator)
    return {
        "title": title, "version": version, "about": about, "comment": commented(about),
        "weights": ", ".join(operator.weights), "count": str(operator.n_parents),
    }  # fmt: skip


def _tables(operator: AffineOperator, wrap: str = "{}") -> dict[str, str]:
    """Python's tables; ``wrap`` may make arrays of them."""
    lines = [f"{name.upper()} = {wrap.format(python_numbers(sums))}" for name, sums in chances(operator).items()]
    return {
        "mean": wrap.format(python_numbers(operator.mean)), "std": wrap.format(python_numbers(operator.std)),
        "tables": "\n".join(lines),
    }  # fmt: skip


def matlab_body(operator: AffineOperator) -> str:
    """The statements that make ``child`` from ``parents``, ``lower`` and ``upper``."""
    scale = "child = child + bsxfun(@times, weight({}), {});"
    terms = [scale.format(j + 1, _matlab_difference(name)) for j, name in enumerate(operator.weights)]

    def drawn(chances: str, count: str) -> list[str]:
        return [
            f"row = 1 + sum(bsxfun(@ge, rand({count}, 1), {chances}(1:end-1)), 2);",
            f"weight = @(j) reshape(MEAN(row, j) + STD(row, j) .* randn({count}, 1), n, []);",
            "child = x1;",
            *terms,
        ]

    draw = draw_of(operator)
    draws = drawn("CUMULATIVE", "numel(x1)" if draw == "variable" else "n")
    if draw == "mixed":
        draws = [*drawn("SINGLE", "numel(x1)"), "single = child;", *draws, "kept = ~WHOLE(row);",
                 "child(kept, :) = single(kept, :);"]  # fmt: skip
    tables = [f"{name.upper()} = {matlab_numbers(sums)};" for name, sums in chances(operator).items()]
    return fill(
        "function.matlab", weights=", ".join(operator.weights), tables="\n".join(tables), draws="\n".join(draws),
        names="\n".join(f"{name} = parents{{{i + 1}}};" for i, name in enumerate(parents(operator))),
        mean=matlab_numbers(operator.mean), std=matlab_numbers(operator.std),
    ).rstrip("\n")  # fmt: skip


def _matlab_difference(name: str) -> str:
    if name in (BOUNDS, "width"):
        return "upper - lower"
    if not input_of(name).from_x1:
        return name
    return f"{name} - x1" if name.startswith("x") else f"bsxfun(@minus, {name}, x1)"


def to_python(operator: AffineOperator, version: str, title: str, name: str) -> str:  # noqa: ARG001
    """A module without any library."""
    terms = " + ".join(["x1[k]", *(f"r[{j}] * {_difference(w, '[k]')}" for j, w in enumerate(operator.weights))])
    names = ", ".join(parents(operator)) + ("," if operator.n_parents == 1 else "")
    draw = draw_of(operator)
    first = [line.format("CUMULATIVE") for line in DRAW]
    before = "" if draw == "variable" else "".join(f"    {line}\n" for line in first)
    inside = "".join(f"        {line}\n" for line in first) if draw == "variable" else ""
    if draw == "mixed":
        before += "    single = not WHOLE[row]\n"
        inside = "        if single:\n" + "".join(f"            {line}\n".format("SINGLE") for line in DRAW)
    return fill(
        "operator.python", **common(operator, version, title), **_tables(operator), names=names, terms=terms,
        points="".join(f", {name}" for name in points(operator)), before=before, inside=inside,
    )  # fmt: skip


def to_numpy(operator: AffineOperator, version: str, title: str, name: str) -> str:  # noqa: ARG001
    """A module with a function of batches."""
    terms = [f"        child += weight({j}) * {_difference(name)}" for j, name in enumerate(operator.weights)]
    names = ", ".join(parents(operator)) + ("," if operator.n_parents == 1 else "")
    draws = {
        "variable": ["return combined(rows(CUMULATIVE, x1.shape))"],
        "solution": ["return combined(rows(CUMULATIVE, (len(x1), 1)))"],
        "mixed": ["chosen, single = rows(CUMULATIVE, (len(x1), 1)), rows(SINGLE, x1.shape)",
                  "child = combined(single)", "return np.where(WHOLE[chosen], combined(chosen), child)"],
    }[draw_of(operator)]  # fmt: skip
    function = fill(
        "function.numpy", points="".join(f", {name}" for name in points(operator)), count=operator.n_parents,
        names=names, terms="\n".join(terms), draws="\n".join(f"    {line}" for line in draws),
    )  # fmt: skip
    parts = {**common(operator, version, title), **_tables(operator, "np.array({})")}
    return fill("operator.numpy", **parts, function=function.rstrip("\n"))


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
    mixed = isinstance(operator.draw, tuple)
    drawn = "variable" if operator.draw == "variable" else "offspring"
    drawn = "variable or offspring, as each row says" if mixed else drawn
    lines = [
        f"# {title}",
        "",
        f"Form {form_name(operator.inputs)}, {operator.rows} rows, one draw for each {drawn}.",
        "",
    ]
    lines += ["| probability | draw | offspring |" if mixed else "| probability | offspring |"]
    lines += ["| ---: | :--- | :--- |" if mixed else "| ---: | :--- |"]
    for j in by_probability(operator):
        unit = f" {operator.draw[j]} |" if mixed else ""
        lines.append(f"| {operator.probability[j] / total:.4g} |{unit} {row_formula(operator, j)} |")
    facts = [(key, value) for key, value in operator.provenance.items() if not isinstance(value, (dict, list))]
    if facts:
        lines += ["", *(f"- {key}: {value}" for key, value in facts)]
    return "\n".join(lines) + "\n"
