"""How the portfolio inside `general` was designed, and `anytime`, and how both were chosen.

Both are portfolios of a matrix adaptation strategy and an evolution that exchanges variables. All of the strategy, the
sizes of the evolution and the shares of the budget are designed; the operator of the evolution is given. Searches of
several seeds train on families of 22 functions, for good values at the end of the budget or on the way to it as well;
the best and the mean of the last population of each are tested on held-out functions and sizes. No function of
the BBOB suite does. What came out for the end of the budget is `thorough`; five of its settings were changed by hand to
make the first `general` (see `benchmarks.adjustment`). The package has neither any more: results/general has both.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autov.algorithms import resolve_algorithm
from autov.algorithms.files import save_algorithm
from autov.core import Array, read_arrays
from autov.core.atomic_files import read_json, to_json, write_text
from autov.designer import design
from autov.designer.cases import Case, training_cases
from autov.designer.checkpoint import FORMAT, VERSION
from autov.designer.fitness import panel_shares
from autov.designer.genome import Given
from autov.designer.presets import design_settings
from autov.designer.space import ROWS, UNIFORM_CROSSOVER, evolution_values
from autov.designer.trial_runs import Stream, Tasks
from autov.designer.trials import Trials
from autov.problems import MORE_NAMES, NAMES
from benchmarks.adjustment import FIRST_TRIAL, STRATEGY, adjusted

HELD_OUT = ("katsuura", "lunacek", "michalewicz", "styblinski_tang")
TRAINED = tuple(name for name in (*NAMES, *MORE_NAMES) if name not in HELD_OUT)
FAMILIES = ("translate", "translate-rotate-scale")
DIMS, BUDGETS = (5, 10, 20, 40), ("30d", "100d", "300d", "1000d")
PANEL = ("minion:bipop", "minion:rcmaes", "minion:arrde", "minion:jade")
MEMBERS, SEEDS = ("ma-es", "evolution"), (1, 2, 3)
THOROUGH = "a portfolio for functions of many kinds, for the value at the end of the budget alone"
BY_HAND = {"changed_by_hand": {**STRATEGY, "trial of the strategy": FIRST_TRIAL}}
SETTINGS: dict[str, Any] = {
    "space": "portfolio", "members": MEMBERS, "searcher": "ma-es", "dims": DIMS, "budgets": BUDGETS,
    "aggregate": "panel", "panel": PANEL, "panel_runs": 4, "population": 16,
    "generations": 35, "memory": 12, "trial": {"runs": 1}, "final_race": False, "retest_runs": 2,
}  # fmt: skip


class Goal(NamedTuple):
    """What is wanted of an optimiser; runs are cut off after each of ``stops``, parts of their budget."""

    what: str
    stops: tuple[float, ...]
    cases: int  # that are trained on
    judging: int  # cases of each of two kinds that judge
    runs: int  # of each candidate and of each of the panel on each of those
    seed: int


GOALS = {
    "general": Goal("for functions of many kinds, 1 to 1000 variables, any budget", (1.0,), 44, 48, 4, 99),
    "anytime": Goal("the same for runs that may stop before the budget is used up", (1.0, 0.3, 0.1), 88, 96, 8, 7),
}


def problems(names: tuple[str, ...]) -> list[str]:
    """Both families of all functions."""
    return [f"{name}+family={family}" for family in FAMILIES for name in names]


def settings_of(name: str, **changed: Any) -> dict[str, Any]:
    """Those of the searches; the operator of the evolution is not designed."""
    given = evolution_values(UNIFORM_CROSSOVER, ROWS)
    lengths = (".width.mean", ".spread.mean")  # their weights have no mean
    fixed = {name: value for name, value in given.items() if ".row" in name and not name.endswith(lengths)}
    goal = GOALS[name]
    return {**SETTINGS, "stops": goal.stops, "cases": goal.cases, "fix": fixed, **changed}


def train(
    name: str, seed: int, folder: str | Path, workers: int | None = None, progress: Any = None, **changed: Any
) -> Any:  # fmt: skip
    """One search; killed and begun again it continues."""
    place = Path(folder) / name / f"seed-{seed}"
    found = design(problems(TRAINED), rng=seed, workers=workers, checkpoint=place / "search.npz", resume=True,
                   validate=(), progress=progress, **settings_of(name, **changed))  # fmt: skip
    found.save(place / "optimizer.json")
    write_text(place / "provenance.json", to_json(found.provenance, indent=1) + "\n")
    return found


def candidates(name: str, folder: str | Path, seeds: tuple[int, ...] = SEEDS, **changed: Any) -> dict[str, Any]:
    """Of each search: the best of its last population, and the mean of all of that, in which noise cancels out."""
    genome = design_settings(None, **settings_of(name, **changed)).designed.genome
    found: dict[str, Any] = {}
    for seed in seeds:
        vectors = read_arrays(Path(folder) / name / f"seed-{seed}" / "search.npz", FORMAT, VERSION)[1]["vectors"]
        found[f"seed {seed}, best"] = genome.decode(vectors[0])
        found[f"seed {seed}, mean"] = genome.decode(vectors.mean(axis=0))
    return found


def judging_cases(goal: Goal) -> list[Case]:
    """Held-out functions, and other sizes of the training functions."""
    common: dict[str, Any] = {"stops": goal.stops, "cases": goal.judging}
    held_out = design_settings(None, dims=DIMS, budgets=BUDGETS, **common)
    elsewhere = design_settings(None, dims=(3, 8, 15, 30), budgets=("50d", "200d", "600d"), **common)
    return [*training_cases(problems(HELD_OUT), held_out), *training_cases(problems(TRAINED), elsewhere)]


def judge(goal: Goal, algorithms: dict[str, Any], workers: int | None = None) -> dict[str, Array]:
    """For each algorithm and each of the panel: the share of the panel's results that beat it, case by case."""
    everyone = {name: resolve_algorithm(name) for name in PANEL} | algorithms
    cases, given = judging_cases(goal), Given(tuple(everyone.values()))
    which = np.repeat(np.arange(len(everyone)), goal.runs)
    tasks = Tasks(which, which, np.tile(np.arange(goal.runs), len(everyone)))
    values = []
    for number, case in enumerate(cases):
        trials = Trials(case.problem, case.budget, workers)
        values.append(trials(Stream(goal.seed, 0, number), given, given.vectors, tasks).reshape(len(everyone), -1))
        trials.close()
    results = np.array(values)
    panel = results[:, : len(PANEL)].reshape(len(cases), -1)
    shares = panel_shares(results, panel, [case.problem.minimum for case in cases])
    return dict(zip(everyone, shares.T, strict=True))


