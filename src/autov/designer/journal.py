"""Values of a search as they arrive, between two checkpoints: what was evaluated is not evaluated again.

A search is the same sequence of batches whenever it starts from the same checkpoint. So a value is known by the number
of its batch since then and its place in it; a digest of the batch says if it is another one after all. Records have a
fixed length and a checksum each, so that a file that was cut by a crash is good up to the cut.
"""

from __future__ import annotations

import errno
import hashlib
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from autov.core import Array, FileError, write_bytes
from autov.runs.evaluation import KINDS

FORMAT = b"autov-values "
MAGIC = FORMAT + b"2\n"
HEAD = len(MAGIC) + hashlib.sha256().digest_size  # then come the records
RECORD = struct.Struct("<cqqdI")  # kind, two integers, a value, the checksum of what stands before it
GENERATION, BATCH, VALUE = b"G", b"B", b"V"
WHAT = ("", *KINDS)  # what happened to a value, by the second number of its record


Made = dict[int, tuple[float, int]]  # place in a batch -> value, what happened to it
Batches = dict[int, tuple[int, int, Made]]  # number of a batch -> digest, size, values


class Values:
    """Values of one batch: those known from before, what happened where they failed, a place for those that come."""

    def __init__(self, journal: Journal | None, made: Made) -> None:
        self._journal = journal
        self.known = {index: value for index, (value, _) in made.items()}
        self.failed = {index: WHAT[what] for index, (_, what) in made.items() if what}

    def keep(self, index: int, value: float, failed: str = "") -> None:
        """The value of the index-th item of the batch, and what happened if it failed."""
        if self._journal is not None:
            self._journal.write(_record(VALUE, index, WHAT.index(failed), value))

    def keep_all(self, values: Array) -> None:
        """The values of the whole batch."""
        if self._journal is not None:
            self._journal.write(b"".join(_record(VALUE, i, 0, value) for i, value in enumerate(values.tolist())))

    def all(self, size: int) -> Array | None:
        """The values of a batch of this size if all of them are known."""
        return np.array([self.known[i] for i in range(size)]) if len(self.known) == size else None


class Journal:
    """The file of values beside a checkpoint; without a path nothing is kept."""

    def __init__(self, path: Path | None = None, fingerprint: bytes = bytes(32)) -> None:
        self.path = path
        self._head = MAGIC + fingerprint  # of the search that the values belong to
        self._file: Any = None
        self._batch = 0
        self._later: dict[int, Batches] = {}  # generation -> what was evaluated after it
        self._old: Batches = {}

    def resume(self, generation: int) -> None:
        """Take over what a search has evaluated since this generation (-1: before the first), and later ones."""
        if self.path is None or not self.path.exists():
            return
        data = self.path.read_bytes()
        if data.startswith(FORMAT) and not MAGIC.startswith(data[: len(MAGIC)]):
            raise FileError(
                f"{self.path}: holds values of another version of autov; move it to another folder to continue"
            )
        if not data.startswith(MAGIC) or len(data) < HEAD:
            return  # cut before its first value
        if data[:HEAD] != self._head:
            raise FileError(
                f"{self.path}: holds values of a search with other settings; move it to another folder to start anew"
            )
        batches: Batches = {}
        values: Made = {}
        place = size = 0
        for kind, first, second, value in _records(data[HEAD:]):
            if kind == GENERATION:
                batches = self._later.setdefault(first, {}) if first >= generation else {}
                place = size = 0
            elif kind == BATCH:
                if batches.get(place, ())[:2] != (first, second):
                    batches[place] = (first, second, {})
                values, size, place = batches[place][2], second, place + 1
            elif 0 <= first < size and value == value:
                values[first] = value, second if 0 < second < len(WHAT) else 0

    def begin(self, generation: int, fresh: bool) -> None:
        """What follows comes after this generation; ``fresh`` forgets what was before, which a checkpoint has now."""
        if self.path is None:
            return
        self._later = {number: made for number, made in self._later.items() if number >= generation}
        self._batch, self._old = 0, self._later.get(generation, {})
        if fresh or self._file is None:
            self.close()
            # With what this session has not come to yet: it may be stopped before.
            write_bytes(self.path, self._head + b"".join(_all_records(*item) for item in self._later.items()))
            try:
                self._file = self.path.open("ab", buffering=0)
            except OSError as error:
                raise FileError(f"{self.path}: cannot be written: {error.strerror or error}") from None
        self.write(_record(GENERATION, generation, 0, 0.0))

    def batch(self, size: int, *parts: np.ndarray) -> Values:
        """The values of the next batch, made of these arrays."""
        if self._file is None:
            return Values(None, {})
        text = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
        number = int.from_bytes(hashlib.sha256(text).digest()[:8], "little", signed=True)
        digest, old_size, known = self._old.get(self._batch, (None, None, {}))
        if (digest, old_size) != (number, size):
            self._old, known = {}, {}  # it went another way
        self._batch += 1
        self.write(_record(BATCH, number, size, 0.0))
        self.write(_values(known))
        return Values(self, known)

    def write(self, records: bytes) -> None:
        """Records; they reach the system at once, so that they survive the end of this process."""
        try:
            if self._file.write(records) != len(records):  # the disk took a part; what follows could not be read
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise FileError(
                f"{self.path}: cannot be written: {error.strerror or error}; the checkpoint is kept"
            ) from None

    def close(self) -> None:
        """Write what is left and close the file."""
        if self._file is not None:
            try:
                self._file.close()
            except OSError as error:
                raise FileError(f"{self.path}: cannot be written: {error.strerror or error}") from None
            finally:
                self._file = None

    def remove(self) -> None:
        """The search is over, or a new one begins."""
        self.close()
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def _all_records(generation: int, batches: Batches) -> bytes:
    """What was evaluated after a generation, as it stands in the file."""
    found = [_record(GENERATION, generation, 0, 0.0)]
    for number, size, values in batches.values():
        found += [_record(BATCH, number, size, 0.0), _values(values)]
    return b"".join(found)


def _values(made: Made) -> bytes:
    return b"".join(_record(VALUE, index, what, value) for index, (value, what) in made.items())


def _record(kind: bytes, first: int, second: int, value: float) -> bytes:
    record = RECORD.pack(kind, first, second, value, 0)[:-4]
    return record + struct.pack("<I", zlib.crc32(record))


def _records(data: bytes) -> Any:
    for place in range(0, len(data) - RECORD.size + 1, RECORD.size):
        record = data[place : place + RECORD.size]
        kind, first, second, value, check = RECORD.unpack(record)
        if zlib.crc32(record[:-4]) != check:
            return
        yield kind, first, second, value
