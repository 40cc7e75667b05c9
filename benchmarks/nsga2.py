"""Operators inside NSGA-II of pymoo, beside its own SBX and polynomial mutation (SBX + PM); `results/pymoo` has it.

An operator is designed on six problems of ZDT, DTLZ and WFG whose optima lie at another place in each run, and judged
on the twelve others, shifted in the same way. In run r all algorithms meet the same instance and the same first
population, so that tests are paired. ZDT2 and ZDT6 are run as pymoo has them, too, with optima on the border. An
operator that was designed on such problems takes part: what it gains there it does not gain elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from autov.adapters.pymoo import HypervolumeTrial, design_crossover
from autov.core.atomic_files import read_json, to_json, write_text
from autov.experiments.row import versions
from autov.operators import AffineOperator, load_operator
from autov.stats import Versus, one_with_many, versus

TRAINING = ("zdt1", "zdt3", "dtlz2", "wfg2", "wfg4", "wfg6")
TEST = ("zdt2", "zdt4", "zdt6", "dtlz1", "dtlz3", "dtlz4", "wfg1", "wfg3", "wfg5", "wfg7", "wfg8", "wfg9")
PLAIN = ("zdt2", "zdt6")  # run as they are, too
LONG = ("zdt2", "zdt4", "dtlz4", "wfg5", "wfg7", "wfg9")  # run with the larger budget, too
BUDGETS = ((50, 60, (*TEST, *PLAIN)), (100, 100, LONG))  # population, generations; the first is that of the design
RUNS, SEED, FIRST_TEST_SEED = 11, 1, 1000
SEARCH: dict[str, Any] = {
    "rows": 10, "runs": 2, "candidates": 10, "trials": 40, "popsize": 50, "generations": 60,
}  # fmt: skip
# design_crossover(("zdt1", "zdt2", "dtlz2"), shifted=False, popsize=50, generations=60, runs=1, trials=40, rng=1)
NOT_SHIFTED = "designed-not-shifted.json"
BASELINE = "SBX + PM"
KEPT, FILE = Path("runs/nsga2"), Path(__file__).parents[1] / "results" / "pymoo" / "hypervolume.json"


def bench_nsga2() -> dict[str, Any]:
    """Design, run all, and write results/pymoo; what is done is kept in runs/nsga2."""
    KEPT.mkdir(parents=True, exist_ok=True)
    designed = design_crossover(TRAINING, rng=SEED, checkpoint=KEPT / "shifted.json", **SEARCH)
    algorithms = {
        BASELINE: None, "paper-h3": load_operator("paper-h3"), "designed": designed.operator,
        "designed, not shifted": load_operator(FILE.with_name(NOT_SHIFTED)),
    }  # fmt: skip
    found = {
        "training": TRAINING, "search": {**SEARCH, "seed": SEED}, "test_seeds": [FIRST_TEST_SEED, RUNS],
        "budgets": [{"popsize": popsize, "generations": generations,
                     "hypervolume": _runs(algorithms, popsize, generations, names)}
                    for popsize, generations, names in BUDGETS],
        "versions": {**versions(), "pymoo": _version("pymoo")},
    }  # fmt: skip
    write_text(FILE, to_json(found, indent=1) + "\n")
    designed.operator.save(FILE.with_name("designed-operator.json"))
    return found


def _runs(
    algorithms: Mapping[str, AffineOperator | None], popsize: int, generations: int, names: tuple[str, ...]
) -> dict[str, Any]:  # fmt: skip
    """Parts of the hypervolume: problem -> algorithm -> one for each run. A name that comes again is run as it is."""
    path = KEPT / f"values-{popsize}.json"
    found: dict[str, Any] = read_json(path, "values") if path.is_file() else {}
    for place, name in enumerate(names):
        trial = HypervolumeTrial(name, popsize, generations, shifted=name not in names[:place])
        if trial.label not in found:
            seeds = range(FIRST_TEST_SEED, FIRST_TEST_SEED + RUNS)
            found[trial.label] = {label: [trial((one, seed)) for seed in seeds] for label, one in algorithms.items()}
            write_text(path, to_json(found))
    return found


def marks(hypervolume: Mapping[str, Any], algorithm: str) -> dict[str, Versus]:
    """The missing parts of an algorithm against SBX + PM: signed-rank, Holm's correction over the problems."""
    return one_with_many({
        problem: versus(1 - np.array(values[algorithm]), 1 - np.array(values[BASELINE]), paired=True)
        for problem, values in hypervolume.items()
    })  # fmt: skip


def markdown(found: Mapping[str, Any]) -> str:
    """The tables of the page, one for each budget."""
    lines = []
    for budget in found["budgets"]:
        values = budget["hypervolume"]
        names = [name for name in next(iter(values.values())) if name != BASELINE]
        tested = {name: marks(values, name) for name in names}
        lines += [f"| {budget['popsize'] * budget['generations']:,} evaluations | {BASELINE} | {' | '.join(names)} |",
                  "| --- | ---: |" + " ---: |" * len(names)]  # fmt: skip
        for problem, row in values.items():
            cells = [f"{np.median(row[name]):.3f} {tested[name][problem].mark()}" for name in names]
            lines.append(f"| {problem} | {np.median(row[BASELINE]):.3f} | {' | '.join(cells)} |")
        sums = ["{} / {} / {}".format(*_counts(tested[name], values)) for name in names]
        lines += [f"| better / worse / no difference shown, shifted problems | | {' | '.join(sums)} |", ""]
    return "\n".join(lines)


def _counts(tested: Mapping[str, Versus], values: Mapping[str, Any]) -> tuple[int, int, int]:
    given = [tested[problem].mark() for problem in values if problem.endswith("shifted")]
    return given.count("+"), given.count("-"), len(given) - given.count("+") - given.count("-")


def stored() -> dict[str, Any]:
    """What results/pymoo/hypervolume.json has."""
    return read_json(FILE, "results of NSGA-II")


def _version(package: str) -> str:
    from importlib.metadata import version

    return version(package)
