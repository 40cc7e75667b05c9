"""What a design costs, and settings that fit."""

import re
import time
from types import SimpleNamespace

import pytest

from autov.core import Box, InputError
from autov.designer import TrialBudget, design, design_settings
from autov.designer.cost import (
    Limits,
    Speed,
    affordable,
    counted,
    duration,
    expected_evaluations,
    fitted,
    moment,
    seconds_of,
    seconds_per_evaluation,
)
from autov.designer.genome import Given
from autov.designer.trials import DesignTrials, Trials
from tests.designer.counting import Counted
from tests.designer.stubs import NotedTrials

SMALL = {"population": 6, "generations": 4, "trial": TrialBudget(5, 4, 2), "race_size": 4, "race_runs": 3,
         "retest_runs": 5, "rng": 1}  # fmt: skip


def stub_trials():
    return SimpleNamespace(
        budget=TrialBudget(5, 4, 2), compiled=True, evaluations=0, box=Box.cube(0, 1, 3), problem=object()
    )


@pytest.mark.parametrize("space", ["operator", "portfolio"])
@pytest.mark.parametrize("more", [{}, {"aggregate": "panel"}, {"reevaluate": 0}, {"known": False}, {"family": ()}])
def test_no_design_makes_more_evaluations_than_it_says(space, more):
    problem = Counted()
    settings = design_settings("quick", space=space, **{k: v for k, v in SMALL.items() if k != "rng"}, **more)
    found = design(problem, preset=settings, rng=1)
    moved = found.translated is not None
    expected = expected_evaluations(settings, [20], len(found.baselines) + (found.baseline is not None), moved)
    assert found.evaluations == problem.count
    assert found.spent["measure"] == 6
    for part, spent in list(found.spent.items())[1:]:
        assert spent <= expected[part], part
    assert (
        found.spent["retest"] == (1 + len(found.baselines) + moved) * 5 * 20
    )  # a known design that won is not run twice


def test_settings_are_made_as_large_as_the_limit_allows():
    settings = design_settings("quick", space="portfolio")

    def cost(some):
        return sum(expected_evaluations(some, [1000], 5).values())

    for limit in (1e6, 1e7, 1e9, 1e11):
        chosen = fitted(settings, cost, limit)
        assert cost(chosen) <= limit
    assert cost(fitted(settings, cost, 1e9)) > 3e8
    with pytest.raises(InputError, match="the smallest design needs"):
        fitted(settings, cost, 1000)


def test_the_runs_that_are_advised_fit():
    def made(**given):
        return design("sphere", dim=2, preset="quick", rng=1, evaluations=3e5, log=lambda _: None, **given)

    with pytest.raises(InputError) as caught:
        made()
    advised = re.search(r"runs of ([\d,]+) evaluations", caught.value.__notes__[0])
    assert advised is not None
    assert made(budgets=int(advised[1].replace(",", ""))).evaluations <= 3e5


def test_the_smaller_of_two_limits_counts(monkeypatch):
    monkeypatch.setattr("autov.designer.cost.measured_speed", lambda *_: Speed(1e-9, 1e-9))
    trials = [stub_trials()]
    settings = design_settings("quick")
    rivals = Given(("a", "b", "c", "d", "e"))
    still = DesignTrials(trials, trials, [])
    alone = affordable(settings, still, rivals, Limits(evaluations=10**6))
    assert affordable(settings, still, rivals, Limits(evaluations=10**6, time="1h")) == alone
    moved = affordable(settings, DesignTrials(trials, trials, trials), rivals, Limits(evaluations=10**6))
    assert sum(expected_evaluations(moved, [20], 5, moved=True).values()) <= 10**6


def test_a_number_of_evaluations_is_kept():
    problem = Counted()
    found = design(problem, space="portfolio", trial={"evaluations": 50, "runs": 2}, evaluations=60_000, rng=2)
    assert found.evaluations == problem.count <= 60_000


def test_what_is_measured_counts_for_a_number_of_evaluations():
    for log in (None, lambda _: None):
        found = design("sphere", dim=3, space="operator", trial={"evaluations": 50, "runs": 2}, evaluations=60_000,
                       rng=2, log=log)  # fmt: skip
        assert found.evaluations <= 60_000


def test_the_cost_is_said_before_it_is_spent():
    lines = []
    problem = Counted()
    found = design(problem, log=lambda line: lines.append((problem.count, line)), **SMALL)
    assert len(lines) == 1
    assert lines[0][0] < found.evaluations / 2  # only what was needed to measure
    most = int(re.match(r"up to ([\d,]+) evaluations", lines[0][1])[1].replace(",", ""))
    assert found.evaluations <= most <= found.evaluations + lines[0][0]
    assert "4 generations of 6 candidates" in lines[0][1]
    assert re.search(r" at \S+ (nano|micro|milli)?seconds an evaluation$", lines[0][1])


