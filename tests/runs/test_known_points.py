"""Evaluations that were made before: they cost nothing, are where a run begins, and are never made again."""

import types

import numpy as np
import pytest

import autov
from autov.algorithms import ALGORITHMS, resolve_algorithm
from autov.core import FileError, InputError
from autov.runs.budget import Evaluations
from autov.runs.known_points import first_points_of, known_points, leading
from autov.runs.many_runs import repeat

BOX = [(-5.0, 5.0)] * 4
CALLS = []


def sphere(x):
    CALLS.append(x.copy())
    return float(((x - 1.3) ** 2).sum())


@pytest.fixture(autouse=True)
def clean():
    CALLS.clear()


@pytest.fixture(scope="module")
def sample():
    x = np.random.default_rng(5).uniform(-5, 5, (500, 4))
    return x, np.array([float(((row - 1.3) ** 2).sum()) for row in x])


def called():
    return {row.tobytes() for row in CALLS}


ASKED = [name for name in ALGORITHMS if name not in ("ma-es", "portfolio")]


@pytest.mark.parametrize("algorithm", ["general", "portfolio", "ma-es", *ASKED])
def test_known_points_are_not_evaluated_and_give_the_incumbent(algorithm, sample):
    x, f = sample
    found = autov.minimize(sphere, BOX, algorithm=algorithm, maxfev=30, rng=2, known=(x, f))
    assert found.nfev == len(CALLS) == 30
    assert not called() & {row.tobytes() for row in x}
    assert found.fun <= f.min()
    assert found.trace_best[0] <= f.min()
    if found.fun == f.min():
        assert np.array_equal(found.x, x[f.argmin()])
        assert "known before" in found.message


@pytest.mark.parametrize("algorithm", ["general", "ma-es", "cma-es", "de", "shade", "imode", "ga", "pso"])
def test_known_points_make_the_next_run_cheaper(algorithm, sample):
    options = {"algorithm": algorithm, "maxfev": 150}
    cold = np.mean([autov.minimize(sphere, BOX, rng=r, **options).fun for r in range(5)])
    known = np.mean([autov.minimize(sphere, BOX, rng=r, known=sample, **options).fun for r in range(5)])
    x = np.concatenate([sample[0], 1.3 + 1e-3 * sample[0]])
    near = (x, ((x - 1.3) ** 2).sum(axis=1))
    nearer = np.mean([autov.minimize(sphere, BOX, rng=r, known=near, **options).fun for r in range(5)])
    assert known < cold or cold < 1e-12
    assert nearer <= 0.01 * cold


def test_the_best_points_come_first_and_half_of_them_are_others():
    f = np.array([5.0, 1.0, 4.0, 0.0, 3.0, 2.0, 9.0, 8.0, 7.0, 6.0])
    assert leading(f, 20).tolist() == np.argsort(f).tolist()
    rows = leading(f, 6)
    assert f[rows].tolist() == [0, 1, 2, 3, 6, 9]
    assert len(set(leading(f, 9).tolist())) == 9
    assert leading(f, 0).tolist() == []


@pytest.mark.parametrize(("name", "count"), [("de", 20), ("ma-es", 8), ("cma-es", 10), ("general", 20)])
def test_an_algorithm_gets_as_many_as_it_takes(name, count, sample):
    algorithm, box = resolve_algorithm(name), autov.Box.of(BOX)
    x0, free = first_points_of(Evaluations(*sample), algorithm, box, 20, 1000, None)
    assert len(x0) == free == count
    x0, free = first_points_of(Evaluations(*sample), algorithm, box, 20, 1000, np.zeros((3, 4)))
    assert (len(x0), free, x0[:3].any()) == (count, count - 3, False)


def test_a_strategy_starts_where_the_best_points_are_with_their_spread():
    x = 2 + 0.01 * np.random.default_rng(1).standard_normal((300, 4))
    known = (x, ((x - 2) ** 2).sum(axis=1))
    for name in ("ma-es", "cma-es"):
        autov.minimize(sphere, BOX, algorithm=name, maxfev=8, rng=1, known=known)
        assert np.abs(np.array(CALLS) - 2).max() < 0.2
        CALLS.clear()


def test_a_first_batch_that_is_known_may_end_the_run(sample):
    _, f = sample
    found = autov.minimize(sphere, BOX, algorithm="de", target=f.min(), maxfev=100, rng=1, known=sample)
    assert (found.nfev, found.fun, found.status, found.success) == (0, f.min(), 3, True)
    assert not CALLS


