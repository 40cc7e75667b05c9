"""A live display of long work in the terminal; a calm line a minute where there is none."""

from __future__ import annotations

import html
import importlib
import io
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from autov.cli.facts import clock, packed, ranking, speed, wrapped

if TYPE_CHECKING:
    from autov.cli.live_report import LiveReport
    from autov.designer import SearchProgress

LONGEST_BAR = 60  # characters
MINUTE = 60.0  # between the lines of a log
ENDING = "choosing among the best, testing on fresh instances"
MEASURES = {"rank": "mean rank", "log-gap": "log-gap", "panel": "share of known results that are better"}
MOST = 6  # lines that tell what is best so far
SHOWN = 5  # leaders of a comparison
STYLE = "white-space:pre;line-height:normal;font-family:monospace"  # of a notebook


def _summary(progress: SearchProgress) -> list[str]:
    """The best candidate in a few lines: the main rows of an operator, or which parts an algorithm has."""
    from autov.algorithms.text import explain
    from autov.designer import OperatorGenome
    from autov.operators.formulas import by_probability, row_formula

    vector = progress.state.vectors[0]
    if isinstance(progress.genome, OperatorGenome):
        operator = progress.genome.operator(vector)
        total = operator.probability.sum()
        rows = by_probability(operator)[:MOST]
        return [f"{operator.probability[j] / total:6.3f}  {row_formula(operator, j)}" for j in rows]
    lines = [line for line in explain(progress.genome.decode(vector)).splitlines() if line]
    rows = ("Offspring,", *"0123456789")  # of operators, and the formulas below them
    return [line for line in lines if not line.lstrip().startswith(rows) and not line.startswith(" " * 8)]


def search_facts(progress: SearchProgress) -> list[str]:
    """How far a search is, how long it will take, and how good its best is; what matters most comes first."""
    _, _, best, median, *_ = progress.state.history[-1]
    begun = progress.state.history[0][2]
    measure = MEASURES.get(progress.aggregate, "value")
    same = progress.aggregate != "rank"  # ranks are among the candidates of the moment
    return [
        f"generation {progress.state.generation} of {progress.generations}",
        f"{clock(progress.seconds_left)} left", f"best {measure} {best:.5g}",
        *([f"at first {begun:.5g}"] if same and progress.state.generation else []), f"median {median:.5g}",
        f"{clock(progress.seconds)} elapsed", speed(progress.rate),
    ]  # fmt: skip


def task_facts(
    done: int, total: int, left: float | None, best: float | None, least: int | None = None, unit: str = "runs"
) -> list[str]:  # fmt: skip
    """How many runs are made, how long the others will take, the best value, and what every cell of a table has."""
    facts = [f"{done:,} of {total:,} {unit}"]
    facts.append("time left not known yet" if left is None else f"{clock(left)} left")
    facts += [] if best is None else [f"best {best:.6g}"]
    return facts + (
        [] if least is None else [f"{least} or more in every cell" if least else "some cells have no run yet"]
    )


def view(
    title: str, done: float, total: float, facts: Sequence[str], width: int, best: Sequence[str] = (), hint: str = ""
) -> Group:  # fmt: skip
    """A bar, facts below it, and lines that tell what is best so far, for a terminal of that width."""
    bar = Table.grid()
    bar.add_row(ProgressBar(total=total, completed=done, width=min(LONGEST_BAR, width - 1)))
    lines = [*packed(facts, width - 1)]
    lines += wrapped([f"best so far ({hint}):" if hint else "best so far:"], width - 1, 2) if best else []
    lines += wrapped([f"  {line}" for line in best], width - 1, MOST)
    heads = [title] if title else []
    return Group(*(Text(line, no_wrap=True, overflow="ellipsis") for line in heads), bar,
                 *(Text(line, no_wrap=True) for line in lines))  # fmt: skip


