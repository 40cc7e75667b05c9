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
from autov.problems import (
    Problem,
    ProblemFamily,
    expand_names,
    has_categories,
    instance_of,
    resolve_problem,
    resolve_problems,
    with_family,
)


@dataclass(frozen=True)
class Case:
    """A problem (a family, if wanted) and what a run on it may spend."""

    label: str
    problem: Problem
    budget: TrialBudget


@dataclass(frozen=True)
class DesignCases:
    """What a design is trained on, what it is judged on, and the same with translated optima.

    Attributes:
        trained: cheap models of the problems where there are some; otherwise the very list ``judged``.
        judged: the problems themselves.
        moved: those with the optimum translated; none for families, which move by themselves, and for categories.
        left_out: how many of ``judged``, the last ones, are problems that the training leaves out.
    """

    trained: list[Case]
    judged: list[Case]
    moved: list[Case]
    left_out: int = 0

    @property
    def categories(self) -> bool:
        """Whether a problem has categories."""
        return any(has_categories(instance_of(case.problem, 0)) for case in self.trained + self.judged)


def design_cases(
    problem: Any, settings: DesignSettings, surrogate: Any = None, explicit: bool = False, validate: Any = None,
    **given: Any,
) -> DesignCases:  # fmt: skip
    """The cases of a problem, of its surrogate and of held-out problems.

    Args:
        problem: as in `training_cases`, like all that is not told here.
        settings: likewise.
        surrogate: cheap models of the problems: one for each, or any number where all have the same bounds.
        explicit: likewise.
        validate: held-out problems; None leaves out every fourth of a list, () none.
        **given: bounds, dim and vectorized.
    """
    if validate is None and surrogate is None:
        problem, validate = split(problem)
    judged = trained = training_cases(problem, settings, explicit, **given)
    if surrogate is not None:
        own = None if brings_bounds(surrogate) else given.get("bounds")
        trained = training_cases(surrogate, settings, explicit, bounds=own, dim=given.get("dim"))
    own_boxes, boxes = ([case.problem.box for case in some] for some in (judged, trained))
    if own_boxes != boxes and any(box != own_boxes[0] for box in own_boxes + boxes):
        raise InputError(
            "surrogate: must have the bounds of the problem; where problems differ in bounds, one model for each"
        )
    left_out = training_cases(validate, settings, explicit, dim=given.get("dim")) if validate else []
    if twice := {case.label for case in judged} & {case.label for case in left_out}:
        raise InputError(f"validate: {sorted(twice)[0]} is a training problem; held-out ones must be others")
    judged = judged + left_out if left_out else judged
    if any(isinstance(case.problem, ProblemFamily) or has_categories(case.problem) for case in judged):
        return DesignCases(trained, judged, [], len(left_out))
    moved = [dataclasses.replace(case, problem=with_family(case.problem, ("translate",))) for case in judged]
    return DesignCases(trained, judged, moved, len(left_out))


def split(problem: Any) -> tuple[Any, Any]:
    """Training problems and held-out ones: of a list of four or more, every fourth is held out."""
    if isinstance(problem, Mapping):
        pairs = list(problem.items())
        return {k: v for i, (k, v) in enumerate(pairs) if i % 4 != 3}, dict(pairs[3::4])
    if not isinstance(problem, (list, tuple)):
        return problem, ()
    each = [one for item in problem for one in (expand_names(item) if is_plain_name(item) else [item])]
    return [one for i, one in enumerate(each) if i % 4 != 3], each[3::4]


def is_plain_name(item: Any) -> bool:
    """Whether it is a name of autov's, which may represent several problems; not file.py:function."""
    return isinstance(item, str) and ":" not in item


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
        explicit: the family was asked for: a problem that is one already, or has categories, is refused, not taken as
            it is.
        bounds: of a function.
        dim: of problems that leave it open, where the settings do not say.
        vectorized: the function takes batches.
    """
    what = settings.training
    if dim is not None and what.dims:
        raise InputError("dim: there are dims already; give one or the other")
    found: dict[tuple[int, int, int, int], Case] = {}
    for i, number in enumerate(what.dims or (dim,)):
        for p, (name, problem) in enumerate(_problems(given, bounds, number, vectorized).items()):
            if explicit and isinstance(problem, ProblemFamily):
                raise InputError(f"family: {name} is a family already; give one or the other")
            kinds = what.family
            if not isinstance(problem, ProblemFamily) and has_categories(problem):
                if explicit:
                    raise InputError(f"family: {name} has categories, which have no order in which to translate them")
                kinds = ()
            label = f"{_label(name, problem, kinds)}{f' in {number}-D' if len(what.dims) > 1 else ''}"
            for j, budget in enumerate(what.budgets or (None,)):
                trial = what.trial
                if budget is not None:
                    count = int(budget[:-1]) * problem.box.dim if isinstance(budget, str) else budget
                    trial = dataclasses.replace(what.trial, evaluations=count)
                full = f"{label}, {budget} evaluations" if len(what.budgets) > 1 else label
                for k, stop in enumerate(what.stops):
                    cut = f"{full}, {stop:g} of them" if stop < 1 else full
                    own = dataclasses.replace(trial, stop=trial.stop * stop)
                    found[p, i, j, k] = Case(cut, with_family(problem, kinds), own)
    if what.cases is None or what.cases >= len(found):
        return [found[key] for key in sorted(found, key=lambda key: (key[1], key[0], *key[2:]))]
    return [found[key] for key in _spread(what.cases, *(max(axis) + 1 for axis in zip(*found, strict=True)))]


def _spread(count: int, problems: int, dims: int, budgets: int, stops: int) -> list[tuple[int, int, int, int]]:
    """This many combinations, every problem, dimension, budget and stop about equally often, and none twice."""
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
