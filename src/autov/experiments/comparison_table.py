"""The table of a comparison: means or medians of each algorithm on each problem, with marks and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autov.experiments.table import Cell, Table, scientific, significant
from autov.runs.evaluation import FaultCount, sentence
from autov.stats import SOLVED, Score, Scores, Versus

if TYPE_CHECKING:
    from autov.experiments.comparison import Comparison


def comparison_table(
    compared: Comparison, scores: Scores, show: str, digits: int, test: str
) -> Table:  # fmt: skip
    """See `Comparison.table`; the scores are those of its arguments."""
    algorithms = compared.algorithms
    rows = []
    for f in compared.problems:
        found = [scores.cells[f, a] for a in algorithms]
        lead = min((getattr(one.summary, show) for one in found if one.summary.n), default=np.nan)
        lead += _tolerance(compared, f, lead, test)
        rows.append((f, tuple(_cell(one, show, digits, test, lead) for one in found)))
    footer = [("+/-/=", tuple("/".join(map(str, scores.counts[a])) if a in scores.counts else "" for a in algorithms))]
    best = [tuple(False for _ in algorithms)]
    if scores.ranked:
        ranks = [scores.ranks[a] for a in algorithms]
        footer.append(("average rank", tuple(f"{rank:.2f}" for rank in ranks)))
        best.append(tuple(len(ranks) > 1 and rank == min(ranks) for rank in ranks))
    details = _details(compared) if test != "paper" and len(algorithms) > 1 else []
    notes = [*_marks(compared, scores, test), *details, *_ranks(scores, show), *_runs(compared)]
    runs = sorted({scores.cells[key].summary.n for key in scores.cells})
    what = "mean (standard deviation)" if show == "mean" else "median (interquartile range)"
    caption = f"{compared.name}: {what} of {'-'.join(map(str, dict.fromkeys((runs[0], runs[-1]))))} run"
    caption += "" if runs[-1] == 1 else "s"
    return Table(caption, ("problem", *algorithms), tuple(rows), tuple(footer), (*notes, *compared.remarks),
                 tuple(best), compared.reference, tuple(details))  # fmt: skip


def _cell(score: Score, show: str, digits: int, test: str, lead: float) -> Cell:
    """What is shown of an algorithm on a problem; it is set off if it is not above the lead."""
    s = score.summary
    value, spread = (s.mean, s.std) if show == "mean" else (s.median, s.q3 - s.q1 if np.isfinite(s.q3) else np.nan)
    leads = bool(value <= lead)
    data = {**s._asdict(), "p": score.p, "mark": score.mark, "leads": leads, **_effects(score.versus)}
    text, detail = significant(value, digits), significant(spread, 3)
    if test == "paper":
        text, detail = scientific(value, digits), scientific(spread, 2)
    effect = "" if score.versus is None or test == "paper" else score.versus.effect
    return Cell(text, detail if s.n else "", score.mark, leads, data, effect=effect)


def _effects(found: Versus | None) -> dict[str, Any]:
    """Effect sizes and probabilities, for machines."""
    if found is None:
        return {}
    posterior = {} if found.posterior is None else {f"p_{k}": v for k, v in found.posterior._asdict().items()}
    return {"smaller": found.smaller, "median_ratio": found.ratio, **posterior}


def _tolerance(compared: Comparison, problem: str, lead: float, test: str) -> float:
    """How much larger than the smallest figure another one may be and still be equal to it."""
    minimum = None if test == "paper" else compared.minimum(problem)
    return 0.0 if minimum is None or not lead - minimum < SOLVED else SOLVED - (lead - minimum)


def _marks(compared: Comparison, scores: Scores, test: str) -> list[str]:
    """What the signs mean."""
    kinds = {"signed-rank test of runs on the same instances": scores.paired,
             "rank sum test": set(compared.problems) - set(scores.paired)}  # fmt: skip
    used = ", for other problems ".join(kind for kind, problems in kinds.items() if problems)
    used = f"{used}, {scores.level:g}{', Holm-corrected' if scores.corrected else ''}"
    if test == "bayes":
        used = f"Bayesian signed-rank test of runs on the same instances, probability above {1 - scores.level:g}"
    notes = [f"+, - and = : significantly better, worse and not different from {compared.reference} ({used})."]
    if scores.too_few:
        after = " after the correction" if scores.corrected else ""
        notes.append(f"? : too few runs: no difference can be significant at {scores.level:g}{after}.")
    return notes


def _details(compared: Comparison) -> list[str]:
    return [
        f"Effect sizes: the share of runs that are better than those of {compared.reference} (ties half), and x "
        "the ratio of the medians, of gaps where the minimum is known. Values within 1e-8 of it are equal."
    ]


def _ranks(scores: Scores, show: str) -> list[str]:
    """What is ranked, and the test of all ranks together."""
    if not scores.ranked:
        return []
    what = f"Ranks of the {show}s on {scores.ranked} problem"
    return [f"{what}s, Friedman p = {scores.friedman:.2g}." if scores.ranked > 1 else f"{what}."]


def _runs(compared: Comparison) -> list[str]:
    """What failed, and which versions made the rows."""
    notes = []
    if compared.failures:
        count = len(compared.failures)
        notes.append(f"{count} run{'s' if count > 1 else ''} failed, the first with {compared.failures[0].error}")
    failed = FaultCount()
    for row in compared.rows:
        failed.add(row.failed)
    if failed.counts:
        notes.append(sentence(failed.counts))
    for name in ("autov", "numpy", "numba", "scipy", "python"):
        if len(made := sorted({row.versions[name] for row in compared.rows if name in row.versions})) > 1:
            notes.append(f"Runs of several versions of {name}: {', '.join(made)}.")
    return notes