@pytest.mark.parametrize(
    ("number", "text"), [(950, "950"), (12_300, "12,300"), (999_900, "1 million"), (5.85e7, "58.5 million"),
                         (2e9, "2 billion")],
)  # fmt: skip
def test_counts_are_read_at_a_glance(number, text):
    assert counted(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(6.4e-7, "640 nanoseconds"), (9.99e-7, "1 microseconds"), (2.34e-5, "23 microseconds"),
                          (5.2e-4, "520 microseconds"), (0.05, "50 milliseconds"), (12.0, "12 seconds")],
)  # fmt: skip
def test_the_time_of_an_evaluation_has_a_unit_that_fits(seconds, text):
    assert moment(seconds) == text


def test_what_is_measured_does_not_depend_on_workers():
    """Compiled runs of all known designs, as many on every machine: they are among the evaluations of a design."""
    lines, spent = [], []
    for workers in (1, 2):
        small = {"dim": 3, "population": 4, "generations": 1, "trial": TrialBudget(6, 3, 1), "retest_runs": 2}
        found = design("sphere", **small, space="portfolio", rng=1, workers=workers, log=lines.append)
        spent.append(found.spent)
    assert spent[0] == spent[1]
    assert spent[0]["measure"] > 64 * 18
    assert len(lines) == 2


def slow(x):
    time.sleep(0.002)
    return float(x @ x)


def compiles(x):
    total = 0.0
    for i in range(20_000):
        total += x[0] * i
    return 1e-9 * total + x[1] ** 2


def overflows(x):
    """Numba's integers have 64 bits."""
    number = 3
    for _ in range(20_000):
        number = number * 3 + 1
        if number > 10**40:
            number = 3
    return float(number % 1000) + x[0] ** 2


def advised(fun, **settings):
    """What a design of a slow function says before it begins."""
    lines = []

    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        design(fun, [(-1, 1)] * 3, log=lines.append, progress=stop, population=2, trial=TrialBudget(2, 1, 1),
               space="operator", rng=1, **settings)  # fmt: skip
    return lines


def test_what_fits_a_slow_function_is_said_with_times(monkeypatch):
    monkeypatch.setattr("autov.designer.cost.WARN_SECONDS", 0.5)
    lines = advised(slow)
    assert [line.partition(": ")[0] for line in lines[1:]] == ["what fits", "or", "or"]
    assert "--learn-from runs.db --real-runs 12" in lines[1]
    assert "no design, but experience" in lines[2]
    assert "--surrogate" in lines[3]
    assert all(re.search(r"\d (seconds?|minutes|hours|days)", line) for line in lines)
    monkeypatch.setattr("autov.designer.advice.BEARABLE", 0.0)
    assert "no design, but experience" in advised(slow)[1]
    monkeypatch.setattr("autov.designer.cost.WARN_SECONDS", 1e9)
    assert len(advised(slow)) == 1


def test_a_function_that_numba_takes_should_be_compiled(monkeypatch):
    monkeypatch.setattr("autov.designer.cost.WARN_SECONDS", 0.5)
    lines = advised(compiles)
    assert lines[1].startswith("what fits: compile the function")
    assert "--learn-from" in advised(overflows)[1]


def test_a_search_of_days_is_warned_of():
    class Slow(Counted):
        def __call__(self, x, rng):
            time.sleep(0.002)
            if self.count > 6:
                raise KeyboardInterrupt
            return super().__call__(x, rng)

    with pytest.warns(UserWarning, match=r"limit it with time= or evaluations="), pytest.raises(KeyboardInterrupt):
        design(Slow(), preset="standard", rng=1)


@pytest.mark.parametrize(("text", "seconds"), [(90, 90), ("90s", 90), ("10m", 600), ("1.5h", 5400), ("2d", 172800)])
def test_times(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["soon", "", "-3m", "0", "10 weeks"])
def test_times_that_are_none(text):
    with pytest.raises(InputError, match="time: expected"):
        seconds_of(text)


def test_durations_for_people():
    assert [duration(s) for s in (50, 600, 10_000, 3_542_400)] == [
        "50 seconds",
        "10.0 minutes",
        "2.8 hours",
        "41.0 days",
    ]


