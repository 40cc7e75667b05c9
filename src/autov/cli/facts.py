"""Short facts for displays, and how they are laid out on a terminal of any width."""

from __future__ import annotations

from collections.abc import Sequence


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
            return f"{rate / size:.3g}{name} evaluations/s"
    return "1 evaluations/s"


def packed(facts: Sequence[str], width: int) -> list[str]:
    """As many facts on each line as fit, commas between them; a fact is never broken."""
    lines: list[str] = []
    for fact in facts:
        if lines and len(lines[-1]) + 2 + len(fact) <= width:
            lines[-1] += f", {fact}"
        else:
            lines.append(fact)
    return lines
