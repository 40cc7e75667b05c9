"""The paper's metaheuristic around operators of any kind."""

import json

import numpy as np
import pytest

import autov
from autov.algorithms import Evolution, resolve_algorithm, resolve_algorithms
from autov.algorithms.files import algorithm_from_dict, algorithm_to_dict
from autov.core import Box, InputError, generator, identity, stream_key
from autov.kernels.evolution.run import evaluate_blocks
from autov.operators import CLASSIC, SBX, AffineOperator, CallableOperator, load_operator
from autov.problems import Classic
from autov.runs import solve
from tests import naive

BOX = [(-5.0, 5.0)] * 4
PROBLEM = Classic("sphere", 4)


def sphere(x):
    return float((x**2).sum())


def middle(parents, lower, upper, rng):  # noqa: ARG001
    return parents[:2].mean(axis=0) + 0.1 * rng.standard_normal(parents[0].shape)


middle.n_parents = 2


@pytest.mark.parametrize("name", CLASSIC)
def test_classic_operators_run_by_name_and_as_objects(name):
    options = {"maxfev": 300, "popsize": 20, "rng": 1}
    by_name = autov.minimize(sphere, BOX, algorithm=f"evolution:{name}", **options)
    assert autov.minimize(sphere, BOX, algorithm=CLASSIC[name], **options).fun == by_name.fun
    assert by_name.nfev == 300
    assert ((by_name.population >= -5) & (by_name.population <= 5)).all()


def test_any_function_is_an_operator_everywhere(tmp_path):
    options = {"maxfev": 400, "popsize": 20}
    reference = solve(PROBLEM, Evolution(middle), seed=3, **options)
    assert reference.fun < solve(PROBLEM, Evolution(middle), seed=3, maxfev=20, popsize=20).fun
    assert autov.minimize(PROBLEM, algorithm=middle, rng=3, **options).fun == reference.fun
    optimizer = autov.Optimizer(PROBLEM.box, algorithm=middle, rng=3, **options)
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, PROBLEM(x, generator(0)))
    assert optimizer.result.fun == reference.fun
    found = autov.compare({"mine": Evolution(middle)}, {"bowl": PROBLEM}, runs=2, rng=1, workers=1, **options)
    assert found.values("bowl", "mine")[0] == solve(PROBLEM, Evolution(middle), seed=1, **options).fun
    (tmp_path / "middle_for_test.py").write_text(
        "def middle(parents, lower, upper, rng):\n"
        "    return parents[:2].mean(axis=0) + 0.1 * rng.standard_normal(parents[0].shape)\n"
        "middle.n_parents = 2\n"
    )
    for prefix in ("", "evolution:"):
        spec = f"{prefix}{tmp_path / 'middle_for_test.py'}:middle"
        assert autov.minimize(PROBLEM, algorithm=spec, rng=3, **options).fun == reference.fun


def test_parents_are_winners_of_tournaments():
    """The same parents as the compiled run picks: two of the population, the first of two equals wins."""
    seen = []

    def first_parent(parents, lower, upper, rng):  # noqa: ARG001
        seen.append(parents.copy())
        return parents[0]

    algorithm = Evolution(CallableOperator.of(first_parent, 2))
    box = Box.of(BOX)
    x = box.sample(6, generator(5))
    f = np.array([3.0, 1.0, 2.0, 1.0, 5.0, 4.0])
    state = algorithm.start(stream_key(2), box, 6, 100, x)
    state = algorithm.tell(state, x, f, generator(0))
    algorithm.ask(state, generator(0))
    expected = naive.parents(stream_key(2), 1, np.array([1, 2]), f, 6)
    assert np.array_equal(seen[0], x[expected.T])


def test_operators_may_want_the_best_and_the_mean():
    def to_best(parents, lower, upper, rng, best=None, mean=None):  # noqa: ARG001
        return np.broadcast_to((best + mean) / 2, parents[0].shape)

    algorithm = Evolution(to_best)
    x = Box.of(BOX).sample(6, generator(5))
    state = algorithm.tell(algorithm.start(stream_key(2), Box.of(BOX), 6, 100, x), x, PROBLEM(x, generator(0)),
                           generator(0))  # fmt: skip
    asked, _ = algorithm.ask(state, generator(0))
    best = x[PROBLEM(x, generator(0)).argmin()]
    assert np.allclose(asked, (best + x.mean(axis=0)) / 2)


