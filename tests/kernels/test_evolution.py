"""The open settings of the metaheuristic: each equals its twin, and a run may be broken anywhere."""

import itertools

import numpy as np
import pytest
from scipy.stats import chisquare

from autov.algorithms import Evolution
from autov.core import Box, generator, stream_key
from autov.kernels.evolution import run as kernels
from autov.kernels.evolution.selection import tournaments
from autov.operators import AffineOperator
from autov.problems import Classic
from autov.runs import solve
from tests import naive

# Kernels are compiled for every number of weights: few different ones are used here and in other tests.
ALL = ("x1", "x2", "difference", "best", "spread", "mean", "width", "lower", "upper")
INSIDE = ("x1", "x2", "difference", "best", "spread")
FEW = INSIDE[:3]


def random_operator(inputs=ALL, draw="variable", rows=4, seed=1, size=0.5):
    rng, weights = generator(seed), len(inputs) - 1
    return AffineOperator(
        inputs, rng.uniform(-size, size, (rows, weights)), rng.uniform(0, size, (rows, weights)), rng.random(rows), draw
    )


MIXED = ("solution", "variable", "solution", "variable")
DRAWS = {"variable": "variable", "solution": "solution", "mixed": MIXED}


def told(settings, key, box, x, f):
    """A work whose first population is told."""
    plan, n = settings.plan(), len(x)
    work = kernels.evolution_work(key, plan, n, settings.offspring_of(n), box.dim)
    work.pool[:n] = x
    kernels.evolution_start(plan, work, box.lower, box.upper, n)
    work.f[:] = f
    kernels.evolution_tell(plan, work)
    return plan, work


SIZES = [(1, 5), (2, 9), (3, 2), (5, 11), (5, 3), (31, 60)]


@pytest.mark.parametrize("frame", ["axes", "learned"])
@pytest.mark.parametrize(
    ("draw", "dim", "n"), [*((draw, dim, n) for draw in DRAWS for dim, n in SIZES), ("mixed", 700, 20)]
)
def test_a_generation_equals_its_twin(draw, frame, dim, n):
    if frame == "learned" and n <= dim:
        operator = random_operator(FEW, DRAWS[draw])  # the axes across a flat population are any
    else:
        operator = random_operator(ALL, DRAWS[draw])
    settings = Evolution(operator, offspring=1.4, tournament_first=3.7, tournament_others=1.2, frame=frame)
    rng, key = generator(dim, n), stream_key(3, dim)
    box = Box(-1 - rng.random(dim), 1 + rng.random(dim))
    x, f = 0.3 * box.sample(n, rng) @ np.linalg.qr(rng.standard_normal((dim, dim)))[0], rng.random(n)
    plan, work = told(settings, key, box, x, f)
    axes = None
    if frame == "learned":
        axes = work.frame.basis.copy()
        np.testing.assert_allclose(axes @ axes.T, np.eye(dim), atol=1e-13)
        if n > dim:
            np.testing.assert_allclose(axes, naive.basis(x, f), atol=1e-8)
            axes = naive.basis(x, f)
    kernels.evolution_ask(plan, work, box.lower, box.upper)
    twin = naive.offspring(key, 1, plan.variation, box.lower, box.upper, x, f, len(work.offspring), (3.7, 1.2), axes)
    np.testing.assert_allclose(work.offspring, twin, rtol=1e-8, atol=1e-8)
    assert len(twin) == round(1.4 * n)


@pytest.mark.parametrize(("frame", "inputs"), [("axes", FEW), ("learned", FEW), ("axes", ALL)])
def test_variables_outside_are_placed_half_way_to_the_bound(frame, inputs):
    operator, rng, key = random_operator(inputs, size=3.0), generator(4), stream_key(5)
    x, f, box = rng.uniform(-1, 1, (9, 4)), rng.random(9), Box.cube(-1.0, 1.0, 4)
    asked = []
    for bounds in ("clip", "midpoint"):
        plan, work = told(Evolution(operator, frame=frame, bounds=bounds), key, box, x, f)
        kernels.evolution_ask(plan, work, box.lower, box.upper)
        asked.append(work.offspring.copy())
    clipped, halved = asked
    outside, first = np.abs(clipped) >= 1, x[work.picks[:, 0]]
    assert 0.1 < outside.mean() < 0.9
    assert np.array_equal(halved[~outside], clipped[~outside])
    np.testing.assert_array_equal(halved[outside], ((clipped + first) / 2)[outside])


