"""Tables of a design: its result and the baselines on each problem, and over all problems."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from autov.algorithms.files import DEFAULT
from autov.core import Array
from autov.designer import Design
from autov.experiments import Cell, Table
from autov.problems import ProblemFamily
from autov.reports.theme import WON
from autov.stats import Versus, average_ranks, floored, one_with_many, versus

COLUMNS = ("median", "mean (std)", "best", "worst")
NAMES = {  # of baselines -> names for people
    "small uniform crossover": "uniform crossover (population 30)",
    "paper-sized uniform crossover": "uniform crossover (population 100)",
    "hand-made portfolio": "portfolio by hand",
}  # fmt: skip
KNOWN = {  # part of the name of a baseline -> explanation
    DEFAULT: f"{DEFAULT} is the default algorithm of autov.",
    "paper-h3": "paper-h3 is the operator that the paper prints.",
    "ma-es": "ma-es is a matrix adaptation evolution strategy, a relative of CMA-ES.",
    "faster ma-es": "faster ma-es is ma-es with settings for few evaluations: its step size adapts faster.",
    "without memory": "The result as it would start without the ends of its training runs.",
    "uniform crossover": "Uniform crossover takes every variable from one of two parents.",
    "random designs": "The random designs had as many evaluations as the search.",
    "hand-made": "The portfolio by hand shares its budget between uniform crossover and ma-es.",
}


def shown_name(label: str) -> str:
    """The name of a baseline for people."""
    for name, words in NAMES.items():
        label = label.replace(name, words)
    return label.replace(", ", " with ")


def own_name(design: Design) -> str:
    """What the result is called: never "designed" if it is a known algorithm."""
    return "designed" if design.baseline is None else f"{shown_name(design.baseline)}{WON}"


def tested(design: Design, place: int) -> dict[str, Versus]:
    """Each of the others against the result on one training problem: paired on a family, Holm-corrected."""
    problem = design.judged[place]

    def gaps(values: Array) -> Array:
        low = problem.minimum
        return values[place] if low is None else floored(values[place], low) - low

    own, paired = design.retested, isinstance(problem, ProblemFamily)
    return one_with_many({label: versus(gaps(each), gaps(own), paired) for label, each in design.baselines.items()})


def _row(name: str, values: Array, best: bool = False, found: Versus | None = None) -> tuple[str, tuple[Cell, ...]]:
    with np.errstate(invalid="ignore"):  # of infinite values, where all evaluations failed
        spread = values.std(ddof=1)
    mark, effect = ("", "") if found is None else (found.mark(), found.effect)
    first = Cell(f"{np.median(values):.4g}", best=best, mark=mark, effect=effect)
    mean = Cell(f"{values.mean():.4g}", detail=f"{spread:.3g}")
    return name, (first, mean, *(Cell(f"{v:.4g}") for v in (values.min(), values.max())))


def comparison_table(design: Design, place: int) -> Table:
    """The result and all baselines on one problem, with marks and effect sizes."""
    name = design.settings["problems"][place]
    own = design.retested[place]
    title = own_name(design)
    values = {title: own, **{label: each[place] for label, each in design.baselines.items()}}
    lead = min(float(np.median(v)) for v in values.values())
    found = tested(design, place)
    unsure = any(one.mark() == "?" for one in found.values())
    few = ("? : too few runs: no difference can be significant.",) if unsure else ()
    rows = tuple(
        _row(shown_name(label), v, float(np.median(v)) == lead, found.get(label)) for label, v in values.items()
    )
    return Table(
        f"{name} ({design.figures_of(place)}): best values of {len(own)} runs",
        ("", *COLUMNS), rows,
        notes=("+ significantly better than the result, - worse, = no significant difference "
               f"({test_in_words(design, place)}, Holm-corrected, 5 %). "
               "Effect sizes: the share of runs that are better than the result's, and the ratio of medians.", *few,
               *_names(values)),
    )  # fmt: skip


def summary_table(design: Design) -> Table:
    """On how many training problems the result is better than each of the others, and average ranks."""
    places = range(len(design.retested))
    found = [tested(design, p) for p in places]
    own = own_name(design)
    medians = np.array(
        [[np.median(values[p]) for values in (design.retested, *design.baselines.values())] for p in places]
    )
    ranks = average_ranks(np.where(np.isnan(medians), np.inf, medians))
    first = Cell(f"{ranks[0]:.2f}", best=ranks[0] == ranks.min())
    rows: list[tuple[str, tuple[Cell, ...]]] = [(own, (Cell(""), Cell(""), Cell(""), first))]
    for label, rank in zip(design.baselines, ranks[1:], strict=True):
        signs = [found[p][label].mark() for p in places]
        counts = [str(signs.count("-")), str(signs.count("+")), str(len(signs) - signs.count("-") - signs.count("+"))]
        rows.append((shown_name(label), (*map(Cell, counts), Cell(f"{rank:.2f}", best=rank == ranks.min()))))
    return Table(
        f"{len(places)} problems ({_kinds_of_figures(design)}), {len(design.retested[0])} runs each: on how many the "
        "result is",
        ("", "better than", "worse than", "neither", "average rank"), tuple(rows),
        notes=(f"{test_in_words(design, 0).capitalize()}, Holm-corrected on each problem, 5 %. Ranks are of medians.",),
    )  # fmt: skip


def _kinds_of_figures(design: Design) -> str:
    """How many problems of each kind there are, in words."""
    kinds = [design.figures_of(place) for place in range(len(design.retested))]
    return "; ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))


def test_in_words(design: Design, place: int) -> str:
    """The test in words."""
    paired = isinstance(design.judged[place], ProblemFamily)
    return "signed-rank test of runs on the same instances" if paired else "rank-sum test"


def _names(labels: Iterable[str]) -> list[str]:
    """Explanations of the names of baselines."""
    return [" ".join(text for name, text in KNOWN.items() if any(name in label for label in labels))]


def translated_table(design: Design) -> Table | None:
    """The result where the optimum is not where the search met it; None for families."""
    if design.translated is None:
        return None
    names = design.settings["problems"]
    rows = [_row(f"{name}, translated", v) for name, v in zip(names, design.translated, strict=True)]
    return Table("On translated instances", ("training problem", *COLUMNS), tuple(rows))
