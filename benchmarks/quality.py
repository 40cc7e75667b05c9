"""How good the default is on problems without training: BBOB and MA-BBOB, with other libraries.

`bench_quality` runs what is missing in a store and writes one file of figures for each setting; what such a file says
of algorithms that are not run this time stays in it. `benchmarks.quality_markdown` makes the page of such files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from autov.core import InputError
from autov.core.atomic_files import read_json, to_json, write_text
from autov.experiments import Comparison, Store, compare, experiment
from autov.problems import resolve_problems
from autov.reports.canvas import save_plot
from autov.reports.target_plots import ecdf_plot, groups_of_problems
from autov.stats.ranks import average_ranks
from benchmarks.kernel import machine


@dataclass(frozen=True)
class Suite:
    """Problems with several instances, one run on each, and the settings (variables, evaluations) to run them in."""

    name: str
    title: str
    problems: str
    runs: int
    settings: tuple[tuple[int, int], ...]
    by_instance: bool = False  # instances are different functions: ranks are those on single instances


BBOB = Suite(
    "bbob", "BBOB", "bbob+instance=1..5", 5,
    (
        (5, 100), (10, 200), (20, 400), (40, 800),
        (5, 500), (10, 1_000), (20, 2_000), (40, 4_000),
        (5, 5_000), (10, 10_000), (20, 10_000), (40, 10_000),
    ),
)  # fmt: skip
COMBINED = Suite("ma-bbob", "MA-BBOB", "ma-bbob+instance=1..100", 100, ((10, 1_000), (20, 2_000)), by_instance=True)
SUITES = (BBOB, COMBINED)
OWN = ("general", "ma-es", "paper-h3", "ga")
OTHERS = (
    "minion:bipop", "minion:rcmaes", "minion:arrde", "minion:jade", "minion:nlshade-rsp", "minion:lshade", "minion:jso",
    "cma:default", "cma:lq", "cmaes:default", "pypop7:ddcma", "pypop7:sepcma", "scipy:de", "scipy:slsqp",
    "scipy:l-bfgs-b", "scipy:powell", "scipy:cobyqa", "scipy:direct", "scipy:dual-annealing", "nlopt:bobyqa",
    "nlopt:sbplx", "nevergrad:ngopt", "optuna:tpe", "optuna:gp",
)  # fmt: skip
# Slow ones are run up to this many evaluations times variables; some seconds to a minute for a run at the limit.
LIMITS = {
    "cma:lq": 40_000, "pypop7:ddcma": 40_000, "pypop7:sepcma": 40_000, "scipy:cobyqa": 10_000,
    "nevergrad:ngopt": 10_000, "optuna:tpe": 10_000, "optuna:gp": 2_000,
}  # fmt: skip
DRAWN = (
    "general", "minion:bipop", "minion:rcmaes", "minion:arrde", "cma:lq", "scipy:slsqp", "nlopt:bobyqa",
)  # fmt: skip
SEED = 1


def bench_quality(
    folder: str | Path = "runs/quality", algorithms: Iterable[str] = (*OWN, *OTHERS), suites: Iterable[Suite] = SUITES,
    *, run: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """All algorithms on all functions, one run on each instance; what is stored is not run again.

    The first of `OWN` always takes part: others are compared with it. Figures that the folder already holds of other
    algorithms stay, so that one can be added to those in results/quality, copied there, without running all again.
    Algorithms that cannot be run, or with runs that are missing, are left out.

    Args:
        folder: of the store ``results.db`` and of the files of figures.
        algorithms: by name.
        suites: with their settings.
        run: whether to run what is missing; else figures are made of what the store has.
    """
    place, found = Path(folder), {}
    names = list(dict.fromkeys((OWN[0], *algorithms)))
    for suite in suites:
        for dim, maxfev in suite.settings:
            name = f"{suite.name}-{dim}d-{maxfev}"
            wanted = [a for a in names if not (run and too_slow(a, dim, maxfev))]
            refused = {a: reason for a in wanted if (reason := refusal(suite, a, dim, maxfev))}
            chosen = [a for a in wanted if a not in refused]
            made = finished((_run if run else _stored)(suite, chosen, dim, maxfev, place), suite.runs)
            if OWN[0] not in made.algorithms:
                continue
            drawn = [a for a in DRAWN if a in made.algorithms]
            now = figures(made, suite.by_instance) | {
                "suite": suite.name, "dim": dim, "maxfev": maxfev, "drawn": drawn, "refused": refused,
                "machine": machine(),
            }  # fmt: skip
            path = place / f"{name}.json"
            found[name] = joined(read_json(path, "figures"), now) if path.exists() else now
            write_text(path, to_json(found[name], indent=1) + "\n")
            save_plot(ecdf_plot(only(made, drawn), by_group=True), place / f"{name}.png")
    return {name: each["measures"] for name, each in found.items()}


def refusal(suite: Suite, algorithm: str, dim: int, maxfev: int) -> str:
    """Why an algorithm cannot be run: a library that is not there, or a setting that it does not take; else nothing."""
    try:
        experiment([algorithm], [suite.problems], dim=dim, maxfev=maxfev, runs=1)
    except InputError as error:
        return str(error).removeprefix("algorithm: ").partition(";")[0]
    return ""


def too_slow(algorithm: str, dim: int, maxfev: int) -> bool:
    """Whether the setting is beyond the limit of a slow algorithm."""
    return dim * maxfev > LIMITS.get(algorithm, dim * maxfev)


def _run(suite: Suite, algorithms: list[str], dim: int, maxfev: int, place: Path) -> Comparison:
    return compare(algorithms, [suite.problems], dim=dim, maxfev=maxfev, runs=suite.runs, rng=SEED, reference=OWN[0],
                   store=place / "results.db", name=f"{suite.name}-{dim}d-{maxfev}", workers=-1)  # fmt: skip


def _stored(suite: Suite, algorithms: list[str], dim: int, maxfev: int, place: Path) -> Comparison:
    planned = experiment(algorithms, [suite.problems], dim=dim, maxfev=maxfev, runs=suite.runs, seed=SEED)
    with Store(place / "results.db") as store:
        rows = tuple(store.rows(planned.tasks))
    cases = resolve_problems([suite.problems], dim)
    return Comparison(planned.name, planned.algorithms, planned.problems, OWN[0], rows, cases=cases)


def finished(comparison: Comparison, runs: int) -> Comparison:
    """The comparison of the algorithms that have all runs on each problem."""
    counts = {a: [len(comparison.runs(p, a)) for p in comparison.problems] for a in comparison.algorithms}
    return only(comparison, [a for a, row in counts.items() if min(row) == runs])


def only(comparison: Comparison, algorithms: Iterable[str]) -> Comparison:
    """The comparison of some of the algorithms."""
    names = tuple(algorithms)
    return replace(comparison, algorithms=names, rows=tuple(row for row in comparison.rows if row.label in names))


def figures(comparison: Comparison, by_instance: bool = False) -> dict[str, Any]:
    """Everything that the page says of a comparison.

    Args:
        comparison: with all runs of all algorithms.
        by_instance: every run is a function of its own, without a test of significance.
    """
    targets = comparison.targets()
    groups = groups_of_problems(targets)
    functions = _instances(comparison) if by_instance else _functions(comparison)
    return {
        "algorithms": list(comparison.algorithms), "reference": comparison.reference, "seed": SEED,
        "runs": max(row.run for row in comparison.rows) + 1,
        "measures": {
            a: {"area": targets.area(a), "targets": targets.share(a), "rank": rank}
            for a, rank in _ranks(functions, comparison.algorithms).items()
        },
        "groups": {g: {a: targets.area(a, names) for a in comparison.algorithms} for g, names in groups.items()},
        "functions": functions,
        "versions": {name: value for row in comparison.rows for name, value in row.versions.items()},
    }  # fmt: skip


def _functions(comparison: Comparison) -> dict[str, Any]:
    scores, found = comparison.scores(correct=False), {}
    for problem in comparison.problems:
        medians = {a: float(np.median(comparison.values(problem, a))) for a in comparison.algorithms}
        others = [a for a in comparison.algorithms if a != comparison.reference]
        better = [a for a in others if scores.cells[problem, a].mark == "+"]
        found[problem] = {"medians": medians, "significantly_better": better}
    return found


def _instances(comparison: Comparison) -> dict[str, Any]:
    return {
        f"{problem}, run {run}": {
            "medians": {a: float(comparison.values(problem, a)[run]) for a in comparison.algorithms},
            "significantly_better": [],
        }
        for problem in comparison.problems
        for run in range(len(comparison.values(problem, comparison.reference)))
    }


def _ranks(functions: dict[str, Any], algorithms: Iterable[str]) -> dict[str, float]:
    """Mean ranks of the medians."""
    names = list(algorithms)
    ranks = average_ranks(np.array([[row["medians"][a] for a in names] for row in functions.values()]))
    return dict(zip(names, ranks.tolist(), strict=True))


def joined(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Figures of now, and of algorithms that were run before and not now; ranks are those among all of them."""
    kept = [a for a in before["algorithms"] if a not in now["algorithms"]]
    order = {name: place for place, name in enumerate((*OWN, *OTHERS))}
    algorithms = sorted((*kept, *now["algorithms"]), key=lambda a: order.get(a, len(order)))
    functions = {}
    for problem, row in now["functions"].items():
        old, reference = before["functions"][problem], now["reference"]
        same = old["medians"][reference] == row["medians"][reference]  # else nobody knows any more
        better = {*row["significantly_better"], *(a for a in old["significantly_better"] if a in kept and same)}
        medians = old["medians"] | row["medians"]
        functions[problem] = {
            "medians": {a: medians[a] for a in algorithms},
            "significantly_better": [a for a in algorithms if a in better],
            "not_compared": [] if same else [a for a in algorithms if a in kept],
        }
    every = before["measures"] | now["measures"]
    return now | {
        "algorithms": algorithms,
        "kept": kept,
        "measures": {a: every[a] | {"rank": rank} for a, rank in _ranks(functions, algorithms).items()},
        "groups": {g: {a: (before["groups"][g] | areas)[a] for a in algorithms} for g, areas in now["groups"].items()},
        "functions": functions,
        "versions": before["versions"] | now["versions"],
    }
