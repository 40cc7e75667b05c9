"""What the runs of a store teach, in words and with a small picture of where good points lie."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from autov.algorithms.start_distribution import clusters
from autov.core import Array, Box, counted
from autov.problems import Space, unpenalized
from autov.runs.stored_runs import StoredRun, reading

CELLS = 30  # of a picture
SHADES = " .:oO@"
MOST_VARIABLES = 40  # in the text
STRONG = 0.8  # a correlation that is told
ENOUGH = 5  # runs for one
NARROW = 0.1  # a standard deviation, as a part of the box, that is told to be small


@dataclass(frozen=True, eq=False)
class Kind:
    """Runs on problems with the same variables."""

    problems: tuple[str, ...]
    names: tuple[str, ...]
    box: Box | None
    runs: int
    evaluations: int
    optima: Array  # (n, d)
    values: Array  # (n,)
    leaders: dict[str, int] = field(default_factory=dict)  # who found the best point -> runs
    space: Space | None = None  # what describes the variables

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        bounds = None if self.box is None else np.column_stack([self.box.lower, self.box.upper]).tolist()
        if self.space is not None:
            more = {"variables": self.space.to_dict(), "points": list(self.space.points(self.optima))}
        else:
            more = {}
        return more | {
            "problems": list(self.problems), "names": list(self.names), "bounds": bounds, "runs": self.runs,
            "evaluations": self.evaluations, "optima": self.optima.tolist(), "values": self.values.tolist(),
            "leaders": self.leaders,
        }  # fmt: skip


def kinds_of(path: str | os.PathLike[str]) -> list[Kind]:
    """The runs of a store, those with the same variables together."""
    groups: dict[Any, list[tuple[StoredRun, int, Array, float]]] = {}
    with reading(path) as store:
        for run in store.runs():
            numbers, f = store.values(run)
            f = unpenalized(f)
            best = store.points(run, numbers[[int(np.argmin(f))]])[0] if len(f) and f.min() < np.inf else np.empty(0)
            same = (run.dim, run.names, run.box, repr(run.space))
            groups.setdefault(same, []).append((run, len(f), best, float(f.min(initial=np.inf))))
    return [_kind(members) for members in groups.values()]


def _kind(members: list[tuple[StoredRun, int, Array, float]]) -> Kind:
    first, good = members[0][0], [member for member in members if len(member[2])]
    problems = tuple(dict.fromkeys(run.problem for run, *_ in members))
    optima = np.array([best for _, _, best, _ in good]).reshape(-1, first.dim)
    values = np.array([value for *_, value in good])
    leaders = Counter(str(run.about["leader"])[:40] for run, *_ in good if run.about.get("leader"))
    return Kind(
        problems, first.names, first.box, len(members), sum(count for _, count, *_ in members), optima, values,
        dict(leaders.most_common(10)), first.space,
    )  # fmt: skip


def text_of(path: str | os.PathLike[str], kinds: list[Kind]) -> str:
    """All of it."""
    runs, made = sum(kind.runs for kind in kinds), sum(kind.evaluations for kind in kinds)
    lines = [f"{Path(path).name}: {counted(runs, 'run')}, {counted(made, 'evaluation')}."]
    for kind in kinds:
        lines += ["", *_lines(kind)]
    if any(len(kind.optima) for kind in kinds):
        lines += ["", f"The next run starts there: autov minimize PROBLEM --learn-from {os.fspath(path)}"]
    return "\n".join(lines)


def _lines(kind: Kind) -> list[str]:
    shown = ", ".join(name[:40] for name in kind.problems[:5]) + (", ..." if len(kind.problems) > 5 else "")
    n, d = len(kind.optima), kind.optima.shape[1]
    size = f"{counted(d, 'variable')}, {counted(kind.evaluations, 'evaluation')}"
    lines = [f"{counted(kind.runs, 'run')} on {shown}: {size}."]
    if not n:
        return [*lines, "No run has found a finite value."]
    ends = list(dict.fromkeys(f"{value:.6g}" for value in (kind.values.min(), kind.values.max())))
    lines.append(f"Best value{'' if len(ends) == 1 else 's'}: {' to '.join(ends)}.")
    if len(kind.leaders) > 1 or any(kind.runs > count for count in kind.leaders.values()):
        told = ", ".join(f"{name} in {count}" for name, count in kind.leaders.items())
        lines.append(f"Who found the best point, in how many runs: {told}.")
    lower, upper = (
        (kind.optima.min(axis=0), kind.optima.max(axis=0)) if kind.box is None else (kind.box.lower, kind.box.upper)
    )
    width = np.where(upper > lower, upper - lower, 1.0)
    unit = np.clip((kind.optima - lower) / width, 0, 1)
    names = kind.names or tuple(f"x{k}" for k in range(1, d + 1))
    long = max(len(name) for name in names[:MOST_VARIABLES])
    lines.append("Where the best points of the runs lie, from the lower to the upper bound:")
    for k in range(min(d, MOST_VARIABLES)):
        lines.append(f"  {names[k]:<{long}} |{_picture(unit[:, k])}| {_where(kind, k)}")
    narrow = [names[k] for k in range(d) if n > 1 and unit[:, k].std() < NARROW]
    if narrow:
        lines.append(f"Nearly the same in all runs: {', '.join(narrow[:10])}{', ...' if len(narrow) > 10 else ''}.")
    if n >= ENOUGH:
        lines += _correlations(unit, names)
    if (count := len(clusters(unit))) > 1:
        lines.append(f"They fall into {count} clusters.")
    return lines


def _where(kind: Kind, k: int) -> str:
    """Where the best points lie in one variable: mean and deviation; of described variables the values."""
    x = kind.optima[:, k]
    if kind.space is None:
        return f"{x.mean():.4g} +- {x.std():.2g}"
    variable = kind.space.variables[k]
    if variable.categories:
        found, counts = np.unique(np.rint(x), return_counts=True)
        return f"{variable.value(float(found[counts.argmax()]))} in {counts.max()} of {len(x)}"
    least, middle, most = (variable.value(float(u)) for u in (x.min(), np.median(x), x.max()))
    texts = [f"{value:.4g}" if isinstance(value, float) else str(value) for value in (middle, least, most)]
    return texts[0] if least == most else f"{texts[0]} ({texts[1]} to {texts[2]})"


def _correlations(unit: Array, names: tuple[str, ...]) -> list[str]:
    moves = np.flatnonzero(unit.std(axis=0) > 1e-9)[:200]
    if len(moves) < 2:
        return []
    r = np.atleast_2d(np.corrcoef(unit[:, moves].T))
    pairs = [(abs(r[i, j]), i, j) for i in range(len(moves)) for j in range(i) if abs(r[i, j]) >= STRONG]
    told = [
        f"{names[moves[j]]} and {names[moves[i]]} ({r[i, j]:+.2f})" for _, i, j in sorted(pairs, reverse=True)[:5]
    ]  # fmt: skip
    return [f"Correlated over runs: {', '.join(told)}."] if told else []


def _picture(unit: Array) -> str:
    """How many points lie in each part of a line."""
    counts = np.bincount(np.minimum((unit * CELLS).astype(int), CELLS - 1), minlength=CELLS)
    shades = np.ceil(counts / max(counts.max(), 1) * (len(SHADES) - 1)).astype(int)
    return "".join(SHADES[shade] for shade in shades)