def test_a_bound_that_a_parent_has_is_inherited():
    uniform = AffineOperator(("x1", "x2"), [[0.0], [1.0]], [[0.0], [0.0]], [1.0, 1.0])
    box, x = Box.cube(0.0, 1.0, 4), np.array([[0.0, 0.0, 0.3, 0.3], [0.3, 0.3, 0.0, 1.0]])
    plan, work = told(Evolution(uniform, offspring=20.0, bounds="midpoint"), stream_key(5), box, x, np.zeros(2))
    kernels.evolution_ask(plan, work, box.lower, box.upper)
    assert set(work.offspring.ravel().round(12)) == {0.0, 0.3, 1.0}


@pytest.mark.parametrize("s", [1.0, 1.5, 2.5, 3.0, 7.0])
def test_a_tournament_of_real_size_has_its_law(s):
    """Rank r has the chance ((n - r)^s - (n - r - 1)^s) / n^s: for whole s that of the best of s members, counted."""
    n, f = 6, np.array([5.0, 1.0, 3.0, 0.0, 2.0, 4.0])
    left = np.arange(n, -1.0, -1.0)
    law = -np.diff(left**s) / n**s
    if s in (1.0, 3.0):
        best = [min(members) for members in itertools.product(range(n), repeat=int(s))]
        np.testing.assert_allclose(law, np.bincount(best, minlength=n) / len(best), atol=1e-12)
    index = np.empty((40_000, 2), np.int64)
    tournaments(stream_key(5), 1, np.array([s, 1.0]), f, index)
    ranks = np.argsort(np.argsort(f))[index]
    assert chisquare(np.bincount(ranks[:, 0], minlength=n), law * len(index)).pvalue > 1e-4
    assert chisquare(np.bincount(ranks[:, 1], minlength=n)).pvalue > 1e-4


def test_size_two_in_real_form_has_the_law_of_binary_tournaments():
    f, counts = np.arange(5.0), []
    for size in (2.0, 2.0 + 1e-12):
        index = np.empty((50_000, 1), np.int64)
        tournaments(stream_key(6), 1, np.array([size, size]), f, index)
        counts.append(np.bincount(index[:, 0], minlength=5))
    for found in counts:
        assert chisquare(found, 50_000 * np.array([9, 7, 5, 3, 1]) / 25).pvalue > 1e-4
    assert not np.array_equal(*counts)


def test_of_equal_members_the_earlier_has_the_better_rank():
    index = np.empty((300, 1), np.int64)
    tournaments(stream_key(7), 1, np.array([1e6, 1e6]), np.array([2.0, 1.0, np.inf, 1.0]), index)
    assert set(index[:, 0]) == {1}


def test_differences_are_of_two_different_members_uniform():
    operator = AffineOperator(FEW, [[0.0, 1.0]], [[0.0, 0.0]], [1.0])
    settings = Evolution(operator, offspring=1000.0)
    n = 5
    x, box = 10.0 ** np.arange(n)[:, None], Box.cube(-1e6, 1e6, 1)
    plan, work = told(settings, stream_key(8), box, x, np.zeros(n))
    kernels.evolution_ask(plan, work, box.lower, box.upper)
    found = work.offspring[:, 0] - x[work.picks[:, 0], 0]
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    counts = [int(np.isclose(found, x[a, 0] - x[b, 0]).sum()) for a, b in pairs]
    assert sum(counts) == 5000
    assert chisquare(counts).pvalue > 1e-4


