"""Operators as JSON files, and the library of operators that comes with the package."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from autov.core import FileError, InputError, read_json, to_json, write_text
from autov.operators.affine import AffineOperator
from autov.operators.inputs import inputs_of, weights_of

FORMAT, VERSION = "autov-operator", 1
_KEYS = {"format", "version", "inputs", "draw", "tie_bounds", "rows", "provenance"}


def to_dict(operator: AffineOperator) -> dict[str, Any]:
    """The JSON form of an operator."""
    rows = []
    for j in range(operator.rows):
        weights = {
            name: {"mean": float(operator.mean[j, i]), "std": float(operator.std[j, i])}
            for i, name in enumerate(operator.weights)
        }
        rows.append({"probability": float(operator.probability[j]), "weights": weights})
    draw = list(operator.draw) if isinstance(operator.draw, tuple) else operator.draw
    return {
        "format": FORMAT, "version": VERSION, "inputs": list(operator.inputs), "draw": draw,
        "tie_bounds": operator.tie_bounds, "rows": rows, "provenance": dict(operator.provenance), **operator.extra,
    }  # fmt: skip


def _number(name: str, value: Any) -> float:
    """A number of a file as a float; text, true and false are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"{name}: must be a number, got {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{name}: must be finite, found an integer too large for a float") from None


def from_dict(data: Any, where: str = "operator") -> AffineOperator:
    """An operator from its JSON form; ``where`` names it in errors."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise FileError(f'{where}: not an operator file (it has no "format": "{FORMAT}")')
    if data.get("version") != VERSION:
        raise FileError(f"{where}: version {data.get('version')!r} is unknown, this autov reads version {VERSION}")
    if not isinstance(data.get("provenance", {}), Mapping):
        raise FileError(f"{where}: provenance must be an object")
    try:
        tie_bounds = data.get("tie_bounds", False)
        if not isinstance(tie_bounds, bool):
            raise InputError(f"tie_bounds: must be true or false, got {tie_bounds!r}")
        names = weights_of(inputs_of(data["inputs"]), tie_bounds)
        rows = []
        for row in data["rows"]:
            weights = row["weights"]
            unknown = set(weights) - set(names)
            if unknown:
                raise InputError(f"unknown weight {sorted(unknown)[0]!r}; the inputs allow {', '.join(names)}")
            pairs = {name: tuple(_number(part, weights[name][part]) for part in ("mean", "std")) for name in names}
            rows.append({"probability": _number("probability", row["probability"]), **pairs})
        operator = AffineOperator.from_rows(
            data["inputs"], rows, draw=data.get("draw", "variable"), tie_bounds=tie_bounds,
            provenance=data.get("provenance", {}),
        )  # fmt: skip
    except InputError as error:
        raise FileError(f"{where}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        missing = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise FileError(f"{where}: not a complete operator: {missing}") from None
    object.__setattr__(operator, "extra", {key: value for key, value in data.items() if key not in _KEYS})
    return operator


def save(operator: AffineOperator, path: str | os.PathLike[str]) -> None:
    """Write JSON, all or nothing."""
    write_text(path, to_json(to_dict(operator), indent=2) + "\n")


def operator_names() -> list[str]:
    """Names of the operators in the package."""
    folder = resources.files("autov.operators") / "library"
    return sorted(item.name.removesuffix(".json") for item in folder.iterdir() if item.name.endswith(".json"))


def load_operator(source: str | os.PathLike[str] | AffineOperator) -> AffineOperator:
    """An operator by library name (``paper-h3``) or from a JSON file.

    Examples:
        >>> import autov
        >>> operator = autov.load_operator("paper-h3")
        >>> operator.inputs, operator.rows
        (('x1', 'x2', 'lower', 'upper'), 10)
    """
    if isinstance(source, AffineOperator):
        return source
    name = os.fspath(source)
    if name in operator_names():
        text = (resources.files("autov.operators") / "library" / f"{name}.json").read_text(encoding="utf-8")
        return from_dict(json.loads(text), name)
    if not Path(name).is_file():
        raise InputError(f"operator: no file {name!r} and no such name in the library ({', '.join(operator_names())})")
    return from_dict(read_json(name, "an operator"), name)
