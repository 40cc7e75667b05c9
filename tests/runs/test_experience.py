"""Earlier runs on other problems of a kind: they help where they can, cost little where they cannot, and are kept."""

import functools
import re
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest

import autov
from autov.algorithms.start_distribution import PART, clusters, representatives
from autov.algorithms.warm_start import WarmStart
from autov.core import Box, FileError, InputError
from autov.runs.driver import solve
from autov.runs.experience import Experience, learn
from autov.runs.experience_text import kinds_of, text_of
from autov.runs.sources import Source, sources_of

D = 5
BOX = [(-5.0, 5.0)] * D
PLACE = np.array([2.0, -3.0, 1.0, 3.5, -1.0])
CALLS = []
FAIL_AT = [None]


def bowl(shift, key=None):
    """A rugged function whose optimum is near PLACE."""
    optimum = np.clip(PLACE + shift, -5, 5)

    def fun(x):
        if FAIL_AT[0] is not None and len(CALLS) == FAIL_AT[0]:
            raise RuntimeError("the simulator died")
        CALLS.append(x.copy())
        y = x - optimum
        return float((y**2).sum() + 3 * (1 - np.cos(2 * y)).sum())

    return autov.function_problem(fun, BOX, name=key or "bowl", key=key or f"bowl {np.round(shift, 6).tolist()}")


@pytest.fixture(autouse=True)
def clean():
    CALLS.clear()
    FAIL_AT[0] = None


def shifts(n, seed=1, scale=0.3):
    return scale * np.random.default_rng(seed).standard_normal((n, D))


def optima(n, **how):
    x = np.clip(PLACE + shifts(n, **how), -5, 5)
    return [Source(f"old {i}", row[None]) for i, row in enumerate(x)]


def means(problem, algorithm, maxfev, runs=8, **options):
    chosen = autov.algorithms.resolve_algorithm(algorithm)
    return np.mean([solve(problem, chosen, maxfev=maxfev, seed=r, **options).fun for r in range(runs)])


@pytest.mark.parametrize("algorithm", ["portfolio", "ma-es", "de", "cma-es", "scipy:de"])
@pytest.mark.parametrize("count", [1, 8, 1000])
def test_related_sources_make_the_next_run_cheaper(algorithm, count):
    problem = bowl(np.full(D, 0.2))
    experience = learn(optima(count), problem.box)
    assert means(problem, algorithm, 100, runs=4, experience=experience) < 0.5 * means(problem, algorithm, 100, runs=4)


@functools.cache
def without_experience(maxfev):
    return means(bowl(np.zeros(D)), "general", maxfev, runs=12)


@pytest.mark.parametrize("kind", ["unrelated", "misleading"])
@pytest.mark.parametrize("count", [1, 8, 1000])
def test_other_sources_cost_a_twentieth_of_the_budget(kind, count):
    problem, rng = bowl(np.zeros(D)), np.random.default_rng(3)
    corner = np.where(PLACE > 0, -4.8, 4.8)
    x = rng.uniform(-5, 5, (count, D)) if kind == "unrelated" else corner + 0.1 * rng.standard_normal((count, D))
    experience = learn([Source("old", row[None]) for row in np.clip(x, -5, 5)], problem.box)
    for seed, maxfev in enumerate((200, 1000)):
        CALLS.clear()
        autov.minimize(problem, maxfev=maxfev, rng=seed, learn_from=[(x.clip(-5, 5)[:9], np.arange(9.0)[:count])])
        assert len(CALLS) == maxfev
    warm = means(problem, "general", 400, runs=12, experience=experience)
    assert warm <= max(1.25 * without_experience(340), 1.25 * without_experience(400), 0.5)  # 340: a smaller budget
    if kind == "misleading":
        run = solve(problem, autov.algorithms.resolve_algorithm("general"), maxfev=400, seed=1, experience=experience)
        assert run.experienced is False


def test_what_is_tried_first_is_a_twentieth_of_the_budget_at_most():
    class Spent:
        box, maxfev = Box.cube(-5, 5, D), 200
        made = 0

        def affordable(self, x):
            return x

        def take(self, x):
            self.made += len(x)
            return (x**2).sum(axis=1)

    for count in (1, 3, 100):
        for maxfev in (1, 19, 20, 100, 1000, 10**6):
            spent = Spent()
            spent.maxfev = maxfev
            learn(optima(count), spent.box).begin(spent, 100, np.random.default_rng(1))
            assert 1 <= spent.made <= max(1, PART * maxfev)


