"""A live display of a search in the terminal; silent when there is none."""

from __future__ import annotations

import time

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from autov.algorithms.text import explain
from autov.designer import OperatorGenome, SearchProgress
from autov.operators.text import by_probability, row_formula


def clock(seconds: float) -> str:
    """Seconds as 1:02:03 or 2:03."""
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _summary(progress: SearchProgress) -> list[str]:
    """The best candidate in at most six lines: the main rows of an operator, or the heads of an algorithm's parts."""
    vector = progress.state.vectors[0]
    if isinstance(progress.genome, OperatorGenome):
        operator = progress.genome.operator(vector)
        total = operator.probability.sum()
        rows = by_probability(operator)[:6]
        return [f"{operator.probability[j] / total:6.3f}  {row_formula(operator, j)}" for j in rows]
    lines = [line for line in explain(progress.genome.decode(vector)).splitlines() if line]
    return [line for line in lines if "%: " not in line and not line.startswith("            ")][:6]


def _tasks(done: int, total: int, left: float | None) -> Group:
    """Runs of a comparison."""
    text = f"{done} of {total} runs" + ("" if left is None else f", {clock(left)} left")
    return Group(Text(text), ProgressBar(total=total, completed=done, width=60))


class ProgressDisplay:
    """Shows generation, fitness, speed, time left and what is best so far."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._live = (
            Live(console=self._console, refresh_per_second=8, transient=True)
            if self._console.is_terminal or self._console.is_jupyter
            else None
        )
        self._drawn = 0.0

    def __call__(self, progress: SearchProgress | int, total: int = 0, left: float | None = None) -> None:
        """Draw, at most a few times a second: a search, or (done, total, seconds left) of a comparison."""
        done = progress >= total if isinstance(progress, int) else progress.state.generation >= progress.generations
        if done:
            self.close()
            return
        now = time.perf_counter()
        if self._live is None or now - self._drawn < 0.1:
            return
        if not self._drawn:
            self._live.start()
        self._drawn = now
        self._live.update(_tasks(progress, total, left) if isinstance(progress, int) else self._view(progress))

    def _view(self, progress: SearchProgress) -> Group:
        state = progress.state
        facts = Table.grid(padding=(0, 3))
        facts.add_row(
            f"generation {state.generation}/{progress.generations}", f"best {state.history[-1][2]:.5g}",
            f"median {state.history[-1][3]:.5g}", f"{progress.rate / 1e6:.2f} million evaluations/s",
            f"{clock(progress.seconds)} elapsed, {clock(progress.seconds_left)} left",
        )  # fmt: skip
        rows = [Text(f"  {line}", no_wrap=True, overflow="ellipsis") for line in _summary(progress)]
        bar = ProgressBar(total=progress.generations + 1, completed=state.generation + 1, width=60)
        return Group(bar, facts, Text("best so far:", style="dim"), *rows)

    def __enter__(self) -> ProgressDisplay:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the terminal clean."""
        if self._live and self._drawn:
            self._live.stop()
            self._drawn = 0.0
