"""Evaluations that fail: what is done about them, and how many there were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.core import Array, InputError, WorkerError

RAISED, LATE, LOST = "raised", "timed out", "worker lost"
KINDS = (RAISED, LATE, LOST)
_AT = ", at x = "


@dataclass(frozen=True)
class FaultPolicy:
    """What is done about evaluations that fail.

    Attributes:
        timeout: seconds that an evaluation may take; then its worker is replaced and the point counts as infinitely
            bad. None for any time.
        on_error: what an exception of the function, or the death of its worker, does: "raise" ends the run, "worst"
            lets the point count as infinitely bad.
    """

    timeout: float | None = None
    on_error: str = "raise"

    def __post_init__(self) -> None:
        fits = isinstance(self.timeout, (int, float, np.number)) and not isinstance(self.timeout, bool)
        if self.timeout is not None and not (fits and 0 < self.timeout < np.inf):
            raise InputError(f"timeout: must be a positive number of seconds or None, got {self.timeout!r}")
        if self.on_error not in ("raise", "worst"):
            raise InputError(f"on_error: must be 'raise' or 'worst', got {self.on_error!r}")

    @property
    def worst(self) -> bool:
        """Whether exceptions count as worst."""
        return self.on_error == "worst"


DEFAULT = FaultPolicy()


def fault_policy(faults: Any) -> FaultPolicy:
    """The policy that is given, or the default."""
    if faults is None:
        return DEFAULT
    if not isinstance(faults, FaultPolicy):
        raise InputError(f"faults: must be autov.FaultPolicy(...), got {faults!r}")
    return faults


class FaultCount:
    """How many evaluations failed and counted as worst, by what happened, and the first of them."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.first = ""

    def note(self, what: str, reason: str, point: Array | None) -> None:
        """One more."""
        self.counts[what] = self.counts.get(what, 0) + 1
        self.first = self.first or f"{reason}{'' if point is None else f' at x = {point_text(point)}'}"

    def add(self, counts: Mapping[str, int], first: str = "") -> None:
        """Those of another count."""
        for what, count in counts.items():
            self.counts[what] = self.counts.get(what, 0) + count
        self.first = self.first or first

    def lose(self, policy: FaultPolicy, reason: str, point: Array) -> str:
        """Take note of a point whose worker died or was replaced, and tell which; raise it where that is wanted."""
        late = reason.startswith("took longer")
        if not late and not policy.worst:
            raise lost_at(reason, point)
        what = LATE if late else LOST
        self.note(what, reason, point)
        return what


def sentence(counts: Mapping[str, int], first: str = "") -> str:
    """What to tell people; nothing if there were none."""
    if not counts:
        return ""
    parts = ", ".join(f"{count} {what}" for what, count in counts.items())
    return f"{sum(counts.values())} evaluations failed and counted as worst ({parts}){f': {first}' if first else ''}."


def point_text(point: Array) -> str:
    """A point in a message."""
    return " ".join(np.array2string(np.asarray(point), threshold=20, separator=", ").split())


def lost_at(reason: str, point: Array) -> WorkerError:
    """The error of a point that ended its worker."""
    return WorkerError(f"{reason}{_AT}{point_text(point)}")


def names_point(error: str) -> bool:
    """Whether the text of an error is that of a point that ended its worker."""
    return _AT in error


def one_line(error: BaseException) -> str:
    """Type and text of an exception."""
    text: Any = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"
