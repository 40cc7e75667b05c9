"""Comparisons as files that other programs read: logs of ioh's Analyzer, and data of COCO for cocopp.

Both are written from what is stored: evaluations that bettered the best value, and that value (see
`autov.experiments.trace`). Points are not stored; ioh's logs have them if they are given (`best_points`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from autov.core import InputError, to_json, write_text
from autov.experiments import Comparison, Row
from autov.experiments.run_points import BestPoints, Points
from autov.problems import BBOB, ProblemFamily, instance_of

OWN_NUMBERS = 101  # first number of a function that is not of the BBOB suite
PRECISION = 1e-8  # COCO's last target


class Logged(NamedTuple):
    """A run as logs know it."""

    instance: int
    minimum: float | None
    offset: float  # of the values: what was subtracted when they were made
    row: Row
    points: BestPoints | None = None  # of the improvements, where they are known

    def lines(self) -> Iterator[tuple[int, float]]:
        """Evaluations and best values: all improvements that are stored, and the end of the run."""
        counts, bests = self.row.course
        yield from zip(counts.tolist(), bests.tolist(), strict=True)
        if not len(counts) or counts[-1] < self.row.maxfev:
            yield self.row.maxfev, self.row.best

    def placed(self) -> Iterator[tuple[int, float, list[float]]]:
        """The same with points, if they are known; else with none."""
        if self.points is None or not len(self.points.counts):
            nowhere = [] if self.points is None else [math.nan] * self.row.dim
            yield from ((count, best, nowhere) for count, best in self.lines())
            return
        counts, values, points = (part.tolist() for part in self.points)
        yield from zip(counts, values, points, strict=True)
        if counts and counts[-1] < self.row.maxfev:
            yield self.row.maxfev, values[-1], points[-1]


class Logs(NamedTuple):
    """Runs of an algorithm on instances of one function with one number of variables."""

    number: int
    title: str
    suite: str
    dim: int
    runs: list[Logged]


def _file_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-") or "unnamed"


def _logs(comparison: Comparison, label: str, points: Points | None = None) -> list[Logs]:
    """What an algorithm did, function by function; instances of a BBOB function belong together."""
    found: dict[tuple[int, int], Logs] = {}
    for place, name in enumerate(comparison.problems):
        for row in comparison.runs(name, label):
            problem = comparison.problem(name)
            case = None if problem is None else instance_of(problem, row.run)
            if isinstance(case, BBOB):
                number, title, suite, instance = int(case.number), case.title, "bbob", int(case.iid)
                offset = case.offset - case.minimum
            else:
                number, title, suite = OWN_NUMBERS + place, _file_name(name), "autov"
                instance = row.run + 1 if isinstance(problem, ProblemFamily) else 1
                offset = 0.0
            logs = found.setdefault((number, row.dim), Logs(number, title, suite, row.dim, []))
            at = None if points is None else points[name, label, row.run]
            logs.runs.append(Logged(instance, comparison.minimum(name, row.run), offset, row, at))
    return list(found.values())


def _folders(comparison: Comparison, folder: Path) -> Iterator[tuple[str, Path]]:
    names = [_file_name(label) for label in comparison.algorithms]
    for i, (label, name) in enumerate(zip(comparison.algorithms, names, strict=True)):
        yield label, folder / (name if names.count(name) == 1 else f"{name}-{i + 1}")


def write_ioh_logs(comparison: Comparison, folder: Path, points: Points | None = None) -> list[Path]:
    """Write a folder for each algorithm as ioh's Analyzer does; values are gaps to the minimum where it is known.

    A function that is not of the BBOB suite gets a number from 101 on, by its place in the comparison. Returns the
    folders.

    Args:
        comparison: the runs to write.
        folder: made if it is not there.
        points: of `autov.experiments.best_points`: then lines are exact to the evaluation and end with the point.
    """
    made = []
    for label, place in _folders(comparison, folder):
        by_number: dict[int, list[Logs]] = {}
        for logs in _logs(comparison, label, points):
            by_number.setdefault(logs.number, []).append(logs)
        for number, parts in by_number.items():
            stem = f"f{number}_{parts[0].title}"
            scenarios = []
            for logs in parts:
                path = f"data_{stem}/IOHprofiler_f{number}_DIM{logs.dim}.dat"
                text, runs = "", []
                for run in logs.runs:
                    offset = run.minimum or 0.0
                    lines = [(count, best - offset, x) for count, best, x in run.placed()]
                    names = [] if points is None else [f"x{i}" for i in range(logs.dim)]
                    text += " ".join(["evaluations raw_y", *names]) + "\n"
                    text += "".join(f"{count} {_numbers([gap, *x])}\n" for count, gap, x in lines)
                    first = next((count for count, gap, _ in lines if gap == lines[-1][1]), run.row.maxfev)
                    best = {"evals": first, "y": lines[-1][1], "x": lines[-1][2]}
                    runs.append({"instance": run.instance, "evals": run.row.maxfev, "best": best})
                _write(place / path, text)
                scenarios.append({"dimension": logs.dim, "path": path, "runs": runs})
            head = {
                "version": "0.3.5", "suite": parts[0].suite, "function_id": number, "function_name": parts[0].title,
                "maximization": False, "algorithm": {"name": label, "info": parts[0].runs[0].row.settings},
                "attributes": ["evaluations", "raw_y"], "scenarios": scenarios,
            }  # fmt: skip
            _write(place / f"IOHprofiler_{stem}.json", to_json(head, indent=2) + "\n")
        made.append(place)
    return made


def _numbers(values: list[float]) -> str:
    return " ".join(f"{value:.17g}" for value in values)


def write_coco_data(comparison: Comparison, folder: Path) -> list[Path]:
    """Write a folder for each algorithm in the form of COCO's bbob suite, for cocopp; returns the folders.

    Only plain instances of BBOB functions have a place there: others are left out, and none at all is refused.
    """
    made = []
    for label, place in _folders(comparison, folder):
        infos: dict[int, str] = {}
        for logs in _logs(comparison, label):
            if logs.suite != "bbob":
                continue
            stem = f"data_f{logs.number}/bbobexp_f{logs.number}_DIM{logs.dim}"
            text, ends = "", []
            for run in logs.runs:
                minimum = run.minimum or 0.0
                text += (
                    f"% function evaluation | noise-free fitness - Fopt ({minimum + run.offset:.12e}) | best noise-"
                    f"free fitness - Fopt | measured fitness | best measured fitness | x1 | x2...\n"
                )
                for count, best in run.lines():
                    gap = f"{best - minimum:+.9e}"
                    value = f"{best + run.offset:+.9e}"
                    text += f"{count} {gap} {gap} {value} {value}\n"
                ends.append(f"{run.instance}:{run.row.maxfev}|{run.row.best - minimum:.1e}")
            _write(place / f"{stem}.dat", text)
            _write(place / f"{stem}.tdat", text)
            info = (
                f"suite = 'bbob', funcId = {logs.number}, DIM = {logs.dim}, Precision = {PRECISION:.3e}, "
                f"algId = '{place.name}'\n% written by autov from stored traces\n{stem}.dat, {', '.join(ends)}\n"
            )
            infos[logs.number] = infos.get(logs.number, "") + info
        for number, text in infos.items():
            _write(place / f"bbobexp_f{number}.info", text)
        if infos:
            made.append(place)
    if not made:
        raise InputError(
            f"coco data: only runs on bbob-f1..bbob-f24 have a place there, got {', '.join(comparison.problems)}"
        )
    return made


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
