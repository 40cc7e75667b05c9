"""Runs on described variables: results, histories, stores, files and callbacks show values as they were given."""

import json
import math
import types

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint

import autov
from autov.algorithms.cat_cma import CatCMA
from autov.core import FileError, InputError
from autov.problems import function_problem
from autov.runs.described import default_algorithm
from autov.runs.known_points import known_points

PLANT = autov.space(
    gain=(0.1, 10, "log"), stages=range(1, 9), kind=["a", "b", "c"], size=autov.ordered(["s", "m", "l"]),
    width=(0, 10, "step", 0.25), fixed=(3, 3),
)  # fmt: skip
NUMBERS = autov.space(rate=(1e-6, 1, "log"), layers=range(1, 9), size=autov.ordered(["s", "m", "l"]))


def cost(gain, stages, kind, size, width, fixed):
    found = abs(math.log(gain) - 1) + abs(stages - 3) + (kind != "b") + (size != "m") + abs(width - 2.5)
    return found + fixed - 3


def rates(p):
    return (math.log10(p["rate"]) + 3) ** 2 + (p["layers"] - 4) ** 2 + (p["size"] != "m")


def is_point(point):
    return (
        list(point) == list(PLANT.names)
        and 0.1 <= point["gain"] <= 10
        and type(point["stages"]) is int
        and point["kind"] in "abc"
        and point["size"] in "sml"
        and point["width"] * 4 == int(point["width"] * 4)
        and point["fixed"] == 3
    )


def test_results_show_values_by_name():
    result = autov.minimize(cost, PLANT, maxfev=300, rng=1, history=True)
    assert is_point(result.x)
    assert result.x["kind"] == "b"
    assert result.fun == cost(**result.x) < 0.05
    assert all(map(is_point, result.population))
    assert len(result.history.x) == 300
    assert all(map(is_point, result.history.x))
    assert [cost(**point) for point in result.history.x] == result.history.fun.tolist()
    assert result.message.endswith("cat-cma searched, because there are categories.")
    assert "'kind': 'b'" in repr(result)
    assert "300 points of 6 variables" in repr(result.history)


def test_the_default_stays_where_everything_has_an_order():
    result = autov.minimize(rates, NUMBERS, maxfev=200, rng=1)
    assert "searched" not in result.message
    assert result.fun < 1e-6
    assert default_algorithm(function_problem(rates, NUMBERS)) == "general"
    assert default_algorithm(function_problem(cost, PLANT)) == "cat-cma"
    assert default_algorithm(function_problem(rates, autov.space(a=["one"], b=(0, 1)))) == "general"


@pytest.mark.parametrize("schedule", ["batches", "asynchronous"])
def test_the_algorithm_learns_what_the_variables_are(monkeypatch, schedule):
    told = []
    monkeypatch.setattr(CatCMA, "with_variables", lambda self, *kinds: told.append(kinds) or self)
    autov.minimize(cost, PLANT, maxfev=12, rng=1, schedule=schedule)
    assert told == [((0, 0, 3, 0, 0), (False, True, True, True, True))]


def test_a_logarithmic_scale_is_searched_in_logarithms():
    def at(x):
        return (math.log10(x[0]) + 4) ** 2 + x[1] ** 2

    result = autov.minimize(at, [(1e-6, 1, "log"), (-5, 5)], maxfev=60, rng=1)
    assert isinstance(result.x, np.ndarray)
    assert result.x == pytest.approx([1e-4, 0.0], rel=1e-3, abs=1e-3)
    points = autov.minimize(at, [(1e-6, 1, "log"), (-5, 5)], maxfev=400, rng=1, algorithm="de", popsize=400,
                            history=True).history.x  # fmt: skip
    assert (points[:, 0] < 1e-3).mean() == pytest.approx(0.5, abs=0.1)


def test_lists_where_there_are_no_names():
    result = autov.minimize(lambda x: (x[0] - 1) ** 2 + (x[1] != "b"), [(-5, 5), ["a", "b"]], maxfev=100, rng=1)
    assert result.x == [pytest.approx(1.0, abs=1e-3), "b"]


