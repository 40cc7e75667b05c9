"""Searches in single precision beside those in double: how fast their runs are, and how good what they find."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu

from autov.designer import OperatorGenome, TrialBudget, design
from autov.designer.search import TRIAL
from autov.designer.trials import Stream, Tasks, Trials
from autov.problems import Classic
from benchmarks.kernel import machine

PROBLEMS = ("rastrigin", "ackley+family=translate-rotate")
SEEDS = (1, 2, 3)
DIMS = (10, 30, 32, 100)
RUNS = 100
PRECISIONS = ("double", "single")


def bench_precision(
    seeds: tuple[int, ...] = SEEDS, problems: tuple[str, ...] = PROBLEMS, repeats: int = 7, **settings: Any
) -> dict[str, Any]:
    """Speed of runs of the paper's operator on Rastrigin, and quick designs of operators with the same seeds."""
    designs = {f"{name}, seed {seed}": _designed(name, seed, settings) for name in problems for seed in seeds}
    speed = {str(dim): _speed(dim, repeats) for dim in DIMS}
    return {
        "what": "runs of 10,000 evaluations on Rastrigin, population 100, one thread, taken in turns; "
        "designs: operators, preset quick, re-tested in double precision on the same instances",
        "speed": speed,
        "designs": designs,
        "machine": machine(),
    }


def _speed(dim: int, repeats: int) -> dict[str, float]:
    """Million evaluations per second in both precisions, the best of several."""
    double = OperatorGenome.of("h3", 10, "variable", True)
    genomes = {"double": double, "single": replace(double, single=True)}
    vectors = double.known()[-1:]  # the paper's operator
    zero, stream = np.zeros(RUNS, np.int64), Stream(1, TRIAL, 0)
    tasks, budget = Tasks(zero, zero, np.arange(RUNS)), TrialBudget(100, 100, RUNS)
    trials = Trials(Classic("rastrigin", dim), budget, 1)
    seconds: dict[str, list[float]] = {name: [] for name in PRECISIONS}
    for _ in range(repeats + 1):  # the first one compiles
        for name, genome in genomes.items():
            start = time.perf_counter()
            trials(stream, genome, vectors, tasks)
            seconds[name].append(time.perf_counter() - start)
    trials.close()
    rates = {name: RUNS * budget.made / min(found[1:]) / 1e6 for name, found in seconds.items()}
    return rates | {"ratio": rates["single"] / rates["double"]}


def _designed(problem: str, seed: int, settings: dict[str, Any]) -> dict[str, float]:
    """What both find from the same seed, and how likely such a difference is by chance."""
    found = {
        name: design(problem, preset="quick", space="operator", rng=seed, inner_precision=name, **settings)
        for name in PRECISIONS
    }
    values = {name: one.retested.ravel() for name, one in found.items()}
    return {
        **{f"{name}_median": float(np.median(some)) for name, some in values.items()},
        **{f"{name}_seconds": one.seconds for name, one in found.items()},
        "p": float(mannwhitneyu(values["single"], values["double"]).pvalue),
        "runs": len(values["double"]),
    }
