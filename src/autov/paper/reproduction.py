"""`reproduce` runs a table of the paper again and puts what it prints next to our results."""

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
from autov.stats import SOLVED, Moments, Summary, welch

LEVEL = 0.05
RANK_SUM = "rank sum test, 0.05"
WELCH = "Welch's test, 0.05, of the paper's figures and of ours; the paper prints no test"
ORDER = "order of the means; the paper prints neither test nor deviations"


class Paired(NamedTuple):
    """One cell: the paper's mean, standard deviation and sign, then our sign and summary.

    Attributes:
        paper_p: of Welch's test between this column of the paper and its reference, where the paper prints no test.
        same_p: of Welch's test between our mean and the paper's; None where the paper prints no standard deviation.
        counted: False where a row of the paper is run a second time, in another reading.
    """

    problem: str
    algorithm: str
    paper_mean: float
    paper_std: float
    paper_sign: str  # "" in the column of the reference
    our_sign: str
    ours: Summary
    paper_p: float | None = None
    same_p: float | None = None
    counted: bool = True

    @property
    def differs(self) -> bool | None:
        """Whether our mean and the paper's differ significantly (Welch, 0.05); None where that cannot be tested."""
        return None if self.same_p is None else self.same_p < LEVEL

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
    kind: str  # what the signs are of
    comparison: Comparison
    cells: tuple[Paired, ...]
    notes: tuple[str, ...]

    @property
    def signs(self) -> tuple[int, int]:
        """In how many cells the signs agree, and of how many; a row of the paper counts once."""
        known = [cell.agrees for cell in self.cells if cell.counted and cell.agrees is not None]
        return sum(known), len(known)

    @property
    def same(self) -> tuple[int, int]:
        """In how many cells our mean does not differ significantly from the paper's, and of how many."""
        known = [cell.differs for cell in self.cells if cell.counted and cell.differs is not None]
        return len(known) - sum(known), len(known)

    @property
    def mean_log_ratio(self) -> float | None:
        """Mean |log10(ours / paper)| of the counted cells where there is one."""
        ratios = [abs(ratio) for cell in self.cells if cell.counted and (ratio := cell.log_ratio) is not None]
        return sum(ratios) / len(ratios) if ratios else None

    def disagreements(self) -> list[Paired]:
        """Counted cells with another sign than the paper's."""
        return [cell for cell in self.cells if cell.counted and cell.agrees is False]

    def ratios(self) -> dict[str, float | None]:
        """Mean |log10(ours / paper)| of each algorithm."""
        means: dict[str, float | None] = {}
        for label in self.comparison.algorithms:
            own = (cell for cell in self.cells if cell.counted and cell.algorithm == label)
            found = [abs(ratio) for cell in own if (ratio := cell.log_ratio) is not None]
            means[label] = sum(found) / len(found) if found else None
        return means

    def table(self) -> Table:
        """Ours (the paper's) with our sign; cells where the paper's sign is another say so and are set off.

        Behind the paper's mean is != where ours differs significantly.
        """
        rows = []
        for problem in self.comparison.problems:
            entries = []
            for cell in (cell for cell in self.cells if cell.problem == problem):
                sign = cell.our_sign if cell.agrees is not False else f"{cell.our_sign} (paper {cell.paper_sign})"
                data = {
                    "paper_mean": cell.paper_mean, "paper_std": cell.paper_std, "paper_sign": cell.paper_sign,
                    "paper_p": cell.paper_p, "our_sign": cell.our_sign, "log10_ratio": cell.log_ratio,
                    "agrees": cell.agrees, "same_p": cell.same_p, "counted": cell.counted, **cell.ours._asdict(),
                }  # fmt: skip
                text = scientific(cell.ours.mean, 3)
                paper = "" if math.isnan(cell.paper_mean) else scientific(cell.paper_mean, 3)
                paper += " !=" if cell.differs else ""
                entries.append(Cell(text, paper, sign, data=data, differs=cell.agrees is False))
            rows.append((problem, tuple(entries)))
        agreed, known = self.signs
        ratios = self.ratios()
        footer = ("|log10 ratio|", tuple("n/a" if v is None else f"{v:.2f}" for v in ratios.values()))
        signs = f"Signs (against {self.comparison.reference}; {self.kind})"
        if known:
            signs += f": {agreed} of {known} agree, the others are set off"
        equal, tested = self.same
        means = (
            f"!= : our mean differs from the paper's (Welch's test, 0.05). {equal} of {tested} do not; "
            f"{LEVEL * tested:.0f} of {tested} would differ by chance.",
        ) if tested else ()  # fmt: skip
        repeated = list(dict.fromkeys(cell.problem for cell in self.cells if not cell.counted))
        twice = (f"Not counted, because the same row of the paper stands above: {', '.join(repeated)}.",)
        counts = sorted({cell.ours.n for cell in self.cells})
        runs = "-".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
        printed = any(not math.isnan(cell.paper_mean) for cell in self.cells)
        few = ("? : too few runs: no difference can be significant.",)
        unsure = few if any(cell.our_sign == "?" for cell in self.cells) else ()
        return Table(
            f"{self.name}: {self.title}. Our mean of {runs} runs" + (" (the paper's)" if printed else ""),
            ("problem", *self.comparison.algorithms), tuple(rows), (footer,),
            (f"{signs}.", *unsure, *means, *(twice if repeated else ()), *self.notes),
        )  # fmt: skip


