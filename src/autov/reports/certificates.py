"""Certificates as tables: for pages, LaTeX, Markdown and the terminal, with all that was tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autov.experiments import Cell, Table
from autov.invariance import AlgorithmReport, Certificate
from autov.invariance.scope import POWER
from autov.invariance.structural_bias import POOLED, TESTS

WORDS = {True: "yes", False: "no", None: "open"}


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2g}"


def certificate_table(certificate: Certificate | AlgorithmReport) -> Table:
    """One row for each property; the notes have the grounds, what was tried, and what would have been seen."""
    if isinstance(certificate, AlgorithmReport):
        return _of_runs(certificate)
    columns = (
        "property", "holds", "level", "paths", "deviation", "p-value", "transformations", "offspring", "failure rate",
        "distance",
    )  # fmt: skip
    rows = []
    for v in certificate.verdicts:
        scope = v.scope
        tried = ("-", "-") if scope is None else (f"{scope.transformations:,}", f"{scope.offspring:,}")
        rate = "-" if scope is None or not v.agree() else f"< {scope.failure_rate:.1g}"
        cells = (
            WORDS[v.holds], v.level, "agree" if v.pathwise else "differ", _number(v.deviation), _number(v.p_value),
            *tried, rate, _number(None if v.law is None else v.law.detectable),
        )  # fmt: skip
        rows.append((v.property, tuple(Cell(cell) for cell in cells)))
    notes = [f"{v.property} holds {v.condition}" for v in certificate.verdicts if v.condition]
    notes += [f"{v.property}, {v.tried()}" for v in certificate.verdicts if v.scope]
    notes += [f"{v.property}, witness: {v.witness}" for v in certificate.verdicts if v.witness and not v.holds]
    return Table(certificate.title, columns, tuple(rows), notes=(*notes, *certificate.notes, _meaning()))


def bias_table(reports: Sequence[Mapping[str, Any]]) -> Table:
    """One row for each algorithm, of what `BiasReport.to_dict` gives: the verdict, the tests, and where points are."""
    columns = ("algorithm", "biased", "drawn to", "variables", *TESTS, *POOLED, "inner half", "on the border")
    budgets = {data["maxfev"] for data in reports}
    columns += ("evaluations",) if len(budgets) > 1 else ()
    rows = []
    for data in reports:
        cells = (
            WORDS[data["biased"]], ", ".join(data["drawn_to"]) or "-", f"{data['share']:.0%}",
            *(_number(p) for p in (*data["smallest_p_values"], *data["pooled"])), f"{data['inner_half']:.0%}",
            f"{data['on_the_border']:.1%}", *((f"{data['maxfev']:,}",) if len(budgets) > 1 else ()),
        )  # fmt: skip
        rows.append((data["algorithm"], tuple(Cell(cell) for cell in cells)))
    first = reports[0]
    made = f"{first['runs']} runs" + (f" of {first['maxfev']:,} evaluations" if len(budgets) == 1 else "")
    sizes = f"{made}, {first['dim']} variables, seed {first['seed']}"
    note = (
        "tests: the smallest p-value over the variables, corrected for all tests and variables (Holm); variables: the "
        "share that is refused; inner half: the share of final variables there, 50 % without bias"
    )
    power = (
        f"a bias is found where there is none with a chance of at most {first['alpha']:g}; a Kolmogorov-Smirnov "
        f"distance of {first['detectable']:.2f} in one variable is found with a chance of {POWER:.0%}"
    )
    return Table(f"Structural bias on random values: {sizes}", columns, tuple(rows), notes=(note, power))


def _of_runs(report: AlgorithmReport) -> Table:
    columns = (
        "property", "holds", "level", "deviation", "p-value", "pairs of runs", "points", "failure rate", "distance",
    )  # fmt: skip
    rows = []
    for t in report.trajectories:
        tried = ("-", "-") if t.scope is None else (f"{t.scope.transformations:,}", f"{t.scope.points:,}")
        rate = "-" if t.scope is None or t.diverged is not None else f"< {t.scope.failure_rate:.1g}"
        cells = (WORDS[t.holds], t.level, _number(t.deviation), _number(t.p_value), *tried, rate, _number(t.detectable))
        rows.append((t.property, tuple(Cell(cell) for cell in cells)))
    return Table(report.title, columns, tuple(rows), notes=(*report.notes, _meaning()))


def _meaning() -> str:
    return (
        "failure rate: none was seen, so that it is smaller with 95 % confidence (rule of three); distance: the "
        f"Kolmogorov-Smirnov distance that the test of distributions finds with a chance of {POWER:.0%}"
    )