def test_points_that_are_best_by_chance_are_not_trusted():
    class Spent:
        box, maxfev = Box.cube(0, 1, 2), 400

        def affordable(self, x):
            return x

        def take(self, x):
            return np.where(np.arange(len(x)) == 3, -1.0, np.arange(len(x), 0, -1.0))  # the first are the worst

    sources = [Source("", row[None]) for row in np.random.default_rng(1).random((20, 2))]
    made, first = learn(sources, Spent.box).begin(Spent(), 50, np.random.default_rng(1))
    assert made.fun.argmin() == 3
    assert first is None


def test_long_runs_trust_only_what_is_surely_better():
    box, rng = Box.cube(0, 1, 8), np.random.default_rng(1)
    experience = learn([Source("", row[None]) for row in rng.random((40, 8))], box)
    for maxfev, trusted in ((399, True), (400, False)):
        trial = experience.trial(box, maxfev, rng)
        tried, cold = len(trial.tried), len(trial.x) - len(trial.tried)
        f = np.append(np.zeros(tried), np.ones(cold))
        f[:2] = 2.0  # at least 75 %, but not 90 % of the pairs
        assert 0.75 <= (f[:tried, None] < f[tried:]).mean() < 0.9
        assert (experience.first_points(trial, f, box, rng) is not None) == trusted


def test_the_cold_part_of_a_population_stays():
    problem = bowl(np.zeros(D))
    experience = learn(optima(1000), problem.box)
    algorithm = autov.algorithms.resolve_algorithm("de")
    solve(problem, algorithm, maxfev=300, popsize=12, seed=1, experience=experience)
    first = np.array(CALLS[15:23])  # behind what was tried: the draws and the cold part of the population
    assert (np.abs(first - PLACE).max(axis=1) > 2).sum() == 6


def test_first_points_are_the_best_tried_and_new_ones_near_them():
    box, place = Box.cube(0, 1, 4), np.array([0.7, 0.2, 0.5, 0.9])
    rng = np.random.default_rng(1)
    sources = [Source("", np.clip(place + 0.1 * rng.standard_normal((1, 4)), 0, 1)) for _ in range(8)]
    experience = learn(sources, box)
    trial = experience.trial(box, 400, rng)
    f = ((trial.x - place) ** 2).sum(axis=1)
    first = experience.first_points(trial, f, box, rng)
    order = np.argsort(f[: len(trial.tried)], kind="stable")
    assert np.array_equal(first[:4], trial.tried[order[:4]])
    mixed, drawn = first[4:18:2], first[5:18:2]  # seven of each
    assert np.isin(mixed, trial.tried[order[:3]]).all()
    assert not np.isin(drawn, trial.tried).any()
    assert np.abs(drawn - trial.tried[order[0]]).max() < 0.15
    short = experience.trial(box, 40, rng)
    first = experience.first_points(short, ((short.x - place) ** 2).sum(axis=1), box, rng)
    assert len(first) - len(short.tried) == 8  # a fifth of the budget
    alone = learn(sources[:1], box)
    trial = alone.trial(box, 400, rng)
    first = alone.first_points(trial, np.arange(len(trial.x)) * 1.0, box, rng)
    assert len(np.unique(first, axis=0)) == len(first)  # one source has nothing to recombine


def test_the_memory_of_an_algorithm_is_experience_too():
    problem, far = bowl(np.zeros(D)), [Source("far", np.full((1, D), 4.5))]
    place = tuple(map(tuple, (PLACE + shifts(8) + 5) / 10))
    cold = autov.algorithms.resolve_algorithm("de")
    remembering = WarmStart(cold, place, (0.01,) * D)
    experience = learn(far, problem.box, np.array([1.0]))
    both = experience.joined(remembering.memory)
    assert len(both.optima) == 9
    assert (both.weights == 0.1).all()  # no source has a context
    assert means(problem, remembering, 200, experience=experience) < 0.5 * means(
        problem, cold, 200, experience=experience
    )
    CALLS.clear()
    solve(problem, remembering, maxfev=200, seed=1, experience=experience)
    near = np.abs(np.array(CALLS[:3]) - PLACE).max(axis=1) < 2
    assert near.sum() >= 2, "both are tried together"
    other = WarmStart(cold, ((0.5, 0.5),), (0.01, 0.01))
    assert means(problem, other, 100, experience=experience) == means(problem, cold, 100, experience=experience)


def test_representatives_are_diverse_and_weights_count():
    points = np.array([[0.0], [0.01], [0.02], [1.0], [0.5]])
    assert sorted(representatives(points, np.ones(5), 3).tolist()) in ([0, 3, 4], [1, 3, 4], [2, 3, 4])
    assert representatives(points, np.array([0.1, 0.1, 0.1, 9.0, 0.1]), 1).tolist() == [3]
    assert len(representatives(points, np.ones(5), 9)) == 5


