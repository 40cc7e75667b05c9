"""Numbers of things in a sentence."""

from __future__ import annotations


def counted(count: int, what: str) -> str:
    """A number of things, such as "1 problem" or "2,000 runs"."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
