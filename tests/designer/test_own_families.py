"""A design on a family of one's own: every run meets its own instance, which is constructed once."""

import pickle
from collections import Counter
from contextlib import contextmanager, nullcontext

import numba
import numpy as np
import pytest

import autov
from autov import InputError, function_problem
from autov.algorithms import resolve_algorithm
from autov.core import Box, generator
from autov.designer import TrialBudget
from autov.designer.genome import Given, OperatorGenome
from autov.designer.journal import Journal
from autov.designer.search import TRIAL
from autov.designer.trial_instances import Instances
from autov.designer.trial_runs import CompiledTrials
from autov.designer.trials import Stream, Tasks, Trials
from autov.engines import Processes
from autov.kernels.evolution.many import derive
from autov.problems import resolve_problem, with_family
from autov.runs import FaultPolicy

GENOME = OperatorGenome.of("h3", 10, "variable", False)
STREAM = Stream(1, TRIAL, 0)
BOUNDS = [(-5.0, 5.0)] * 3
KINDS = ("points", "batches", "compiled")


@numba.njit
def shifted_sphere(x, shift):
    total = 0.0
    for value in x:
        total += (value - shift) ** 2
    return total


class Counting:
    """A function of points or of batches that writes the instance of every evaluated point into a file."""

    def __init__(self, number, shift, log, vectorized):
        self.number, self.shift, self.log, self.vectorized = number, shift, log, vectorized

    def __call__(self, x):
        with open(self.log, "a") as file:
            file.write(f"{self.number}\n" * len(np.atleast_2d(x)))
        values = ((np.atleast_2d(x) - self.shift) ** 2).sum(axis=1)
        return values if self.vectorized else float(values[0])


class Shifted:
    """Spheres whose optimum, value and scale depend on the run."""

    name, minimum, optimum, box = "shifted", None, None, Box.of(BOUNDS)

    def __init__(self, kind="points", log="", odd=None, minima=False):
        self.kind, self.log, self.odd, self.minima = kind, str(log), odd, minima
        self.constructed = Counter()

    def __getstate__(self):
        return {**vars(self), "constructed": Counter()}

    def instance(self, run):
        self.constructed[run] += 1
        shift = -4.0 + 8.0 * generator(run).random()
        kind = self.odd if self.odd and run else self.kind
        minimum = float(run % 7) if self.minima else None
        if kind == "compiled":

            @numba.njit
            def own(x):
                return shifted_sphere(x, shift)

            return function_problem(own, BOUNDS, minimum=minimum)
        if kind == "wide":
            return function_problem(np.sum, [(-9.0, 9.0)] * 3)
        counting = Counting(run, shift, self.log, kind == "batches")
        return function_problem(counting, BOUNDS, vectorized=kind == "batches", minimum=minimum, key=f"{run}")

    def identity_parts(self):
        return [self.kind]

    def __call__(self, x, rng):
        return self.instance(0)(x, rng)

    def objective(self):
        return self.instance(0).objective()


@contextmanager
def dask_client():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", processes=False
    ) as cluster, distributed.Client(cluster) as client:  # fmt: skip
        yield client


def tasks_of(candidates, runs):
    """Every candidate with every run."""
    which = np.repeat(np.arange(candidates), runs)
    return Tasks(which, which + 3, np.tile(np.arange(runs), candidates))


def expected_best(genome, vectors, tasks, budget, family):
    """Each run alone, on its own instance."""
    found = []
    for w, c, r in zip(*tasks, strict=True):
        algorithm, problem = genome.decode(vectors[w]), family.instance(STREAM.instance(int(r)))
        state = algorithm.start(derive(STREAM.key, c, r), problem.box, budget.popsize, budget.maxfev)
        values, rng = [], generator(0)
        while len(values) < budget.made:
            x, state = algorithm.ask(state, rng)
            f = problem(x, rng)
            values += f.tolist()
            state = algorithm.tell(state, x, f, rng)
        found.append(min(values[: budget.made]))
    return found