def test_optima_of_two_clusters_are_told_apart():
    rng = np.random.default_rng(1)
    two = np.concatenate([0.2 + 0.02 * rng.standard_normal((10, 3)), 0.8 + 0.02 * rng.standard_normal((10, 3))])
    assert sorted(map(len, clusters(two))) == [10, 10]
    assert len(clusters(rng.random((50, 3)))) == 1
    assert len(clusters(np.full((6, 3), 0.5))) == 1
    experience = learn([Source("", row[None]) for row in two], Box.cube(0, 1, 3))
    assert np.sqrt(experience.covariance(np.full(3, 0.2)).diagonal()).max() < 0.05


def test_a_context_predicts_the_optimum_and_weighs_sources():
    a = np.linspace(0, 1, 12)
    sources = [Source("", np.array([[0.2 + 0.5 * t, 0.9 - 0.4 * t]]), np.array([t, 7.0])) for t in a]
    experience = learn(sources, Box.cube(0, 1, 2), np.array([0.35, 7.0]))
    assert np.allclose(experience.predicted, [0.375, 0.76], atol=0.03)
    assert abs(a[experience.weights.argmax()] - 0.35) < 0.1
    assert experience.weights.min() >= 0.1
    assert np.allclose(experience.candidates(4)[0], experience.predicted)
    assert not learn(sources, Box.cube(0, 1, 2)).predicted.size
    assert not learn(sources, Box.cube(0, 1, 2), np.array([1.0])).predicted.size


def test_context_goes_through_the_store(tmp_path):
    path = tmp_path / "runs.db"
    for t in (0.0, 0.5, 1.0):
        autov.minimize(bowl(np.full(D, t)), maxfev=300, rng=1, store=path, context=[t])
    found = sources_of(path, bowl(np.zeros(D)))
    assert [source.context.tolist() for source in found] == [[0.0], [0.5], [1.0]]
    result = autov.minimize(bowl(np.full(D, 0.25)), maxfev=100, rng=1, learn_from=path, context=0.25)
    assert result.context.tolist() == [0.25]
    assert "3 earlier runs" in result.message
    with pytest.raises(InputError, match=r"^context: "):
        autov.minimize(bowl(np.zeros(D)), maxfev=10, learn_from=path, context=["a"])


def test_experience_grows_by_itself_and_a_run_goes_on_with_the_same_bits(tmp_path):
    path = tmp_path / "runs.db"
    options = {"store": path, "learn_from": path, "maxfev": 200}
    first = autov.minimize(bowl(np.zeros(D)), rng=1, **options)
    assert "earlier" not in first.message
    second = autov.minimize(bowl(np.full(D, 0.1)), rng=2, **options)
    assert "1 earlier run " in second.message
    problem = bowl(np.full(D, 0.2))
    whole = autov.minimize(problem, rng=3, maxfev=200, learn_from=path)
    CALLS.clear()
    FAIL_AT[0] = 90
    with pytest.raises(RuntimeError, match="died"):
        autov.minimize(problem, rng=3, **options)
    FAIL_AT[0] = None
    autov.minimize(bowl(np.full(D, 0.3)), rng=4, **options)  # the store grows meanwhile
    CALLS.clear()
    resumed = autov.minimize(problem, rng=3, **options)
    assert len(CALLS) == 110
    assert np.array_equal(resumed.x, whole.x)
    assert resumed.nfev == 200
    CALLS.clear()
    assert autov.minimize(problem, rng=3, **options).fun == whole.fun
    assert not CALLS


def test_known_evaluations_of_a_store_are_kept_with_the_run(tmp_path):
    path, problem = tmp_path / "runs.db", bowl(np.zeros(D), "same")
    autov.minimize(problem, algorithm="de", popsize=20, maxfev=100, rng=1, store=path)
    options = {"algorithm": "de", "popsize": 20, "maxfev": 100, "known": path}
    whole = autov.minimize(problem, rng=2, **options)
    CALLS.clear()
    FAIL_AT[0] = 50
    with pytest.raises(RuntimeError, match="died"):
        autov.minimize(problem, rng=2, store=path, **options)
    FAIL_AT[0] = None
    autov.minimize(problem, rng=7, store=path, **options)
    CALLS.clear()
    resumed = autov.minimize(problem, rng=2, store=path, **options)
    assert len(CALLS) == 50
    assert np.array_equal(resumed.x, whole.x)
    with pytest.raises(InputError, match=r"^known: .* has no run of this problem"):
        autov.minimize(bowl(np.ones(D)), known=path, maxfev=10)


