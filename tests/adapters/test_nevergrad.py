"""autov among nevergrad's optimizers."""

import warnings

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of nevergrad's own imports
    import nevergrad as ng

    from autov.adapters.nevergrad import AutoVFamily

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:nevergrad")


def sphere(x):
    return float(((x - 1.5) ** 2).sum())


def box(seed, dim=4):
    space = ng.p.Array(shape=(dim,), lower=-5.0, upper=5.0)
    space.random_state.seed(seed)
    return space


@pytest.mark.parametrize("name", ["AutoV", "AutoVGeneral"])
def test_registered_and_reproducible(name):
    def run(seed):
        optimizer = ng.optimizers.registry[name](box(seed), budget=300)
        assert optimizer.name == name
        return optimizer.minimize(sphere).value

    first = run(1)
    assert np.array_equal(first, run(1))
    assert name == "AutoVGeneral" or not np.array_equal(first, run(2))  # which solves it exactly
    assert sphere(first) < 0.5


def test_better_than_random_search():
    ours = AutoVFamily(algorithm="shade")(box(1), budget=400).minimize(sphere).value
    other = ng.optimizers.RandomSearch(box(1), budget=400).minimize(sphere).value
    assert sphere(ours) < sphere(other)


def test_points_are_those_of_the_algorithm_in_order():
    import autov

    optimizer = AutoVFamily(algorithm="paper-h3", popsize=10)(box(3, 2), budget=40)
    seen = []
    for _ in range(30):
        candidate = optimizer.ask()
        seen.append(candidate.value)
        optimizer.tell(candidate, sphere(candidate.value))
    assert (np.abs(seen) <= 5).all()
    seed = int(box(3, 2).random_state.randint(2**32, dtype=np.uint64))
    own = autov.Optimizer(
        [(0, 1)] * 2, algorithm="paper-h3", popsize=10, rng=np.random.SeedSequence([seed, 0]), maxfev=40
    )  # fmt: skip
    for begin in (0, 10, 20):
        x = own.ask()
        assert np.allclose(10 * x - 5, seen[begin : begin + 10])
        own.tell(x, [sphere(10 * point - 5) for point in x])


def test_many_workers_and_any_order():
    optimizer = AutoVFamily(algorithm="paper-h3")(box(1), budget=300, num_workers=8)
    out = []
    rng = np.random.default_rng(1)
    for _ in range(300):
        out.append(optimizer.ask())
        if len(out) == 8:
            candidate = out.pop(int(rng.integers(8)))
            optimizer.tell(candidate, sphere(candidate.value))
    assert sphere(optimizer.recommend().value) < 0.5


def test_other_parametrizations():
    space = ng.p.Instrumentation(
        ng.p.Log(lower=1e-3, upper=1e3),
        kind=ng.p.Choice(["a", "b"]),
        count=ng.p.Scalar(lower=1, upper=9).set_integer_casting(),
        free=ng.p.Scalar(),
    )
    space.random_state.seed(1)

    def cost(rate, kind, count, free):
        assert 1e-3 <= rate <= 1e3
        assert kind in "ab"
        assert 1 <= count <= 9
        return np.log10(rate) ** 2 + (kind != "b") + (count - 4) ** 2 + (free - 2) ** 2

    best = ng.optimizers.registry["AutoV"](space, budget=500).minimize(cost)
    assert cost(*best.args, **best.kwargs) < 0.5


def test_suggestions_and_points_that_were_not_asked():
    optimizer = ng.optimizers.registry["AutoV"](box(1), budget=200)
    optimizer.suggest(np.full(4, 1.5))
    first = optimizer.ask()
    assert np.allclose(first.value, 1.5)
    optimizer.tell(first, sphere(first.value))
    told = optimizer.parametrization.spawn_child(new_value=np.full(4, 1.4))
    optimizer.tell(told, sphere(told.value))
    assert np.allclose(optimizer.minimize(sphere).value, 1.5, atol=1e-3)
