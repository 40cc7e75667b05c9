"""`reproduce` runs a table of the paper again and puts what it prints beside our results."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from autov.core import InputError, Seed, seed_of
from autov.experiments import Cell, Comparison, Store, Table, compare_experiment
from autov.experiments.runner import TaskProgress
from autov.experiments.table import scientific
from autov.paper.designs import as_algorithms, design_operators
from autov.paper.paper_tables import PaperTable, Runs, paper_table, printed_values
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
        """log10(ours / paper) of the means; None where only one of them is zero or their signs differ."""
        a, b = self.ours.mean, self.paper_mean
        if a == b:
            return 0.0
        if not (math.isfinite(a) and math.isfinite(b)) or a == 0 or b == 0 or (a < 0) != (b < 0):
            return None
        return math.log10(abs(a)) - math.log10(abs(b))  # a quotient may overflow

    @property
    def agrees(self) -> bool | None:
        """Whether the signs are the same; None where there is none, or too few runs to tell."""
        return self.paper_sign == self.our_sign if self.paper_sign and self.our_sign not in ("", "?") else None


@dataclass(frozen=True, eq=False)
class Reproduction:
    """A table of the paper, run again."""

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
                entries.append(Cell(text, paper, sign, data=data, differs=cell.agrees is False))
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
        printed = any(not math.isnan(cell.paper_mean) for cell in self.cells)
        few = ("? : too few runs to tell; whatever they find, no difference can be significant.",)
        unsure = few if any(cell.our_sign == "?" for cell in self.cells) else ()
        return Table(
            f"{self.name}: {self.title}. Our mean of {runs} runs" + (" (the paper's)" if printed else ""),
            ("problem", *self.comparison.algorithms), tuple(rows), (footer,), (f"{signs}.", *unsure, *self.notes),
        )  # fmt: skip


def reproduce(
    name: str, runs: Runs = None, workers: Any = None,
    store: Store | str | os.PathLike[str] | None = "results.db", seed: Seed = 1, progress: TaskProgress | None = None,
    preset: str = "quick", designs: str | os.PathLike[str] = "runs/designs",
) -> Reproduction:  # fmt: skip
    """Run a table of the paper (what the store has is not run again) and compare it with what is printed.

    Args:
        name: one of PAPER_TABLES.
        runs: runs of each cell, or a dict of column -> runs; None for the paper's 30.
        workers: processes; None for all cores.
        store: a file, an open Store, or None to keep nothing.
        seed: of the experiment.
        progress: called with (finished tasks, all tasks, seconds left or None).
        preset: of the searches behind table-5, table-6 and fig-5, whose operators are designed first.
        designs: folder of those operators; what is there is not designed again.

    Returns:
        A `Reproduction`: ``table()`` has the paper's values beside ours, ``signs`` how many signs of significance agree
        of how many, and ``comparison`` all runs.
    """
    table = paper_table(name)
    if table.designs:
        found = design_operators(table.designs, designs, preset=preset, seed=seed, workers=workers)
        table = replace(table, algorithms=as_algorithms(found))
    planned = table.experiment(name, runs, seed_of(seed))
    return pair(name, compare_experiment(planned, store, workers=workers, reference=table.reference, progress=progress))


def pair(name: str, comparison: Comparison) -> Reproduction:
    """Put the results of a table beside what the paper prints."""
    table = paper_table(name)
    if set(comparison.problems) != set(table.problems) or set(comparison.algorithms) != set(table.columns):
        raise InputError(f"{name}: these are results of other algorithms or problems ({comparison.name})")
    scores = comparison.scores()
    cells = []
    for problem, path in table.problems.items():
        row = _printed_row(table, path)
        for label in table.columns:
            ours, paper, p = scores.cells[problem, label], row[label], None
            if table.signs:
                signs = paper.get("versus_autov", ""), ours.mark
            else:  # which of the two columns has the smaller mean
                base = scores.cells[problem, table.reference].summary.mean
                signs = _smaller(paper["mean"], row[table.reference]["mean"]), _smaller(ours.summary.mean, base)
                p = _welch(paper, row[table.reference], table.runs)
            if label == table.reference:
                signs, p = ("", ""), None
            cells.append(Paired(problem, label, paper["mean"], paper["std"], *signs, ours.summary, p))
    return Reproduction(name, table.title, table.signs, comparison, tuple(cells), table.notes)


def _printed_row(table: PaperTable, path: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Mean and standard deviation of each column; not a number where the paper prints none."""
    row = printed_values().get(table.table, {})
    for key in path:
        row = row.get(key, {})
    cells = {}
    for label in table.columns:
        cell = row.get(label)
        cells[label] = cell if isinstance(cell, dict) else {"mean": math.nan if cell is None else cell, "std": math.nan}
    return cells


def _welch(a: Mapping[str, float], b: Mapping[str, float], runs: int) -> float:
    from scipy.stats import ttest_ind_from_stats

    found = ttest_ind_from_stats(a["mean"], a["std"], runs, b["mean"], b["std"], runs, equal_var=False)
    return float(found.pvalue)


def _smaller(mean: float, reference: float) -> str:
    if math.isnan(mean) or math.isnan(reference):
        return ""
    if mean == reference:
        return "="
    return "+" if mean < reference else "-"
