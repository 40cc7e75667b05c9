import os
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from autov.algorithms.ga import GA
from autov.core import InputError
from autov.experiments import Store, compare, experiment, run
from autov.problems import Classic, function_problem
from autov.runs import solve
from autov.runs.evaluation import FaultPolicy
from tests.experiments.tiny import RandomSearch, SlowSphere

SMALL = {"dim": 3, "maxfev": 300, "popsize": 10}


@pytest.fixture(scope="module")
def planned():
    algorithms = {"paper-h3": "paper-h3", "ga": "ga", "mine": RandomSearch(0.2)}
    return experiment(algorithms, ["sphere", "quartic+rotate=run", SlowSphere()], runs=3, **SMALL)


def bits(store, tasks):
    return [(row.key, row.best, row.samples.tobytes()) for row in store.rows(tasks)]


def test_workers_do_not_change_results(planned):
    with Store(None) as one, Store(None) as two:
        run(planned, one, workers=1)
        run(planned, two, workers=2)
        assert bits(one, planned.tasks) == bits(two, planned.tasks)
        assert len(bits(one, planned.tasks)) == 27


@dataclass(frozen=True)
class Noted:
    """A function that writes a line for every time that it is unpickled."""

    path: str

    def __setstate__(self, state):
        object.__setattr__(self, "path", state["path"])
        with open(self.path, "a") as file:
            file.write(f"{os.getpid()}\n")

    def __call__(self, x):
        return float((x**2).sum())


def test_a_worker_gets_a_function_once_not_with_every_task(tmp_path):
    noted = function_problem(Noted(str(tmp_path / "noted")), [(-1.0, 1.0)] * 2)
    with Store(None) as store:
        done = run(experiment(["ga", "de"], {"noted": noted}, maxfev=40, popsize=10, runs=6), store, workers=2)
    assert (done.ran, done.failures) == (12, [])
    loaded = (tmp_path / "noted").read_text().split()
    assert os.getpid() not in map(int, loaded)
    assert len(loaded) == len(set(loaded)) == 2


def test_costly_tasks_come_first_then_run_by_run():
    order = []

    class Noting(Store):
        def add(self, task, *result):
            order.append((task.dim, task.run))
            super().add(task, *result)

    cases = {f"d{d}": function_problem(np.sum, [(-1.0, 1.0)] * d) for d in (2, 5, 3)}
    with Noting(None) as store:
        run(experiment({"a": RandomSearch(), "b": RandomSearch(0.5)}, cases, maxfev=10, popsize=10, runs=2), store, 1)
    assert order == [(d, number) for d in (5, 3, 2) for number in (0, 0, 1, 1)]


def test_samples_end_at_the_best_value(planned):
    with Store(None) as store:
        run(planned, store, workers=1)
        for row in store.rows():
            assert row.samples[-1] == row.best
            assert (np.diff(row.samples[np.isfinite(row.samples)]) <= 0).all()


def test_nothing_is_run_twice(tmp_path):
    seen = []
    store = tmp_path / "r.db"
    assert run(experiment(["paper-h3", "ga"], "sphere", runs=2, **SMALL), store, workers=1).ran == 4
    assert run(experiment(["paper-h3", "ga"], "sphere", runs=2, **SMALL), store, workers=1).ran == 0
    more = run(experiment(["ga", "paper-h3"], "f1..f2,sphere", runs=3, **SMALL), store, 1, lambda *a: seen.append(a))
    assert (more.total, more.ran) == (18, 14)
    assert seen[0] == (4, 18, None)
    assert seen[-1][:2] == (18, 18)
    assert seen[-1][2] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_what_is_finished(tmp_path, workers):
    planned = experiment({"a": RandomSearch()}, SlowSphere(0.002), maxfev=20, popsize=10, runs=12)

    def interrupt(done, total, left):  # noqa: ARG001
        if done == 3:
            raise KeyboardInterrupt

    with Store(tmp_path / "r.db") as store:
        with pytest.raises(KeyboardInterrupt):
            run(planned, store, workers, interrupt)
        kept = len(store.rows())
        assert 3 <= kept < 12
        assert run(planned, store, workers).ran == 12 - kept


@pytest.mark.parametrize("workers", [1, 2])
def test_one_error_does_not_stop_the_others(workers):
    comparison = compare(
        {"a": RandomSearch()}, SlowSphere(fail_below=0.0), maxfev=10, popsize=10, runs=12, store=None, workers=workers
    )
    assert 0 < len(comparison.failures) < 12
    assert len(comparison.values("slow-sphere", "a")) + len(comparison.failures) == 12
    assert comparison.failures[0].error == "ArithmeticError: too low"
    assert "in __call__" in comparison.failures[0].traceback
    assert "runs failed" in comparison.table().notes[-1]


