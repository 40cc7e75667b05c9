"""Results small enough for a repository: best values of all runs without curves, as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from autov.core import FileError
from autov.experiments.comparison import Comparison
from autov.experiments.curve import grid
from autov.experiments.store import Row

FORMAT, VERSION = "autov-results", 1


def pack(comparison: Comparison) -> dict[str, Any]:
    """Everything that tables need."""
    first = comparison.rows[0]
    spent = {a: [row.seconds for row in comparison.rows if row.label == a] for a in comparison.algorithms}
    values: dict[str, dict[str, list[float]]] = {}
    for problem in comparison.problems:
        for label in comparison.algorithms:
            rows = sorted((r for r in comparison.rows if (r.problem, r.label) == (problem, label)), key=lambda r: r.run)
            values.setdefault(problem, {})[label] = [float(f"{row.best:.8g}") for row in rows]
    return {
        "format": FORMAT, "version": VERSION, "name": comparison.name, "algorithms": list(comparison.algorithms),
        "problems": list(comparison.problems), "reference": comparison.reference, "maxfev": first.maxfev,
        "popsize": first.popsize, "seed": first.seed, "seconds": round(sum(row.seconds for row in comparison.rows)),
        "seconds_per_run": {a: float(f"{np.mean(seconds):.2g}") for a, seconds in spent.items()},
        "settings": {a: next(r.settings for r in comparison.rows if r.label == a) for a in comparison.algorithms},
        "dims": {p: next(r.dim for r in comparison.rows if r.problem == p) for p in comparison.problems},
        "versions": first.versions, "values": values,
    }  # fmt: skip


def unpack(data: Any, where: str = "results") -> Comparison:
    """The comparison of packed results; its curves are empty."""
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise FileError(f"{where}: not a file of results (version {VERSION})")
    try:
        rows = [
            Row(
                "", label, data["settings"][label], label, problem, "", data["dims"][problem], data["maxfev"],
                data["popsize"], data["seed"], run, "", data["versions"], value, 0.0,
                np.full(len(grid(data["maxfev"])), np.nan),
            )
            for problem, columns in data["values"].items()
            for label, values in columns.items()
            for run, value in enumerate(values)
        ]  # fmt: skip
        return Comparison(
            data["name"], tuple(data["algorithms"]), tuple(data["problems"]), data["reference"], tuple(rows), ()
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise FileError(f"{where}: incomplete results: {error}") from None


def write_compact(comparison: Comparison, path: str | os.PathLike[str]) -> None:
    """Write packed results."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(pack(comparison), separators=(",", ":")) + "\n", encoding="utf-8")


def read_compact(path: str | os.PathLike[str]) -> Comparison:
    """Read packed results."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: cannot be read: {error}") from None
    return unpack(data, str(path))
