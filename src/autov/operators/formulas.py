"""An affine operator for people to read: plain text and LaTeX, every number with four significant digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autov.operators.inputs import form_name, input_of

if TYPE_CHECKING:
    from autov.operators.affine import AffineOperator


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
        parts.append(f"{weight} {input_of(name).term}")
    return " + ".join(parts).replace("+ -", "- ")


def drawn(operator: AffineOperator) -> str:
    """What one draw is for."""
    mixed = isinstance(operator.draw, tuple)
    return "draws per variable and per solution" if mixed else f"one draw per {operator.draw}"


def as_text(operator: AffineOperator) -> str:
    """A heading and a table of rows."""
    total = operator.probability.sum()
    tied = ", tied bounds" if operator.tie_bounds else ""
    facts = f"form {form_name(operator.inputs)}, k = {operator.rows}, {drawn(operator)}{tied}"
    head = f"h({', '.join(operator.inputs)})  {facts}"
    mixed = isinstance(operator.draw, tuple)
    lines = [head, f"  probability  {'draw      ' if mixed else ''}offspring"]
    for j in by_probability(operator):
        unit = f"  {operator.draw[j]:<8}" if mixed else ""
        lines.append(f"  {operator.probability[j] / total:11.4g}{unit}  {row_formula(operator, j)}")
    return "\n".join(lines)


def latex_number(value: float) -> str:
    r"""Four significant digits, as LaTeX: ``0.4753``, ``3.1\times 10^{-6}``."""
    digits, _, exponent = f"{value:.4g}".partition("e")
    return rf"{digits}\times 10^{{{int(exponent)}}}" if exponent else digits


def _threshold(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")


def as_latex(operator: AffineOperator) -> str:
    """A ``cases`` formula as the paper has it; N(a, b) has variance b.

    A row is chosen where the cumulative probability first exceeds a uniform p; rows that are never chosen are left out.
    """
    chosen = [j for j in by_probability(operator) if operator.probability[j] > 0]
    above = np.cumsum(operator.probability[chosen]) / operator.probability.sum()
    lines = [rf"h({','.join(input_of(name).symbol for name in operator.inputs)})=\begin{{cases}}"]
    for place, j in enumerate(chosen):
        terms, laws = ["x_1"], []
        for i, name in enumerate(operator.weights):
            mean, std = operator.mean[j, i], operator.std[j, i]
            if mean == 0 and std == 0:
                continue
            weight = f"r_{i + 2}" if i < 8 else f"r_{{{i + 2}}}"
            terms.append(f"{weight}{input_of(name).latex_term}")
            laws.append(rf"{weight}\sim\mathcal{{N}}({latex_number(mean)},{latex_number(std**2)})")
        law = r",\ ".join(laws) or r"\text{constant}"
        if isinstance(operator.draw, tuple):
            law += rf",\ \text{{per {operator.draw[j]}}}"
        low = rf"{_threshold(above[place - 1])}\le " if place else ""
        high = f"<{_threshold(above[place])}" if place < len(chosen) - 1 else ""
        when = rf",\ {low}p{high}" if len(chosen) > 1 else ""
        lines.append(rf"  {'+'.join(terms)}, & {law}{when}\\")
    lines.append(r"\end{cases}" + (r"\quad p\sim\mathcal{U}(0,1)" if len(chosen) > 1 else ""))
    return "\n".join(lines)
