"""Where a search is kept: a checkpoint, and next to it the values that came after it.

The checkpoint is there before the first evaluation, and it alone has the seed and the sizes of a search. The journal of
values has only a fingerprint of the search that they belong to; a third file has all candidates that were tried. A lock
keeps other processes out.
"""

from __future__ import annotations

import hashlib
import json
import os
import time as clock
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from autov.core import FileError, InputError, Seed, check_writable, identity, new_folder, seed_of, to_json
from autov.core.locks import locked
from autov.designer.candidates import CandidateFile, gene_names
from autov.designer.checkpoint import Checkpoint, broken, check_state
from autov.designer.journal import Journal
from autov.designer.search import Search
from autov.problems import Problem

CHECKPOINT_SECONDS = float(os.environ.get("AUTOV_CHECKPOINT_SECONDS", "5"))


class SearchFiles:
    """The files of a search; without a path nothing is kept.

    Attributes:
        path: of the checkpoint.
        saved: the checkpoint that was there when the search was resumed.
        journal: the values since the last checkpoint.
        trained: identities of the problems of the search.
        judged: identities of those of the re-test, whose values are in the journal, too.
        candidates: all that were tried, from the beginning of the search on.
    """

    def __init__(self, path: Path | None = None, saved: Checkpoint | None = None) -> None:
        self.path, self.saved = path, saved
        self.journal = Journal()
        self.trained: list[str] = []
        self.judged: list[str] = []
        self.candidates: CandidateFile
        self._written = clock.perf_counter()

    def seed(self, rng: Seed) -> int:
        """The seed, that of the search that continues if none is given."""
        return self.saved.settings["seed"] if rng is None and self.saved is not None else seed_of(rng)

    def identify(self, trained: Sequence[Problem], judged: Sequence[Problem]) -> None:
        """Take the identities of the problems, before anything is called: a family may keep what it has made."""
        if self.path is not None:
            self.trained, self.judged = [identity(one) for one in trained], [identity(one) for one in judged]

    def begin(self, search: Search, new: Checkpoint) -> Checkpoint:
        """The checkpoint to continue from: the saved one, if it belongs to this search, or the new one.

        Args:
            search: what the state must fit.
            new: the search before its first population.
        """
        settings = search.settings
        self.candidates = CandidateFile(
            None if self.path is None else candidates_of(self.path), gene_names(search.genome), len(search.trials),
            search.runs, settings.search.population,
        )  # fmt: skip
        if self.path is None:
            return new
        begin = new
        if self.saved is not None:
            _check_saved(self.path, self.saved, new, search)
            begin = replace(self.saved, plan=new.plan)
        fingerprint = hashlib.sha256(to_json([dict(new.settings), self.judged]).encode()).digest()
        self.journal = Journal(_values_of(self.path), fingerprint)
        self.journal.resume(begin.generation)
        if self.saved is None:
            self.write(new)
        self.journal.begin(begin.generation, fresh=True)
        self.candidates.begin(begin.generation)
        return begin

    def keep(self, now: Checkpoint, last: bool) -> None:
        """After a generation: write a checkpoint if it is the last one, or if some seconds have passed."""
        due = self.path is not None and (last or clock.perf_counter() - self._written > CHECKPOINT_SECONDS)
        if due:
            self.write(now)
        self.journal.begin(now.generation, fresh=due)

    def write(self, now: Checkpoint) -> None:
        """Write a checkpoint at once."""
        if self.path is not None:
            now.write(self.path)
            self._written = clock.perf_counter()


@contextmanager
def search_files(checkpoint: Any, resume: bool) -> Iterator[SearchFiles]:
    """The files of a search, locked in this block.

    Args:
        checkpoint: the path, or None.
        resume: continue from what is there; otherwise nothing may be there.
    """
    if checkpoint is None:
        yield SearchFiles()
        return
    with ExitStack() as opened:
        path = _place(checkpoint, opened)
        opened.enter_context(locked(path.with_name(f"{path.name}.lock"), "a search"))
        for each in (path, _values_of(path)):
            if each.exists() and not resume:
                error = InputError(f"checkpoint: {each} holds a search")
                error.add_note("resume=True continues it; or choose another checkpoint")
                raise error
        files = SearchFiles(path, Checkpoint.read(path) if path.exists() else None)
        opened.callback(lambda: files.journal.close())
        yield files
        files.journal.remove()


def candidates_of(path: Path) -> Path:
    """The file of all candidates next to a checkpoint."""
    return path.with_name(f"{path.name}.candidates")


def _values_of(path: Path) -> Path:
    """The file of values next to a checkpoint."""
    return path.with_name(f"{path.name}.values")


def _place(checkpoint: Any, opened: ExitStack) -> Path:
    """The file of a checkpoint; what cannot be written is found before hours are spent."""
    try:
        path = Path(checkpoint)
        opened.enter_context(new_folder(path.parent))
        check_writable(path)
    except FileError as error:
        raise FileError(f"checkpoint: {error}") from None
    except OSError as error:
        raise FileError(f"checkpoint: {checkpoint}: cannot be written: {error.strerror or error}") from None
    except TypeError as error:
        raise FileError(f"checkpoint: {checkpoint!r} cannot be written: {error}") from None
    return path


def _check_saved(path: Path, saved: Checkpoint, new: Checkpoint, search: Search) -> None:
    """Refuse a checkpoint of another search, or one that cannot continue."""
    _check_settings(path, saved.settings, json.loads(to_json(dict(new.settings))))
    if saved.state is not None:
        try:
            check_state(saved.state, search)
        except FileError as error:
            raise broken(path, error) from None
    most = search.settings.search.generations
    if saved.generation > most:
        raise InputError(f"generations: {path} has made {saved.generation} already, got {most}")


def _check_settings(path: Path, saved: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    names = [name for name in {**saved, **wanted} if saved.get(name) != wanted.get(name)]
    if names:
        changes = ", ".join(f"{name} was {saved.get(name)!r:.200}, is {wanted.get(name)!r:.200}" for name in names[:9])
        raise FileError(f"{path}: belongs to other settings ({' '.join(changes.split())})")
