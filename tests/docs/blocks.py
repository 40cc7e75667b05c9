"""Code in Markdown: blocks with what stands before and behind them, and commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: (.+?) -->\s*\Z")


@dataclass(frozen=True)
class Block:
    """Code of one fence; why it is not run, or None; and the text block that follows at once, or None."""

    language: str
    code: str
    line: int
    not_run: str | None
    output: str | None


def blocks(text: str) -> list[Block]:
    """All fenced blocks of a page."""
    found, fences = [], list(FENCE.finditer(text))
    for fence, after in zip(fences, [*fences, None][1:], strict=True):
        reason = NOT_RUN.search(text[: fence.start()])
        shown = after is not None and after[1] == "text" and not text[fence.end() : after.start()].strip()
        output = after[2] if shown and after is not None else None
        line = text[: fence.start()].count("\n") + 1
        found.append(Block(fence[1], fence[2], line, reason[1] if reason else None, output))
    return found


def commands(code: str) -> Iterator[list[str]]:
    """The arguments of every ``autov ...`` in lines of a shell; brackets around what may be left out are dropped."""
    for line in code.replace("\\\n", " ").splitlines():
        if re.match(r"\s*(\$ )?autov\s", line):
            words = shlex.split(line.replace("[", "").replace("]", ""), comments=True)
            yield [word for word in words if word != "$"][1:]
