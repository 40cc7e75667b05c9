"""Portfolios: who gets how much, compiled and asked alike, members of any kind."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from autov import Optimizer, minimize
from autov.algorithms import Evolution, resolve_algorithm
from autov.algorithms.allotment import allot_round, polishing_step
from autov.algorithms.files import algorithm_from_dict, algorithm_to_dict, load_algorithm, save_algorithm
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.portfolio import Portfolio, evaluating_members
from autov.core import Box, FileError, InputError, generator
from autov.operators import AffineOperator
from autov.problems import resolve_problem
from autov.runs import solve

BOX = Box(np.full(4, -5.0), np.full(4, 5.0))


def made_of(members=(), **settings):
    """A portfolio of named members."""
    names = members.split("/") if isinstance(members, str) else members
    return Portfolio(tuple(resolve_algorithm(member) for member in names), **settings)


@dataclass(frozen=True)
class Steady:
    """Asks for batches of one size; its values are what the test says."""

    name: ClassVar[str] = "steady"
    size: int = 10

    def init(self, box, popsize, maxfev, rng, x0=None):  # noqa: ARG002
        return (box, np.empty((0, box.dim)), np.empty(0))

    def ask(self, state, rng):
        return state[0].sample(self.size, rng), state

    def tell(self, state, x, f, rng):  # noqa: ARG002
        return (state[0], x, f)

    def population(self, state):
        return state[1], state[2]


def order_of_work(algorithm, value_of, maxfev, popsize=10):
    """The member of every batch; values are value_of(member, its batches so far)."""
    state = algorithm.init(BOX, popsize, maxfev, generator(1))
    made, counts = [], [0] * len(algorithm.runners)
    while sum(size for _, size in made) < maxfev:
        x, state = algorithm.ask(state, generator(2))
        member = state.turn
        made.append((member, len(x)))
        state = algorithm.tell(state, x, np.full(len(x), value_of(member, counts[member])), generator(3))
        counts[member] += 1
    return made


def test_trials_then_the_leader_gets_most_of_each_round_and_the_last_part():
    algorithm = Portfolio((Steady(), Steady()), trial=(0.1, 0.2), hedge=0.25, round=0.08, polish=0)
    made = order_of_work(algorithm, lambda member, _: (2.0, 1.0)[member], 1000)
    assert [m for m, _ in made[:30]] == [0] * 10 + [1] * 20
    # A round of 80: 20 for the other, 60 for the leader.
    assert [m for m, _ in made[30:38]] == [0, 0, 1, 1, 1, 1, 1, 1]
    used = [sum(size for m, size in made if m == member) for member in (0, 1)]
    # 70 % of the budget in rounds of 8 %: eight whole ones and one of 6 %, of which 15 evaluations are for the other.
    assert used == [100 + 8 * 20 + 10, 1000 - 270]


def test_with_a_small_budget_all_but_the_first_get_less():
    algorithm = Portfolio(
        (Steady(), Steady()), trial=(0.1, 0.2), hedge=0.25, round=0.08, polish=0, full_budget=2000 / BOX.dim
    )
    made = order_of_work(algorithm, lambda member, _: (1.0, 2.0)[member], 1000)  # half of a full budget
    assert [m for m, _ in made[:20]] == [0] * 10 + [1] * 10
    # Of a round of 80 the other gets an eighth.
    assert [m for m, _ in made[20:28]] == [0, 0, 0, 0, 0, 0, 0, 1]
    larger = order_of_work(algorithm, lambda member, _: (1.0, 2.0)[member], 2000)
    assert [m for m, _ in larger[:60]] == [0] * 20 + [1] * 40


def test_the_leader_may_change():
    algorithm = Portfolio((Steady(), Steady()), trial=0.1, hedge=0.0, round=0.1, polish=0)
    # Member 1 leads at first, but member 0 has a better value from its trial on: it gets everything.
    made = order_of_work(algorithm, lambda member, batch: (0.5 if batch else 3.0, 1.0)[member], 400)
    assert {m for m, _ in made[8:]} == {0}


def test_a_batch_waits_until_it_fits_into_what_was_allotted():
    algorithm = Portfolio((Steady(10), Steady(100)), trial=(0.1, 0.05), hedge=0.5, round=0.1, polish=0)
    made = order_of_work(algorithm, lambda member, _: (1.0, 2.0)[member], 1000)
    first = [m for m, _ in made].index(1)
    # 50 from the trial and 50 from the first round.
    assert sum(size for _, size in made[:first]) == 100 + 50


def test_polishing_starts_at_the_best_point_of_a_leader_that_is_no_strategy():
    problem = resolve_problem("sphere+translate=run", dim=5)
    algorithm = Portfolio((Evolution("uniform-crossover", popsize=20),), trial=0.2, polish=0.3)
    members = evaluating_members(algorithm, problem, 2000, 20, 1, 0)
    assert (np.flatnonzero(members == 1) >= 1380).all()
    assert (members == 1).sum() >= 600
    polished = [solve(problem, algorithm, maxfev=2000, popsize=20, seed=1, run=r).fun for r in range(5)]
    plain = [solve(problem, algorithm.members[0], maxfev=2000, popsize=20, seed=1, run=r).fun for r in range(5)]
    assert np.median(polished) < 1e-3 * np.median(plain)
    alone = Portfolio((MatrixAdaptation(),), trial=0.2, polish=0.3)
    assert set(evaluating_members(alone, problem, 500, 20, 1, 0)) == {0}


@pytest.mark.parametrize("name", ["evolution", "ma-es", "de"])
def test_every_member_has_a_stream_of_its_own(name):
    algorithm = made_of((name, name), trial=0.1, polish=0)
    state = algorithm.init(BOX, 10, 1000, generator(1))
    one, two = (m.ask(own, generator(2))[0] for m, own in zip(algorithm.members, state.states, strict=True))
    assert not (one[:, None] == two).all(axis=2).any()


def test_the_polisher_has_another_stream_than_the_copy_that_waits_in_its_place():
    algorithm = Portfolio((Evolution("uniform-crossover", popsize=10),), trial=0.2, polish=0.3)
    state = algorithm.init(BOX, 10, 200, generator(1))
    keys = [own.key.tolist() for own in state.states]
    while not state.final:
        x, state = algorithm.ask(state, generator(2))
        state = algorithm.tell(state, x, x.sum(axis=1), generator(3))
    assert state.turn == 1
    assert state.states[1].key.tolist() not in keys


def test_the_polishing_step_is_the_spread_of_the_better_half():
    x = np.array([[0.0, 0.0], [2.0, 4.0], [50.0, 9.0], [90.0, 90.0]])
    f = np.array([1.0, 0.5, 7.0, 8.0])
    step = polishing_step(x, f, np.zeros(2), np.array([10.0, 100.0]), 3.0, 1e-6, 10.0)
    half = x[:2] / [10.0, 100.0]
    assert step == pytest.approx(3 * np.sqrt(half.var(axis=0).mean()), rel=1e-14)
    assert polishing_step(x, f, np.zeros(2), np.array([10.0, 100.0]), 3.0, 1e-6, 0.01) == 0.01
    assert polishing_step(x[:1], f[:1], np.zeros(2), np.ones(2), 3.0, 1e-6, 1.0) == 1e-6


def test_rounds_end_where_the_last_part_begins():
    allotted = np.array([400, 500])
    schedule = np.array([0.06, 0.5, 0.1])
    assert not allot_round(schedule, 1000, np.array([1.0, 2.0]), allotted)
    allotted = np.array([400, 490])
    assert allot_round(schedule, 1000, np.array([1.0, 2.0]), allotted)
    assert allotted.tolist() == [405, 495]


SETTINGS = [
    {},
    {"polish": 0.0, "hedge": 0.0},
    {"members": "ma-es", "polish": 0.2},
    {"members": (Evolution("uniform-crossover", popsize=7, offspring=2.5), Evolution(popsize=11), MatrixAdaptation())},
    {
        "members": (Evolution("uniform-crossover", popsize=12, frame="learned"), "ma-es+restarts=bipop"),
        "trial": (0.3, 0.02),
    },
    {"members": "paper-h3", "polish": 0.5, "polish_step": 0.3},
    {"trial": 0.0, "round": 0.5},
    {
        "full_budget": 100.0,
        "members": (
            MatrixAdaptation(popsize_budget=0.4, first_mean="centre"),
            Evolution("uniform-crossover", popsize=7),
        ),
    },
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("maxfev", [1, 5, 37, 1234])
def test_compiled_and_asked_runs_have_the_same_bits(settings, maxfev):
    algorithm = made_of(**settings)
    assert algorithm.compiles
    for name in ("rastrigin+translate=run", "quartic"):  # noisy, the second
        problem = resolve_problem(name, dim=6)
        fast = solve(problem, algorithm, maxfev=maxfev, popsize=13, seed=3, run=2)
        asked = solve(problem, algorithm, maxfev=maxfev, popsize=13, seed=3, run=2, watch=lambda _: False)
        for field in ("x", "fun", "nfev", "nit", "population", "values", "trace_nfev", "trace_best", "nans"):
            assert np.array_equal(getattr(fast, field), getattr(asked, field)), field
        assert fast.nfev == maxfev


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("part", [1, 100, 600, 1233])
def test_the_first_part_of_a_run_is_what_a_shorter_budget_gives(settings, part):
    algorithm, problem = made_of(**settings), resolve_problem("rastrigin+translate=1.3", dim=6)
    key = np.array([3, 4], np.uint64)
    whole = algorithm.run_compiled(algorithm.start(key, problem.box, 13, 1234), problem.objective(), 1234)
    cut = algorithm.run_compiled(algorithm.start(key, problem.box, 13, 1234), problem.objective(), part)
    told = int(np.searchsorted(whole.trace_nfev, part, side="right"))  # batches that end before the cut
    assert cut.trace_nfev[-1] == part
    assert cut.trace_best[:told].tolist() == whole.trace_best[:told].tolist()
    assert cut.fun == cut.trace_best[-1] >= whole.trace_best[min(told, len(whole.trace_best) - 1)]


def test_members_that_only_python_can_run_are_asked():
    algorithm = made_of(("shade", Steady(4), "ma-es"))
    assert not algorithm.compiles
    found = solve(resolve_problem("sphere", dim=3), algorithm, maxfev=3000, popsize=10, seed=1)
    assert found.nfev == 3000
    assert found.fun < 1e-3


def test_names_with_settings_and_short_members():
    algorithm = resolve_algorithm("portfolio+hedge=0.3+members=ma-es/shade+trial=0.05")
    assert [m.name for m in algorithm.members] == ["ma-es", "shade"]
    assert (algorithm.hedge, algorithm.trial) == (0.3, (0.05, 0.05))
    found = minimize(lambda x: float((x**2).sum()), [(-5, 5)] * 3, algorithm="portfolio", maxfev=400, rng=1)
    assert found.nfev == 400


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"trial": (0.1,)}, "trial: must be one number"),
        ({"trial": (0.6, 0.5)}, "trial: parts of the budget"),
        ({"trial": (-0.1, 0.5)}, "trial: parts of the budget"),
        ({"trial": "much"}, "trial: must be numbers"),
        ({"hedge": 1.5}, "hedge"),
        ({"members": ("cma:default",)}, "members: must be algorithms that can be asked, got 'cma:default'"),
        ({"members": ("nothing",)}, "algorithm: unknown"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        made_of(**settings)


def test_given_points_go_to_every_member():
    x0 = BOX.sample(9, generator(4))
    state = Portfolio((Evolution(popsize=5), MatrixAdaptation())).init(BOX, 9, 1000, generator(1), x0)
    assert np.array_equal(state.states[0].x, x0[:5])
    assert np.array_equal(state.states[1].given, x0)


@pytest.mark.parametrize("settings", [SETTINGS[0], SETTINGS[4]])
@pytest.mark.parametrize("batches", [0, 3, 12, 40])
def test_a_saved_optimizer_goes_on_with_the_same_bits(settings, batches, tmp_path):
    def advance(optimizer, count):
        for _ in range(count):
            x = optimizer.ask()
            optimizer.tell(x, (x**2).sum(axis=1))
        return optimizer

    options = {"bounds": [(-5, 5)] * 4, "algorithm": made_of(**settings), "maxfev": 900, "rng": 5}
    straight = advance(Optimizer(**options), batches + 10)
    broken = advance(Optimizer(**options), batches)
    broken.save(tmp_path / "state.npz")
    resumed = advance(Optimizer.load(tmp_path / "state.npz"), 10)
    assert np.array_equal(resumed.result.x, straight.result.x)
    assert np.array_equal(resumed.ask(), straight.ask())


def test_files_keep_members_and_provenance(tmp_path):
    algorithm = made_of(**SETTINGS[4])
    assert algorithm_from_dict(algorithm_to_dict(algorithm), "here") == algorithm
    save_algorithm(algorithm, tmp_path / "optimizer.json", {"seed": 3})
    assert load_algorithm(tmp_path / "optimizer.json") == algorithm
    assert resolve_algorithm(str(tmp_path / "optimizer.json")) == algorithm
    (tmp_path / "other.json").write_text('{"format": "autov-optimizer", "version": 9}')
    with pytest.raises(FileError, match="version 9"):
        load_algorithm(tmp_path / "other.json")
    (tmp_path / "empty.json").write_text('{"format": "autov-optimizer", "version": 1, "algorithm": {"name": 3}}')
    with pytest.raises(FileError, match="not an optimizer"):
        load_algorithm(tmp_path / "empty.json")


def test_rotation_holds_where_all_members_are_invariant():
    from autov import check_algorithm

    # No row copies a parent: equal points have equal values, and rounding decides between them.
    rows = [{"probability": 0.7, "x2": (0.4, 0.3)}, {"probability": 0.3, "best": (0.5, 0.2), "difference": (0.5, 0.1)}]
    operator = AffineOperator.from_rows(("x1", "x2", "best", "difference", "spread"), rows)
    learned = Evolution(operator, popsize=10, frame="learned")
    report = check_algorithm(Portfolio((learned, MatrixAdaptation()), trial=0.3), dim=5, rng=4)
    assert all(report.holds[name] for name in ("translation", "scale", "rotation"))
    along_axes = Portfolio((replace(learned, frame="axes"), MatrixAdaptation()), trial=0.3)
    assert check_algorithm(along_axes, dim=5, rng=4).holds["rotation"] is not True


@pytest.mark.parametrize(
    "member",
    [
        Evolution("paper-h3", popsize=6),
        Evolution("paper-h3", popsize=6, survival="comma"),
        Evolution("paper-h3", popsize=6, frame="learned"),
        MatrixAdaptation(),
    ],
    ids=["plus", "comma", "learned", "strategy"],
)
def test_members_say_which_kernels_they_will_call(member):
    rng = generator(1)
    state = member.init(BOX, 6, 100, rng)
    calls = member.calls(state)
    assert calls
    for _ in range(3):
        x, state = member.ask(state, rng)
        state = member.tell(state, x, x[:, 0], rng)
    for kernel, arguments in calls:
        assert tuple(map(kernel.dispatcher.typeof_pyval, arguments)) in kernel.dispatcher.overloads


EVOLUTION = Evolution("paper-h3", popsize=6)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("members", "run", "asked"),
    [
        ((EVOLUTION, MatrixAdaptation()), {"es_run"}, {"es_next"}),
        ((MatrixAdaptation(), EVOLUTION), {"evolve"}, {"evolution_ask", "replace_worst"}),
        # The first one would wait for what it calls as well, and then compile it for its own arguments.
        ((EVOLUTION, Evolution("uniform-crossover", popsize=6)), set(), set()),
    ],
)
def test_what_later_members_alone_need_is_precompiled(members, run, asked, compiled, monkeypatch):
    precompiled = set()
    for module in ("portfolio", "compiled"):
        monkeypatch.setattr(
            f"autov.algorithms.{module}.precompile",
            lambda calls: precompiled.update(kernel.__name__ for kernel, _ in calls),
        )
    problem, bounds = (resolve_problem("f1", dim=4), None) if compiled else (lambda x: float(x[0]), BOX)
    minimize(problem, bounds, algorithm=made_of(members), maxfev=60, rng=1)
    assert precompiled == (run if compiled else asked)
