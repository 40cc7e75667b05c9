"""How fast the whole search is, not only its kernel."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from autov.bench.kernel import best_seconds, machine
from autov.bench.twin import numpy_run
from autov.core import stream_key
from autov.designer.encoding import Encoding
from autov.designer.fitness import Inner, InnerRuns
from autov.designer.search import INNER, Search, SearchSettings
from autov.engines import worker_count
from autov.operators import load_operator
from autov.problems import Classic

PAPER_EVALUATIONS = 100 * 1001 * 9 * 10_000  # candidates x (generations and the first population) x runs x evaluations


def _search_rate(workers: int, generations: int) -> tuple[float, float]:
    """Evaluations per second of the paper's search, and the share of its runs that early stopping leaves out."""
    runs = InnerRuns(Classic("rastrigin", 30), Inner(100, 100, 9), workers)
    search = Search(Encoding.of("h3", 10, "variable", False), [runs], SearchSettings(seed=1))
    state = search.start()
    start, before = time.perf_counter(), state.evaluations
    for _ in range(generations):
        state = search.step(state)
    seconds = time.perf_counter() - start
    runs.close()
    made = state.evaluations - before
    return made / seconds, 1 - made / (generations * 100 * 9 * 10_000)


def _seconds_per_run(dim: int, rows: int, runs: int, workers: int) -> float:
    """Seconds for ``runs`` inner runs of random operators of that size."""
    inner_runs = InnerRuns(Classic("rastrigin", dim), Inner(100, 100, runs), workers)
    encoding = Encoding.of("h3", rows, "variable", False)
    stack = encoding.stack(encoding.box.sample(1, np.random.default_rng(1)))
    zero, numbers = np.zeros(runs, np.int64), np.arange(runs)
    base = stream_key(1, INNER, 0)
    inner_runs(base, stack, zero, zero, numbers)
    seconds = best_seconds(lambda: inner_runs(base, stack, zero, zero, numbers), 9)
    inner_runs.close()
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
