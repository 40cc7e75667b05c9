"""Text templates next to this module, and how numbers are written in the languages of the programs."""

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
    """A vector or matrix as nested lists that give identical results."""
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


def indented(text: str, indent: str) -> str:
    """Lines after the first one, further in."""
    return text.replace("\n", f"\n{indent}")


def commented(text: str) -> str:
    """As comments of MATLAB."""
    return "\n".join(f"%   {line}".rstrip() for line in text.splitlines())