def test_what_cannot_be_sent_to_workers_is_refused():
    class Local(RandomSearch):
        pass

    class Locked(RandomSearch):
        def identity_parts(self):
            return "locked"

        def __reduce__(self):
            raise TypeError("a handle of this process")

    assert compare({"a": Local()}, SlowSphere(), maxfev=10, popsize=10, runs=2, store=None, workers=2).rows
    with pytest.raises(InputError, match="use workers=1"):
        compare({"a": Locked()}, SlowSphere(), maxfev=10, popsize=10, runs=2, store=None, workers=2)
    assert compare({"a": Locked()}, SlowSphere(), maxfev=10, popsize=10, runs=2, store=None, workers=1).rows


@dataclass(frozen=True)
class Deadly(SlowSphere):
    """Ends the process that evaluates it, as the system does when memory runs out."""

    parent: int = 0

    def __call__(self, x, rng):
        if os.getpid() != self.parent:
            os._exit(9)
        return super().__call__(x, rng)


def test_tasks_that_end_their_worker_do_not_stop_the_others(tmp_path):
    """They are noted, not run again without being asked to, and told."""
    options = {"maxfev": 10, "popsize": 10, "runs": 2, "store": tmp_path / "r.db", "workers": 2}
    problems = [Deadly(parent=os.getpid()), "sphere"]
    found = compare({"a": RandomSearch()}, problems, **options)
    assert [failure.error for failure in found.failures] == 2 * [
        "WorkerError: a worker process exited with code 9, twice"
    ]
    assert len(found.values("sphere", "a")) == 2
    assert "2 runs failed" in found.table().notes[-1]
    planned = experiment({"a": RandomSearch()}, problems, maxfev=10, popsize=10, runs=2)
    with Store(tmp_path / "r.db") as store:
        assert (run(planned, store, 2).ran, len(run(planned, store, 2).failures)) == (0, 2)
        assert run(planned, store, 1, retry_failed=True).ran == 2  # in this process they live
        assert run(planned, store, 1).failures == []


def bowl(x):
    if x[0] < -0.5:
        raise ArithmeticError("too low")
    return float((x**2).sum())


def hanging(x):
    if x[0] > 0.6:
        time.sleep(600)
    return float((x**2).sum())


BOX = [(-1, 1)] * 2
HERE = os.getpid()


def ending(x):
    if x[0] > 0.6 and os.getpid() != HERE:
        os._exit(7)
    return float((x**2).sum())


@pytest.mark.cold
def test_the_point_that_ends_a_worker_is_named_or_counts_as_worst():
    """Whole runs travel; one that ends its worker is made again point by point."""
    problem = {"ending": function_problem(ending, BOX), "bowl": function_problem(flat, BOX)}
    options = {"maxfev": 24, "popsize": 8, "runs": 3, "store": None, "rng": 1}
    found = compare("ga", problem, workers=2, **options)
    assert found.failures
    for failure in found.failures:
        text, _, point = failure.error.partition(", at x = [")
        assert text == "WorkerError: a worker process exited with code 7, twice"
        assert float(point.split(",")[0]) > 0.6
    assert len(found.values("bowl", "ga")) == 3
    again = compare("ga", problem, workers=2, faults=FaultPolicy(on_error="worst"), **options)

    def instead(x):
        return np.inf if x[0] > 0.6 else float((x**2).sum())

    assert not again.failures
    assert sum(row.failed.get("worker lost", 0) for row in again.rows) >= len(found.failures)
    expected = compare("ga", {"ending": function_problem(instead, BOX)}, workers=1, **options)
    assert again.values("ending", "ga").tolist() == expected.values("ending", "ga").tolist()


@pytest.mark.cold
def test_runs_whose_point_ended_a_worker_are_made_again_when_such_points_count_as_worst(tmp_path):
    """What was noted as failed is no answer to another wish; without it nothing is tried a second time."""
    problem = {"ending": function_problem(ending, BOX)}
    options = {"maxfev": 24, "popsize": 8, "runs": 3, "store": tmp_path / "r.db", "workers": 2}
    failed = len(compare("ga", problem, **options).failures)
    assert failed > 0
    assert len(compare("ga", problem, **options).failures) == failed
    again = compare("ga", problem, faults=FaultPolicy(on_error="worst"), **options)
    assert not again.failures
    assert sum(row.failed.get("worker lost", 0) for row in again.rows) >= failed


def flat(x):
    return float(x.sum())