def test_first_points():
    start = {"gain": 2.0, "stages": 5, "kind": "a", "size": "l", "width": 1.0, "fixed": 3}
    made = autov.minimize(cost, PLANT, x0=start, maxfev=20, rng=1, history=True)
    assert made.history.x[0] == start | {"gain": pytest.approx(2.0, rel=1e-15)}
    made = autov.minimize(cost, PLANT, x0=[start, list(start.values())], maxfev=20, rng=1, history=True)
    assert made.history.x[0] == made.history.x[1]
    for bad in ({"gain": 1}, start | {"kind": "z"}, "text", [1, 2]):
        with pytest.raises(InputError, match=r"^x0: "):
            autov.minimize(cost, PLANT, x0=bad, maxfev=20)


def test_callbacks_see_values():
    seen = []

    def with_state(state):
        seen.append(state.x)
        assert isinstance(state.x, types.MappingProxyType)
        assert all(is_point(dict(point)) for point in state.population)

    autov.minimize(cost, PLANT, maxfev=40, rng=1, callback=with_state)
    autov.minimize(
        cost, PLANT, maxfev=40, rng=1, callback=lambda intermediate_result: seen.append(intermediate_result.x)
    )
    autov.minimize(cost, PLANT, maxfev=40, rng=1, callback=lambda xk: seen.append(xk))
    assert len(seen) >= 6
    assert all(is_point(dict(point)) for point in seen)


def test_an_interrupted_run_shows_values():
    def stop(state):
        if state.nfev > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        autov.minimize(cost, PLANT, maxfev=100, rng=1, callback=stop)
    assert is_point(caught.value.autov_result.x)
    assert all(map(is_point, caught.value.autov_result.history.x))


@pytest.mark.parametrize("schedule", ["batches", "asynchronous"])
def test_stored_runs_are_resumed(tmp_path, schedule):
    path = tmp_path / "runs.db"
    options = {"rng": 3, "store": path, "schedule": schedule}
    calls = []

    def counted(p):
        calls.append(p)
        if len(calls) == 30:
            raise KeyboardInterrupt
        return cost(**p)

    whole = autov.minimize(lambda p: cost(**p), PLANT, maxfev=80, rng=3, schedule=schedule)
    problem = function_problem(counted, PLANT, key="counted")
    with pytest.raises(KeyboardInterrupt):
        autov.minimize(problem, maxfev=80, **options)
    again = autov.minimize(problem, maxfev=80, **options)
    assert len(calls) == 81
    if schedule == "batches":
        assert (again.x, again.fun) == (whole.x, whole.fun)
    assert is_point(again.x)
    more = autov.minimize(problem, maxfev=120, **options) if schedule == "batches" else None
    if more is not None:
        assert more.nfev == 120
        assert len(calls) == 121


def test_a_store_says_what_its_coordinates_mean(tmp_path):
    import sqlite3

    path = tmp_path / "runs.db"
    autov.minimize(cost, PLANT, maxfev=30, rng=1, store=path)
    with sqlite3.connect(path) as store:
        about = json.loads(store.execute("SELECT about FROM runs").fetchone()[0])
    store.close()
    assert about["variables"] == json.loads(json.dumps(PLANT.to_dict()))
    assert about["names"] == list(PLANT.names)


@pytest.mark.parametrize("workers", [1, 2])
def test_workers(workers):
    one, two = (autov.minimize(cost, PLANT, maxfev=60, rng=2, workers=count) for count in (1, workers))
    assert (one.x, one.fun) == (two.x, two.fun)


def test_known_evaluations_in_all_forms(tmp_path):
    made = autov.minimize(cost, PLANT, maxfev=40, rng=1, history=True, store=tmp_path / "runs.db")
    names = PLANT.names
    table = tmp_path / "known.csv"
    lines = [",".join([*names, "value"])]
    lines += [
        ",".join([*(str(point[name]) for name in names), repr(f)])
        for point, f in zip(made.history.x, made.history.fun.tolist(), strict=True)
    ]
    table.write_text("\n".join(lines))
    problem = function_problem(cost, PLANT)
    wanted = known_points(made, problem)
    for known in ((made.history.x, made.history.fun), made.history, table):
        found = known_points(known, problem)
        assert found.x == pytest.approx(wanted.x, rel=1e-12)
        assert np.array_equal(found.fun, wanted.fun)
    again = autov.minimize(cost, PLANT, maxfev=20, rng=2, known=tmp_path / "runs.db")
    assert again.fun <= made.fun
    bad = made.history.x[0] | {"kind": "z"}
    with pytest.raises(InputError, match=r"^known: kind is 'z'"):
        known_points(([bad], [1.0]), problem)
    table.write_text("gain,value\n1,2\n")
    with pytest.raises(InputError, match=r"^known: the table has no column 'stages'"):
        known_points(table, problem)


