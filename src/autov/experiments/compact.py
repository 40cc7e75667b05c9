"""Results small enough for a repository: best values of all runs without curves, as JSON."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from autov.core import FileError, InputError, number, plain, read_json, write_text
from autov.experiments.comparison import Comparison
from autov.experiments.curve import grid
from autov.experiments.row import Row

FORMAT, VERSION = "autov-results", 1


# Where the fields of a row are in the file; the others are not kept.
_WHOLE = ("maxfev", "popsize", "seed")  # one value for all rows
_EACH = {"settings": ("settings", "label"), "dims": ("dim", "problem")}  # key -> (field, field that decides it)
_LAST = ("versions",)  # one value for all rows, after the others


def pack(comparison: Comparison) -> dict[str, Any]:
    """Everything that tables need."""
    rows = comparison.rows
    spent = {a: [row.seconds for row in rows if row.label == a] for a in comparison.algorithms}
    order = {"label": comparison.algorithms, "problem": comparison.problems}
    each = {
        key: {at: next((getattr(row, name) for row in rows if getattr(row, by) == at), "") for at in order[by]}
        for key, (name, by) in _EACH.items()
    }
    return {
        "format": FORMAT, "version": VERSION, "name": comparison.name, "algorithms": list(comparison.algorithms),
        "problems": list(comparison.problems), "reference": comparison.reference,
        **{name: getattr(rows[0], name) for name in _WHOLE},
        "seconds": round(sum(row.seconds for row in rows)),
        "seconds_per_run": {a: float(f"{np.mean(seconds):.2g}") for a, seconds in spent.items() if seconds},
        **each,
        **{name: getattr(rows[0], name) for name in _LAST},
        "values": {p: {a: [float(f"{best:.8g}") for best in comparison.values(p, a)] for a in comparison.algorithms}
                   for p in comparison.problems},
    }  # fmt: skip


def unpack(data: Any, where: str = "results") -> Comparison:
    """The comparison of packed results; its curves are empty."""
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise FileError(f"{where}: not a file of results (version {VERSION})")
    try:
        whole = {name: data[name] for name in (*_WHOLE, *_LAST)}
        empty = np.full(len(grid(data["maxfev"])), np.nan)
        rows = []
        for problem, columns in data["values"].items():
            for label, values in columns.items():
                at = {"label": label, "problem": problem}
                each = {name: data[key][at[by]] for key, (name, by) in _EACH.items()}
                rows += [
                    Row(**at, **whole, **each, algorithm=label, content="", run=run, best=number(best), samples=empty)
                    for run, best in enumerate(values)
                ]
        return Comparison(
            data["name"], tuple(data["algorithms"]), tuple(data["problems"]), data["reference"], tuple(rows), ()
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise FileError(f"{where}: incomplete results: {error}") from None


def write_compact(comparison: Comparison, path: str | os.PathLike[str]) -> None:
    """Write packed results, all or nothing."""
    if not comparison.rows:
        raise InputError(f"{path}: nothing to save, no run has finished")
    write_text(path, json.dumps(plain(pack(comparison)), separators=(",", ":"), allow_nan=False) + "\n")


def read_compact(path: str | os.PathLike[str]) -> Comparison:
    """Read packed results."""
    return unpack(read_json(path, "results"), str(path))
