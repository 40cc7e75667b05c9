"""All candidates that a search has tried, kept next to its checkpoint: which genes matter is found out from them.

The file has one line of JSON and then, for each generation, a block of float32: genes and best values of the first
runs of each new candidate. Blocks have one size, so a search that continues writes behind the last generation that its
checkpoint has.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from autov.core import Array, FileError, to_json, write_bytes
from autov.designer.genome import Genome

FORMAT, VERSION = "autov-candidates", 1


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidates in the order in which they were tried.

    Attributes:
        genes: their names.
        vectors: (n, genes), in the box of the genome.
        values: (n, problems, runs) best values of runs on the same instances for all; NaN where none was made.
    """

    genes: tuple[str, ...]
    vectors: Array
    values: Array

    def merit(self) -> Array:
        """How good each candidate is (n,): its mean rank in a run among all that made it, from 0 (best) to 1."""
        ranks = np.full(self.values.shape, np.nan)
        for p, r in np.ndindex(self.values.shape[1:]):
            made = ~np.isnan(self.values[:, p, r])
            if made.any():
                ranks[made, p, r] = (rankdata(self.values[made, p, r]) - 0.5) / made.sum()
        return np.nanmean(ranks.reshape(len(ranks), -1), axis=1)


def gene_names(genome: Genome) -> tuple[str, ...]:
    """Names of the genes of a genome; numbers where it has none."""
    return getattr(genome, "gene_names", None) or tuple(f"gene{i + 1}" for i in range(genome.box.dim))


class CandidateFile:
    """Where the candidates of a search are kept: in memory, and in a file where there is a path."""

    def __init__(self, path: Path | None, genes: Sequence[str], problems: int, runs: int, population: int) -> None:
        self.path, self.genes = path, tuple(genes)
        self._shape = (population, len(self.genes) + problems * runs)
        self._tail = (problems, runs)
        self._head = _head(self.genes, problems, runs, population)
        self._blocks: list[np.ndarray] = []

    def begin(self, generation: int) -> None:
        """Keep what there is up to this generation (-1: nothing); those that are missing were not kept."""
        self._blocks = [np.full(self._shape, np.nan, dtype="<f4") for _ in range(generation + 1)]
        if self.path is None:
            return
        with contextlib.suppress(FileError):
            _, table = _read(self.path, self._head)
            for block, kept in zip(self._blocks, table.reshape(-1, *self._shape), strict=False):
                block[:] = kept
        write_bytes(self.path, self._head + b"".join(block.tobytes() for block in self._blocks))

    def add(self, vectors: Array, values: Array) -> None:
        """The candidates of one generation, with values (problems, n, runs)."""
        own = np.moveaxis(values, 1, 0).reshape(len(vectors), -1)
        with np.errstate(over="ignore"):  # of values beyond float32, which are infinite then
            block = np.concatenate([vectors, own], axis=1).astype("<f4")
        self._blocks.append(block)
        if self.path is not None:
            with self.path.open("ab") as file:
                file.write(block.tobytes())

    def candidates(self) -> Candidates:
        """All of them."""
        return _candidates(self.genes, self._tail, np.concatenate(self._blocks))


def read_candidates(path: Path) -> Candidates:
    """The candidates in a file; the last generation may be cut off."""
    head, table = _read(path)
    try:
        genes, tail = tuple(map(str, head["genes"])), (int(head["problems"]), int(head["runs"]))
        return _candidates(genes, tail, table)
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(f"{path}: not a file of candidates ({error})") from None


def _head(genes: Sequence[str], problems: int, runs: int, population: int) -> bytes:
    head = {"format": FORMAT, "version": VERSION, "genes": list(genes), "problems": problems, "runs": runs,
            "population": population}  # fmt: skip
    return to_json(head).encode() + b"\n"


def _candidates(genes: tuple[str, ...], tail: tuple[int, int], table: np.ndarray) -> Candidates:
    """Those that were kept."""
    table = table.reshape(-1, len(genes) + tail[0] * tail[1]).astype(np.float64)
    table = table[~np.isnan(table[:, : len(genes)]).any(axis=1)]
    return Candidates(genes, table[:, : len(genes)], table[:, len(genes) :].reshape(-1, *tail))


def _read(path: Path, wanted: bytes | None = None) -> tuple[dict[str, Any], np.ndarray]:
    """The head and whole generations of a file, flat."""
    try:
        with path.open("rb") as file:
            line, data = file.readline(), file.read()
        head = json.loads(line)
        size = 4 * int(head["population"]) * (len(head["genes"]) + int(head["problems"]) * int(head["runs"]))
        right = head["format"] == FORMAT and head["version"] == VERSION and wanted in (None, line)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(f"{path}: not a file of candidates ({' '.join(str(error).split())})") from None
    if not right or size <= 0:
        raise FileError(f"{path}: not a file of candidates of this search")
    return head, np.frombuffer(data[: len(data) // size * size], dtype="<f4")


__all__ = ["CandidateFile", "Candidates", "gene_names", "read_candidates"]