def test_studies_of_optuna_may_have_categories():
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study()
    for value in (2.0, 1.0):
        study.add_trial(optuna.trial.create_trial(
            params={"x": value, "kind": "b"}, value=value,
            distributions={"x": optuna.distributions.FloatDistribution(0, 5),
                           "kind": optuna.distributions.CategoricalDistribution(["a", "b"])},
        ))  # fmt: skip
    found = known_points(study, function_problem(lambda _: 0.0, autov.space(x=(0, 5), kind=["a", "b"])))
    assert found.x.tolist() == [[2.0, 1.0], [1.0, 1.0]]


def test_experience_of_other_runs(tmp_path):
    path = tmp_path / "runs.db"
    earlier = autov.minimize(cost, PLANT, maxfev=200, rng=1, store=path)
    for given in (path, earlier):
        result = autov.minimize(
            function_problem(lambda p: cost(**p) + 1e-3, PLANT), maxfev=60, rng=2, learn_from=given
        )  # fmt: skip
        assert result.fun < earlier.fun + 0.1
    other = autov.space(gain=(0.1, 10), other=(0, 1))  # not in logarithms: another coordinate
    with pytest.raises(InputError, match=r"^learn_from: "):
        autov.minimize(lambda p: p["gain"], other, maxfev=40, rng=2, learn_from=path)


def test_constraints_get_values():
    def limit(p):
        return p["stages"] + p["gain"]

    result = autov.minimize(cost, PLANT, maxfev=300, rng=1, constraints=NonlinearConstraint(limit, 5, np.inf))
    assert limit(result.x) >= 5
    assert result.fun < 1.0
    returned = autov.minimize(
        lambda **v: (cost(**v), 5 - limit(v)), PLANT, maxfev=300, rng=1, constraints="returned", history=True
    )
    assert limit(returned.x) >= 5
    assert is_point(returned.history.x[0])
    assert returned.history.violation == pytest.approx([max(5 - limit(p), 0) for p in returned.history.x])


def test_noise_and_categories():
    noise = np.random.default_rng(1)
    result = autov.minimize(lambda p: cost(**p) + 0.1 * noise.standard_normal(), PLANT, maxfev=300, rng=1, noise=True)
    assert is_point(result.x)
    assert is_point(result.x_luckiest)
    assert result.x["kind"] == "b"
    assert "fun_std" in result


def asked(save=None, **options):
    """A run by ask and tell, saved and loaded meanwhile."""
    optimizer = autov.Optimizer(PLANT, rng=1, maxfev=70, **options)
    count = 0
    while not optimizer.stop():
        for point in optimizer.ask(3) if count % 2 else optimizer.ask():
            assert is_point(point)
            optimizer.tell(point, cost(**point))
            count += 1
            if save is not None and count % 5 == 0:
                optimizer.save(save)
                optimizer = autov.Optimizer.load(save)
    return optimizer


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["lab.json", "lab.npz"])
def test_ask_and_tell_with_files(tmp_path, name):
    whole, parts = asked(), asked(tmp_path / name)
    assert is_point(whole.result.x)
    assert (whole.result.x, whole.result.fun, whole.result.nfev) == (parts.result.x, parts.result.fun, 70)
    assert parts.algorithm == whole.algorithm
    assert whole.algorithm.categories == (0, 0, 3, 0, 0)  # without the fixed one


def test_a_readable_file_has_points_by_name(tmp_path):
    optimizer = autov.Optimizer(PLANT, rng=1, maxfev=70)
    first, second, *_ = optimizer.ask()
    optimizer.tell([first], [1.0])
    optimizer.save(tmp_path / "lab.json")
    data = json.loads((tmp_path / "lab.json").read_text())
    assert data["experiments"][0]["point"] == first
    assert data["best_point"] == first
    assert second in data["pending"]
    assert first not in data["pending"]
    data["space"]["gain"]["high"] = 20
    (tmp_path / "lab.json").write_text(json.dumps(data))
    with pytest.raises(FileError, match="bounds are not those of its variables"):
        autov.Optimizer.load(tmp_path / "lab.json")


