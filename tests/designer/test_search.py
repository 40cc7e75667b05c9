"""Algorithm 1: who survives, what is run again, and that no seed is used twice."""

from dataclasses import replace

import numpy as np
import pytest

from autov.core import stream_key
from autov.designer import DesignSettings, OperatorGenome, TrialBudget
from autov.designer.fitness import fitness_of
from autov.designer.search import RACE, RETEST, TRIAL, Search
from autov.designer.trials import Trials
from autov.kernels.evolution import run as kernels
from autov.operators import load_operator
from autov.problems import Classic
from tests.designer.stubs import NotedTrials, all_runs

GENOME = OperatorGenome.of("h1", 2, "variable", False)
SETTINGS = DesignSettings().changed(
    form="h1", rows=2, tie_bounds=False, population=8, generations=5, trial=TrialBudget(10, 5, 3), reevaluate=1,
    race_size=6, race_runs=4, retest_runs=7,
)  # fmt: skip


def searched(settings=SETTINGS, generations=5, **options):
    trials = NotedTrials(**options)
    search = Search(GENOME, [trials], settings, seed=3)
    state = search.start()
    for _ in range(generations):
        state = search.step(state)
    return search, trials, state


def test_no_run_is_made_twice_and_no_stream_is_shared():
    """Re-evaluation makes new runs; race and re-test use seeds that the search never saw."""
    search, trials, state = searched()
    search.race(state)
    search.retest(state.vectors[0])
    assert len(set(trials.asked)) == len(trials.asked)
    assert len(set(trials.keys)) == len(trials.keys)
    assert {purpose for purpose, _, _ in trials.asked} == {TRIAL, RACE, RETEST}


def test_reevaluation_gives_each_survivor_the_next_runs():
    _, trials, state = searched(SETTINGS.changed(reevaluate=2))
    made = (~np.isnan(state.values[0])).sum(axis=1)
    for candidate, count in zip(state.ids, made, strict=True):
        runs = sorted(run for purpose, c, run in trials.asked if (purpose, c) == (TRIAL, candidate))
        assert runs == list(range(count))
        assert count >= 5
    for row, vector in zip(state.values[0], state.vectors, strict=True):
        known = row[~np.isnan(row)]
        assert known.tolist() == [float(vector.sum()) + 1e-3 * run for run in range(len(known))]


def test_the_first_population_holds_the_known_designs():
    genome = OperatorGenome.of("h1", 4, "variable", False)
    settings = SETTINGS.changed(rows=4)
    for known in (True, False):
        trials = NotedTrials(value=lambda vector, run: 0.0)  # noqa: ARG005 (all the same, so that the order stays)
        state = Search(genome, [trials], settings.changed(known=known), seed=3).start()
        assert np.array_equal(state.vectors[0], genome.known()[0]) == known
        assert len(state.vectors) == 8


def test_survivors_are_the_best_of_parents_and_offspring():
    search, _, state = searched(SETTINGS.changed(reevaluate=0), generations=0)
    following = search.step(state)
    offspring = np.empty_like(state.vectors)
    box = GENOME.box
    kernels.propose(stream_key(3, 0), 1, GENOME.operator(state.vectors[0]).variation(), box.lower, box.upper,
                    state.vectors, state.fitness, offspring)  # fmt: skip
    pool = np.concatenate([state.vectors, offspring])
    order = np.argsort([float(v.sum()) + 1e-3 for v in pool], kind="stable")[:8]
    assert np.array_equal(following.vectors, pool[order])
    assert following.ids.tolist() == np.concatenate([state.ids, 8 + np.arange(8)])[order].tolist()
    assert following.next_id == 16


def test_the_retest_reports_what_the_runs_gave():
    search, trials, _ = searched()
    before = trials.evaluations
    found = search.retest(["one", "another"])  # which a stub knows by their numbers, 0 and 1
    assert found.tolist() == [[[number + 1e-3 * run for run in range(7)]] for number in (0.0, 1.0)]
    assert trials.evaluations - before == 2 * 7 * 50


def test_the_race_halves_candidates_and_doubles_runs():
    search, trials, state = searched()
    trials.asked.clear()
    winner = search.race(state)
    rounds = {}
    for _, candidate, run in trials.asked:
        rounds.setdefault(candidate, []).append(run)
    lengths = sorted(len(runs) for runs in rounds.values())
    assert lengths == [4, 4, 4, 12, 12, 12], "6 candidates with 4 runs, then 3 with 8 more"
    assert winner == int(np.argmin([vector.sum() for vector in state.vectors[:6]]))


