"""The record of a run: its fields are named here once, and the results store has a column for each of them."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from autov.core import Array, number, to_json
from autov.experiments.trace import Trace, grid, improvements
from autov.version import versions as core_versions


class Column(NamedTuple):
    """How a field is kept in an SQLite file."""

    kind: str
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


def _samples_text(samples: Sequence[float] | Array) -> str:
    return to_json([float(value) for value in samples])


def _samples(text: str) -> Array:
    return np.array([number(value) for value in json.loads(text)], dtype=np.float64)


_APART = "apart"  # key of the metadata of a field that has no column
_COLUMN = "column"  # key of the metadata of a field whose type does not say how it is kept
_BY_TYPE = {"str": Column("TEXT", str, str), "int": Column("INTEGER", int, int), "float": Column("REAL", float, float)}
_WIDE_INTEGER = Column("TEXT", str, int)  # integers of SQLite end at 2^63 - 1
_JSON = Column("TEXT", json.dumps, json.loads)
_SAMPLES = Column("TEXT", _samples_text, _samples)


@dataclass(frozen=True, eq=False)
class Setup:
    """What a run is made of. All fields that are compared decide its result; the label does not."""

    algorithm: str
    settings: str  # canonical JSON of all settings, defaults included
    label: str = field(compare=False)  # what tables call the algorithm
    problem: str  # a name for `autov.problem`, or of an object
    content: str  # digest of a problem that is not autov's own, else empty
    dim: int
    maxfev: int
    popsize: int
    seed: int = field(metadata={_COLUMN: _WIDE_INTEGER})
    run: int


SETUP = tuple(item.name for item in fields(Setup))
DECISIVE = tuple(item.name for item in fields(Setup) if item.compare)


@dataclass(frozen=True, eq=False, kw_only=True)
class Record(Setup):
    """A run that was made: what the store knows it by, when, and with which versions."""

    key: str = ""
    created: str = ""
    versions: dict[str, str] = field(default_factory=dict, metadata={_COLUMN: _JSON})

    @classmethod
    def of(cls, setup: Setup, key: str, **rest: Any) -> Self:
        """The record of a run that was made just now."""
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        same = {name: getattr(setup, name) for name in SETUP}
        return cls(**same, key=key, created=now, versions=versions(), **rest)


@dataclass(frozen=True, eq=False, kw_only=True)
class Row(Record):
    """A finished task."""

    best: float
    seconds: float = 0.0
    samples: Array = field(metadata={_COLUMN: _SAMPLES})  # best so far at `counts`; NaN before the first population
    trace: Trace | None = field(default=None, metadata={_APART: True})  # None in stores of before and in compact files
    failed: dict[str, int] = field(default_factory=dict, metadata={_APART: True})  # evaluations that counted as worst

    @property
    def counts(self) -> np.ndarray:
        """The evaluation counts of the samples."""
        return grid(self.maxfev)

    @property
    def course(self) -> Trace:
        """Improvements of the best value: the trace, else what the samples show, else the final value only."""
        if self.trace is not None:
            return self.trace
        counts, samples = self.counts, np.asarray(self.samples, dtype=np.float64)
        if len(samples) != len(counts):
            counts, samples = np.empty(0, np.int64), np.empty(0)
        known = np.isfinite(samples)
        return improvements(np.append(counts[known], self.maxfev), np.append(samples[known], self.best))


@dataclass(frozen=True, eq=False, kw_only=True)
class Failure(Record):
    """A task that raised; it is tried again by the next run."""

    error: str
    traceback: str


R = TypeVar("R", Row, Failure)


@cache
def columns(kind: type[Record]) -> dict[str, Column]:
    """The columns of a kind of record, the key first."""
    found = {
        item.name: item.metadata.get(_COLUMN) or _BY_TYPE[str(item.type)]
        for item in fields(kind)
        if _APART not in item.metadata
    }
    return {"key": found.pop("key"), **found}


def schema(kind: type[Record]) -> str:
    """The columns for CREATE TABLE."""
    constraints = ((name, column.kind, "PRIMARY KEY" if name == "key" else "NOT NULL")
                   for name, column in columns(kind).items())  # fmt: skip
    return ", ".join(" ".join(parts) for parts in constraints)


def encode(record: Record) -> tuple[Any, ...]:
    """The values of a record in the order of its columns."""
    return tuple(column.encode(getattr(record, name)) for name, column in columns(type(record)).items())


def decode(kind: type[R], values: Sequence[Any], **changes: Any) -> R:
    """The record of such values; ``changes`` replace what they say."""
    pairs = zip(columns(kind).items(), values, strict=True)
    found = kind(**{name: column.decode(value) for (name, column), value in pairs} | changes)
    if isinstance(found, Row):
        if found.samples.ndim != 1 or math.isnan(found.best):
            raise ValueError("a row has no value, or a curve that is none")
        if not are_versions(found.versions):
            raise ValueError("a row does not say which versions it was made with")
    return found


def are_versions(found: Any) -> bool:
    """Whether it says in texts with which versions runs were made."""
    return isinstance(found, dict) and "autov" in found and all(isinstance(text, str) for text in found.values())


@cache
def versions() -> dict[str, str]:
    """Versions that a result may depend on."""
    return core_versions("numpy", "numba", "scipy")