@pytest.mark.parametrize("algorithm", ["general", "de", "scipy:de"])
def test_a_compiled_problem_and_a_peer_know_points_too(algorithm):
    x = np.random.default_rng(1).uniform(-30, 30, (50, 5))
    f = (x**2).sum(axis=1)
    found = autov.minimize("ackley", dim=5, maxfev=40, algorithm=algorithm, known=(x, f - 1e6), rng=1)
    assert (found.fun, found.nfev) == (f.min() - 1e6, 40)


def test_runs_with_known_points_repeat_and_do_not_change_others(sample):
    first, second = (autov.minimize(sphere, BOX, maxfev=60, rng=4, known=sample) for _ in range(2))
    assert np.array_equal(first.x, second.x)
    x, f = sample
    runs = repeat(
        autov.function_problem(sphere, BOX), resolve_algorithm("de"), maxfev=50, popsize=20, runs=2, seed=4,
        known=Evaluations(x, f), workers=1,
    )  # fmt: skip
    alone = autov.minimize(sphere, BOX, algorithm="de", popsize=20, maxfev=50, rng=4, known=sample)
    assert runs.values[0] == alone.fun


def test_whole_numbers_constraints_and_fixed_variables():
    grid = np.array([[i, j, 2.0] for i in range(5) for j in range(5)], dtype=float)
    f = ((grid - 1) ** 2).sum(axis=1)
    options = {"integrality": True, "rng": 1, "maxfev": 100}
    found = autov.minimize(sphere, [(0, 4), (0, 4), (2, 2)], known=(grid, f), **options)
    assert (found.nfev, found.fun, found.x.tolist()) == (0, 1.0, [1, 1, 2])
    found = autov.minimize(sphere, [(0, 4), (0, 4), (2, 2)], known=(grid[3:], f[3:]), **options)
    assert sorted(map(list, CALLS)) == grid[:3].tolist()
    CALLS.clear()
    least = {"type": "ineq", "fun": lambda x: x[0] - 2}
    x = np.random.default_rng(3).uniform(-5, 5, (200, 4))
    values = ((x - 1.3) ** 2).sum(axis=1)
    found = autov.minimize(sphere, BOX, constraints=least, known=(x, values), maxfev=1, rng=1, algorithm="de")
    feasible = x[:, 0] >= 2
    assert found.fun == values[feasible].min()
    assert found.constr_violation == 0


def test_all_forms_say_the_same(sample, tmp_path):
    x, f = sample[0][:30], sample[1][:30]
    problem = autov.function_problem(sphere, BOX)
    lines = [",".join(map(repr, [*row, value])) for row, value in zip(x.tolist(), f.tolist(), strict=True)]
    (tmp_path / "plain.csv").write_text("\n".join(lines))
    (tmp_path / "names.csv").write_text("\n".join(["# from the lab", "a,b,c,d,Value", *lines]))
    names = ("value", *"abcd")
    table = types.SimpleNamespace(columns=names, to_numpy=lambda: np.column_stack([f, x]))
    state = types.SimpleNamespace(name="COMPLETE")
    trials = [
        types.SimpleNamespace(state=state, value=-v, params=dict(zip("abcd", row, strict=True)))
        for row, v in zip(x.tolist(), f.tolist(), strict=True)
    ]
    trials.insert(3, types.SimpleNamespace(state=types.SimpleNamespace(name="FAIL"), value=None, params={}))
    study = types.SimpleNamespace(trials=trials, directions=[types.SimpleNamespace(name="MAXIMIZE")])
    result = autov.minimize(sphere, BOX, maxfev=5, rng=1, history=True)
    result.history = Evaluations(x, f)
    for known in [(x, f), [x.tolist(), f.tolist()], str(tmp_path / "plain.csv"), tmp_path / "names.csv", table, study,
                  result, result.history]:  # fmt: skip
        found = known_points(known, problem)
        assert np.array_equal(found.x, x)
        assert np.array_equal(found.fun, f)


