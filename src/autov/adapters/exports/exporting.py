"""`export`: what is meant, and who writes it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autov.adapters.exports import operators
from autov.adapters.exports.optimizers import PROGRAMS, to_program
from autov.algorithms import resolve_algorithm
from autov.algorithms.files import algorithm_from_dict, shipped_names
from autov.algorithms.resolve import NAMES
from autov.core import FileError, InputError, read_json, unknown_name
from autov.operators import AffineOperator, load_operator, operator_names
from autov.operators.named_operators import CLASSIC
from autov.version import VERSION

OPERATORS: dict[str, Callable[[AffineOperator, str, str, str], str]] = {
    "python": operators.to_python,
    "numpy": operators.to_numpy,
    "latex": operators.to_latex,
    "matlab": operators.to_matlab,
    "markdown": operators.to_markdown,
    "platemo": operators.to_platemo,
}
FORMATS = tuple(OPERATORS)
OPTIMIZER = "autov-optimizer"  # the format of files of designed optimisers


def export(source: Any, to: str, name: str | None = None) -> str:
    """An operator or an optimiser as text: a program that needs no autov, or a formula or table for a paper.

    Args:
        source: an operator, its library name or its JSON file; the result of ``design``, which is an operator or an
            optimiser; or an algorithm: settings, the JSON file of an optimiser, or a name such as ``portfolio``,
            ``ma-es``, ``ma-es+sigma=0.3`` or ``evolution:operator.json`` (the paper's metaheuristic with an operator).
        to: for operators "python" (no library), "numpy" (batches), "matlab" (MATLAB and Octave), "platemo", "latex" or
            "markdown"; for algorithms "python" (with NumPy, faster with Numba).
        name: of the function in "matlab" and "platemo", where the file must have it, too; from the source by default.

    Returns:
        The text of a file.

    Examples:
        >>> import autov
        >>> program = autov.export("paper-h3", "numpy")
        >>> "import numpy as np" in program
        True
    """
    if to not in FORMATS:
        raise InputError(f"to: must be one of {', '.join(FORMATS)}, got {to!r}")
    found, title = _meant(source)
    if name is None:
        name = function_name(title)
    elif not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}", name):
        raise InputError(f"name: must be a name of a function, letters, digits and _, got {name!r}")
    if isinstance(found, AffineOperator):
        return OPERATORS[to](found, VERSION, title, name)
    if type(found) not in PROGRAMS:
        given = os.fspath(source) if isinstance(source, (str, os.PathLike)) else found.name
        error = InputError(f"export: {given} cannot be exported; only evolution, ma-es and portfolios of them can")
        error.add_note(f'autov.minimize(..., algorithm="{given}") runs it')
        raise error
    if to != "python":
        raise InputError(f"to: a whole optimiser such as {title} can be exported to python; {to!r} is for operators")
    return to_program(found, VERSION, title)


def function_name(title: str) -> str:
    """A title as a name that MATLAB takes."""
    word = re.sub(r"\W+", "_", title, flags=re.ASCII).strip("_")
    return word if word[:1].isalpha() else f"autov_{word}".rstrip("_")


def _meant(source: Any) -> tuple[Any, str]:
    """The operator or algorithm, and what to call it."""
    if isinstance(source, AffineOperator):
        return source, "operator"
    designed = getattr(source, "operator", None)
    if isinstance(designed, AffineOperator) and not hasattr(source, "ask"):
        whole = getattr(source, "settings", {}).get("space", "operator") != "operator"
        return (source.algorithm, "optimizer") if whole else (designed, "operator")
    if isinstance(source, (str, os.PathLike)):
        text = os.fspath(source)
        if text in operator_names() or Path(text).is_file() or (text.endswith(".json") and ":" not in text):
            return _from_file(text), Path(text).stem
        try:
            return resolve_algorithm(text), text.rpartition("/")[2].removeprefix("evolution:").removesuffix(".json")
        except FileError:
            raise
        except InputError as error:
            if any(mark in text for mark in ":+="):
                raise InputError(f"export: {str(error).removeprefix('algorithm: ')}") from None
            if text in CLASSIC:
                raise InputError(f"export: {text} cannot be exported; of operators, only affine ones can") from None
            raise unknown_name("export", text, [*shipped_names(), *NAMES, *operator_names()]) from None
    found = resolve_algorithm(source)
    return found, found.name


def _from_file(text: str) -> Any:
    """The operator of a file or a name, or the algorithm of a file of a designed optimiser."""
    if Path(text).is_file():
        data = read_json(text, "an operator or an optimiser")
        if isinstance(data, dict) and data.get("format") == OPTIMIZER:
            try:
                return algorithm_from_dict(data["algorithm"], text)
            except (KeyError, TypeError, AttributeError) as error:
                raise FileError(f"{text}: not a complete optimiser ({error})") from None
    return load_operator(text)