def test_the_race_keeps_the_larger_half_of_an_odd_number():
    search, trials, state = searched(SETTINGS.changed(race_size=7))
    trials.asked.clear()
    search.race(state)
    runs = [sum(c == candidate for _, c, _ in trials.asked) for candidate in state.ids[:7]]
    assert sorted(runs) == [4] * 3 + [12] * 4


def test_the_race_goes_by_its_own_runs_not_by_the_search():
    search, trials, state = searched()
    worst = state.vectors[5].sum()
    trials.value = lambda vector, run: -1.0 if vector.sum() == worst else float(run)
    assert search.race(state) == 5


def test_reevaluation_stops_when_the_memory_is_full():
    trials = Trials(Classic("sphere", 3), TrialBudget(10, 5, 3), 1)
    settings = SETTINGS.changed(population=5, reevaluate=2, memory=7)
    search = Search(GENOME, [trials], settings, seed=1)
    state = search.start()
    for _ in range(6):
        state = search.step(state)
    made = (~np.isnan(state.values[0])).sum(axis=1)
    assert made.max() == 7
    assert made.min() >= 5
    assert np.allclose(state.fitness, np.nanmedian(state.values[0], axis=1))
    trials.close()


def test_race_picks_the_truly_better():
    genome = OperatorGenome.of("h3", 10, "variable", False)
    trials = Trials(Classic("rastrigin", 10), TrialBudget(40, 40, 3), 1)
    search = Search(genome, [trials], DesignSettings().changed(tie_bounds=False, population=6, known=False), seed=3)
    state = search.start()
    vectors = state.vectors.copy()
    vectors[4] = genome.encode(load_operator("paper-h3"))  # far better than random ones
    assert search.race(replace(state, vectors=vectors)) == 4
    trials.close()


def test_all_evaluations_are_in_the_state():
    _, trials, state = searched()
    assert state.evaluations == trials.evaluations == len(trials.asked) * 50
    assert [row[1] for row in state.history][-1] == state.evaluations


def test_aggregates():
    medians = np.array([[1.0, 2.0, 3.0], [30.0, 10.0, 20.0]])
    assert fitness_of(medians, "rank", [0, 0], np.ones(2)).tolist() == [2.0, 1.5, 2.5]
    tied = np.array([[1.0, 1.0, 3.0], [2.0, 1.0, 1.0]])
    assert fitness_of(tied, "rank", [0, 0], np.ones(2)).tolist() == [2.25, 1.5, 2.25], "equals share their ranks"
    gaps = fitness_of(medians, "log-gap", [0.0, 0.0], np.array([1.0, 10.0]))
    assert np.allclose(gaps, [(0 + np.log10(3)) / 2, np.log10(2) / 2, (np.log10(3) + np.log10(2)) / 2])
    assert fitness_of(medians[:1], "rank", [None], np.ones(1)).tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("runs", [3, 4, 9])
def test_early_stop_leaves_out_only_runs_of_those_who_do_not_survive(monkeypatch, runs):
    settings = SETTINGS.changed(trial=TrialBudget(10, 5, runs), reevaluate=0)
    budget = {"budget": settings.training.trial}
    _, short, stopped = searched(settings, **budget)
    monkeypatch.setattr("autov.designer.search.try_candidates", all_runs)
    _, whole, state = searched(settings, **budget)
    assert np.array_equal(stopped.vectors, state.vectors)
    assert np.array_equal(stopped.values, state.values)
    assert short.evaluations < whole.evaluations


@pytest.mark.parametrize("digits", [None, 0, 9])
def test_early_stop_does_not_stop_those_as_good_as_the_last_survivor(monkeypatch, digits):
    def value(vector, run):  # noqa: ARG001
        return float(vector.sum() if digits is None else round(vector.sum(), digits))

    settings = SETTINGS.changed(reevaluate=0)
    _, _, stopped = searched(settings, value=value)
    monkeypatch.setattr("autov.designer.search.try_candidates", all_runs)
    _, _, state = searched(settings, value=value)
    assert np.array_equal(stopped.vectors, state.vectors)
    assert np.array_equal(stopped.ids, state.ids)


def test_the_race_ends_with_four():
    search, trials, state = searched(SETTINGS.changed(race_size=8))
    trials.asked.clear()
    search.race(state)
    runs = [[run for _, c, run in trials.asked if c == candidate] for candidate in state.ids]
    assert sorted(map(len, runs)) == [4] * 4 + [12] * 4
