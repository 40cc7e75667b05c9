"""Text templates beside this module, and how numbers are written in the languages of the programs."""

from __future__ import annotations

from importlib import resources
from string import Template
from typing import Any

import numpy as np


def fill(template: str, /, **parts: Any) -> str:
    """The template of this name with its parts."""
    text = (resources.files("autov.adapters.exports") / "templates" / f"{template}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(parts)


def python_numbers(values: np.ndarray) -> str:
    """A vector or matrix as nested lists that give the same bits."""
    rows = np.asarray(values)
    if rows.ndim == 1:
        return "[" + ", ".join(repr(v) for v in rows.tolist()) + "]"
    return "[\n" + "".join(f"    {python_numbers(row)},\n" for row in rows) + "]"


def matlab_numbers(values: np.ndarray) -> str:
    """A row vector or matrix."""
    rows = np.asarray(values)
    if rows.ndim == 1:
        return "[" + " ".join(str(v).lower() for v in rows.tolist()) + "]"
    return "[ ...\n" + "".join(f"    {matlab_numbers(row)[1:-1]}; ...\n" for row in rows) + "]"


def python_value(value: Any, indent: str = "") -> str:
    """Settings as Python writes them, with arrays of NumPy; dictionaries and lists of dictionaries line by line."""
    inner = f"{indent}    "
    if isinstance(value, dict):
        lines = [f'{inner}"{key}": {python_value(part, inner)},\n' for key, part in value.items()]
        return "{\n" + "".join(lines) + indent + "}"
    if isinstance(value, np.ndarray):
        return f"np.array({_indented(python_numbers(value), indent)})"
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        lines = [f'{inner}("{kind}", {python_value(part, inner)}),\n' for kind, part in value]
        return "[\n" + "".join(lines) + indent + "]"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(python_value(part) for part in value) + "]"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def matlab_value(value: Any, indent: str = "") -> str:
    """Settings as MATLAB writes them: structures, cells of words or structures, row vectors and matrices."""
    inner = f"{indent}    "
    if isinstance(value, dict):
        # Cells as values would make an array of structures: a cell around each of them stands for itself.
        pairs = []
        for key, part in value.items():
            text = matlab_value(part, inner)
            pairs.append(f"{inner}'{key}', {{{text}}}" if text.startswith("{") else f"{inner}'{key}', {text}")
        return "struct( ...\n" + ", ...\n".join(pairs) + ")"
    if isinstance(value, np.ndarray):
        text = _indented(matlab_numbers(value), indent)
        return f"logical({text})" if value.dtype == bool else text
    if isinstance(value, (list, tuple)):
        if all(isinstance(part, (int, float)) for part in value):
            return "[" + " ".join(repr(part) for part in value) + "]"
        return "{" + ", ".join(matlab_value(part, inner) for part in value) + "}"
    return f"'{value}'" if isinstance(value, str) else repr(value)


def _indented(text: str, indent: str) -> str:
    return text.replace("\n", f"\n{indent}")


def commented(text: str) -> str:
    """As comments of MATLAB."""
    return "\n".join(f"%   {line}".rstrip() for line in text.splitlines())