class Slow(Counted):
    """Its first calls at each new kind of point take long, as those that compile do."""

    def __init__(self):
        super().__init__()
        self.seconds, self.seen = 0.0, set()

    def __call__(self, x, rng):
        kind = bool(x[0, 0] > 0)
        self.seconds += 1e-5 * len(x) if kind in self.seen else 30.0
        self.seen.add(kind)
        return super().__call__(x, rng)


@pytest.mark.parametrize("calls_only", [True, False])
def test_first_calls_are_not_measured(monkeypatch, calls_only):
    """A function, or its constraint, may be compiled at the first point that needs it."""
    problem = Slow()
    monkeypatch.setattr("autov.designer.cost.clock.perf_counter", lambda: problem.seconds)
    trials = Trials(problem, TrialBudget(5, 4, 2), 1)
    genome = design_settings("quick", space="operator").designed.genome
    assert seconds_per_evaluation(trials, genome, calls_only) == pytest.approx(1e-5)
    assert len(problem.seen) == 2
    assert trials.evaluations == problem.count


def test_runs_are_measured_after_those_that_compile(monkeypatch):
    now, genome = [0.0], design_settings("quick", space="operator").designed.genome
    seen = set()

    class Compiling(NotedTrials):
        compiled = True

        def __call__(self, stream, genome, vectors, tasks):
            for which in tasks.which:
                now[0] += 1e-3 if which in seen else 60.0
                seen.add(which)
            return super().__call__(stream, genome, vectors, tasks)

    monkeypatch.setattr("autov.designer.cost.clock.perf_counter", lambda: now[0])
    trials = Compiling(TrialBudget(10, 5, 3))
    assert seconds_per_evaluation(trials, genome) == pytest.approx(1e-3 / 50)


def test_the_time_of_rivals_is_that_of_their_runs(monkeypatch):
    trials = [stub_trials()]
    settings, rivals, lines = design_settings("quick", race_size=4), Given(("a", "b")), []
    monkeypatch.setattr("autov.designer.cost.measured_speed", lambda *_: Speed(0.0, 1.0))
    affordable(settings, DesignTrials(trials, trials, []), rivals, Limits(log=lines.append))
    parts = expected_evaluations(settings, [20], 2)
    assert f"about {duration(parts['race'] * 2 / 6 + parts['retest'] * 2 / 3)} " in lines[0]


def test_a_refusal_names_runs_that_would_fit():
    settings = design_settings("quick", trial={"evaluations": 10_000})

    def cost(some, budget=10_000):
        return float(sum(expected_evaluations(some, [budget], 5).values()))

    with pytest.raises(InputError) as error:
        fitted(settings, cost, 1e6, budget=10_000, least_budget=20)
    shorter = int(re.search(r"runs of (\d+) evaluations", error.value.__notes__[0].replace(",", ""))[1])
    assert 20 <= shorter < 10_000
    fitted(settings, lambda some: cost(some, shorter), 1e6)
    with pytest.raises(InputError) as error:
        fitted(settings, cost, 100, budget=10_000, least_budget=20)
    assert "budgets" not in error.value.__notes__[0]


def test_a_limit_does_not_change_settings_that_were_given():
    settings = design_settings("quick", space="portfolio", population=17, race_runs=9)

    def cost(some):
        return float(sum(expected_evaluations(some, [1000], 5).values()))

    for limit in (3e6, 1e9):
        chosen = fitted(settings, cost, limit, kept=["population", "race_runs", "space"])
        assert (chosen.search.population, chosen.race.race_runs) == (17, 9)
        assert cost(chosen) <= limit
    with pytest.raises(InputError, match=r"^evaluations, time: .* design with population and race_runs as given needs"):
        fitted(settings, cost, 1e5, kept=["population", "race_runs"])
    found = design("sphere", dim=2, space="operator", trial={"evaluations": 50, "runs": 2}, evaluations=30_000, rng=2,
                   retest_runs=11, population=7)  # fmt: skip
    assert found.settings["retest_runs"] == 11
    assert found.settings["population"] == 7
    assert found.evaluations <= 30_000


def test_a_resumed_search_has_the_generations_that_were_given_then(tmp_path):
    options = {"space": "operator", "trial": {"evaluations": 50, "runs": 2}, "rng": 2, "population": 6, "race_runs": 2,
               "retest_runs": 3, "checkpoint": tmp_path / "search.npz"}  # fmt: skip
    first = design("sphere", dim=2, generations=1, evaluations=30_000, **options)
    longer = design("sphere", dim=2, generations=3, evaluations=60_000, resume=True, **options)
    assert (len(first.history), len(longer.history)) == (2, 4)
    again = design("sphere", dim=2, evaluations=60_000, resume=True, **options)
    assert len(again.history) == 4, "sizes that were not given are those of the checkpoint"
