"""What `minimize` gives back: SciPy's result, with a short text, a table for notebooks and a plot."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from autov.core.display import Displayable, views

LONG = ("population", "population_energies", "trace_nfev", "trace_best", "history")  # left out of the text
WIDE = 1000  # so that every array is one line


class Result(OptimizeResult, Displayable):
    """A `scipy.optimize.OptimizeResult`: x, fun, nfev, nit, success, status, message and more, also as keys."""

    def __repr__(self) -> str:
        return "\n".join(f"{name:>20}: {text}" for name, text in self.lines())

    def report(self, path: str | os.PathLike[str], title: str = "") -> None:
        """Write a page with convergence, best point, constraints and members, without external resources."""
        views().write_run_page(self, path, title)

    def lines(self) -> list[tuple[str, str]]:
        """Names and short texts of its fields."""
        return [(name, _text(value)) for name, value in self.items() if name not in LONG]


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return np.array2string(
            value, threshold=12, edgeitems=4, separator=", ", max_line_width=WIDE,
            formatter={"float_kind": lambda number: f"{number:.7g}"},
        )  # fmt: skip
    if isinstance(value, list):
        return "[" + ", ".join(_text(item) for item in value) + "]"
    return f"{value:.10g}" if isinstance(value, float) else str(value)