def bench_general(folder: str | Path = "runs/general", seeds: tuple[int, ...] = SEEDS) -> dict[str, Any]:
    """Train for each goal with every seed (hours), judge what came out, and keep the best of it."""
    for name in GOALS:
        for seed in seeds:
            train(name, seed, folder)
    return {name: choose(name, folder, seeds) for name in GOALS}


def choose(name: str, folder: str | Path, seeds: tuple[int, ...] = SEEDS) -> dict[str, Any]:
    """Judge what the searches for a goal ended with; write the best of it, and the figures that chose it."""
    goal, place, found = GOALS[name], Path(folder) / name, candidates(name, folder, seeds)
    shares = judge(goal, found)
    means = {label: float(share.mean()) for label, share in shares.items()}
    best = min(found, key=lambda label: means[label])
    about = read_json(place / f"seed-{best.split()[1].rstrip(',')}" / "provenance.json", "where it comes from")
    kept = ("problem", "dim", "preset", "space", "evaluations", "instances", "settings", "autov", "date")
    half = goal.judging
    provenance = {
        "what": f"a portfolio {goal.what}",
        "chosen": f"{best}: the least share of results of {', '.join(PANEL)} that beat it, of {len(found)} candidates",
        "judged_on": f"families of {', '.join(HELD_OUT)}, and other sizes of the functions trained on",
        "judged": {label: [float(share[:half].mean()), float(share[half:].mean())] for label, share in shares.items()},
        "seed": about["seed"], **{key: about[key] for key in kept},
    }  # fmt: skip
    if name == "general":
        save_algorithm(found[best], place / "thorough.json", provenance | {"what": THOROUGH})
        save_algorithm(adjusted(found[best]), place / "general.json", provenance | BY_HAND)
    else:
        save_algorithm(found[best], place / f"{name}.json", provenance)
    write_text(place / "judged.json", to_json({"chosen": best, "means": means}, indent=1) + "\n")
    return {"means": means, "chosen": best}
