"""Problems by name: ``rastrigin``, ``paper-f8``, ``lsgo-f3``, ``f9+rotate=3``, ``shapes.py:cost``."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np

from autov.core import Box, InputError
from autov.problems.classic import NAMES, Classic
from autov.problems.transforms import Rotated, Scaled, Translated
from autov.problems.user import function_problem, import_function

PAPER = tuple(f"paper-f{i}" for i in range(1, 14))
LSGO = tuple(f"lsgo-f{i}" for i in range(1, 16)) + tuple(f"lsgo-paper-f{i}" for i in range(1, 16))
TRANSFORMS = ("translate", "scale", "rotate", "bound")


def paper_problem(number: int, dim: int) -> Any:
    """A problem in the form that fits the paper's tables: f8 with z = x - 45, f12 without its substitution."""
    if number == 8:
        return Translated(Classic("schwefel_2_26", dim), -45.0)
    if number == 12:
        return Classic("penalized_1_plain", dim)
    return Classic(NAMES[number - 1], dim)


def _base(name: str, dim: int | None) -> Any:
    if match := re.fullmatch(r"(paper-)?f(\d+)", name):
        number = int(match[2])
        if 1 <= number <= 13:
            return paper_problem(number, dim or 30) if match[1] else Classic(NAMES[number - 1], dim or 30)
    if name in NAMES or name == "penalized_1_plain":
        return Classic(name, dim or 30)
    if name in LSGO:
        from autov.problems.lsgo import lsgo

        problem = lsgo(name)
        if dim is not None and dim != problem.box.dim:
            raise InputError(f"dim: {name} has {problem.box.dim} variables, got {dim}")
        return problem
    raise InputError(
        f"problem: unknown {name!r}; try f1..f13, paper-f1..paper-f13, lsgo-f1..lsgo-f15, a word such as rastrigin, "
        f"or file.py:function"
    )


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{what}: expected a number, got {text!r}") from None
    return value


def parse(
    name: str, dim: int | None = None, *, lower: float | None = None, upper: float | None = None,
    vectorized: bool = False, run: int = 0,
) -> Any:  # fmt: skip
    """The problem of a name. Transformations follow in the order of their application to the problem.

    ``+translate=b`` is f(x + b), ``+scale=a`` is f(a x) on the box divided by a, ``+rotate=seed`` is f(x M), and
    ``+rotate=run`` draws a new M for every run; ``+bound=b`` puts a classic problem on [-b, b]^d.
    ``lower``, ``upper`` and ``vectorized`` belong to functions given as ``module:name`` or ``file.py:name``.
    """
    place, colon, rest = name.rpartition(":")  # a path may hold a plus sign
    first, *steps = rest.split("+")
    head = place + colon + first
    if ":" in head:
        problem = _user(head, dim, lower, upper, vectorized)
    else:
        if lower is not None or upper is not None or vectorized:
            raise InputError(f"lower, upper, vectorized: only for functions of yours; {head} has its own box")
        problem = _base(head, dim)
    for step in steps:
        key, _, value = step.partition("=")
        if key == "translate":
            problem = Translated(problem, _number(value, key))
        elif key == "scale":
            problem = Scaled(problem, _number(value, key))
        elif key == "rotate":
            if value != "run" and not value.isdecimal():
                raise InputError(f"rotate: expected a seed (0, 1, 2, ...) or run, got {value!r}")
            problem = Rotated(problem, run if value == "run" else int(value))
        elif key == "bound" and isinstance(problem, Classic):
            problem = dataclasses.replace(problem, bound=_number(value, key))
        else:
            raise InputError(f"problem: unknown transformation {step!r}; allowed are {', '.join(TRANSFORMS)}")
    return problem


def _user(source: str, dim: int | None, lower: float | None, upper: float | None, vectorized: bool) -> Any:
    found = import_function(source)
    if hasattr(found, "box") and hasattr(found, "objective"):  # already a problem
        if dim is not None and dim != found.box.dim:
            raise InputError(f"dim: {source} has {found.box.dim} variables, got {dim}")
        return found
    if lower is None or upper is None or dim is None:
        raise InputError(
            f"{source}: a function needs dim, lower and upper; where they cannot be given, name a problem instead: "
            f"autov.function_problem(f, bounds)"
        )
    return function_problem(found, Box.cube(lower, upper, dim), vectorized)


def as_problem(fun: Any, bounds: Any = None, *, vectorized: bool = False, args: tuple[Any, ...] = ()) -> Any:
    """What `minimize` and `design` take in place of a problem: a name, a problem, or a function with bounds."""
    if isinstance(fun, str):
        problem = parse(fun, None if bounds is None else len(np.atleast_1d(Box.of(bounds).lower)))
    elif hasattr(fun, "box") and hasattr(fun, "objective"):
        problem = fun
    else:
        return function_problem(fun, bounds, vectorized, args)
    if bounds is not None and Box.of(bounds) != problem.box:
        raise InputError(f"bounds: {problem.name} has its own box; leave bounds out")
    return problem
