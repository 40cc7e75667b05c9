"""Runs that try candidates: whose stream they use, on which instance, in which order, together or compiled."""

import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autov.algorithms import Evolution, resolve_algorithm
from autov.algorithms.base import Compiled
from autov.core import Box, InputError, generator
from autov.designer import OperatorGenome, TrialBudget
from autov.designer.fitness import one_figure
from autov.designer.genome import Given
from autov.designer.journal import Journal
from autov.designer.search import RACE, RETEST, TRIAL
from autov.designer.trials import Stream, Tasks, Trials, bounds_of
from autov.engines import Engine
from autov.kernels.evolution.many import derive
from autov.operators import load_operator
from autov.problems import Classic, function_problem, resolve_problem
from autov.runs import solve

GENOME = OperatorGenome.of("h3", 10, "variable", False)
STREAM = Stream(1, TRIAL, 0)


def run_tasks(trials, vectors, which, candidates, runs, stream=STREAM):
    found = trials(stream, GENOME, vectors, Tasks(*(np.array(a) for a in (which, candidates, runs))))
    trials.close()
    return found.tolist()


def rastrigin(x):
    return float((x**2 - 10 * np.cos(2 * np.pi * x) + 10).sum())


def two_vectors():
    return np.stack([GENOME.encode(load_operator("paper-h3")), GENOME.box.sample(1, generator(1))[0]])


@pytest.mark.parametrize("workers", [1, 2])
def test_candidates_run_together_as_they_run_alone(workers):
    vectors = two_vectors()
    both = run_tasks(Trials(Classic("rastrigin", 5), TrialBudget(20, 10, 3), workers), vectors, [0, 1], [7, 7], [2, 2])
    alone = [
        run_tasks(Trials(Classic("rastrigin", 5), TrialBudget(20, 10, 3), 1), v[None], [0], [7], [2])[0]
        for v in vectors
    ]
    assert both == alone
    assert both[0] != both[1]


def test_streams_follow_the_number_of_a_candidate_not_its_place():
    vector = two_vectors()[:1]
    trials = Trials(Classic("rastrigin", 5), TrialBudget(20, 10, 3), 1)
    a, b, c, d = run_tasks(trials, np.repeat(vector, 3, axis=0), [0, 2, 2, 0], [7, 7, 8, 7], [0, 0, 0, 1])
    assert a == b, "the same candidate at another place"
    assert a != c, "another candidate"
    assert a != d, "another run"


def test_every_candidate_and_run_has_its_own_key():
    keys = {tuple(derive(STREAM.key, c, r)) for c in range(60) for r in range(60)}
    assert len(keys) == 3600
    bases = [Stream(s, purpose, p).key for s in (1, 2) for purpose in (TRIAL, RACE, RETEST) for p in (0, 1)]
    assert len({tuple(key) for key in bases}) == 12


@pytest.mark.parametrize("generations", [1, 6])
def test_lockstep_equals_compiled_runs(generations):
    budget = TrialBudget(10, generations, 3)
    numbers = ([0, 1, 0], [3, 4, 3], [0, 0, 1])
    compiled = run_tasks(Trials(Classic("rastrigin", 4), budget, 1), two_vectors(), *numbers)
    python = function_problem(rastrigin, [(-5.12, 5.12)] * 4)
    for workers in (1, 2):
        assert run_tasks(Trials(python, budget, workers), two_vectors(), *numbers) == pytest.approx(compiled, rel=1e-9)


def test_a_trial_is_a_run_of_the_algorithm_it_stands_for():
    budget = TrialBudget(10, 6, 1)
    problem = Classic("ackley", 4)
    found = run_tasks(Trials(problem, budget, 1), two_vectors(), [0], [5], [2])

    class FromKey(Evolution):
        def init(self, box, popsize, maxfev, rng, x0=None):  # noqa: ARG002
            return self.start(derive(STREAM.key, 5, 2), box, popsize, maxfev, x0)

    own = FromKey(GENOME.operator(two_vectors()[0]))
    assert found == [solve(problem, own, maxfev=60, popsize=10).fun]