def reproduce(
    name: str, *, runs: Runs = None, rng: Seed = None, workers: Any = 1,
    store: Store | str | os.PathLike[str] | None = "results.db", progress: TaskProgress | None = None,
    preset: str = "quick", designs: str | os.PathLike[str] = "runs/designs",
) -> Reproduction:  # fmt: skip
    """Run a table of the paper, except runs in the store, and compare it with the printed one.

    Args:
        name: of a table or figure, such as "table-7" or "fig-6"; `autov reproduce --list` lists all.
        runs: runs of each cell, or a dict of column -> runs; None for the paper's 30.
        rng: seed of the experiment. None for 1 with a store, so that the same call resumes, else a fresh one.
        workers: processes, -1 for all cores; an Executor, a Dask client, or a map-like callable.
        store: a file, an open Store, or None to keep nothing.
        progress: called with (finished tasks, all tasks, seconds left or None).
        preset: of the searches behind table-5, table-6 and fig-5, whose operators are designed first.
        designs: folder of those operators; operators in it are not designed again.

    Returns:
        A `Reproduction`: ``table()`` has the paper's values and ours, ``signs`` how many signs of significance agree
        of how many, and ``comparison`` all runs.
    """
    table, seed = paper_table(name), seed_of(1 if rng is None and store is not None else rng)
    if table.designs:
        found = design_operators(table.designs, designs, preset=preset, seed=seed, workers=workers)
        table = replace(table, algorithms=as_algorithms(found))
    planned = table.experiment(name, runs, seed)
    return pair(name, compare_experiment(planned, store, workers=workers, reference=table.reference, progress=progress))


def pair(name: str, comparison: Comparison) -> Reproduction:
    """Put the results of a table next to what the paper prints."""
    table = paper_table(name)
    if set(comparison.problems) != set(table.problems) or set(comparison.algorithms) != set(table.columns):
        raise InputError(f"{name}: these are results of other algorithms or problems ({comparison.name})")
    scores = comparison.scores(test="paper")
    cells, seen = [], set()
    kind = RANK_SUM if table.signs else WELCH
    for problem, path in table.problems.items():
        row, minimum = _printed_row(table, path), comparison.minimum(problem)
        floor = None if minimum is None else minimum + SOLVED
        our = {label: _moments(scores.cells[problem, label].summary) for label in table.columns}
        their = {label: Moments(cell["mean"], cell["std"], table.runs) for label, cell in row.items()}
        for label in table.columns:
            ours, p = scores.cells[problem, label], None
            if table.signs:
                signs = row[label].get("versus_autov", ""), ours.mark
            else:
                p = welch(their[label], their[table.reference], floor)
                if p is None:  # no standard deviations: which of the two columns has the smaller mean
                    kind = ORDER
                    signs = _smaller(their, label, table.reference), _smaller(our, label, table.reference)
                else:
                    own = welch(our[label], our[table.reference], floor)
                    signs = _smaller(their, label, table.reference, p), _smaller(our, label, table.reference, own)
            if label == table.reference:
                signs, p = ("", ""), None
            same = welch(our[label], their[label], floor)
            cells.append(
                Paired(problem, label, *their[label][:2], *signs, ours.summary, p, same, counted=path not in seen)
            )
        seen.add(path)
    return Reproduction(name, table.title, kind, comparison, tuple(cells), table.notes)


def _moments(summary: Summary) -> Moments:
    return Moments(summary.mean, summary.std, summary.n)


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


def _smaller(row: Mapping[str, Moments], label: str, reference: str, p: float | None = 0.0) -> str:
    """The sign of a difference of means, = where it is not significant, ? where it cannot be tested."""
    mean, base = row[label].mean, row[reference].mean
    if math.isnan(mean) or math.isnan(base):
        return ""
    if p is None:
        return "?"
    if mean == base or p >= LEVEL:
        return "="
    return "+" if mean < base else "-"
