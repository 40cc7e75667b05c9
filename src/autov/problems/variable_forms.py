"""The forms in which people and files describe variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autov.core import InputError
from autov.problems.variables import Choice, Distribution, Integer, Levels, Real, Variable, is_number

WORDS = ("log", "int", "step", "linear")


FORMS = (
    '(low, high), (low, high, "log"), (low, high, "int"), (low, high, "step", size), range(...), a list of categories, '
    "or autov.ordered([...])"
)


def ordered(levels: Sequence[Any]) -> Levels:
    """Ordered levels for `autov.space`: values of any kind, neighbours of which probably behave alike.

    Examples:
        >>> import autov
        >>> autov.space(size=autov.ordered(["small", "medium", "large"]))
        space(size=ordered(['small', 'medium', 'large']))
    """
    if isinstance(levels, (str, bytes)) or not isinstance(levels, (Sequence, np.ndarray)):
        raise InputError(f"ordered: expected a list of levels, got {levels!r}")
    try:
        return Levels(tuple(levels))
    except InputError as error:
        raise InputError(f"ordered: {error}") from None


KINDS = (Real, Integer, Choice, Levels, Distribution)


def variable_of(name: str, given: Any) -> Variable:
    """From what people write (`FORMS`), or a distribution of scipy.stats; errors begin with the name."""
    try:
        if isinstance(given, KINDS):
            return given
        if hasattr(given, "ppf") and hasattr(given, "cdf"):
            return Distribution(given)
        if isinstance(given, range):
            return _of_range(given)
        if isinstance(given, tuple) and len(given) >= 2 and all(is_number(v) for v in given[:2]):
            return _of_tuple(given)
        if isinstance(given, (list, np.ndarray)):
            return Choice(tuple(given.tolist() if isinstance(given, np.ndarray) else given))
        raise InputError(f"expected {FORMS}, got {given!r}")
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def variable_from(name: str, data: Any) -> Variable:
    """From JSON: what `Variable.to_dict` gives, a list of low, high and words, or a list of categories."""
    try:
        if isinstance(data, list):
            if len(data) > 1 and all(is_number(value) for value in data[:2]):
                if len(data) > 2 and all(is_number(value) for value in data):
                    raise InputError('a list of numbers is not clear: write {"categories": [...]} or {"levels": [...]}')
                return _of_tuple(tuple(data))
            return Choice(tuple(data))
        if not isinstance(data, dict):
            raise InputError(f"expected an object or a list, got {data!r}")
        given = dict(data)
        for key, kind in (("categories", Choice), ("levels", Levels)):
            if key in given and len(given) == 1 and isinstance(given[key], list):
                return kind(tuple(given[key]))
        low, high = given.pop("low", None), given.pop("high", None)
        kind, scale, step = given.pop("type", "float"), given.pop("scale", "linear"), given.pop("step", None)
        if given or not is_number(low) or not is_number(high):
            raise InputError(f"expected low and high, categories, or levels, got {data!r}")
        if kind not in ("float", "int") or scale not in ("linear", "log"):
            raise InputError(f"type must be float or int, and scale linear or log, got {data!r}")
        words: list[Any] = [*(["int"] if kind == "int" else []), *(["log"] if scale == "log" else [])]
        return _of_tuple((low, high, *words, *([] if step is None else ["step", step])))
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _of_range(given: range) -> Integer:
    if not len(given):
        raise InputError(f"{given!r} is empty")
    first, last = min(given[0], given[-1]), max(given[0], given[-1])
    return Integer(first, last, step=abs(given.step) if len(given) > 1 else 1)


def _of_tuple(given: tuple[Any, ...]) -> Variable:
    """Low, high and words."""
    low, high, *words = given
    step, at = None, next((i for i, word in enumerate(words) if isinstance(word, str) and word == "step"), None)
    if at is not None:
        step = words[at + 1] if len(words) > at + 1 else None
        if not is_number(step):
            raise InputError(f'expected (low, high, "step", size), got {given!r}')
        del words[at : at + 2]
    if not all(isinstance(word, str) and word in WORDS for word in words):
        raise InputError(f"expected {FORMS}, got {given!r}")
    if "int" not in words:
        return Real(float(low), float(high), "log" in words, None if step is None else float(step))
    if any(float(number) != int(number) for number in (low, high, step or 1)):
        raise InputError(f"bounds and steps of integers must be integers, got {given!r}")
    return Integer(int(low), int(high), "log" in words, int(step or 1))


def as_text(variable: Variable) -> str:
    """A variable as people write it."""
    if isinstance(variable, Choice):
        return repr(list(variable.values))
    if isinstance(variable, Levels):
        return f"ordered({list(variable.values)!r})"
    if isinstance(variable, Distribution):
        return repr(variable.frozen)
    assert isinstance(variable, (Real, Integer))
    words = [*(['"int"'] if isinstance(variable, Integer) else []), *(['"log"'] if variable.log else [])]
    if variable.step not in (None, 1) or (isinstance(variable, Real) and variable.step is not None):
        words += ['"step"', f"{variable.step:g}"]
    return f"({', '.join([f'{variable.low:g}', f'{variable.high:g}', *words])})"