@pytest.mark.parametrize("engine", ["serial", "two workers", pytest.param("dask", marks=pytest.mark.cold)])
@pytest.mark.parametrize("kind", KINDS)
def test_every_run_is_evaluated_on_its_own_instance(kind, engine, tmp_path):
    log, budget, runs = tmp_path / "calls", TrialBudget(6, 4, 3), 3
    family, vectors, tasks = Shifted(kind, log), GENOME.box.sample(2, generator(1)), tasks_of(2, runs)
    with dask_client() if engine == "dask" else nullcontext({"serial": 1, "two workers": 2}.get(engine)) as workers:
        trials = Trials(family, budget, workers)
        values = trials(STREAM, GENOME, vectors, tasks)
        trials.close()
    numbers = [STREAM.instance(run) for run in range(runs)]
    if kind != "compiled":
        assert Counter(map(int, log.read_text().split())) == dict.fromkeys(numbers, 2 * 24)
    np.testing.assert_allclose(values, expected_best(GENOME, vectors, tasks, budget, Shifted(kind, log)), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_an_instance_is_constructed_once(kind, tmp_path):
    family = Shifted(kind, tmp_path / "calls")
    trials = Trials(family, TrialBudget(6, 4, 3), 1)
    others = Given((resolve_algorithm("shade"), resolve_algorithm("ma-es")))
    for _ in range(2):
        trials(STREAM, GENOME, GENOME.box.sample(2, generator(1)), tasks_of(2, 3))
        trials(STREAM, others, others.vectors, tasks_of(2, 3))
    trials.close()
    assert family.constructed == dict.fromkeys((0, *(STREAM.instance(run) for run in range(3))), 1)


def test_threads_that_need_the_same_instance_construct_it_once():
    family = Shifted("compiled")
    trials = Trials(family, TrialBudget(6, 4, 3), 4)
    trials(STREAM, GENOME, GENOME.box.sample(20, generator(1)), tasks_of(20, 3))
    trials.close()
    assert max(family.constructed.values()) == 1


@pytest.mark.parametrize("own", [True, False])
def test_compiled_runs_of_one_call_meet_their_own_instances(own):
    base = Shifted("compiled") if own else with_family(resolve_problem("rastrigin", dim=3), ("translate", "rotate"))
    budget, vectors = TrialBudget(6, 4, 3), GENOME.box.sample(2, generator(1))
    tasks = tasks_of(2, 3)
    values = CompiledTrials(Instances(base), GENOME, vectors, budget, STREAM)(tasks)
    np.testing.assert_allclose(values, expected_best(GENOME, vectors, tasks, budget, base), rtol=1e-9)


@pytest.mark.parametrize("names", [("shade",), ("evolution", "ma-es")])
@pytest.mark.parametrize("kind", ["points", "batches"])
def test_the_journal_has_the_values_of_all_instances(kind, names, tmp_path):
    log, given = tmp_path / "calls", Given(tuple(resolve_algorithm(name) for name in names))

    def run_with(journal):
        trials = Trials(Shifted(kind, log), TrialBudget(6, 4, 3), 1)
        trials.journal = journal
        journal.resume(-1)
        journal.begin(-1, fresh=False)
        values = trials(STREAM, given, given.vectors, tasks_of(len(names), 3)).tolist()
        journal.close()
        trials.close()
        return values

    plain = run_with(Journal())
    kept = tmp_path / "values"
    assert run_with(Journal(kept)) == plain
    log.unlink()
    assert run_with(Journal(kept)) == plain
    assert not log.exists()  # every value came from the journal


def test_a_whole_design_meets_many_instances_and_constructs_few(tmp_path):
    log = tmp_path / "calls"
    family = Shifted("batches", log)
    small = {"generations": 2, "population": 4, "race_size": 2, "race_runs": 2, "retest_runs": 5}
    found = autov.design(family, trial={"evaluations": 60, "popsize": 10}, rng=1, workers=1, remember=False, **small)
    calls = Counter(map(int, log.read_text().split()))
    retested = [Stream(1, 3, 0).instance(run) for run in range(5)]
    algorithms = 1 + len(found.baselines)
    assert [calls[number] for number in retested] == [60 * algorithms] * 5
    assert max(family.constructed[number] for number in retested) == 1
    assert len({float(value) for value in found.retested[0]}) == 5


@pytest.mark.parametrize(
    ("family", "named"),
    [
        (Shifted("points", odd="batches"), "kind"),
        (Shifted("points", odd="compiled"), "kind"),
        (Shifted("points", odd="wide"), "bounds"),
    ],
)
def test_instances_of_another_kind_are_refused(family, named):
    trials = Trials(family, TrialBudget(6, 4, 3), 1)
    with pytest.raises(InputError, match=named):
        trials(STREAM, GENOME, GENOME.box.sample(1, generator(1)), tasks_of(1, 2))
    trials.close()


def test_aggregates_that_need_one_minimum_refuse_several():
    family = Shifted("compiled", minima=True)
    family.minimum = 0.0
    budget, vectors = TrialBudget(6, 4, 3), GENOME.box.sample(1, generator(1))
    Trials(family, budget, 1)(STREAM, GENOME, vectors, tasks_of(1, 3))
    with pytest.raises(InputError, match="minimum"):
        Trials(family, budget, 1, one_minimum=True)(STREAM, GENOME, vectors, tasks_of(1, 3))


def test_a_design_by_log_gap_refuses_several_minima(tmp_path):
    family = Shifted("batches", tmp_path / "calls", minima=True)
    family.minimum = 0.0
    small = {"generations": 1, "population": 4, "race_size": 2, "race_runs": 2, "retest_runs": 3, "rng": 1}
    small["trial"] = TrialBudget(6, 4, 3)
    with pytest.raises(InputError, match="minimum"):
        autov.design([family, "sphere"], dim=3, aggregate="log-gap", **small)
    autov.design([family, "sphere"], dim=3, aggregate="rank", **small)


def test_errors_of_a_compiled_instance_come_out():
    class Fragile(Shifted):
        def instance(self, run):
            limit = 0.0 if run else 9.0

            @numba.njit
            def own(x):
                if x[0] > limit:
                    raise ValueError("too far")
                return x[0]

            return function_problem(own, BOUNDS)

    trials = Trials(Fragile("compiled"), TrialBudget(6, 4, 3), 1)
    with pytest.raises(ValueError, match="too far"):
        trials(STREAM, GENOME, GENOME.box.sample(1, generator(1)), tasks_of(1, 2))


class Unsteady:
    """Raises at some points of instances other than the first."""

    def __init__(self, number):
        self.number = number

    def __call__(self, x):
        if self.number and x[0] > 0:
            raise ArithmeticError("far")
        return float((x**2).sum())


class Failing(Shifted):
    def instance(self, run):
        return function_problem(Unsteady(run), BOUNDS, key=f"{run}")


@pytest.mark.parametrize("names", [("paper-h3",), ("shade",)])
def test_failed_evaluations_of_all_instances_are_counted(names):
    given = Given(tuple(resolve_algorithm(name) for name in names))
    trials = Trials(Failing(), TrialBudget(6, 4, 3), 1, FaultPolicy(on_error="worst"))
    trials(STREAM, given, given.vectors, tasks_of(1, 3))
    trials.close()
    assert trials.evaluator.faults.counts["raised"] > 5
    assert "(3)" not in trials.evaluator.faults.first
    assert trials.evaluator.faults.first.count(",") <= 2  # a point of three variables, without the number of the run


def test_workers_keep_one_function_for_all_instances(tmp_path, monkeypatch):
    calls = set()
    plain = Processes.map

    def watching(self, call, *args, **options):
        calls.add(id(getattr(call, "point", call).__self__))
        return plain(self, call, *args, **options)

    monkeypatch.setattr(Processes, "map", watching)
    trials = Trials(Shifted("points", tmp_path / "calls"), TrialBudget(6, 4, 3), 2)
    trials(STREAM, GENOME, GENOME.box.sample(2, generator(1)), tasks_of(2, 3))
    trials.close()
    assert len(calls) == 1


def test_instances_are_kept_while_runs_on_them_last(tmp_path, monkeypatch):
    monkeypatch.setattr("autov.designer.trial_instances.MOST_INSTANCES", 2)
    family = Shifted("batches", tmp_path / "calls")
    trials = Trials(family, TrialBudget(6, 4, 3), 1)
    trials(STREAM, GENOME, GENOME.box.sample(1, generator(1)), tasks_of(1, 5))
    trials.close()
    assert max(family.constructed.values()) == 1
    assert len(trials.instances._prepared) == 2


def test_instances_travel_with_what_is_known_of_them():
    family = Shifted("compiled", minima=True)
    family.minimum = 0.0
    sent = pickle.loads(pickle.dumps(Instances(family, one_minimum=True)))
    assert not sent.problem.constructed  # nothing is made before it is needed
    with pytest.raises(InputError, match="minimum"):
        [sent[number] for number in range(1, 8)]


def test_the_number_of_variables_must_be_that_of_the_instances():
    class Other(Shifted):
        box = Box.cube(-5, 5, 4)

    with pytest.raises(InputError, match="variables"):
        Instances(Other("batches"))


def test_integer_instances_may_have_a_wider_box(tmp_path):
    class Integers(Shifted):
        box = Box.of([(0, 10)] * 2)

        def instance(self, run):
            return function_problem(Counting(run, 3.0, self.log, False), [(0, 10)] * 2, integrality=True, key=f"{run}")

    trials = Trials(Integers("points", tmp_path / "calls"), TrialBudget(6, 4, 3), 1)
    assert np.isfinite(trials(STREAM, GENOME, GENOME.box.sample(1, generator(1)), tasks_of(1, 2))).all()


def test_an_error_of_instance_names_it():
    class Listed(Shifted):
        def instance(self, run):
            return [function_problem(np.sum, BOUNDS)][run]

    trials = Trials(Listed(), TrialBudget(6, 4, 3), 1)
    with pytest.raises(IndexError) as caught:
        trials(STREAM, GENOME, GENOME.box.sample(1, generator(1)), tasks_of(1, 2))
    assert "instance(" in caught.value.__notes__[0]


def test_a_family_that_keeps_its_instances_can_be_resumed(tmp_path):
    class Keeping:
        name, minimum, optimum, box = "keeping", None, None, Box.of(BOUNDS)

        def __init__(self):
            self.kept = {}

        def instance(self, run):
            if run not in self.kept:
                self.kept[run] = function_problem(lambda x: (x**2).sum(axis=1) + run % 3, BOUNDS, vectorized=True)
            return self.kept[run]

        def __call__(self, x, rng):
            return self.instance(0)(x, rng)

        def objective(self):
            return None

    def ends(progress):
        if progress.state.generation == 1:
            raise KeyboardInterrupt

    small = {"generations": 2, "population": 4, "race_size": 2, "race_runs": 2, "retest_runs": 3, "rng": 1}
    small |= {"trial": TrialBudget(6, 4, 3), "log": str}
    path = tmp_path / "search.npz"
    with pytest.raises(KeyboardInterrupt):
        autov.design(Keeping(), checkpoint=path, progress=ends, **small)
    again = autov.design(Keeping(), checkpoint=path, resume=True, **small)
    assert np.array_equal(again.retested, autov.design(Keeping(), **small).retested)


def test_errors_of_compiled_instances_come_out_of_single_runs():
    @numba.njit
    def fragile(x):
        if x[0] > 0:
            raise ValueError("too far")
        return x[0]

    given = Given((resolve_algorithm("ma-es"),))
    problem = function_problem(fragile, BOUNDS)
    for _ in range(2):
        trials = Trials(problem, TrialBudget(6, 4, 3), 1)
        with pytest.raises(ValueError, match="too far"):
            trials(STREAM, given, given.vectors, tasks_of(1, 2))
