"""Results small enough for a repository: best values of all runs without curves, as JSON."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from autov.core import FileError, InputError, number, plain, read_json, whole_number, write_text
from autov.experiments.comparison import Comparison
from autov.experiments.row import Row, are_versions
from autov.experiments.trace import grid

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
        _check(data)
        whole = {name: data[name] for name in (*_WHOLE, *_LAST)}
        empty = np.full(len(grid(data["maxfev"])), np.nan)
        rows = []
        for problem, columns in data["values"].items():
            for label, values in columns.items():
                at = {"label": label, "problem": problem}
                each = {name: data[key][at[by]] for key, (name, by) in _EACH.items()}
                rows += [
                    Row(
                        **at,
                        **whole,
                        **each,
                        algorithm=label,
                        content="",
                        run=run,
                        best=_value(best),
                        samples=empty,
                        seconds=_seconds(data, label),
                    )
                    for run, best in enumerate(values)
                ]
        return Comparison(
            data["name"], tuple(data["algorithms"]), tuple(data["problems"]), data["reference"], tuple(rows), ()
        )
    except InputError as error:
        raise FileError(f"{where}: {' '.join(str(error).split())[:300]}") from None
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise FileError(f"{where}: incomplete results: {' '.join(str(error).split())[:300]}") from None


def _check(data: dict[str, Any]) -> None:
    """Refuse what tables and statistics could not work with."""
    for name in ("maxfev", "popsize"):
        whole_number(name, data[name], 1)
    if type(data["seed"]) is not int or data["seed"] < 0:
        raise InputError(f"seed: must be an integer of at least 0, got {data['seed']!r:.80}")
    labels = {"algorithms": data["algorithms"], "problems": data["problems"]}
    for name, found in labels.items():
        if not isinstance(found, list) or not found or not all(isinstance(item, str) and item for item in found):
            raise InputError(f"{name}: must be a list of names")
        if len(set(found)) != len(found):
            raise InputError(f"{name}: a name occurs twice")
    if not isinstance(data["name"], str) or data["reference"] not in labels["algorithms"]:
        raise InputError(f"reference: must be one of the algorithms, got {data['reference']!r:.80}")
    if not are_versions(data["versions"]):
        raise InputError("versions: must be texts, that of autov among them")
    if set(data["values"]) != set(labels["problems"]):
        raise InputError("values: must be there for each problem")
    for problem, columns in data["values"].items():
        if set(columns) != set(labels["algorithms"]) or not all(
            isinstance(column, list) for column in columns.values()
        ):
            raise InputError(f"values: must be a list for each algorithm on {problem!r:.80}")
        whole_number("dims", data["dims"][problem], 1)
    if not all(isinstance(data["settings"][label], str) for label in labels["algorithms"]):
        raise InputError("settings: must be texts")


def _value(best: Any) -> float:
    if isinstance(best, bool) or not (best is None or isinstance(best, (int, float)) or best in ("inf", "-inf")):
        raise InputError(f"values: must be numbers, got {best!r:.80}")
    return number(best)


def _seconds(data: dict[str, Any], label: str) -> float:
    """Of one run, on average; 0 where a file does not say."""
    seconds = data.get("seconds_per_run", {}).get(label, 0.0)
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds < float("inf"):
        raise InputError(f"seconds_per_run: must be seconds, got {seconds!r:.80}")
    return float(seconds)


def write_compact(comparison: Comparison, path: str | os.PathLike[str]) -> None:
    """Write packed results, all or nothing."""
    if not comparison.rows:
        raise InputError(f"{path}: nothing to save, no run has finished")
    write_text(path, json.dumps(plain(pack(comparison)), separators=(",", ":"), allow_nan=False) + "\n")


def read_compact(path: str | os.PathLike[str]) -> Comparison:
    """Read packed results."""
    return unpack(read_json(path, "results"), str(path))