def test_forms_of_sources(tmp_path):
    problem = bowl(np.zeros(D))
    result = autov.minimize(problem, maxfev=60, rng=1)
    history = autov.minimize(problem, maxfev=60, rng=1, history=True)
    x, f = history.history
    (tmp_path / "one.csv").write_text(
        "\n".join(",".join(map(repr, [*r, v])) for r, v in zip(x.tolist(), f.tolist(), strict=True))
    )
    for given, count in [(result, 1), ([result, history], 2), ((x, f), 1), ([tmp_path / "one.csv", (x, f)], 2)]:
        found = sources_of(given, problem)
        assert len(found) == count
        assert all(np.array_equal(source.x[0], result.x) for source in found)


def test_sources_of_another_box_are_refused_or_mapped_by_name(tmp_path):
    path = tmp_path / "runs.db"
    autov.minimize(lambda x: float((x**2).sum()), [(-1, 2)] * 3, maxfev=50, rng=1, store=path)
    with pytest.raises(InputError, match=r"^learn_from: no run of .* fits this problem; it has 3 variables"):
        autov.minimize(bowl(np.zeros(D)), maxfev=50, learn_from=path)
    with pytest.raises(InputError, match=r"^learn_from: .*bounds differ"):
        autov.minimize(lambda x: float((x**2).sum()), [(-1, 3)] * 3, maxfev=50, learn_from=path)
    with pytest.raises(InputError, match=r"^learn_from: points of source 1 lie outside"):
        autov.minimize(bowl(np.zeros(D)), maxfev=50, learn_from=(np.full((1, D), 7.0), [1.0]))
    with pytest.raises(FileError, match="no such file"):
        autov.minimize(bowl(np.zeros(D)), maxfev=50, learn_from=tmp_path / "none.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute("""UPDATE runs SET about = json_set(about, '$.names', json('["c", "a", "z"]'))""")
        db.commit()

    class Named:
        name, names, minimum, optimum, uses_rng = "named", ("a", "b", "c"), None, None, False
        box = Box([-1.0, 0.0, -0.1], [2.0, 4.0, 0.1])

        def __call__(self, x, rng):  # noqa: ARG002
            return (x**2).sum(axis=1)

        def objective(self):
            return None

    (source,) = sources_of(path, Named())
    assert abs(source.x[0, 0]) < 0.3
    assert source.x[0, 1] == 2.0
    assert abs(source.x[0, 2]) <= 0.1


def test_two_runs_that_use_one_store_lose_nothing(tmp_path):
    program = (
        "import sys, autov\n"
        "for r in range(3):\n"
        "    autov.minimize(lambda x: float((x**2).sum()), [(-5, 5)] * 3, maxfev=120, rng=10 * int(sys.argv[1]) + r,\n"
        "                   store=sys.argv[2], learn_from=sys.argv[2], algorithm='de', popsize=20)\n"
    )
    path = tmp_path / "runs.db"
    started = [subprocess.Popen([sys.executable, "-c", program, str(i), str(path)]) for i in (1, 2)]
    assert [one.wait(timeout=120) for one in started] == [0, 0]
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*), sum(finished) FROM runs").fetchone() == (6, 6)
        assert db.execute("SELECT count(*) FROM evaluations").fetchone() == (720,)


def test_of_many_evaluations_the_best_are_read(tmp_path):
    path = tmp_path / "runs.db"
    for r in range(2):
        autov.minimize(bowl(np.zeros(D), "same"), maxfev=20, rng=r, store=path, algorithm="de", popsize=10)
    rng, count = np.random.default_rng(1), 100_000  # a million take ten times as long
    with closing(sqlite3.connect(path)) as db:
        for run in (1, 2):
            x, f = rng.uniform(-5, 5, (count, D)), rng.uniform(1e3, 1e4, count)
            rows = ((run, 20 + i, x[i].tobytes(), f[i].tobytes()) for i in range(count))
            db.executemany("INSERT INTO evaluations VALUES (?, ?, ?, ?)", rows)
        db.commit()
    assert len(sources_of(path, bowl(np.zeros(D)))) == 2
    found = autov.minimize(bowl(np.zeros(D), "same"), maxfev=20, rng=1, known=path, algorithm="de", popsize=10)
    assert found.fun < 1e3


@pytest.mark.parametrize("damage", ["value", "point", "about", "dim", "view", "frozen", "text"])
def test_hostile_stores_are_refused(tmp_path, damage):
    path = tmp_path / "runs.db"
    options = {"maxfev": 40, "algorithm": "de", "popsize": 10}
    problem = bowl(np.zeros(D), "same")
    autov.minimize(problem, rng=1, store=path, **options)
    autov.minimize(problem, rng=2, store=path, learn_from=path, **options)
    statements = {
        "value": ["UPDATE evaluations SET value = x'00'"],
        "point": ["UPDATE evaluations SET x = x'0000'"],
        "about": ["UPDATE runs SET about = '[1'"],
        "dim": ["""UPDATE runs SET about = '{"dim": "5"}'"""],
        "view": ["ALTER TABLE runs RENAME TO other", "CREATE VIEW runs AS SELECT * FROM other"],
        "frozen": ["UPDATE frozen SET data = cast('{\"labels\": [1]}' AS BLOB)"],
    }
    if damage == "text":
        path.write_bytes(b"SQLite format 3\0" + b"nonsense" * 500)
    else:
        with closing(sqlite3.connect(path)) as db:
            for statement in statements[damage]:
                db.execute(statement)
            db.commit()
    more = {"rng": 2, "store": path} if damage == "frozen" else {"rng": 3}
    with pytest.raises((FileError, InputError)) as caught:
        autov.minimize(problem, learn_from=path, **more, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"labels": []}', b"\xff"])
def test_what_a_store_kept_is_checked(data):
    with pytest.raises(FileError, match=r"^learn_from: "):
        Experience.from_bytes(data, 3)


def test_experience_is_kept_to_the_bit():
    experience = learn(optima(7), Box.cube(-5, 5, D))
    again = Experience.from_bytes(experience.to_bytes(), D)
    for name in ("optima", "weights", "spread", "predicted"):
        assert np.array_equal(getattr(experience, name), getattr(again, name))


def test_fixed_and_whole_variables():
    bounds = [(-5, 5), (2, 2), (0, 9)]
    options = {"integrality": [False, False, True], "maxfev": 60, "rng": 1}
    old = autov.minimize(lambda x: float((x**2).sum()), bounds, **options)
    found = autov.minimize(lambda x: float(((x - 0.1) ** 2).sum()), bounds, learn_from=old, **options)
    assert found.x[1:].tolist() == [2, 0]
    assert "1 earlier run" in found.message


def test_a_store_is_explained_in_words(tmp_path):
    path = tmp_path / "runs.db"
    for i, t in enumerate(np.linspace(-1, 1, 6)):
        shift = np.array([0.0, t, 0, -t, 0])
        autov.minimize(bowl(shift, f"bowl-{i}"), maxfev=1500, rng=1, store=path)
    autov.minimize(lambda _: np.nan, [(0, 1)], maxfev=5, rng=1, store=path)
    kinds = kinds_of(path)
    assert [(kind.runs, kind.evaluations) for kind in kinds] == [(6, 9000), (1, 5)]
    text = text_of(path, kinds)
    assert "7 runs, 9,005 evaluations" in text
    assert "\n6 runs on bowl-0, bowl-1, bowl-2, bowl-3, bowl-4, ...: 5 variables, 9,000 evaluations.\n" in text
    assert re.search(r"\n1 run on \S+: 1 variable, 5 evaluations\.\n", text)
    assert "x2 and x4 (-" in text
    assert "Nearly the same in all runs: x1" in text
    assert "No run has found a finite value." in text


def test_one_run_of_a_store_is_explained_in_the_singular(tmp_path):
    path = tmp_path / "runs.db"
    autov.minimize(lambda x: float(abs(x[0])), [(-1, 1)], maxfev=1, x0=[0.0], rng=1, store=path)
    lines = text_of(path, kinds_of(path)).splitlines()
    assert lines[0] == "runs.db: 1 run, 1 evaluation."
    assert "Best value: 0." in lines


def test_a_store_tells_which_member_led(tmp_path):
    found = []
    for seed in range(3):
        found.append(autov.minimize(bowl(np.full(D, 0.1 * seed)), maxfev=200, rng=seed, store=tmp_path / "runs.db"))
    autov.minimize(bowl(np.zeros(D)), algorithm="de", maxfev=200, rng=1, store=tmp_path / "runs.db")
    (kind,) = kinds_of(tmp_path / "runs.db")
    assert sum(kind.leaders.values()) == 4
    assert kind.leaders["de"] == 1
    assert set(kind.leaders) - {"de"} <= {"points", "quasi-newton", "coordinate", "trust-region", "ma-es", "evolution"}
    assert "Who found the best point, in how many runs: " in text_of("runs.db", [kind])
