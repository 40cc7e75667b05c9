"""Figures of the paper beside ours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from autov.experiments.compare import Comparison
from autov.experiments.table import Entry, Table, scientific
from autov.stats import Summary


class Paired(NamedTuple):
    """One cell: the paper's mean, standard deviation and sign, then our sign and summary.

    Where the paper prints no test, paper_p is that of Welch's test between its two columns, from what it prints.
    """

    problem: str
    algorithm: str
    paper_mean: float
    paper_std: float
    paper_sign: str  # "" in the column of the reference
    our_sign: str
    ours: Summary
    paper_p: float | None = None

    @property
    def log_ratio(self) -> float | None:
        """log10(ours / paper) of the means; None where one of them is zero or their signs differ."""
        a, b = self.ours.mean, self.paper_mean
        if a == b:
            return 0.0
        return math.log10(a / b) if math.isfinite(a) and a * b > 0 else None

    @property
    def agrees(self) -> bool | None:
        """Whether the signs are the same; None where there is none."""
        return self.paper_sign == self.our_sign if self.paper_sign and self.our_sign else None


@dataclass(frozen=True, eq=False)
class Reproduction:
    """An experiment of the paper, run again."""

    name: str
    title: str
    tested: bool  # signs are of the rank sum test; else of the order of the means, where the paper prints no test
    comparison: Comparison
    cells: tuple[Paired, ...]
    notes: tuple[str, ...]

    @property
    def signs(self) -> tuple[int, int]:
        """In how many cells the signs agree, and of how many."""
        known = [cell.agrees for cell in self.cells if cell.agrees is not None]
        return sum(known), len(known)

    @property
    def mean_log_ratio(self) -> float | None:
        """Mean |log10(ours / paper)| of the cells where there is one."""
        ratios = [abs(ratio) for cell in self.cells if (ratio := cell.log_ratio) is not None]
        return sum(ratios) / len(ratios) if ratios else None

    def disagreements(self) -> list[Paired]:
        """Cells with another sign than the paper's."""
        return [cell for cell in self.cells if cell.agrees is False]

    def ratios(self) -> dict[str, float | None]:
        """Mean |log10(ours / paper)| of each algorithm."""
        means: dict[str, float | None] = {}
        for label in self.comparison.algorithms:
            found = [abs(r) for c in self.cells if c.algorithm == label and (r := c.log_ratio) is not None]
            means[label] = sum(found) / len(found) if found else None
        return means

    def table(self) -> Table:
        """Ours (the paper's) with our sign; cells where the paper's sign is another say so and are set off."""
        rows = []
        for problem in self.comparison.problems:
            entries = []
            for cell in (cell for cell in self.cells if cell.problem == problem):
                sign = cell.our_sign if cell.agrees is not False else f"{cell.our_sign} (paper {cell.paper_sign})"
                data = {
                    "paper_mean": cell.paper_mean, "paper_std": cell.paper_std, "paper_sign": cell.paper_sign,
                    "paper_p": cell.paper_p, "our_sign": cell.our_sign, "log10_ratio": cell.log_ratio,
                    "agrees": cell.agrees, **cell.ours._asdict(),
                }  # fmt: skip
                text = scientific(cell.ours.mean, 3)
                paper = "" if math.isnan(cell.paper_mean) else scientific(cell.paper_mean, 3)
                entries.append(Entry(text, paper, sign, cell.agrees is False, data))
            rows.append((problem, tuple(entries)))
        agreed, known = self.signs
        means = self.ratios()
        footer = ("|log10 ratio|", tuple("n/a" if v is None else f"{v:.2f}" for v in means.values()))
        kind = "rank sum test, 0.05" if self.tested else "order of the means; the paper prints no test"
        signs = f"Signs (against {self.comparison.reference}; {kind})"
        if known:
            signs += f": {agreed} of {known} agree, the others are set off"
        counts = sorted({cell.ours.n for cell in self.cells})
        runs = "-".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
        return Table(
            f"{self.name}: {self.title}. Our mean of {runs} runs" + (" (the paper's)" if known else ""),
            ("problem", *self.comparison.algorithms), tuple(rows), (footer,), (f"{signs}.", *self.notes),
        )  # fmt: skip