@pytest.mark.parametrize(
    ("operator", "message"),
    [
        (3, "must be callable"), (lambda p, low, up, rng: p[0][:1], "must return numbers of shape"),  # noqa: ARG005
        (lambda p, low, up, rng: p[0] * np.nan, "got NaN"), (lambda p, low, up, rng: "x", "not an array"),  # noqa: ARG005
        ("nosuch", "no file 'nosuch'"),
    ],
)  # fmt: skip
def test_operators_that_do_not_work_are_named(operator, message):
    with pytest.raises(InputError, match=message):
        autov.minimize(sphere, BOX, algorithm=Evolution(operator), maxfev=100, popsize=10, rng=1)


def test_points_of_other_origin_compete():
    algorithm = Evolution(SBX())
    box = Box.of(BOX)
    x = box.sample(5, generator(1))
    state = algorithm.tell(algorithm.start(stream_key(1), box, 5, 100, x), x, np.arange(5.0), generator(0))
    after = algorithm.inject(state, np.zeros((1, 4)), np.array([-1.0]))
    assert sorted(after.f) == [-1, 0, 1, 2, 3]
    assert after.generation == state.generation
    assert after.x[after.f.argmin()].tolist() == [0, 0, 0, 0]


def test_every_generation_has_its_own_random_numbers():
    seen = []

    def noted(parents, lower, upper, rng):  # noqa: ARG001
        seen.append(rng.random())
        return parents[0]

    solve(PROBLEM, Evolution(CallableOperator.of(noted, 1)), maxfev=50, popsize=10, seed=1)
    solve(PROBLEM, Evolution(CallableOperator.of(noted, 1)), maxfev=50, popsize=10, seed=1, run=1)
    assert len(set(seen)) == len(seen) == 8


ROWS = [
    {"probability": 0.5, "x2": (0.5, 0.3), "difference": (0.0, 0.5), "spread": (0.0, 0.2)},
    {"probability": 0.5, "x2": (0.1, 0.1), "difference": (0.4, 0.1), "spread": (0.0, 0.4)},
]
# As many weights as in other tests: kernels are compiled for every number of them.
OPEN = AffineOperator.from_rows(("x1", "x2", "best", "difference", "spread"), ROWS, draw=("solution", "variable"))
SETTINGS = {
    "popsize": 7, "offspring": 1.5, "tournament_first": 3.5, "tournament_others": 1.0, "survival": "comma",
    "frame": "learned",
}  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"popsize": 1}, "popsize: must be a number from 2"), ({"popsize": 2.5}, "popsize: must be an integer"),
        ({"offspring": 0.0}, "offspring: must be"), ({"tournament_first": 0.5}, "tournament_first: must be"),
        ({"tournament_others": float("nan")}, "tournament_others: must be"),
        ({"survival": "best"}, "survival: must be one of plus, comma"),
        ({"frame": "turned"}, "frame: must be one of axes, learned"),
        ({"survival": "comma", "offspring": 0.9}, "offspring: must be at least 1 if survival is comma"),
        ({"frame": "learned", "operator": middle}, "frame: learned is for affine operators only, not for middle"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=f"^{message}"):
        Evolution(**settings)


def test_it_is_the_paper_s_algorithm_by_default():
    spec = "evolution+popsize=20+frame=learned+operator=paper-h3"
    assert resolve_algorithm(spec) == Evolution(load_operator("paper-h3"), popsize=20, frame="learned")
    assert resolve_algorithm("evolution") == resolve_algorithm("paper-h3") == Evolution()
    assert list(resolve_algorithms(f"paper-h3,{spec}")) == ["paper-h3", spec]
    with pytest.raises(InputError, match=r"evolution has no setting 'size'; did you mean 'popsize'"):
        resolve_algorithm("evolution+size=3")
    found = autov.minimize(PROBLEM, algorithm=spec, maxfev=200, rng=1)
    assert len(found.population) == 20


