"""An affine operator for people to read: plain text and LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autov.operators.forms import BOUNDS, form_name

if TYPE_CHECKING:
    from autov.operators.affine import AffineOperator

_SYMBOL = {"lower": "l", "upper": "u", "best": "b", "mean": "m"}


def _term(name: str) -> str:
    if name == BOUNDS:
        return "(u - l)"
    return f"({_SYMBOL.get(name, name)} - x1)"


def by_probability(operator: AffineOperator) -> list[int]:
    """Row numbers, the likeliest first."""
    return [int(j) for j in np.argsort(-operator.probability, kind="stable")]


def row_formula(operator: AffineOperator, j: int) -> str:
    """One row, like ``x1 + N(0.475, 0.101²) (x2 - x1)``; weights that are always zero are left out."""
    parts = ["x1"]
    for i, name in enumerate(operator.weights):
        mean, std = operator.mean[j, i], operator.std[j, i]
        if mean == 0 and std == 0:
            continue
        weight = f"{mean:.4g}" if std == 0 else f"N({mean:.4g}, {std:.4g}²)"
        parts.append(f"{weight} {_term(name)}")
    return " + ".join(parts)


def as_text(operator: AffineOperator) -> str:
    """A heading and a table of rows."""
    total = operator.probability.sum()
    tied = ", tied bounds" if operator.tie_bounds else ""
    facts = f"form {form_name(operator.inputs)}, k = {operator.rows}, one draw per {operator.draw}{tied}"
    head = f"h({', '.join(operator.inputs)})  {facts}"
    lines = [head, "  probability  offspring"]
    for j in by_probability(operator):
        lines.append(f"  {operator.probability[j] / total:11.4f}  {row_formula(operator, j)}")
    return "\n".join(lines)


def as_latex(operator: AffineOperator) -> str:
    """A ``cases`` formula; N(a, b) has variance b."""
    symbol = {name: f"x_{name[1:]}" for name in operator.inputs if name[0] == "x"} | _SYMBOL
    total = operator.probability.sum()
    arguments = ",".join(symbol[name] for name in operator.inputs)
    lines = [rf"h({arguments})=\begin{{cases}}"]
    for j in by_probability(operator):
        terms, laws = ["x_1"], []
        for i, name in enumerate(operator.weights):
            mean, std = operator.mean[j, i], operator.std[j, i]
            if mean == 0 and std == 0:
                continue
            difference = "(u-l)" if name == BOUNDS else f"({symbol[name]}-x_1)"
            terms.append(f"r_{i + 2}{difference}")
            laws.append(rf"r_{i + 2}\sim\mathcal{{N}}({mean:.4f},{std**2:.4f})")
        law = r",\ ".join(laws) or r"\text{constant}"
        lines.append(rf"  {'+'.join(terms)}, & {law},\ p={operator.probability[j] / total:.3f}\\")
    lines.append(r"\end{cases}")
    return "\n".join(lines)
