"""Bounds on the command line: one number for all variables, a list of numbers, or a file."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from autov.core import FileError, InputError


def bounds_of(
    lower: str | None, upper: str | None, file: Path | None, dim: int | None, variables: Path | None = None
) -> dict[str, Any]:  # fmt: skip
    """What `resolve_problem` takes: lower and upper for all of dim variables, or bounds."""
    if variables is not None:
        from autov.problems import read_space

        if lower is not None or upper is not None or file is not None:
            raise InputError("--variables: cannot be combined with --bounds, --lower and --upper")
        return {"bounds": read_space(variables)}
    if file is not None:
        if lower is not None or upper is not None:
            raise InputError("--bounds: either a file, or --lower and --upper")
        return {"bounds": read_bounds(file)}
    low, high = numbers("--lower", lower), numbers("--upper", upper)
    if low is None or high is None or (len(low) == 1 and len(high) == 1 and dim != 1):
        return {"lower": None if low is None else low[0], "upper": None if high is None else high[0]}
    count = max(len(low), len(high))
    if any(len(part) not in (1, count) for part in (low, high)) or (dim is not None and dim != count):
        raise InputError(f"--lower, --upper: {len(low)} and {len(high)} numbers do not fit {dim or count} variables")
    return {"bounds": [(low[i % len(low)], high[i % len(high)]) for i in range(count)]}


def numbers(name: str, text: str | None) -> list[float] | None:
    """Numbers between commas."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{name}: expected a number, or numbers between commas, got {text!r}") from None


def read_bounds(path: Path) -> list[tuple[float, float]]:
    """Lower and upper bound of one variable a line, between commas; a first line of names and # comments are fine."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = [line for line in csv.reader(file) if line and not line[0].lstrip().startswith("#")]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{path}: cannot be read as bounds: {error}") from None
    pairs = []
    for i, line in enumerate(lines):
        try:
            low, high = (float(cell) for cell in line)
        except ValueError:
            if i == 0:
                continue  # names of the columns
            raise FileError(f"{path}: expected lower,upper in every line, got {','.join(line)!r}") from None
        pairs.append((low, high))
    if not pairs:
        raise FileError(f"{path}: holds no bounds; expected lower,upper in every line")
    return pairs