def test_settings_are_written_and_read_exactly():
    algorithm = Evolution(OPEN, **SETTINGS)
    data = json.loads(json.dumps(algorithm_to_dict(algorithm)))
    assert algorithm_from_dict(data, "here") == algorithm
    old = {"name": "autov", "settings": {"operator": data["settings"]["operator"]}}
    assert algorithm_from_dict(old, "here") == Evolution(OPEN)


def test_settings_at_their_defaults_do_not_change_the_identity():
    """Results of before these settings existed are still those of the same algorithm."""
    assert autov.core.describe(Evolution()).keys() == {"is", "operator"}
    found = {identity(Evolution(OPEN, **{name: value})) for name, value in SETTINGS.items() if name != "survival"}
    assert len(found | {identity(Evolution(OPEN)), identity(Evolution(OPEN, survival="comma"))}) == 7


@pytest.mark.parametrize("when", [0, 3, 7, 40, 100])
def test_a_saved_optimizer_goes_on_with_the_same_bits(tmp_path, when):
    def go(optimizer, until):
        while optimizer._nfev < until:
            x = optimizer.ask()[: until - optimizer._nfev]
            optimizer.tell(x, (x**2).sum(axis=1) + x[:, 0] * x[:, 1])
        return optimizer

    def fresh():
        return autov.Optimizer(BOX, algorithm=Evolution(OPEN, **SETTINGS), rng=2, maxfev=200)

    whole, part = go(go(fresh(), when), 200), go(fresh(), when)
    part.save(tmp_path / "state.npz")
    again = go(autov.Optimizer.load(tmp_path / "state.npz"), 200)
    assert again.algorithm == whole.algorithm
    assert np.array_equal(again.result.population, whole.result.population)
    assert np.array_equal(again._run.state.basis, whole._run.state.basis)


def test_operators_in_python_have_all_settings_but_the_frame():
    algorithm = Evolution(middle, popsize=6, offspring=2.0, tournament_first=1.0, survival="comma")
    box = Box.of(BOX)
    state = algorithm.start(stream_key(2), box, 100, 100)
    x, f = state.x, np.array([3.0, 1.0, 2.0, 1.0, 5.0, 4.0])
    state = algorithm.tell(state, x, f, generator(0))
    asked, _ = algorithm.ask(state, generator(0))
    assert asked.shape == (12, 4)
    expected = naive.parents(stream_key(2), 1, np.array([1, 2]), f, 12, (1.0, 2.0))
    assert np.abs(asked - x[expected].mean(axis=1)).max() < 0.6  # the noise of the operator
    values = np.arange(12.0)[::-1].copy()
    after = algorithm.tell(state, asked, values, generator(0))
    assert after.f.tolist() == [0, 1, 2, 3, 4, 5]
    assert np.array_equal(after.x, asked[::-1][:6])


def test_a_compiled_run_may_begin_in_the_middle():
    algorithm = Evolution(OPEN, **SETTINGS)
    whole = solve(PROBLEM, algorithm, maxfev=150, seed=4)
    state = algorithm.init(PROBLEM.box, 10, 150, generator(4, 0))
    for _ in range(5):
        x, state = algorithm.ask(state, generator(0))
        f = solve_values(x)
        state = algorithm.tell(state, x, f, generator(0))
    rest = algorithm.run_compiled(state, PROBLEM.objective(), 150)
    assert np.array_equal(rest.population, whole.population)
    assert rest.trace_nfev[-1] == 150


def solve_values(x):
    out = np.empty(len(x))
    evaluate_blocks(np.zeros(2, np.uint64), 0, PROBLEM.objective(), np.ascontiguousarray(x), out)
    return out


@pytest.mark.parametrize("maxfev", [1, 5, 7, 8])
def test_a_budget_below_the_population(maxfev):
    found = solve(PROBLEM, Evolution(OPEN, **SETTINGS), maxfev=maxfev, seed=4)
    assert found.nfev == maxfev
    assert len(found.values) == min(maxfev, 7)
    assert found.fun <= found.values.min()