def test_a_single_task_that_ends_its_worker_does_not_end_the_program():
    """The last one that is missing has a worker, too; what cannot travel is run here."""
    options = {"maxfev": 10, "popsize": 10, "runs": 1, "store": None, "rng": 1}
    found = compare({"a": RandomSearch()}, Deadly(parent=os.getpid()), workers=2, **options)
    assert [failure.error for failure in found.failures] == ["WorkerError: a worker process exited with code 9, twice"]

    class Locked(RandomSearch):
        def identity_parts(self):
            return "locked"

        def __reduce__(self):
            raise TypeError("a handle of this process")

    assert compare({"a": Locked()}, SlowSphere(), workers=2, **options).rows


def test_exceptions_count_as_worst_where_that_is_wanted():
    problem = {"bowl": function_problem(bowl, BOX)}
    options = {"maxfev": 60, "popsize": 10, "runs": 3, "store": None, "rng": 1, "reference": "ga"}
    assert len(compare("ga,de", problem, workers=1, **options).failures) == 6
    one, two = (compare("ga,de", problem, workers=w, faults=FaultPolicy(on_error="worst"), **options) for w in (1, 2))
    assert [(r.key, r.best, r.failed) for r in one.rows] == [(r.key, r.best, r.failed) for r in two.rows]
    assert sum(r.failed["raised"] for r in one.rows) > 0
    assert any("evaluations failed and counted as worst" in note for note in one.table().notes)
    with pytest.raises(InputError, match=r"^on_error: "):
        run(experiment("ga", "sphere", runs=1, **SMALL), None, 1, policy=FaultPolicy(on_error="worst"))


def test_an_evaluation_that_hangs_counts_as_worst():
    problem = {"hanging": function_problem(hanging, BOX)}
    options = {"maxfev": 12, "popsize": 4, "runs": 2, "store": None, "rng": 1, "faults": FaultPolicy(timeout=1.0)}
    found = compare("ga", problem, workers=2, **options)
    late = [row.failed.get("timed out", 0) for row in found.rows]
    assert not found.failures
    assert sum(late) > 0

    def instead(x):
        return np.inf if x[0] > 0.6 else hanging(x)

    again = compare("ga", {"hanging": function_problem(instead, BOX)}, workers=1, **(options | {"faults": None}))
    assert [row.best for row in found.rows] == [row.best for row in again.rows]


def leaving(x):
    if x[0] > 0.6:
        raise SystemExit(3)
    return float((x**2).sum())


@pytest.mark.cold
@pytest.mark.parametrize("timeout", [None, 60.0])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_function_that_calls_exit_ends_neither_the_others_nor_the_program(workers, timeout):
    problem = {"leaving": function_problem(leaving, BOX)}
    options = {"maxfev": 12, "popsize": 4, "runs": 4, "store": None, "rng": 1, "workers": workers}
    strict, lenient = FaultPolicy(timeout), FaultPolicy(timeout, "worst")
    found = compare("ga", problem, faults=strict, **options)
    assert {failure.error for failure in found.failures} == {"SystemExit: 3"}
    assert len(found.failures) + len(found.rows) == 4
    again = compare("ga", problem, faults=lenient, **options)
    assert not again.failures
    assert sum(row.failed.get("raised", 0) for row in again.rows) > 0


@dataclass(frozen=True)
class Far(RandomSearch):
    name: ClassVar[str] = "far"

    def ask(self, state, rng):
        return rng.uniform(-1e6, 1e6, (state.popsize, state.box.dim)), state


def test_an_algorithm_that_leaves_the_box_fails():
    found = compare({"far": Far(), "ga": "ga"}, "f8", reference="ga", **SMALL, runs=2, store=None, workers=1)
    assert {failure.label for failure in found.failures} == {"far"}
    assert "outside the box" in found.failures[0].error
    assert found.values("f8", "far").size == 0


def test_a_task_is_the_run_of_its_number():
    planned = experiment("ga", "sphere", runs=3, seed=4, **SMALL)
    with Store(None) as store:
        run(planned, store, workers=1)
        found = [row.best for row in store.rows(planned.tasks)]
    alone = [solve(Classic("sphere", 3), GA(), maxfev=300, popsize=10, seed=4, run=r).fun for r in range(3)]
    assert found == alone
    assert len(set(found)) == 3


def test_equal_tasks_are_one():
    planned = experiment(["ga", "same=ga"], "sphere", runs=2, **SMALL)
    seen = []
    outcome = run(planned, None, 1, lambda *a: seen.append(a[:2]))
    assert (outcome.total, outcome.ran) == (2, 2)
    assert seen == [(0, 2), (1, 2), (2, 2)]
