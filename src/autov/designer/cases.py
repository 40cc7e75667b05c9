"""What a design is trained on: problems, each with its number of variables and its budget."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autov.core import InputError
from autov.designer.settings import DesignSettings
from autov.designer.trials import TrialBudget
from autov.problems import Problem, ProblemFamily, resolve_problem, resolve_problems, with_family


@dataclass(frozen=True)
class Case:
    """A problem (a family, if wanted) and what a run on it may spend."""

    label: str
    problem: Problem
    budget: TrialBudget


@dataclass(frozen=True)
class DesignCases:
    """What a design is trained on, what it is judged on, and the same with moved optima.

    Attributes:
        trained: cheap models of the problems where there are some; otherwise the very list ``judged``.
        judged: the problems themselves.
        moved: those with the optimum elsewhere; none for families, which move by themselves.
    """

    trained: list[Case]
    judged: list[Case]
    moved: list[Case]


def design_cases(
    problem: Any, settings: DesignSettings, surrogate: Any = None, explicit: bool = False, **given: Any
) -> DesignCases:  # fmt: skip
    """The cases of a problem and of its surrogate; the arguments are those of `training_cases`."""
    judged = trained = training_cases(problem, settings, explicit, **given)
    if surrogate is not None:
        own = None if brings_bounds(surrogate) else given.get("bounds")
        trained = training_cases(surrogate, settings, explicit, bounds=own, dim=given.get("dim"))
    if [case.problem.box for case in judged] != [case.problem.box for case in trained]:
        raise InputError("surrogate: must have the same bounds as the problem, one model for each problem")
    if any(isinstance(case.problem, ProblemFamily) for case in judged):
        return DesignCases(trained, judged, [])
    moved = [dataclasses.replace(case, problem=with_family(case.problem, ("translate",))) for case in judged]
    return DesignCases(trained, judged, moved)


def training_cases(
    given: Any,
    settings: DesignSettings,
    explicit: bool = False,
    *,
    bounds: Any = None,
    dim: int | None = None,
    vectorized: bool = False,
) -> list[Case]:
    """Every problem with every dimension, budget and stop of the settings.

    Args:
        given: what `compare` takes, or a function with bounds.
        settings: with family, dims, budgets, stops and trial.
        explicit: the family was asked for: a problem that is one already is refused, not taken as it is.
        bounds: of a function.
        dim: of problems that leave it open, where the settings do not say.
        vectorized: the function takes batches.
    """
    if dim is not None and settings.dims:
        raise InputError("dim: there are dims already; give one or the other")
    found: dict[tuple[int, int, int, int], Case] = {}
    for i, number in enumerate(settings.dims or (dim,)):
        for p, (name, problem) in enumerate(_problems(given, bounds, number, vectorized).items()):
            if explicit and isinstance(problem, ProblemFamily):
                raise InputError(f"family: {name} is a family already; give one or the other")
            label = f"{_label(name, problem, settings.family)}{f' in {number}-D' if len(settings.dims) > 1 else ''}"
            for j, budget in enumerate(settings.budgets or (None,)):
                trial = settings.trial
                if budget is not None:
                    count = int(budget[:-1]) * problem.box.dim if isinstance(budget, str) else budget
                    trial = dataclasses.replace(settings.trial, evaluations=count)
                full = f"{label}, {budget} evaluations" if len(settings.budgets) > 1 else label
                for k, stop in enumerate(settings.stops):
                    cut = f"{full}, {stop:g} of them" if stop < 1 else full
                    own = dataclasses.replace(trial, stop=trial.stop * stop)
                    found[p, i, j, k] = Case(cut, with_family(problem, settings.family), own)
    if settings.cases is None or settings.cases >= len(found):
        return [found[key] for key in sorted(found, key=lambda key: (key[1], key[0], *key[2:]))]
    return [found[key] for key in _spread(settings.cases, *(max(axis) + 1 for axis in zip(*found, strict=True)))]


def _spread(count: int, problems: int, dims: int, budgets: int, stops: int) -> list[tuple[int, int, int, int]]:
    """So many combinations, every problem, dimension, budget and stop about equally often, and none twice."""
    chosen: list[tuple[int, int, int, int]] = []
    for step in range(problems * dims * budgets * stops):
        lap, problem = divmod(step, problems)
        budget = (problem + problem // dims + lap + lap // dims) % budgets
        key = (problem, (problem + lap) % dims, budget, (problem + problem // (dims * budgets) + lap) % stops)
        if key not in chosen:
            chosen.append(key)
        if len(chosen) == count:
            return chosen
    every = itertools.product(range(problems), range(dims), range(budgets), range(stops))
    rest = [key for key in every if key not in chosen]
    return chosen + rest[: count - len(chosen)]


def _label(name: str, problem: Problem, kinds: tuple[str, ...]) -> str:
    """What reports call a problem: its label, with the family that is added to it."""
    return f"{name}+family={'-'.join(kinds)}" if kinds and not isinstance(problem, ProblemFamily) else name


def few(labels: Sequence[str], most: int = 3) -> str:
    """Labels for a sentence: the first ones, and how many more there are."""
    more = len(labels) - most
    return ", ".join(labels) if more <= 0 else f"{', '.join(labels[:most])} and {more} more"


def labels_of(text: str) -> list[str]:
    """The labels of cases in the line that files keep of them, where a label may have a comma before its budget."""
    return re.split(r", (?!\S+ evaluations(?:,|$)|\S+ of them(?:,|$))", text)


def brings_bounds(given: Any) -> bool:
    """Whether it is one or several problems or names, and not a function that needs bounds."""
    return isinstance(given, (str, Problem, Mapping, list, tuple))


def _problems(given: Any, bounds: Any, dim: int | None, vectorized: bool) -> dict[str, Problem]:
    """Label -> problem: what `compare` takes, and functions with bounds."""
    if not brings_bounds(given):
        return resolve_problems([resolve_problem(given, bounds, dim=dim, vectorized=vectorized)])
    if bounds is not None or vectorized:
        raise InputError("bounds, vectorized: only for one function; see autov.function_problem for several")
    if isinstance(given, Problem):
        resolve_problem(given, dim=dim)  # says if dim does not fit
    return resolve_problems(given, dim)