def test_real_tables_and_studies(sample):
    x, f = sample[0][:30], sample[1][:30]
    problem = autov.function_problem(sphere, BOX)
    pandas = pytest.importorskip("pandas")
    found = known_points(pandas.DataFrame(np.column_stack([x, f])), problem)
    assert np.array_equal(found.x, x)
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study()
    study.optimize(lambda t: sphere(np.array([t.suggest_float(name, -5, 5) for name in "dcba"])), 5)
    found = known_points(study, problem)
    assert np.array_equal(found.x, np.array(CALLS))


def test_equal_points_count_once_and_the_last_value_counts():
    problem = autov.function_problem(sphere, BOX)
    found = known_points((np.array([[1.0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]]), [3.0, 2.0, 1.0]), problem)
    assert found.x[:, 0].tolist() == [1, 0]
    assert found.fun.tolist() == [1, 2]
    assert known_points((np.empty((0, 4)), []), problem) is None
    assert known_points(None, problem) is None


@pytest.mark.parametrize(
    "known",
    [
        (np.zeros((3, 5)), np.zeros(3)),
        (np.zeros((3, 4)), np.zeros(2)),
        (np.zeros(4), 1.0),
        (np.full((1, 4), 5.1), [1.0]),
        (np.full((1, 4), np.nan), [1.0]),
        (np.zeros((2, 4)), [1.0, np.nan]),
        (np.zeros((1, 4)), ["a"]),
        (np.zeros((1, 4)), [1j]),
        np.zeros((3, 4)),
        7,
        {"x": 1},
        types.SimpleNamespace(columns=["a", "f"], to_numpy=lambda: np.array([["b", "c"]])),
    ],
)
def test_what_is_wrong_with_known_points_is_one_line(known):
    with pytest.raises(InputError, match=r"^(known|objective): ") as caught:
        autov.minimize(sphere, BOX, known=known, maxfev=10)
    assert "\n" not in str(caught.value)
    assert not CALLS


@pytest.mark.parametrize("text", ["", "a,b\n", "1,2,3\n1,2\n", "1,2,x,4,5\n2,2,y,4,5\n", "\0\1\2"])
def test_bad_files_are_refused(tmp_path, text):
    (tmp_path / "known.csv").write_text(text)
    with pytest.raises((InputError, FileError), match=r"^known: "):
        autov.minimize(sphere, BOX, known=tmp_path / "known.csv", maxfev=10)
    with pytest.raises(FileError, match="no such file"):
        autov.minimize(sphere, BOX, known=tmp_path / "none.csv", maxfev=10)


def test_a_failed_evaluation_of_a_history_is_known_as_worst():
    problem = autov.function_problem(sphere, BOX)
    assert known_points(Evaluations(np.zeros((1, 4)), np.array([np.nan])), problem).fun.tolist() == [np.inf]


@pytest.mark.parametrize("algorithm", ["general", "de", "ma-es", "shade"])
def test_ask_and_tell_with_known_points_is_minimize(algorithm, sample):
    options = {"algorithm": algorithm, "maxfev": 120, "rng": 6}
    whole = autov.minimize(sphere, BOX, known=sample, **options)
    asked = np.array(CALLS)
    told = autov.Optimizer(BOX, **options)
    told.tell(*sample)
    for optimizer in (autov.Optimizer(BOX, known=sample, **options), told):
        rows = []
        assert optimizer.result.fun == sample[1].min()
        while not optimizer.stop():
            x = optimizer.ask()
            rows.append(x)
            optimizer.tell(x, ((x - 1.3) ** 2).sum(axis=1))
        assert np.array_equal(np.concatenate(rows), asked)
        assert (optimizer.result.nfev, optimizer.result.fun) == (120, whole.fun)


@pytest.mark.parametrize("begun", [False, True])
def test_a_saved_optimizer_keeps_what_is_known(tmp_path, sample, begun):
    options = {"algorithm": "de", "popsize": 10, "maxfev": 60, "rng": 6}
    found = []
    for saved in (False, True):
        optimizer = autov.Optimizer(BOX, known=(sample[0][:7], sample[1][:7]), **options)
        if begun:
            optimizer.ask()
        if saved:
            optimizer.save(tmp_path / "state.npz")
            optimizer = autov.Optimizer.load(tmp_path / "state.npz")
        first = optimizer.ask()
        assert len(first) == 3  # the others of the first population are known
        while not optimizer.stop():
            x = optimizer.ask()
            optimizer.tell(x, ((x - 1.3) ** 2).sum(axis=1))
        found.append(optimizer.result)
    assert np.array_equal(found[0].x, found[1].x)
