"""A live display of long work in the terminal; a calm line a minute where there is none."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from autov.cli.facts import clock, packed, speed
from autov.cli.notebook_display import NotebookView

if TYPE_CHECKING:
    from autov.designer import SearchProgress

LONGEST_BAR = 60  # characters
MINUTE = 60.0  # between the lines of a log
ENDING = "choosing among the best, testing on fresh instances"


def _summary(progress: SearchProgress) -> list[str]:
    """The best candidate in at most six lines: the main rows of an operator, or the heads of an algorithm's parts."""
    from autov.algorithms.text import explain
    from autov.designer import OperatorGenome
    from autov.operators.text import by_probability, row_formula

    vector = progress.state.vectors[0]
    if isinstance(progress.genome, OperatorGenome):
        operator = progress.genome.operator(vector)
        total = operator.probability.sum()
        rows = by_probability(operator)[:6]
        return [f"{operator.probability[j] / total:6.3f}  {row_formula(operator, j)}" for j in rows]
    lines = [line for line in explain(progress.genome.decode(vector)).splitlines() if line]
    return [line for line in lines if "%: " not in line and not line.startswith("            ")][:6]


def search_facts(progress: SearchProgress) -> list[str]:
    """How far a search is, how long it will take, and how good its best is; what matters most comes first."""
    _, _, best, median, *_ = progress.state.history[-1]
    return [
        f"generation {progress.state.generation} of {progress.generations}",
        f"{clock(progress.seconds_left)} left", f"best {best:.5g}", f"median {median:.5g}",
        f"{clock(progress.seconds)} elapsed", speed(progress.rate),
    ]  # fmt: skip


def task_facts(title: str, done: int, total: int, left: float | None, best: float | None) -> list[str]:
    """How many runs are made, how long the others will take, and the best value of all."""
    facts = [f"{title}: {done} of {total} runs" if title else f"{done} of {total} runs"]
    facts += [] if left is None else [f"{clock(left)} left"]
    return facts + ([] if best is None else [f"best {best:.6g}"])


def view(
    title: str, done: float, total: float, facts: Sequence[str], width: int, best: Sequence[str] = (), hint: str = ""
) -> Group:  # fmt: skip
    """A bar, facts below it, and lines that tell what is best so far, for a terminal of that width."""
    bar = Table.grid()
    bar.add_row(ProgressBar(total=total, completed=done, width=min(LONGEST_BAR, width - 1)))
    parts: list[RenderableType] = [Text(title, no_wrap=True, overflow="ellipsis")] if title else []
    parts += [bar, *(Text(line, no_wrap=True, overflow="ellipsis") for line in packed(facts, width - 1))]
    if best:
        said = f"best so far ({hint}):" if hint else "best so far:"
        parts.append(Text(said, style="dim", no_wrap=True, overflow="ellipsis"))
        parts += [Text(f"  {line}", no_wrap=True, overflow="ellipsis") for line in best]
    return Group(*parts)


class ProgressDisplay:
    """Shows what is done, how far it is, the time left and what is best so far.

    Args:
        console: where to; standard error by default.
        title: what is being done.
        hint: how a search can be stopped, in a few words.
        now: seconds of a clock.
    """

    def __init__(
        self, console: Console | None = None, title: str = "", hint: str = "",
        now: Callable[[], float] = time.perf_counter,
    ) -> None:  # fmt: skip
        self._console = console or Console(stderr=True)
        self._title, self._hint, self._now = title, hint, now
        self._live: Live | NotebookView | None = None
        if self._console.is_jupyter:
            self._live = NotebookView(self._console.width)
        elif self._console.is_terminal:
            self._live = Live(console=self._console, refresh_per_second=8, transient=True)
        self._running = self._entered = False
        self._drawn = self._said = now()

    def __call__(
        self, progress: SearchProgress | int, total: int = 0, left: float | None = None, best: float | None = None
    ) -> None:  # fmt: skip
        """Draw, a few times a second: a search, or (done, total, seconds left, best value) of runs."""
        if isinstance(progress, int):
            facts, done, end = task_facts(self._title, progress, total, left, best), progress, total
        else:
            facts, done, end = search_facts(progress), progress.state.generation + 1, progress.generations + 1
        if done >= end:
            self._end(isinstance(progress, int))
            return
        now = self._now()
        if self._live is None:
            self._log(facts, now)
            return
        if self._running and now - self._drawn < 0.1:
            return
        self._drawn = now
        title = "" if isinstance(progress, int) else self._title
        lines = [] if isinstance(progress, int) else _summary(progress)
        self._show(view(title, done, end, facts, self._console.width, lines, self._hint))

    def _show(self, shown: RenderableType) -> None:
        if self._live is None:
            return
        if not self._running:
            self._live.start()
            self._running = True
        self._live.update(shown)

    def _log(self, facts: Sequence[str], now: float) -> None:
        """A line for logs, at most one a minute."""
        if now - self._said >= MINUTE:
            self._said = now
            self._console.print(f"autov: {', '.join(facts)}", markup=False, highlight=False, soft_wrap=True)

    def _end(self, all_done: bool) -> None:
        """After the last generation of a search comes its race and re-test, which takes its time, too."""
        if all_done or not self._entered:
            self.close()
        else:
            self._show(Spinner("line", Text(ENDING, no_wrap=True, overflow="ellipsis")))

    def __enter__(self) -> ProgressDisplay:
        self._entered = True
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the terminal clean."""
        if self._live and self._running:
            self._live.stop()
            self._running = False
