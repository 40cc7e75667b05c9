"""Whole optimisers as programs of Python, assembled from autov's own kernels."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Callable
from typing import Any

from autov.adapters.exports.assembly import assemble
from autov.adapters.exports.operators import formulas
from autov.adapters.exports.standalone import run_evolution, run_portfolio, run_strategy
from autov.adapters.exports.templates import fill
from autov.algorithms.evolution import Evolution
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.portfolio import Portfolio
from autov.core import InputError
from autov.operators import AffineOperator

STRATEGY = (
    "A matrix adaptation evolution strategy (H.-G. Beyer and B. Sendhoff, IEEE Transactions on Evolutionary\n"
    "Computation 21(5), 2017) in the unit box, with negative weights and restarts."
)


def _evolution(algorithm: Evolution) -> dict[str, Any]:
    if not isinstance(algorithm.operator, AffineOperator):
        raise InputError("export: only affine operators can be written as programs, not functions of Python")
    return {"plan": algorithm.plan(), "popsize": algorithm.popsize, "offspring": algorithm.offspring}


def _strategy(algorithm: MatrixAdaptation) -> dict[str, Any]:
    return {"plan": algorithm.plan(), "longest": max(algorithm.sigma, algorithm.longest)}


def _portfolio(algorithm: Portfolio) -> dict[str, Any]:
    members = []
    for member in algorithm.members:
        if not isinstance(member, (Evolution, MatrixAdaptation)):
            raise InputError(f"export: the member {member.name} cannot be exported, only evolution and ma-es can")
        members.append(_evolution(member) if isinstance(member, Evolution) else _strategy(member))
    names = ("trial", "hedge", "round", "polish", "polish_step", "polish_least", "full_budget")
    settings = {name: getattr(algorithm, name) for name in names}
    return {"members": members, "polisher": _strategy(algorithm.polisher), **settings}


def _listed(algorithm: Any, without: tuple[str, ...] = ()) -> str:
    """The settings, for people who read the program."""
    named = [field.name for field in dataclasses.fields(algorithm) if field.name not in without]
    text = "Settings: " + ", ".join(f"{name}={getattr(algorithm, name)!r}" for name in named) + "."
    return textwrap.fill(text, 110, break_long_words=False)


def _about(algorithm: Any, title: str) -> str:
    """What it is."""
    if isinstance(algorithm, MatrixAdaptation):
        return f"{STRATEGY}\n{_listed(algorithm)}"
    if isinstance(algorithm, Evolution):
        assert isinstance(algorithm.operator, AffineOperator)
        lines = [
            "The metaheuristic of the AutoV paper: tournaments choose parents,",
            f"the operator {title} makes offspring, the best survive.",
            _listed(algorithm, ("operator",)),
            "",
            formulas(algorithm.operator),
        ]
        return "\n".join(lines)
    members = [f"Member {i + 1}. {_about(member, 'below')}" for i, member in enumerate(algorithm.members)]
    return "\n\n".join([f"Several optimisers that share the budget.\n{_listed(algorithm, ('members',))}", *members])


PROGRAMS: dict[type, tuple[Callable[..., Any], Callable[[Any], dict[str, Any]]]] = {
    Evolution: (run_evolution, _evolution),
    MatrixAdaptation: (run_strategy, _strategy),
    Portfolio: (run_portfolio, _portfolio),
}


def to_program(algorithm: Any, version: str, title: str) -> str:
    """A module with ``minimize``."""
    run, settings_of = PROGRAMS[type(algorithm)]
    program = assemble(run, settings_of(algorithm))  # type: ignore[arg-type]
    return fill("program.python", version=version, about=_about(algorithm, title), program=program, run=run.__name__)
