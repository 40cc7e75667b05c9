"""What was changed by hand in the design that the searches for `general` ended with, and what that gave.

The searches count the value at the end of the budget alone. What they found, `thorough`, has large populations, and
lets the evolution have its trial early: both cost everybody time on the way. Smaller ones, and a later trial, reach
targets sooner and end about as well on the functions trained on, a little worse on those held out. `bench_adjustment`
measures it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from autov.algorithms import resolve_algorithm
from autov.algorithms.portfolio import Portfolio
from autov.core import Array
from autov.core.atomic_files import to_json, write_text
from autov.experiments import Comparison, compare
from benchmarks.kernel import machine

STORED = Path(__file__).parents[1] / "results" / "general"
THOROUGH, ANYTIME = STORED / "general" / "thorough.json", STORED / "anytime" / "anytime.json"
STRATEGY = {"sigma": 0.13, "longest": 0.12, "popsize_budget": 0.3, "patience": 1.5}
FIRST_TRIAL = 0.35
SIZES = ((20, 10_000), (10, 3_000), (40, 8_000))  # variables, evaluations
SEED, SOLVED = 21, 1e-8  # closer to the minimum than this is equal


def adjusted(found: Portfolio) -> Portfolio:
    """The design with other steps, populations and patience of its strategy, and a later trial of the evolution."""
    strategy, evolution = found.members
    late = found.trial[1] if isinstance(found.trial, tuple) else found.trial
    return replace(found, members=(replace(strategy, **STRATEGY), evolution), trial=(FIRST_TRIAL, late))


def bench_adjustment(folder: str | Path = "runs/general") -> dict[str, Any]:
    """Area, targets and final values of the first `general` and of `anytime` next to `thorough`, by families."""
    from benchmarks.general import HELD_OUT, TRAINED, problems

    place, found = Path(folder), {}
    searched = resolve_algorithm(str(THOROUGH))
    designs = {"general": adjusted(searched), "thorough": searched, "anytime": str(ANYTIME)}
    for kind, names, runs in (("trained on", TRAINED, 6), ("held out", HELD_OUT, 12)):
        for dim, maxfev in SIZES:
            made = compare(
                designs, problems(names), dim=dim, maxfev=maxfev, runs=runs, rng=SEED,
                reference="thorough", store=place / "adjustment.db", name="adjustment",
                workers=-1,
            )  # fmt: skip
            found[f"{kind}, {dim} variables, {maxfev} evaluations"] = side_by_side(made)
    write_text(place / "adjustment.json", to_json({"figures": found, "machine": machine()}, indent=1) + "\n")
    return found


def side_by_side(made: Comparison) -> dict[str, dict[str, float]]:
    """For each algorithm: area, targets, and the chance that its final value is better than one of the reference."""
    targets = made.targets()
    return {
        a: {"area": targets.area(a), "targets": targets.share(a), "wins": _wins(made, a)} for a in made.algorithms
    }  # fmt: skip


def _wins(made: Comparison, algorithm: str) -> float:
    """Over all pairs of runs on each problem, ties half."""
    shares = []
    for problem in made.problems:
        own, other = _gaps(made, problem, algorithm)[:, None], _gaps(made, problem, made.reference)[None]
        shares.append(float((own < other).mean() + 0.5 * (own == other).mean()))
    return float(np.mean(shares))


def _gaps(made: Comparison, problem: str, algorithm: str) -> Array:
    """Best values above the minimum, those of solved runs equal; as they are where it is not known."""
    minimum = made.minimum(problem)
    values = made.values(problem, algorithm)
    return values if minimum is None else np.maximum(values - minimum, SOLVED)