class ProgressDisplay:
    """Shows the task, its progress, the time left, the best result so far, and the result if it stopped now.

    Args:
        console: where to; standard error by default.
        title: the task.
        hint: what Ctrl-C leaves, in a few words.
        now: seconds of a clock.
        unit: the name of one step.
        report: a page that is written anew meanwhile.
    """

    def __init__(
        self, console: Console | None = None, title: str = "", hint: str = "",
        now: Callable[[], float] = time.perf_counter, unit: str = "runs", report: LiveReport | None = None,
    ) -> None:  # fmt: skip
        self._unit, self._report = unit, report
        self._console = console or Console(stderr=True)
        self._title, self._hint, self._now = title, hint, now
        self._live: Live | NotebookView | None = None
        if self._console.is_jupyter:
            self._live = NotebookView(self._console.width)
        elif self._console.is_terminal:
            self._live = Live(console=self._console, refresh_per_second=8, transient=True)
        self._running = self._entered = False
        self._drawn = self._said = now()
        self._cells: dict[tuple[str, str], tuple[float, int]] = {}

    def begin(self, cells: Iterable[tuple[str, str]]) -> None:
        """Hear which (problem, algorithm) a comparison has."""
        self._cells = dict.fromkeys(cells, (0.0, 0))

    def ran(self, problem: str, label: str, best: float) -> None:
        """Hear the best value of a run of a comparison."""
        total, count = self._cells.get((problem, label), (0.0, 0))
        self._cells[problem, label] = (total + best, count + 1)

    def _leaders(self) -> list[str]:
        ranks = ranking(self._cells)
        shown = [f"{label} {rank:.3g}" for label, rank in list(ranks.items())[:SHOWN]]
        rest = f", and {len(ranks) - SHOWN} more" if len(ranks) > SHOWN else ""
        return [f"mean ranks {', '.join(shown)}{rest}"] if len(ranks) > 1 else []

    def __call__(
        self, progress: SearchProgress | int, total: int = 0, left: float | None = None, best: float | None = None
    ) -> None:  # fmt: skip
        """Draw, a few times a second: a search, or (done, total, seconds left, best value) of runs."""
        search, done, end = None, 0, total
        if isinstance(progress, int):
            done = progress
        else:
            search, done, end = progress, progress.state.generation + 1, progress.generations + 1
        if done >= end:
            self._end(search is None)
            return
        now = self._now()
        due = self._report is not None and self._report.due()
        if not due and (
            (self._live is None and now - self._said < MINUTE) or (self._running and now - self._drawn < 0.1)
        ):
            return
        if search is None:
            least = min(count for _, count in self._cells.values()) if self._cells else None
            facts, lines = task_facts(done, end, left, best, least, self._unit), self._leaders()
        else:
            facts, lines = search_facts(search), _summary(search)
        if self._report is not None and due:
            self._report.write(facts, lines, None if search is None else search.state.history)
        if self._live is None and now - self._said < MINUTE:
            return
        if self._live is None:
            self._log([*facts, *(lines if search is None else [])], now)
            return
        self._drawn = now
        self._show(view(self._title, done, end, facts, self._console.width, lines, self._hint))

    def _show(self, shown: RenderableType) -> None:
        if self._live is None:
            return
        if not self._running:
            self._live.start()
            self._running = True
        self._live.update(shown)

    def _log(self, facts: Sequence[str], now: float) -> None:
        """A line for logs, at most one a minute."""
        self._said = now
        said = f"{self._title}: " if self._title else ""
        self._console.print(f"autov: {said}{', '.join(facts)}", markup=False, highlight=False, soft_wrap=True)

    def _end(self, all_done: bool) -> None:
        """After the last generation of a search comes its race and re-test, which takes its time, too."""
        if all_done or not self._entered:
            self.close()
        else:
            self._show(Spinner("line", Text(ENDING, no_wrap=True, overflow="ellipsis")))

    def __enter__(self) -> ProgressDisplay:
        self._entered = True
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()
        if kind is not None and self._report is not None:
            self._report.stop()

    def close(self) -> None:
        """Leave the terminal clean."""
        if self._live and self._running:
            self._live.stop()
            self._running = False


class NotebookView:
    """A live display in a notebook, one output that is replaced again and again.

    It starts, updates and stops as rich's ``Live`` does, which needs ipywidgets there.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._handle: Any = None

    def start(self) -> None:
        """Make the output."""
        shown = importlib.import_module("IPython.display")
        self._html = shown.HTML
        self._handle = shown.display(self._html(""), display_id=True)

    def update(self, shown: RenderableType) -> None:
        """Replace it."""
        out = io.StringIO()
        Console(file=out, width=self._width, color_system=None, force_jupyter=False).print(shown)
        self._handle.update(self._html(f'<pre style="{STYLE}">{html.escape(out.getvalue())}</pre>'))

    def stop(self) -> None:
        """Leave nothing of it."""
        self._handle.update(self._html(""))