def test_mixed_draws_have_their_shares():
    """Row j moves to (j + 1) / 10: an offspring is moved as a whole, or each of its variables by itself."""
    probability = np.array([0.3, 0.2, 0.1, 0.4, 0.0])
    draw = ("solution", "variable", "solution", "variable", "solution")
    mean = 0.1 * np.arange(1.0, 6.0)[:, None] * [1.0, 0.0]
    operator = AffineOperator(("x1", "upper", "width"), mean, np.zeros((5, 2)), probability, draw)
    d, n = 40, 20_000
    x, box = np.zeros((n, d)), Box.cube(0, 1, d)
    compiled = np.empty((n, d))
    kernels.propose(stream_key(3), 1, operator.variation(), box.lower, box.upper, x, np.zeros(n), compiled)
    for out in (compiled, operator(x[None], box.lower, box.upper, generator(1))):
        rows = np.rint(10 * out).astype(int) - 1
        whole = (rows == rows[:, :1]).all(axis=1)
        shares = np.bincount(rows[whole, 0], minlength=5)
        assert shares[[1, 3, 4]].tolist() == [0, 0, 0]
        assert chisquare([shares[0], shares[2], n - shares.sum()], n * np.array([0.3, 0.1, 0.6])).pvalue > 1e-4
        single = np.bincount(rows[~whole].ravel(), minlength=5)
        assert single[[0, 2, 4]].tolist() == [0, 0, 0]
        assert chisquare(single[[1, 3]], single.sum() * np.array([1, 2]) / 3).pvalue > 1e-4


def test_comma_keeps_the_best_offspring_alone():
    settings = Evolution(random_operator(FEW), survival="comma", offspring=2.0)
    box, rng = Box.cube(-1, 1, 2), generator(4)
    plan, work = told(settings, stream_key(4), box, box.sample(3, rng), np.full(3, -1.0))
    kernels.evolution_ask(plan, work, box.lower, box.upper)
    work.values[:] = [5.0, 1.0, np.inf, 1.0, 7.0, 1.0]
    asked = work.offspring.copy()
    kernels.evolution_tell(plan, work)
    assert work.f.tolist() == [1.0, 1.0, 1.0]
    assert np.array_equal(work.pool[:3], asked[[1, 3, 5]])
    assert work.scalars[0].best == -1.0


GRID = {
    "default": {}, "popsize": {"popsize": 7}, "many": {"offspring": 2.3}, "few": {"offspring": 0.01},
    "comma": {"survival": "comma", "offspring": 1.5},
    "midpoint": {"bounds": "midpoint", "operator": random_operator(ALL, size=2.0)},
    "midpoint, learned": {"bounds": "midpoint", "frame": "learned", "operator": random_operator(INSIDE, size=2.0)},
    "tournaments": {"tournament_first": 1.0, "tournament_others": 4.5},
    "learned": {"frame": "learned", "operator": random_operator(INSIDE)},
    "learned, all inputs": {"frame": "learned", "operator": random_operator(ALL)},
    "learned, comma": {"frame": "learned", "survival": "comma", "offspring": 3.0, "operator": random_operator(INSIDE)},
    "learned, mixed": {"frame": "learned", "operator": random_operator(INSIDE, MIXED), "popsize": 2},
    "mixed": {"operator": random_operator(ALL, MIXED), "tournament_first": 1.7},
    "solution": {"operator": random_operator(INSIDE, "solution"), "offspring": 0.5},
}  # fmt: skip


@pytest.mark.parametrize("name", GRID)
@pytest.mark.parametrize("dim", [1, 3, 12])
def test_asked_and_told_is_compiled_to_the_bit(name, dim):
    problem, settings = Classic("rosenbrock", dim) if dim > 1 else Classic("sphere", 1), Evolution(**GRID[name])
    options = {"maxfev": 333, "popsize": 10, "seed": 3}
    compiled = solve(problem, settings, **options)
    asked = solve(problem, settings, watch=lambda run: False, **options)  # noqa: ARG005
    assert compiled.fun == asked.fun
    for field in ("x", "population", "values", "trace_nfev", "trace_best"):
        assert np.array_equal(getattr(compiled, field), getattr(asked, field)), field
    assert compiled.nit == asked.nit


