"""What is kept of the course of a run."""

import numpy as np
import pytest

from autov.algorithms import resolve_algorithm
from autov.core import FileError, generator
from autov.experiments import Store, compare, experiment
from autov.experiments.trace import Trace, decode_trace, encode_trace, improvements
from autov.problems import function_problem, resolve_problem
from autov.runs import solve

OPTIONS = {"dim": 3, "maxfev": 130, "popsize": 20, "runs": 2}


def test_only_improvements_are_kept():
    counts, bests = np.arange(1, 8), np.array([np.inf, 5.0, 5.0, 3.0, 3.0, 3.0, 1.0])
    kept = improvements(counts, bests)
    assert kept.counts.tolist() == [2, 4, 7]
    assert kept.bests.tolist() == [5.0, 3.0, 1.0]
    assert improvements(counts[:1], bests[:1]).counts.tolist() == []


def test_long_traces_are_thinned_to_true_pairs_close_in_evaluations():
    counts = np.arange(1, 50_001)
    bests = 1e6 / counts**1.5
    kept = improvements(counts, bests, longest=200)
    assert len(kept.counts) <= 201
    assert np.array_equal(kept.bests, bests[kept.counts - 1])
    assert kept.counts[0] == 1
    assert kept.counts[-1] == 50_000
    late = kept.counts[kept.counts > 1000]
    assert (late[1:] / late[:-1]).max() < 1.06, "50,000 in 199 equal steps of the logarithm: 5.6 %"


def test_bytes_and_back():
    trace = Trace(np.array([1, 2**40]), np.array([0.1 + 0.2, -np.inf]))
    back = decode_trace(*encode_trace(trace))
    assert np.array_equal(back.counts, trace.counts)
    assert np.array_equal(back.bests, trace.bests)
    with pytest.raises(ValueError, match="a trace of 2 counts and 1 values"):
        decode_trace(encode_trace(trace)[0], b"12345678")


def test_a_run_counts_every_evaluation_that_bettered_its_best():
    seen = []

    def bowl(x):
        seen.append(float((x**2).sum()))
        return seen[-1]

    problem = function_problem(bowl, [(-5, 5)] * 3)
    run = solve(problem, resolve_algorithm("de"), maxfev=130, popsize=20, seed=1)
    lowest = np.minimum.accumulate(seen)
    at = [i for i in range(len(seen)) if i == 0 or lowest[i] < lowest[i - 1]]
    assert run.improved[0].tolist() == [i + 1 for i in at]
    assert run.improved[1].tolist() == [seen[i] for i in at]


def test_on_a_compiled_problem_all_are_measured_by_batches(tmp_path):
    compared = compare(["paper-h3", "de", "scipy:de"], "sphere", store=tmp_path / "r.db", workers=1, **OPTIONS)
    for label in compared.algorithms:
        for run, course in enumerate(compared.courses("sphere", label)):
            solver = resolve_algorithm(label)
            made = solve(resolve_problem("sphere", dim=3), solver, maxfev=130, popsize=20, seed=1, run=run)
            expected = improvements(made.trace_nfev, made.trace_best)
            assert np.array_equal(course.counts, expected.counts)
            assert np.array_equal(course.bests, expected.bests)
            assert course.counts[0] == (1 if label == "scipy:de" else 20), "SciPy asks for single points"


def test_traces_come_back_from_the_file_and_old_files_have_none(tmp_path):
    planned = experiment("de", "sphere", seed=1, **OPTIONS)
    rng = generator(3)
    with Store(tmp_path / "r.db") as store:
        store.add(planned.tasks[0], 1.0, [1.0], 0.1)
        assert store.rows()[0].trace is None
        trace = Trace(np.array([3, 9]), rng.random(2))
        store.add(planned.tasks[1], 1.0, [1.0], 0.1, trace)
    with Store(tmp_path / "r.db") as store:
        for rows in (store.rows(), store.rows(planned.tasks)):
            assert rows[0].trace is None
            assert np.array_equal(rows[1].trace.counts, trace.counts)
            assert np.array_equal(rows[1].trace.bests, trace.bests)
        store._db.execute("UPDATE traces SET counts = x'00'")
        with pytest.raises(FileError, match="damaged"):
            store.rows()
