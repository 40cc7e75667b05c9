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
    """The result of `minimize` and `Optimizer.result`: a `scipy.optimize.OptimizeResult`, whose fields are keys, too.

    Attributes:
        x: the best point; with ``noise`` the recommended one.
        fun: the value there; with ``noise`` the mean of its last values.
        nfev: evaluations made.
        nit: generations, or batches of points after the first.
        success: False where the budget, maxtime or the callback ended a run that had not converged, and where no finite
            value or no feasible point was found.
        status: -1 not finished, 0 budget used up, 1 stopped by the callback, 2 no finite value found, 3 target, 4 ftol,
            5 xtol, 6 maxtime, 7 patience, 8 no feasible point found, 9 converged.
        message: the same in words.
        population: points (n, d) of the algorithm at the end.
        population_energies: their values (n,).
        members: evaluations of each algorithm that takes part, where there are several.
        trace_nfev: after how many evaluations the best value improved; of `minimize` only.
        trace_best: the best values from there on; of `minimize` only.
        failed: how many evaluations failed and counted as worst, by cause ("raised", "timed out", "worker lost"); of
            `minimize` only.
        history: all points and values (``x``, ``fun``; with constraints ``violation``), with ``history=True``.
        fun_std: the standard error of fun, with ``noise``.
        x_luckiest: the point with the smallest observed value, with ``noise``.
        constr: how far each constraint is exceeded at x, with constraints.
        constr_violation: the largest of these numbers, with constraints.
        maxcv: the same.
    """

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
