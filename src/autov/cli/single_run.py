"""One run of ``autov minimize``: what it costs before, how far it is meanwhile, and its best point whatever happens."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING, Any

from autov.cli import ignore_signals
from autov.cli.facts import clock
from autov.cli.output import console, log, print_json, quiet_functions
from autov.core import counted

if TYPE_CHECKING:
    from autov.cli.search_display import ProgressDisplay
    from autov.problems import Problem
    from autov.runs.result import Result

ANNOUNCED = 10.0  # seconds: what is expected to take longer is said once
MEASURED = 4  # batches that tell how long an evaluation takes: more than half of them do not compile
RECENT = 20  # batches whose median tells the time left


class EvaluationCounter:
    """Callback of `minimize` that feeds a display with evaluations, time left and best value.

    Args:
        display: what shows them.
        maxfev: evaluations of the run, at most.
        now: seconds of a clock.
    """

    def __init__(
        self, display: ProgressDisplay, maxfev: int, now: Callable[[], float] = time.perf_counter
    ) -> None:  # fmt: skip
        self._display, self._maxfev, self._now = display, maxfev, now
        self._last = now(), 0
        self._each: deque[float] = deque(maxlen=RECENT)  # seconds of an evaluation in the last batches
        self._announced = False

    def __call__(self, intermediate_result: Result) -> None:
        """Hear of a run after a batch."""
        made, best = int(intermediate_result.nfev), float(intermediate_result.fun)
        (time_before, made_before), self._last = self._last, (self._now(), made)
        if made > made_before:
            self._each.append((self._last[0] - time_before) / (made - made_before))
        seconds = median_low(self._each) if len(self._each) > 1 else None
        left = None if seconds is None else seconds * (self._maxfev - made)
        if seconds and left and left > ANNOUNCED and not self._announced and len(self._each) >= MEASURED:
            self._announced = True
            each = f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
            log(f"autov: {each} an evaluation: at most {clock(left)} for {counted(self._maxfev, 'evaluation')}; "
                "Ctrl-C stops and shows the best point")  # fmt: skip
        self._display(made, self._maxfev, left, best)


def solve_once(
    problem: Problem, *, maxfev: int | None, seed: int, title: str, label: str, out: Path | None, json_: bool,
    popsize: int | None, **options: Any,
) -> None:  # fmt: skip
    """Minimise in one run; print and write the best point, after Ctrl-C or a failure, too.

    Args:
        problem: what is minimised.
        maxfev: evaluations; None until converged.
        seed: of all random numbers.
        title: the algorithm, as it was typed.
        label: the problem's name as it was typed.
        out: file for the result: JSON, or a page where it ends in .html.
        json_: print JSON.
        popsize: population size, if given.
        options: further arguments of `minimize`.
    """
    from autov.cli.search_display import ProgressDisplay
    from autov.runs.budget import budget_of
    from autov.runs.minimization import minimize

    dim = problem.box.dim
    about = {"problem": problem.name, "dim": dim, "algorithm": title, "maxfev": budget_of(maxfev, dim), "seed": seed,
             **({} if popsize is None else {"popsize": popsize})}  # fmt: skip
    shown = ProgressDisplay(title=f"{title} on {label}", unit="evaluations")
    with quiet_functions(json_), shown as display:
        counter = EvaluationCounter(display, about["maxfev"])
        try:
            result = minimize(
                problem, algorithm=title, maxfev=maxfev, popsize=popsize, rng=seed, callback=counter, **options
            )
        except (Exception, KeyboardInterrupt) as error:
            found = getattr(error, "autov_result", None)
            if isinstance(error, KeyboardInterrupt):
                ignore_signals()  # a second Ctrl-C must not lose the point
            display.close()
            if found is not None:
                _write(found, about, out)
                where = f"; {out} holds it" if out is not None else ""
                log(f"autov: {found.message} Best value {found.fun:.6g}{where}")
                sys.stderr.write("".join(f"{line}\n" for line in point_lines(found, problem)))
            raise
    _write(result, about, out)
    if json_:
        print_json(to_dict(result, about))
        return
    told = console()
    made = counted(result.nfev, "evaluation")
    told.print(f"best value {result.fun:.10g} after {made} of {title} on {label}", markup=False)
    for line in point_lines(result, problem):
        told.print(line, markup=False)
    told.print(result.message, markup=False)
    if out is not None:
        told.print(f"wrote {out}")


def to_dict(result: Result, about: dict[str, Any]) -> dict[str, Any]:
    """A run for JSON: what was run, and all numbers of the result but its populations and history."""
    import numpy as np

    from autov.runs.result import LONG

    def plain(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return value.tolist()
        if isinstance(value, (list, tuple)):
            return [plain(item) for item in value]
        return value.item() if isinstance(value, np.generic) else value

    return about | {name: plain(value) for name, value in result.items() if name not in LONG}


def _write(result: Result, about: dict[str, Any], out: Path | None) -> None:
    from autov.core import to_json, write_text

    if out is None:
        return
    if out.suffix.lower() in (".html", ".htm"):
        result.report(out, title=f"{about['algorithm']} on {about['problem']}")
    else:
        more = {} if result.get("status") != -1 else {"interrupted": True}
        write_text(out, to_json(to_dict(result, about) | more, indent=2) + "\n")


def point_lines(result: Result, problem: Problem, width: int | None = None) -> list[str]:
    """The best point, as many variables a line as fit; none is hidden and no number is broken."""
    import shutil

    from autov.cli.facts import packed
    from autov.reports.run_page import named_values
    from autov.runs.known_points import variable_names

    width = width or (shutil.get_terminal_size().columns if sys.stdout.isatty() else 80)
    lines = packed([f"{name} = {value}" for name, value in named_values(result, variable_names(problem))], width - 3)
    return [f"  {line}" for line in lines]
