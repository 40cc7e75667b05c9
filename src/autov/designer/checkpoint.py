"""Searches on disk: written whole or not at all, refused if broken or of other settings."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from autov.core import FileError, replacing
from autov.designer.search import HISTORY, SearchState

FORMAT, VERSION = "autov-search", 1
_ARRAYS = ("vectors", "ids", "values", "fitness", "reference")


def write(path: Path, state: SearchState, settings: Mapping[str, Any], seconds: float) -> None:
    """Write a checkpoint atomically; after a crash the old one or the new one is there."""
    head = {
        "format": FORMAT, "version": VERSION, "settings": dict(settings), "seconds": seconds,
        "generation": state.generation, "next_id": state.next_id, "evaluations": state.evaluations,
    }  # fmt: skip
    with replacing(path) as file:
        np.savez(
            file, head=np.array(json.dumps(head)), history=np.array(state.history, dtype=np.float64),
            **{name: getattr(state, name) for name in _ARRAYS},
        )  # fmt: skip


def read(path: Path, settings: Mapping[str, Any]) -> tuple[SearchState, float]:
    """The state and the seconds spent so far; the settings must be those it was written with."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
            arrays = {name: data[name] for name in data.files}
        head = json.loads(str(arrays["head"]))
        if head["format"] != FORMAT or head["version"] != VERSION:
            raise FileError(f"{path}: not a checkpoint of a search (version {VERSION})")
        history = [tuple(row) for row in arrays["history"].reshape(-1, len(HISTORY)).tolist()]
        state = SearchState(
            generation=head["generation"], next_id=head["next_id"], evaluations=head["evaluations"], history=history,
            **{name: arrays[name] for name in _ARRAYS},
        )  # fmt: skip
        seconds, saved = float(head["seconds"]), head["settings"]
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"{path}: no such checkpoint") from None
    except (OSError, KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise FileError(f"{path}: broken checkpoint ({error}); move it away to start anew") from None
    wanted = json.loads(json.dumps(dict(settings)))
    if saved != wanted:
        names = [name for name in {**saved, **wanted} if saved.get(name) != wanted.get(name)]
        changes = ", ".join(f"{name} was {saved.get(name)!r}, is {wanted.get(name)!r}" for name in names)
        raise FileError(f"{path}: belongs to other settings ({changes})")
    return state, seconds