@pytest.mark.parametrize("python", [False, True])
def test_every_run_of_a_family_gets_its_own_instance_and_all_candidates_the_same(python):
    """With one population and no generation the best value tells which instance was used."""
    budget = TrialBudget(4, 1, 1)
    base = function_problem(rastrigin, [(-5.12, 5.12)] * 3) if python else Classic("rastrigin", 3)
    from autov.problems import Family

    family = Family(base, (("translate", "run"), ("rotate", "run")))
    numbers = ([0, 0, 1], [3, 3, 4], [0, 1, 0])
    found = run_tasks(Trials(family, budget, 1), two_vectors(), *numbers)
    for value, (_, candidate, run) in zip(found, zip(*numbers, strict=True), strict=True):
        instance = family.instance(STREAM.instance(run))
        x = Evolution().start(derive(STREAM.key, candidate, run), instance.box, 4, 4).x
        assert value == pytest.approx(instance(x, generator(0)).min(), rel=1e-12)
    assert STREAM.instance(0) != STREAM.instance(1)
    assert STREAM.instance(0) != Stream(1, RETEST, 0).instance(0)


def test_design_of_a_family_by_name_uses_fresh_instances():
    family = resolve_problem("f9+rotate=run", dim=3)
    assert family.instance(1).matrix.tolist() != family.instance(2).matrix.tolist()


def test_runs_that_are_asked_with_generators_have_a_seed_for_each_candidate_and_run():
    given, problem = Given((resolve_algorithm("shade"),)), function_problem(rastrigin, [(-5.12, 5.12)] * 3)
    trials = Trials(problem, TrialBudget(10, 4, 1), 1)
    tasks = Tasks(*(np.array(numbers) for numbers in ([0, 0, 0], [7, 8, 7], [0, 0, 1])))
    found = trials(STREAM, given, given.vectors, tasks).tolist()
    trials.close()
    seeds = [int(derive(STREAM.key, c, r)[0] >> np.uint64(1)) for c, r in ((7, 0), (8, 0), (7, 1))]
    assert found == [solve(problem, given.algorithms[0], maxfev=40, popsize=10, seed=seed).fun for seed in seeds]
    assert len(set(found)) == 3


def test_the_journal_tells_algorithms_apart(tmp_path):
    """Their vectors are numbers that do not say which algorithms they stand for."""
    tasks, budget = Tasks(*(np.zeros(1, np.int64) for _ in range(3))), TrialBudget(10, 4, 1)

    def found(name, journal):
        given = Given((resolve_algorithm(name),))
        trials = Trials(Classic("rastrigin", 3), budget, 1)
        trials.journal = journal
        journal.resume(-1)
        journal.begin(-1, fresh=False)
        values = trials(STREAM, given, given.vectors, tasks).tolist()
        journal.close()
        trials.close()
        return values

    kept = tmp_path / "values"
    assert found("paper-h3", Journal(kept)) == found("paper-h3", Journal(kept))
    assert found("ma-es", Journal(kept)) == found("ma-es", Journal()) != found("paper-h3", Journal())


def test_evaluations_are_counted():
    trials = Trials(Classic("sphere", 3), TrialBudget(10, 5, 3), 1)
    run_tasks(trials, two_vectors(), [0, 1, 1], [0, 1, 1], [0, 0, 1])
    assert trials.evaluations == 3 * 50


@pytest.mark.parametrize("name", ["paper-h3", "portfolio", "ma-es+popsize_budget=0.4", "shade", "minion:arrde"])
@pytest.mark.parametrize("problem", [Classic("rastrigin", 3), function_problem(rastrigin, [(-5.0, 5.0)] * 3)])
def test_a_run_that_is_cut_off_is_the_first_part_of_one_that_is_not(name, problem):
    cut, given = TrialBudget(10, evaluations=400, stop=0.2875), Given((resolve_algorithm(name),))
    trials = Trials(problem, cut, 1)
    values = trials(STREAM, given, given.vectors, Tasks(*(np.zeros(1, np.int64) for _ in range(3))))
    trials.close()
    seen = []
    seed = int(derive(STREAM.key, 0, 0)[0] >> np.uint64(1))
    if isinstance(algorithm := given.algorithms[0], Compiled) and algorithm.compiles:
        state, rng = algorithm.start(derive(STREAM.key, 0, 0), problem.box, 10, 400), generator(0)
        while len(seen) < 400:
            x, state = algorithm.ask(state, rng)
            f = problem(x, rng)
            seen += f.tolist()
            state = algorithm.tell(state, x, f, rng)
    else:
        solve(problem, algorithm, maxfev=400, popsize=10, seed=seed, observe=lambda _, f: seen.extend(f.tolist()))
    assert values[0] == pytest.approx(min(seen[:115]), rel=1e-12)
    assert min(seen[:115]) > min(seen)
    assert trials.evaluations == 115


