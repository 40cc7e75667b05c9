"""Short facts for displays, and how they are laid out on a terminal of any width."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence


def clock(seconds: float) -> str:
    """Seconds as 1:02:03 or 2:03."""
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def speed(rate: float) -> str:
    """Evaluations per second in the unit that fits; seconds of one evaluation where it takes longer than a second."""
    if rate <= 0:
        return "no evaluation yet"
    if rate < 1:
        return f"{1 / rate:.2g} s per evaluation" if rate > 0.01 else f"{clock(1 / rate)} per evaluation"
    for size, name in ((1e6, " million"), (1e3, " thousand"), (1.0, "")):
        if rate >= 0.9995 * size:
            shown = f"{rate / size:.3g}{name}"
            return f"{shown} evaluation{'s' * (shown != '1')}/s"
    return "1 evaluation/s"


def packed(facts: Sequence[str], width: int) -> list[str]:
    """As many facts on each line as fit, commas between them; a fact is never broken."""
    lines: list[str] = []
    for fact in facts:
        if lines and len(lines[-1]) + 2 + len(fact) <= width:
            lines[-1] += f", {fact}"
        else:
            lines.append(fact)
    return lines


def wrapped(lines: Sequence[str], width: int, most: int, hang: int = 2) -> list[str]:
    """Lines broken between words so that none is cut, more spaces before what continues; at most this many."""
    found: list[str] = []
    for line in lines:
        begin = " " * (len(line) - len(line.lstrip()))
        found += textwrap.wrap(line.strip(), max(width, 20), initial_indent=begin, subsequent_indent=begin + " " * hang)
    return found if len(found) <= most else [*found[: most - 1], "..."]


def ranking(cells: Mapping[tuple[str, str], tuple[float, int]]) -> dict[str, float]:
    """Mean rank of each label over problems, the best first, of (problem, label) -> (sum of values, count).

    Only problems count on which all labels have a value; ties share the mean of their ranks.
    """
    from scipy.stats import rankdata

    labels = list(dict.fromkeys(label for _, label in cells))
    ranks = []
    for problem in dict.fromkeys(problem for problem, _ in cells):
        pairs = [cells.get((problem, label), (0.0, 0)) for label in labels]
        if all(count for _, count in pairs):
            ranks.append(rankdata([total / count for total, count in pairs]))
    found = {label: float(sum(each) / len(each)) for label, each in zip(labels, zip(*ranks, strict=True), strict=False)}
    return dict(sorted(found.items(), key=lambda item: item[1]))
