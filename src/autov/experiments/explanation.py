"""`Explanation`: which part of an algorithm matters, in words, tables and for machines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.core.display import Displayable
from autov.experiments.table import Cell, Table
from autov.stats import Versus

LEVEL = 0.05
LEAST_EXPLAINED = 0.02  # below which a forest knows nothing
SHOWN = 15  # changes in a table, at least those with an effect


@dataclass(frozen=True)
class Change:
    """A part taken away, or a setting back at its default, and what that does.

    Attributes:
        name: of the part or setting.
        what: in words.
        spec: what to write behind the algorithm's name for it.
        found: problem -> runs with the change against runs as it is.
    """

    name: str
    what: str
    spec: str
    found: dict[str, Versus]

    @property
    def mark(self) -> str:
        """``-`` significantly worse on some problem and better on none, ``+`` the reverse, ``=`` neither, ``?``."""
        signs = {one.mark(LEVEL) for one in self.found.values()}
        for one, other in (("-", "+"), ("+", "-")):
            if one in signs and other not in signs:
                return one
        return "?" if signs == {"?"} else "="

    @property
    def smaller(self) -> float:
        """How often a run with the change is better, ties half; the mean over problems."""
        return float(np.mean([one.smaller for one in self.found.values()]))


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Displayable):
    """The result of `explain`.

    Attributes:
        label: of the algorithm.
        problems: their labels.
        runs: of each variant on each problem.
        paired: runs met the same instances, so the signed-rank test was used; else the rank-sum test.
        changes: those that make it worse first.
        left_out: parts for whose runs there were not enough evaluations.
        evaluations: that this took.
        importance: gene -> share of the variance among the candidates of the search, the largest first.
        explained: part of the variance between candidates that the forest predicts; NaN without candidates.
        candidates: how many there were.
    """

    label: str
    problems: tuple[str, ...]
    runs: int
    paired: bool
    changes: tuple[Change, ...]
    left_out: int
    evaluations: int
    importance: dict[str, float]
    explained: float
    candidates: int

    def __repr__(self) -> str:
        return f"<Explanation of {self.label}: {len(self.changes)} changes, {self.candidates} candidates>"

    def __str__(self) -> str:
        tables = [str(table) for table in (self.table(), self.importance_table()) if table.rows]
        return "\n\n".join([*self.sentences(), *tables])

    def sentences(self) -> list[str]:
        """A summary in sentences."""
        said = []
        if self.changes:
            test = "signed-rank test of runs on the same instances" if self.paired else "rank-sum test"
            marks = [change.mark for change in self.changes]
            worse, better = ([change.what for change in self.changes if change.mark == sign] for sign in "-+")
            count = f"{len(marks)} change{'s' if len(marks) != 1 else ''}"
            said.append(
                f"{count}, {self.runs} runs of each on {' and '.join(self.problems)}. "
                f"Significantly worse: {marks.count('-')}; better: {marks.count('+')}; no significant difference: "
                f"{marks.count('=') + marks.count('?')} ({test}, Holm-corrected, 5 %). "
                "A part without an effect may still matter together with another one."
            )
            if set(marks) == {"?"}:
                said.append("With this number of changes, no difference can be significant: make more runs.")
            elif not worse and not better:
                said.append("No single part has a significant effect.")
            if worse:
                said.append(f"These matter most: {'; '.join(worse[:5])}.")
            if better:
                said.append(f"Better with the change: {'; '.join(better[:5])}.")
        if self.left_out:
            said.append(f"Left out: {self.left_out}, whose runs need more evaluations than the limit allows.")
        if self.importance:
            lead = ", ".join(f"{name} {share:.0%}" for name, share in list(self.importance.items())[:5])
            of = f"the variance of the ranks of {self.candidates:,} candidates by their genes"
            said.append(
                f"A random forest predicts {self.explained:.0%} of {of}. "
                f"Shares of its prediction by single genes: {lead}."
                if self.is_ranked
                else f"A random forest predicts almost nothing of {of}, so their importance is not shown."
            )
        return said

    @property
    def is_ranked(self) -> bool:
        """Whether the candidates show the importance of genes."""
        return self.explained > LEAST_EXPLAINED

    def leading(self, most: int = SHOWN) -> list[Change]:
        """Changes with a significant effect, and the largest of the others, up to this number."""
        kept = [change for change in self.changes if change.mark in "+-"]
        rest = sorted((c for c in self.changes if c not in kept), key=lambda change: -abs(change.smaller - 0.5))
        chosen = [*kept, *rest[: max(0, most - len(kept))]]
        return [change for change in self.changes if change in chosen]

    def table(self, most: int = SHOWN) -> Table:
        """Effects of changes on each problem: the significant ones, and the largest of the others."""
        shown = self.leading(most)
        rows = tuple(
            (change.what, tuple(Cell(one.effect, mark=one.mark(LEVEL)) for one in change.found.values()))
            for change in shown
        )
        more = len(self.changes) - len(shown)
        note = ("- significantly worse with the change, + better, = neither, ? too few runs. The first number is the "
                "share of runs that the change improves (ties half), the second the ratio of medians.")  # fmt: skip
        notes = (note, *([f"Not shown: {more} more, without a significant effect."] if more else []))
        return Table(f"{self.label}: without a part, or with a default", ("change", *self.problems), rows, notes=notes)

    def importance_table(self, most: int = 15) -> Table:
        """The genes that explain most."""
        kept = list(self.importance.items())[:most] if self.is_ranked else []
        rows = tuple((name, (Cell(f"{share:.1%}"),)) for name, share in kept)
        return Table("Shares of the variance that single genes explain", ("gene", "share"), rows)

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        changes = [
            {"name": change.name, "what": change.what, "spec": change.spec, "mark": change.mark,
             "found": {problem: {"p": one.p, "smaller": one.smaller, "median_ratio": one.ratio, "mark": one.mark(LEVEL)}
                       for problem, one in change.found.items()}}
            for change in self.changes
        ]  # fmt: skip
        return {
            "algorithm": self.label, "problems": list(self.problems), "runs": self.runs, "paired": self.paired,
            "changes": changes, "left_out": self.left_out, "evaluations": self.evaluations,
            "importance": self.importance, "explained": None if math.isnan(self.explained) else self.explained,
            "candidates": self.candidates,
        }  # fmt: skip
