"""A search over the shares and rates of `general`: what its local searches may spend, when they end, and the cover.

Candidates run on families of the functions that `benchmarks.general` trains on, with `general` as it is, on the same
instances. A score is the mean over all settings of the relative gain in area under the ECDF, plus the share of end
values that are better less the share that are worse. The first generation varies genes at random; the second one
combines those of its best third. The best few are judged on the four held-out functions. No BBOB function takes part.

No family has a bad basin at the centre of the box, so a search without points that cover the box looks good here. What
it costs to leave them out is measured on the trap of `benchmarks.engineering`, on plants that are not reported there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autov.algorithms import resolve_algorithm
from autov.algorithms.memetic import Memetic
from autov.core import Array, generator
from autov.core.atomic_files import read_json, to_json, write_text
from autov.designer.genes import Gene
from autov.problems import instance_of, resolve_problem
from autov.runs import minimize
from autov.runs.driver import solve
from autov.stats.targets import TARGETS, ecdf_area, hits
from benchmarks.engineering import NONE
from benchmarks.general import DIMS, HELD_OUT, TRAINED
from benchmarks.kernel import machine
from examples.annealing_line import BOUNDS, INTEGRALITY, Plant

FAMILIES = ("translate", "translate-rotate")
SOLVED = 1e-8  # gaps below are equal
GENES = {
    "most": Gene("most", 0.3, 1.0), "trial": Gene("trial", 0.01, 0.4, "log"), "refine": Gene("refine", 0.0, 0.3),
    "patience": Gene("patience", 1, 6, "integer"), "round": Gene("round", 0.01, 0.15, "log"),
    "cover": Gene("cover", 0.0, 0.1), "cover_most": Gene("cover_most", 0.5, 6.0, "log"),
    "cover_after": Gene("cover_after", 0.02, 0.4, "log"), "inherit_below": Gene("inherit_below", 20.0, 2000.0, "log"),
    "scale": Gene("scale", 0.02, 0.3, "log"), "trust_region": Gene("trust_region", 2, 12, "integer"),
    "sigma": Gene("sigma", 0.05, 0.3, "log"), "most_separable": Gene("most_separable", 0.5, 1.0),
    "first_curvature": Gene("first_curvature", 0.05, 10.0, "log"),
}  # fmt: skip


class Setting(NamedTuple):
    """Evaluations for each variable, numbers of variables, and instances of each function."""

    evaluations: int
    dims: tuple[int, ...]
    runs: int


FIRST = (Setting(20, DIMS, 1), Setting(100, DIMS[:3], 1))
ALL = (Setting(20, DIMS, 1), Setting(100, DIMS, 1), Setting(1000, (10,), 1))
JUDGING = (Setting(20, DIMS, 6), Setting(100, DIMS, 6), Setting(1000, (10,), 3))
# First those of earlier versions, or close to them.
HAND_MADE = (
    {"cover": 0.02}, {"most_separable": 0.6}, {"first_curvature": 1e-6}, {"short": 0.0}, {"most": 0.95}, {"cover": 0.0},
)  # fmt: skip
DRAWN, COMBINED, FINAL, JUDGED = 12, 6, 3, 2  # candidates of each step
PLANTS, BUDGETS = range(30, 42), (100, 300, 1000)
SEED = 31


def changed(values: dict[str, Any]) -> Memetic:
    """`general` with other settings: its own, of quasi-newton, the strategy and the trust region."""
    given, base = dict(values), resolve_algorithm("general")
    coordinate, trust_region, quasi_newton = base.local_searches
    own = {name: given.pop(name) for name in ("scale", "first_curvature") if name in given}
    quasi_newton = replace(quasi_newton, **own)
    given["local_searches"] = coordinate, trust_region, quasi_newton
    given["most_variables"] = (0, given.pop("trust_region", base.most_variables[1]), 0)
    if "sigma" in given:
        strategy, *others = base.global_search.members
        strategy = replace(strategy, sigma=given.pop("sigma"))
        given["global_search"] = replace(base.global_search, members=(strategy, *others))
    return replace(base, **given)


def results(algorithm: Any, names: Iterable[str], settings: Iterable[Setting], seed: int) -> dict[str, list[float]]:
    """Area and end gap of each run, by setting, function and instance."""
    found: dict[str, list[float]] = {}
    for evaluations, dims, runs in settings:
        for dim in dims:
            maxfev = min(evaluations * dim, 10_000)
            for name in names:
                for family in FAMILIES:
                    problem = resolve_problem(f"{name}+family={family}", dim=dim)
                    for run in range(runs):
                        made = solve(problem, algorithm, maxfev=maxfev, seed=seed, run=run)
                        least = instance_of(problem, run).minimum or 0.0
                        area = ecdf_area(hits(made.trace_nfev, made.trace_best, least, TARGETS), maxfev)
                        found[f"{evaluations} {dim} {name} {family} {run}"] = [area, max(made.fun - least, SOLVED)]
    return found


def against(own: dict[str, list[float]], other: dict[str, list[float]]) -> dict[str, list[float]]:
    """By evaluations for each variable: area of both, standard error of the difference, share of wins less losses."""
    found = {}
    for evaluations in sorted({key.split()[0] for key in own}, key=int):
        keys = [key for key in own if key.split()[0] == evaluations]
        a, b = (np.array([one[key] for key in keys]) for one in (own, other))
        ends = np.sign(np.log(b[:, 1] / a[:, 1]) * (abs(np.log(b[:, 1] / a[:, 1])) > 1e-6))
        by_function = _by_function(keys, a[:, 0] - b[:, 0])
        error = float(by_function.std(ddof=1) / np.sqrt(len(by_function)))
        found[evaluations] = [float(a[:, 0].mean()), float(b[:, 0].mean()), error, float(ends.mean())]
    return found


def _by_function(keys: list[str], values: Array) -> Array:
    """Means over instances and sizes."""
    names = [tuple(key.split()[2:4]) for key in keys]
    return np.array([values[[n == name for n in names]].mean() for name in dict.fromkeys(names)])


def score(own: dict[str, list[float]], other: dict[str, list[float]]) -> float:
    """Relative gain in area plus share of wins less losses, the mean over budgets; 0 for the same."""
    return float(np.mean([a / b - 1 + wins / 4 for a, b, _, wins in against(own, other).values()]))


def drawn(rng: Any) -> dict[str, Any]:
    """About half of the genes anywhere in their range, the others as they are."""
    names = [name for name in GENES if rng.random() < 0.5]
    return {name: GENES[name].value(float(rng.random())) for name in names}


def combined(parents: list[dict[str, Any]], rng: Any) -> dict[str, Any]:
    """Each gene of one of the parents, or as it is where that one has not changed it."""
    found = {}
    for name in GENES:
        parent = parents[int(rng.integers(len(parents)))]
        if name in parent:
            found[name] = parent[name]
    return found


def bench_shares(folder: str | Path = "runs/shares") -> dict[str, Any]:
    """Search, and judge on the held-out functions; goes on where it was stopped."""
    place, rng = Path(folder), generator(SEED)
    step = _Steps(place / "candidates.json")
    first = step("drawn", [*HAND_MADE, *(drawn(rng) for _ in range(DRAWN))], TRAINED, FIRST, SEED)
    best = first[: DRAWN // 3]
    second = step("combined", [combined(best, rng) for _ in range(COMBINED)], TRAINED, FIRST, SEED + 1)
    again = [*second[: FINAL - 1], first[0]]
    third = step("again", again, TRAINED, ALL, SEED + 2)
    others = [values for values in HAND_MADE if values not in third[:JUDGED]]
    judged = step("held out", [*third[:JUDGED], *others], HELD_OUT, JUDGING, SEED + 3)
    traps = {to_json(values): trap(values) for values in ({}, *judged)}
    found = {**step.found, "trap": traps, "seed": SEED, "machine": machine()}
    write_text(place / "shares.json", to_json(found, indent=1) + "\n")
    return {name: rows[0] for name, rows in step.found.items()} | {"trap": traps}


def trap(values: dict[str, Any]) -> dict[str, list[float]]:
    """By evaluations: the mean cost on the annealing line, and on its version with a bad basin at the centre."""
    algorithm, found = changed(values), {}
    for maxfev in BUDGETS:
        bounds = {"bounds": BOUNDS, "integrality": INTEGRALITY, "algorithm": algorithm, "maxfev": maxfev}
        found[str(maxfev)] = [
            float(np.mean([_cost(Plant(number), kind, number, bounds) for number in PLANTS]))
            for kind in ("cost", "trap")
        ]
    return found


def _cost(plant: Plant, kind: str, seed: int, options: dict[str, Any]) -> float:
    limit = {"type": "ineq", "fun": lambda x: 1.0 - plant.buckling(x)}
    found = float(minimize(getattr(plant, kind), constraints=limit, rng=seed, **options).fun)
    return found if np.isfinite(found) else NONE


class _Steps:
    """Runs the candidates of a step and `general`; those that a file has are not run again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: dict[str, Any] = read_json(path, "candidates") if path.exists() else {}

    def __call__(
        self, name: str, candidates: list[dict[str, Any]], functions: tuple[str, ...], settings: Any, seed: int
    ) -> list[dict[str, Any]]:  # fmt: skip
        """What was changed, best first."""
        rows = self.found.setdefault(name, [])
        if len(rows) < len(candidates):
            base = results(changed({}), functions, settings, seed)
            known = [row["changed"] for row in rows]
            for values in candidates:
                if values in known:
                    continue
                own = results(changed(values), functions, settings, seed)
                rows.append({"changed": values, "score": score(own, base), "against": against(own, base)})
                write_text(self.path, to_json(self.found, indent=1) + "\n")
            rows.sort(key=lambda row: -row["score"])
        return [row["changed"] for row in rows]