def test_points_beside_a_batch_have_categories_of_good_points():
    optimizer = autov.Optimizer(autov.space(kind=list("abcdefgh"), x=(0, 1)), rng=1, maxfev=400)
    points = optimizer.ask(60)
    optimizer.tell(points, [float(point["kind"] not in "abgh") for point in points])
    beside = optimizer.ask(60)[20:]
    assert np.mean([point["kind"] in "abgh" for point in beside]) > 0.7  # their mean is none of them


def test_points_are_known_by_twelve_digits_of_their_values():
    optimizer = autov.Optimizer(PLANT, rng=1, maxfev=70)
    batch = optimizer.ask()
    noted = [point | {"gain": float(f"{point['gain']:.13g}")} for point in batch]
    optimizer.tell(noted[::-1], [cost(**point) for point in noted[::-1]])
    assert optimizer.result.nfev == len(batch)
    assert len(optimizer.pending) == 0
    optimizer.forget(optimizer.ask(2))
    assert len(optimizer.pending) == 0


@pytest.mark.parametrize("bad", [{"gain": 1.0}, [{"gain": 1.0}], "text", 3])
def test_points_that_are_none_are_not_told(bad):
    with pytest.raises(InputError, match=r"^tell: "):
        autov.Optimizer(PLANT, rng=1).tell(bad, [1.0])


def test_one_file_for_several_people(tmp_path):
    path = tmp_path / "lab.json"
    with autov.Optimizer.open(path, PLANT, maxfev=30, rng=1) as optimizer:
        (point,) = optimizer.ask(1)
    with autov.Optimizer.open(path, PLANT) as optimizer:
        optimizer.tell(point, cost(**point))
        assert optimizer.result.nfev == 1
    with pytest.raises(InputError, match=r"^bounds: "), autov.Optimizer.open(path, NUMBERS):
        pass


def test_ask_and_tell_under_constraints(tmp_path):
    limit = NonlinearConstraint(lambda p: p["stages"], 5, np.inf)
    optimizer = autov.Optimizer(PLANT, rng=1, maxfev=60, constraints=limit)
    points = optimizer.ask()
    optimizer.tell(points, [cost(**point) for point in points])
    assert optimizer.result.x["stages"] >= 5
    optimizer.save(tmp_path / "lab.npz")
    assert autov.Optimizer.load(tmp_path / "lab.npz", limit).result.x == optimizer.result.x


def test_the_page_of_a_run(tmp_path):
    autov.minimize(cost, PLANT, maxfev=40, rng=1).report(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert "gain" in page
    assert ">b<" in page


def test_comparisons_and_designs():
    problem = function_problem(cost, PLANT, name="plant")
    found = autov.compare(["cat-cma", "de"], {"plant": problem}, maxfev=40, popsize=10, runs=2, rng=1)
    assert found.table().rows
    design = autov.design(
        problem, space="operator", generations=1, population=4, race_size=1, race_runs=1, retest_runs=2,
        trial={"evaluations": 40}, rng=1, workers=1,
    )  # fmt: skip
    assert is_point(autov.minimize(problem, algorithm=design, maxfev=40, rng=1).x)


def test_what_a_store_teaches_in_values(tmp_path):
    from autov.runs.experience_text import kinds_of, text_of

    path = tmp_path / "runs.db"
    for seed in range(3):
        autov.minimize(cost, PLANT, maxfev=150, rng=seed, store=path)
    kinds = kinds_of(path)
    lines = text_of(path, kinds).splitlines()
    assert next(line for line in lines if line.startswith("  kind")).endswith("| b in 3 of 3")
    assert next(line for line in lines if line.startswith("  stages")).endswith("| 3")
    assert " to " in next(line for line in lines if line.startswith("  gain"))
    (kind,) = kinds
    assert all(map(is_point, kind.to_dict()["points"]))
    assert json.loads(json.dumps(kind.to_dict()))["variables"]["kind"] == {"categories": ["a", "b", "c"]}