@pytest.mark.parametrize("name", GRID)
@pytest.mark.parametrize("cuts", [(5, 300), (10, 11, 12, 100, 150, 300), (*range(1, 301, 7), 300)])
def test_a_broken_run_is_the_unbroken_one(name, cuts):
    problem, settings = Classic("ackley", 4), Evolution(**GRID[name])
    box, objective, n = problem.box, problem.objective(), settings.popsize or 10

    def fresh():
        plan = settings.plan()
        work = kernels.evolution_work(stream_key(9), plan, n, settings.offspring_of(n), 4)
        kernels.evolution_start(plan, work, box.lower, box.upper, 0)
        return plan, work, np.zeros(310, np.int64), np.zeros(310)

    plan, whole, whole_nfev, whole_best = fresh()
    count = kernels.evolve(plan, whole, objective, box.lower, box.upper, 300, True, whole_nfev, whole_best, 0)
    plan, work, nfev, best = fresh()
    traced = 0
    for budget in cuts:
        final = budget == 300
        traced = kernels.evolve(plan, work, objective, box.lower, box.upper, budget, final, nfev, best, traced)
        assert work.scalars[0].nfev <= budget
    assert traced == count
    assert np.array_equal(nfev, whole_nfev)
    assert np.array_equal(best, whole_best)
    assert nfev[traced - 1] == work.scalars[0].nfev == 300
    for field in ("scalars", "f", "best"):
        assert np.array_equal(getattr(work, field), getattr(whole, field)), field
    if settings.frame == "learned":
        assert np.array_equal(work.frame.basis, whole.frame.basis)
    assert np.array_equal(work.pool[:n], whole.pool[:n])


def test_a_work_can_be_used_again_and_the_trace_may_be_short():
    problem, settings = Classic("ackley", 4), Evolution(random_operator(INSIDE), frame="learned")
    box, objective, plan = problem.box, problem.objective(), settings.plan()
    work = kernels.evolution_work(stream_key(1), plan, 10, 10, 4)
    found = []
    for room in (40, 2, 0):
        nfev, best = np.zeros(room, np.int64), np.zeros(room)
        assert kernels.run(plan, work, objective, box.lower, box.upper, 200, nfev, best) == min(room, 20)
        found.append(work.scalars[0].best)
    assert len(set(found)) == 1


@pytest.mark.parametrize("value", [0.0, np.inf])
@pytest.mark.parametrize("n", [2, 6])
def test_equal_points_and_equal_values_are_survived(value, n):
    settings = Evolution(random_operator(INSIDE), frame="learned")
    box = Box.cube(-1, 1, 4)
    plan, work = told(settings, stream_key(2), box, np.full((n, 4), 0.25), np.full(n, value))
    assert np.array_equal(work.frame.basis, np.eye(4))
    kernels.evolution_ask(plan, work, box.lower, box.upper)
    assert np.array_equal(work.offspring, np.full((n, 4), 0.25))  # no direction has a length


def test_the_frame_is_learned_anew_after_ten_evaluations_per_variable():
    settings = Evolution(random_operator(INSIDE), frame="learned", popsize=8)
    problem = Classic("rosenbrock", 3)
    box, plan = problem.box, settings.plan()
    work = kernels.evolution_work(stream_key(2), plan, 8, 8, 3)
    kernels.evolution_start(plan, work, box.lower, box.upper, 0)
    learned = []
    for budget in range(8, 121, 8):
        kernels.evolve(plan, work, problem.objective(), box.lower, box.upper, budget, False, np.empty(0, np.int64),
                       np.empty(0), 0)  # fmt: skip
        learned.append(int(work.scalars[0].learned_at))
    assert learned == [8, 8, 8, 8, 40, 40, 40, 40, 72, 72, 72, 72, 104, 104, 104]


@pytest.mark.parametrize("scale", [1.0, 1e-4, 1e-7])
def test_the_basis_of_a_long_thin_population_is_exact(scale):
    """Axes a ten millionth as long as the longest one: found in turned coordinates, once a basis is there."""
    rng = generator(5)
    turn = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    x = rng.standard_normal((40, 4)) * scale ** (np.arange(4) / 3) @ turn
    f, box = rng.random(40), Box.cube(-100, 100, 4)
    _, work = told(Evolution(random_operator(INSIDE), frame="learned"), stream_key(2), box, x, f)
    work.scalars[0].learned_at = 0
    kernels.learn(work)
    y = (x - x.mean(axis=0)) @ work.frame.basis.T
    C = y.T @ y / 40
    assert (np.diff(np.diag(C)) < 0).all()
    size = np.sqrt(np.diag(C))
    assert np.abs(C / np.outer(size, size) - np.eye(4)).max() < 1e-6
    assert (work.frame.basis @ (x[np.argmin(f)] - x.mean(axis=0)) > 0).all()
