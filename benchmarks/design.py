"""How fast the whole search is, not only its kernel."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from autov.designer import OperatorGenome, TrialBudget, design_settings
from autov.designer.search import TRIAL, Search
from autov.designer.trials import Stream, Tasks, Trials
from autov.engines import worker_count
from autov.operators import load_operator
from autov.problems import Classic
from benchmarks.kernel import best_seconds, machine
from benchmarks.numpy_version import numpy_run

PAPER_EVALUATIONS = 100 * 1001 * 9 * 10_000  # candidates x (generations and the first population) x runs x evaluations


def _search_rate(workers: int, generations: int) -> tuple[float, float]:
    """Evaluations per second of the paper's search, and the share of its runs that early stopping leaves out."""
    settings = design_settings("paper", tie_bounds=False)
    trials = Trials(Classic("rastrigin", 30), settings.training.trial, workers)
    search = Search(settings.designed.genome, [trials], settings, seed=1)
    state = search.start()
    start, before = time.perf_counter(), state.evaluations
    for _ in range(generations):
        state = search.step(state)
    seconds = time.perf_counter() - start
    trials.close()
    made = state.evaluations - before
    return made / seconds, 1 - made / (generations * 100 * 9 * 10_000)


def _seconds_per_run(dim: int, rows: int, runs: int, workers: int) -> float:
    """Seconds for ``runs`` runs of a random operator of that size."""
    trials = Trials(Classic("rastrigin", dim), TrialBudget(100, 100, runs), workers)
    genome = OperatorGenome.of("h3", rows, "variable", False)
    vectors = genome.box.sample(1, np.random.default_rng(1))
    zero = np.zeros(runs, np.int64)
    tasks, stream = Tasks(zero, zero, np.arange(runs)), Stream(1, TRIAL, 0)
    trials(stream, genome, vectors, tasks)
    seconds = best_seconds(lambda: trials(stream, genome, vectors, tasks), 9)
    trials.close()
    return seconds


def bench_design(generations: int = 6) -> dict[str, Any]:
    """The search of the paper's preset, its projected time, and how the cost grows."""
    operator, problem = load_operator("paper-h3"), Classic("rastrigin", 30)
    rng = np.random.default_rng(1)
    slow = 10_000 / best_seconds(lambda: numpy_run(operator, problem, 10_000, 100, rng), 20)
    cores = worker_count(None)
    threads = {}
    saved = 0.0
    for workers in sorted({1, cores}):
        rate, saved = _search_rate(workers, generations)
        threads[str(workers)] = {"evaluations_per_second": rate, "ratio_to_numpy": rate / slow}
    fastest = threads[str(cores)]["evaluations_per_second"]
    return {
        "what": "whole search, paper preset: h3, k = 10, 100 candidates, 9 runs of 10,000 evaluations, 30-D Rastrigin",
        "numpy_evaluations_per_second": slow,
        "threads": threads,
        "share_of_runs_left_out_by_early_stop": saved,
        "paper_preset_minutes_without_early_stop": PAPER_EVALUATIONS / fastest / 60,
        "paper_preset_minutes": PAPER_EVALUATIONS * (1 - saved) / fastest / 60,
        "milliseconds_for_8_runs_by_dim": {d: 1e3 * _seconds_per_run(d, 10, 8, 1) for d in (10, 30, 100, 1000)},
        "milliseconds_for_8_runs_by_rows": {k: 1e3 * _seconds_per_run(30, k, 8, 1) for k in (1, 5, 10, 20, 40)},
        "milliseconds_by_runs": {r: 1e3 * _seconds_per_run(30, 10, r, 1) for r in (4, 8, 16, 32)},
        "machine": machine(),
    }
