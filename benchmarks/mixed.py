"""Mixed variables: the algorithm for categories, optuna's TPE, CatCMA with margin, and categories as integers.

Seven functions of 12 to 20 variables (`benchmarks.mixed_functions.REPORTED`), five instances each, best values after
200, 500, 1,000 and 2,000 evaluations of one run. Settings were chosen on other functions. TPE ends after 1,000: its
time grows with every evaluation. Runs are kept in runs/mixed.json as they come; the same command makes what is missing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata, wilcoxon

from autov.core import Array, generator, read_json, to_json, write_text
from autov.experiments import Cell, Table
from autov.experiments.row import versions
from autov.problems import Space
from autov.problems.variables import Choice, Integer, Levels, Real
from autov.runs import minimize
from benchmarks.kernel import machine
from benchmarks.mixed_functions import REPORTED, Mixed, instance

BUDGETS = (200, 500, 1000, 2000)
INSTANCES = (0, 1, 2, 3, 4)
OURS, TPE, CATCMA = "autov", "optuna TPE", "cmaes CatCMAwM"
LEAST = 1e-8  # values below are equal
ROOT = Path(__file__).parents[1]
KEPT, FILE = ROOT / "runs" / "mixed.json", ROOT / "results" / "mixed.json"


class _Spent(Exception):  # noqa: N818
    pass


class Counted:
    """A function of coordinates or of values that keeps what it gave and ends after this many evaluations."""

    def __init__(self, mixed: Mixed, maxfev: int) -> None:
        self.mixed, self.maxfev = mixed, maxfev
        self.values: list[float] = []

    def __call__(self, values: dict[str, Any]) -> float:
        """The value at values by name."""
        if len(self.values) >= self.maxfev:
            raise _Spent
        self.values.append(self.mixed.fun(values))
        return self.values[-1]

    def at(self, x: Array) -> float:
        """The value at coordinates."""
        return self(self.mixed.space.point(x))


def run_autov(fun: Counted, seed: int, **options: Any) -> None:
    """Ours, in one run."""
    minimize(fun, fun.mixed.space, maxfev=fun.maxfev, rng=seed, **options)


def run_random(fun: Counted, seed: int) -> None:
    """Uniform points."""
    space, rng = fun.mixed.space, generator(seed)
    half = np.where(space.integrality, 0.499, 0.0)
    for _ in range(fun.maxfev):
        fun.at(rng.uniform(space.box.lower - half, space.box.upper + half))


def run_tpe(fun: Counted, seed: int) -> None:
    """TPE with optuna's settings; ordered levels are integers to it."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    space = fun.mixed.space
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    kinds = {name: _distribution(one) for name, one in zip(space.names, space.variables, strict=True)}
    levels = {n: one.values for n, one in zip(space.names, space.variables, strict=True) if isinstance(one, Levels)}
    for _ in range(fun.maxfev):
        trial = study.ask(kinds)
        study.tell(trial, fun({**trial.params, **{n: values[trial.params[n]] for n, values in levels.items()}}))


def _distribution(one: Any) -> Any:
    from optuna import distributions

    if isinstance(one, Real):
        return distributions.FloatDistribution(one.low, one.high, log=one.log, step=one.step)
    if isinstance(one, Integer):
        return distributions.IntDistribution(one.low, one.high, log=one.log, step=one.step)
    if isinstance(one, Choice):
        return distributions.CategoricalDistribution(one.values)
    return distributions.IntDistribution(0, len(one.values) - 1)


def run_catcma(fun: Counted, seed: int) -> None:
    """CatCMA with margin of the package cmaes, with its settings, in the coordinates of the space."""
    from cmaes import CatCMAwM

    space: Space = fun.mixed.space
    cats, whole = np.array(space.categories), np.array(space.integrality)
    free, steps = ~whole, whole & (cats == 0)
    lower, upper = space.box.lower, space.box.upper
    strategy = CatCMAwM(
        x_space=[[lower[i], upper[i]] for i in np.flatnonzero(free)] or None,
        z_space=[list(range(int(lower[i]), int(upper[i]) + 1)) for i in np.flatnonzero(steps)] or None,
        c_space=[int(cats[i]) for i in np.flatnonzero(cats)], seed=seed,
    )  # fmt: skip
    while True:
        told = []
        for _ in range(strategy.population_size):
            asked, x = strategy.ask(), np.empty(len(cats))
            x[free] = asked.x if free.any() else 0
            x[steps] = asked.z if steps.any() else 0
            x[cats > 0] = np.argmax(np.asarray(asked.c), axis=1)
            told.append((asked, fun.at(np.clip(x, lower, upper))))
        strategy.tell(told)


