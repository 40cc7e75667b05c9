"""What runs after a design are made on: its problems again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autov.core import InputError
from autov.designer import Design
from autov.problems import Problem, resolve_problem

SEED_SHIFT = 1_000_003  # seeds of runs after a design are not those of its search


@dataclass(frozen=True, eq=False)
class JudgedCase:
    """A problem and the evaluations of a run on it."""

    label: str
    problem: Problem
    maxfev: int


def cases_of(design: Design) -> list[JudgedCase]:
    """What a design was judged on."""
    named = zip(design.settings["problems"], design.judged, design.budgets, strict=True)
    return [JudgedCase(label, problem, maxfev) for label, problem, maxfev in named]


def cases_of_file(settings: Mapping[str, Any]) -> list[JudgedCase]:
    """The same from the settings in a file, where problems are names."""
    found = []
    for label, dim, maxfev in zip(settings["problems"], settings["dims"], settings["budgets"], strict=True):
        name = re.split(r" in \d+-D|, \S+ evaluations|, \S+ of them", label)[0]
        try:
            found.append(JudgedCase(label, resolve_problem(name, dim=int(dim)), int(maxfev)))
        except InputError as error:
            raise InputError(f"problems: {label!r} cannot be made of its name ({error}); give the problem") from None
    return found