def test_errors_of_a_compiled_function_come_out():
    import numba

    @numba.njit
    def fragile(x):
        if x[0] > 0:
            raise ValueError("too far")
        return x[0]

    trials = Trials(function_problem(fragile, [(-1.0, 1.0)] * 2), TrialBudget(10, 5, 1), 1)
    with pytest.raises(ValueError, match="too far"):
        run_tasks(trials, two_vectors(), [0], [0], [0])


@pytest.mark.parametrize("numbers", [(1, 5, 1), (10, 0, 1), (10, 5, 0), (10.5, 5, 1), ("a", 5, 1)])
def test_budgets_that_make_no_sense_are_refused(numbers):
    with pytest.raises(InputError, match="trial"):
        TrialBudget(*numbers)


@given(st.lists(st.lists(st.floats(-5, 5), min_size=9, max_size=9), min_size=1, max_size=5), st.integers(0, 9))
def test_bounds_enclose_the_figure(rows, known):
    values = np.array(rows)
    part = values.copy()
    part[:, known:] = np.nan
    for way in ("median", "quantile", "gap"):
        figure = partial(one_figure, over_runs=way, minimum=-4.0)
        low, high = bounds_of(figure, part)
        assert (low <= figure(values)).all()
        assert (figure(values) <= high).all()


def test_errors_of_a_compiled_function_in_a_family_come_out_every_time():
    import numba

    @numba.njit
    def fragile(x):
        if x[0] > 0.5:
            raise ValueError("too far")
        return x[0]

    from autov.problems import with_family

    family = with_family(function_problem(fragile, [(-1.0, 1.0)] * 2), ("translate", "rotate"))
    for _ in range(2):
        with pytest.raises(ValueError, match="too far"):
            run_tasks(Trials(family, TrialBudget(10, 5, 1), 1), two_vectors(), [0] * 4, [0] * 4, [0, 1, 2, 3])


class Noisy:
    """A problem of the user's own kind: called from Python, its values are random."""

    name, minimum, optimum, box = "noisy", None, None, Box.cube(-1, 1, 2)

    def __init__(self):
        self.noise = []

    def __call__(self, x, rng):
        self.noise.append(rng.random())
        return (x**2).sum(axis=1)

    def objective(self):
        return None


def test_noise_belongs_to_the_candidate_the_run_and_the_generation():
    problem = Noisy()
    trials = Trials(problem, TrialBudget(4, 2, 1), 1)
    run_tasks(trials, np.repeat(two_vectors()[:1], 2, axis=0), [0, 1, 0, 0], [7, 7, 8, 7], [0, 0, 0, 1])
    first, second = problem.noise[:4], problem.noise[4:]
    assert first[0] == first[1], "the same candidate at another place"
    assert second[0] == second[1]
    assert len(set(problem.noise)) == 6


class Elsewhere(Engine):
    """Workers that keep a function as long as it is the same object; what they get has been pickled."""

    workers = 2

    def __init__(self):
        self.calls, self.sizes = [], []

    def map(self, call, items, **_):
        if not self.calls or self.calls[-1] is not call:
            self.calls.append(call)
        for i, item in enumerate(items):
            sent = pickle.dumps(item)
            self.sizes.append(len(sent))
            yield i, pickle.loads(pickle.dumps(call))(pickle.loads(sent))

    def close(self):
        pass


def test_workers_elsewhere_keep_the_problem_for_the_next_candidates():
    engine, budget = Elsewhere(), TrialBudget(20, 10, 3)
    vectors = GENOME.box.sample(40, generator(1))
    tasks = Tasks(np.repeat(np.arange(40), 3), 7 + np.repeat(np.arange(40), 3), np.tile(np.arange(3), 40))
    sent, here = (Trials(Classic("rastrigin", 5), budget, workers) for workers in (engine, 1))
    for some in (vectors, vectors[::-1]):
        assert sent(STREAM, GENOME, some, tasks).tolist() == here(STREAM, GENOME, some, tasks).tolist()
    assert len(engine.calls) == 1
    assert max(engine.sizes) < vectors.nbytes / 4  # not all candidates with every task
    sent(Stream(1, RACE, 0), GENOME, vectors, tasks)
    assert len(engine.calls) == 2