ALGORITHMS: dict[str, tuple[Callable[[Counted, int], None], int]] = {
    OURS: (run_autov, 2000),
    "autov, categories as integers": (lambda fun, seed: run_autov(fun, seed, algorithm="general"), 2000),
    CATCMA: (run_catcma, 2000),
    "random points": (run_random, 2000),
    TPE: (run_tpe, 1000),
}


def bench_mixed() -> dict[str, Any]:
    """Make what is missing in runs/mixed.json and keep all of it in results/mixed.json."""
    KEPT.parent.mkdir(exist_ok=True)
    found: dict[str, Any] = read_json(KEPT, "runs") if KEPT.exists() else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in INSTANCES:
            for label, (call, maxfev) in ALGORITHMS.items():
                for make in REPORTED:
                    key = f"{label}/{make.__name__}/{number}"
                    if key not in found:
                        found[key] = best_values(call, instance(make, number), maxfev, number)
                        write_text(KEPT, to_json(found, indent=0) + "\n")
    about = {"functions": [make.__name__ for make in REPORTED], "instances": INSTANCES, "budgets": BUDGETS,
             "machine": machine(), "versions": versions()}  # fmt: skip
    result = {**about, "best": found}
    write_text(FILE, to_json(result, indent=1) + "\n")
    return result


def best_values(call: Callable[[Counted, int], None], mixed: Mixed, maxfev: int, seed: int) -> list[float]:
    """The best values after each of the budgets that the run reaches."""
    fun = Counted(mixed, maxfev)
    with suppress(_Spent):
        call(fun, seed)
    best = np.minimum.accumulate(np.maximum(fun.values, LEAST))
    return [float(best[min(budget, len(best)) - 1]) for budget in BUDGETS if budget <= maxfev]


def compared(result: dict[str, Any]) -> dict[int, dict[str, tuple[float, float, float]]]:
    """By budget and label: mean rank, share of runs in which ours is better, and p (signed-rank, Holm)."""
    found = {}
    for b, budget in enumerate(result["budgets"]):
        values: dict[str, list[float]] = {}
        for label in ALGORITHMS:
            keys = [f"{label}/{name}/{i}" for name in result["functions"] for i in result["instances"]]
            if all(len(result["best"].get(key, ())) > b for key in keys):
                values[label] = [result["best"][key][b] for key in keys]
        ranks = dict(zip(values, rankdata(np.array(list(values.values())), axis=0).mean(axis=1), strict=True))
        others = [label for label in values if label != OURS]
        ours = np.log(values[OURS])
        p = np.array([_p(ours, np.log(values[label])) for label in others])
        order = np.argsort(p)
        holm = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
        adjusted = dict(zip([others[i] for i in order], holm.tolist(), strict=True))
        found[budget] = {
            label: (float(ranks[label]), float(np.mean(ours < np.log(values[label]))), adjusted.get(label, 1.0))
            for label in values
        }
    return found


def _p(ours: Array, other: Array) -> float:
    return 1.0 if np.array_equal(ours, other) else float(wilcoxon(ours, other).pvalue)  # type: ignore[union-attr]


def mixed_table(result: dict[str, Any]) -> Table:
    """Mean ranks; + where ours is significantly better, - where it is worse, = otherwise (5 %)."""
    by_budget = compared(result)
    rows = []
    for label in ALGORITHMS:
        cells = []
        for budget in result["budgets"]:
            if label not in by_budget[budget]:
                cells.append(Cell(""))
                continue
            rank, wins, p = by_budget[budget][label]
            mark = "" if label == OURS else " =" if p > 0.05 else " +" if wins > 0.5 else " -"
            cells.append(Cell(f"{rank:.2f}{mark}"))
        rows.append((label, tuple(cells)))
    heads = ("mean rank after", *(f"{budget:,}" for budget in result["budgets"]))
    return Table("Mixed variables", heads, tuple(rows))
