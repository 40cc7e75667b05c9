"""Whole optimisers as programs.

To add an algorithm: its templates, a function for each language, its lines in PROGRAMS.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from autov.adapters.exports.operators import chances, common, draw_of, formulas
from autov.adapters.exports.templates import commented, fill, matlab_value, python_value
from autov.algorithms.evolution import Evolution
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.portfolio import Portfolio
from autov.core import InputError
from autov.operators import AffineOperator


def _affine(algorithm: Evolution) -> AffineOperator:
    if not isinstance(algorithm.operator, AffineOperator):
        raise InputError("export: only affine operators can be written in other languages, not functions of Python")
    return algorithm.operator


def _settings(algorithm: Evolution | MatrixAdaptation) -> dict[str, Any]:
    """All settings as numbers, words and tables; an operator is a table, too."""
    settings = {field.name: getattr(algorithm, field.name) for field in dataclasses.fields(algorithm)}
    if isinstance(algorithm, Evolution):
        operator = _affine(algorithm)
        settings["operator"] = {
            "weights": list(operator.weights), "parents": operator.n_parents, "draw": draw_of(operator),
            "mean": operator.mean, "std": operator.std, **chances(operator),
        }  # fmt: skip
    return {**settings, "popsize": settings["popsize"] or 0}


def evolution_to_python(algorithm: Evolution, version: str, title: str, name: str) -> str:  # noqa: ARG001
    """A module with ``Evolution`` (ask and tell) and ``minimize``."""
    return fill(
        "evolution.python", **common(_affine(algorithm), version, title), population=fill("population.python").rstrip(),
        settings=python_value(_settings(algorithm)),
    )  # fmt: skip


def evolution_to_matlab(algorithm: Evolution, version: str, title: str, name: str) -> str:
    """A function file."""
    return fill(
        "evolution.matlab", **common(_affine(algorithm), version, title), population=fill("population.matlab").rstrip(),
        settings=matlab_value(_settings(algorithm)), name=name,
    )  # fmt: skip


def matrix_adaptation_to_python(algorithm: MatrixAdaptation, version: str, title: str, name: str) -> str:  # noqa: ARG001
    """A module with ``Strategy`` (ask and tell) and ``minimize``."""
    parts = {"settings": python_value(_settings(algorithm)), "strategy": fill("strategy.python").rstrip()}
    return fill("matrix_adaptation.python", version=version, **parts)


def matrix_adaptation_to_matlab(algorithm: MatrixAdaptation, version: str, title: str, name: str) -> str:  # noqa: ARG001
    """A function file."""
    parts = {"settings": matlab_value(_settings(algorithm)), "strategy": fill("strategy.matlab").rstrip()}
    return fill("matrix_adaptation.matlab", version=version, name=name, **parts)


def _members(portfolio: Portfolio) -> list[tuple[str, dict[str, Any]]]:
    for member in portfolio.members:
        if not isinstance(member, (Evolution, MatrixAdaptation)):
            raise InputError(f"export: the member {member.name} cannot be exported, only autov and ma-es can")
    return [(member.name, _settings(member)) for member in portfolio.members]


def _schedule(portfolio: Portfolio) -> dict[str, Any]:
    names = ("trial", "hedge", "round", "polish", "polish_step", "polish_least", "full_budget")
    return {name: getattr(portfolio, name) for name in names}


def _about(portfolio: Portfolio) -> str:
    """What the members are."""
    parts = []
    for i, member in enumerate(portfolio.members):
        if isinstance(member, Evolution):
            parts.append(f"Member {i + 1}: tournaments, an operator, survival.\n{formulas(_affine(member))}")
        else:
            parts.append(f"Member {i + 1}: a matrix adaptation evolution strategy.")
    return "\n".join(parts)


def _parts(portfolio: Portfolio, language: str, gap: str) -> str:
    """The functions of the members; the polisher is an evolution strategy."""
    evolves = any(isinstance(member, Evolution) for member in portfolio.members)
    names = (["population"] if evolves else []) + ["strategy"]
    return gap.join(fill(f"{name}.{language}").rstrip() for name in names)


def portfolio_to_python(algorithm: Portfolio, version: str, title: str, name: str) -> str:  # noqa: ARG001
    """A module with ``Portfolio`` (ask and tell) and ``minimize``."""
    return fill(
        "portfolio.python", version=version, members=python_value(_members(algorithm)), about=_about(algorithm),
        schedule=python_value(_schedule(algorithm)), polisher=python_value(_settings(algorithm.polisher)),
        parts=_parts(algorithm, "python", "\n\n\n"),
    )  # fmt: skip


def portfolio_to_matlab(algorithm: Portfolio, version: str, title: str, name: str) -> str:  # noqa: ARG001
    """A function file."""
    members = _members(algorithm)
    return fill(
        "portfolio.matlab", version=version, name=name, comment=commented(_about(algorithm)),
        kinds=matlab_value([kind for kind, _ in members]), members=matlab_value([one for _, one in members]),
        schedule=matlab_value(_schedule(algorithm)), polisher=matlab_value(_settings(algorithm.polisher)),
        parts=_parts(algorithm, "matlab", "\n\n"),
    )  # fmt: skip


Program = Callable[[Any, str, str, str], str]  # (algorithm, version, title, name of the function) -> text
PROGRAMS: dict[tuple[type, str], Program] = {
    (Evolution, "python"): evolution_to_python,
    (Evolution, "matlab"): evolution_to_matlab,
    (MatrixAdaptation, "python"): matrix_adaptation_to_python,
    (MatrixAdaptation, "matlab"): matrix_adaptation_to_matlab,
    (Portfolio, "python"): portfolio_to_python,
    (Portfolio, "matlab"): portfolio_to_matlab,
}
