"""A designed algorithm and others on fresh instances of what it was designed for: runs that its report shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.algorithms.portfolio import Portfolio, evaluating_members
from autov.designer import Design
from autov.designer.design_run import COLD
from autov.experiments.ablation import explain
from autov.experiments.after_design import SEED_SHIFT
from autov.experiments.comparison import Comparison, compare
from autov.experiments.explanation import Explanation
from autov.experiments.generalisation import Generalisation, generalise
from autov.problems import instance_of

RUNS, USE_RUNS, LEAST_RUNS, MOST_PROBLEMS = 15, 5, 3, 6
INSIGHT = 0.02, 0.05  # of the evaluations of a design: what runs elsewhere may take, and runs without its parts
PART = 0.1  # of the evaluations of a design that its comparison may take where evaluations are not cheap
# In the forms in which people use them; `de` and `cma-es` have the settings of the paper, which are not the best.
WELL_KNOWN = {"GA": "ga", "DE (SciPy)": "scipy:de", "SHADE": "shade", "ma-es": "ma-es", "general": "general"}
QUICK = 100, 50_000  # variables and evaluations up to which these, most of them in Python, take seconds
LEAST_POPSIZE = 5  # of which all of these are capable


@dataclass(frozen=True, eq=False)
class DesignComparison:
    """Runs of a designed algorithm and of others on fresh instances of one training problem."""

    comparison: Comparison
    use: tuple[np.ndarray, ...] = ()  # for each run of a portfolio, who made each of its evaluations


def compare_design(design: Design, workers: Any = None, safe: bool = True) -> list[DesignComparison]:
    """The design, the best of the known ones and algorithms that most people know, on the first training problems.

    On a function in Python, which may be slow, most people's algorithms are left out, and all runs where not even three
    of each fit into a tenth of the evaluations that the design took, or where evaluations failed or may fail.

    Args:
        design: the finished design.
        workers: as for `compare`.
        safe: no evaluation is expected to fail or to hang.
    """
    spare = 0 if design.failed or not safe else int(PART * design.evaluations)
    found = []
    for place in range(len(design.judged)):
        shown = _algorithms(design, place)
        runs = RUNS
        if not _is_compiled(design, place):  # one more run tells who worked when
            runs = min(runs, spare // ((len(shown) + 1) * sum(design.budgets)))
        if runs >= LEAST_RUNS:
            found.append(_compared(design, place, shown, runs, workers))
        if len(found) == MOST_PROBLEMS:
            break
    return found


def insight_of(design: Design, workers: Any = None) -> tuple[Generalisation, Explanation]:
    """How good a design is elsewhere and which of its parts matter, at a small part of the evaluations it took."""
    elsewhere, parts = (int(part * design.evaluations) for part in INSIGHT)
    return generalise(design, workers, elsewhere), explain(design, workers=workers, evaluations=parts)


def _is_compiled(design: Design, place: int) -> bool:
    return instance_of(design.judged[place], 0).objective() is not None


def _algorithms(design: Design, place: int) -> dict[str, Any]:
    """Label -> algorithm: those that are shown on a training problem."""
    found: dict[str, Any] = {"designed": design.rivals.get(COLD, design.algorithm)}  # a memory has these very problems
    if (other := design.best_baseline(place)) is not None:
        found[other] = design.rivals[other]
    quick = design.judged[place].box.dim <= QUICK[0] and design.budgets[place] <= QUICK[1]
    if _is_compiled(design, place) and quick and design.settings["trial"]["popsize"] >= LEAST_POPSIZE:
        found |= {label: spec for label, spec in WELL_KNOWN.items() if label not in found}
    return found


def _compared(design: Design, place: int, shown: dict[str, Any], runs: int, workers: Any) -> DesignComparison:
    name, problem, maxfev = design.settings["problems"][place], design.judged[place], design.budgets[place]
    popsize, seed = design.settings["trial"]["popsize"], design.settings["seed"] + SEED_SHIFT
    made = compare(
        shown, {name: problem}, runs=runs, maxfev=maxfev, popsize=popsize, rng=seed, store=None, workers=workers,
        reference="designed",
    )  # fmt: skip
    if not isinstance(shown["designed"], Portfolio):
        return DesignComparison(made)
    few = range(min(USE_RUNS, runs))
    return DesignComparison(
        made, tuple(evaluating_members(shown["designed"], problem, maxfev, popsize, seed, run) for run in few)
    )
