"""The sampler with real studies."""

import pickle

import numpy as np
import optuna
import pytest

from autov.adapters.optuna import AutoVSampler
from autov.adapters.points import Points
from autov.core import InputError

optuna.logging.set_verbosity(optuna.logging.ERROR)


def mixed(trial):
    x = trial.suggest_float("x", -5, 5)
    y = trial.suggest_float("y", 1e-3, 1e3, log=True)
    n = trial.suggest_int("n", 1, 9, step=2)
    k = trial.suggest_categorical("k", ["a", "b", "c"])
    return (x - 1) ** 2 + np.log10(y) ** 2 + (n - 5) ** 2 + (k != "b")


def study_of(objective, trials, direction="minimize", n_jobs=1, **options):
    study = optuna.create_study(direction=direction, sampler=AutoVSampler(n_trials=trials, **options))
    study.optimize(objective, n_trials=trials, n_jobs=n_jobs)
    return study


@pytest.mark.parametrize("algorithm", [None, "paper-h3", "shade", "ma-es"])
def test_reproducible_with_a_seed(algorithm):
    one, two, other = (study_of(mixed, 40, algorithm=algorithm, seed=seed) for seed in (3, 3, 4))
    assert [t.params for t in one.trials] == [t.params for t in two.trials]
    assert [t.params for t in one.trials] != [t.params for t in other.trials]


def test_better_than_random_sampling_in_both_directions():
    ours = study_of(mixed, 200, seed=1, algorithm="paper-h3").best_value
    random = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    random.optimize(mixed, n_trials=200)
    assert ours < random.best_value
    upwards = study_of(lambda trial: -mixed(trial), 200, "maximize", seed=1, algorithm="paper-h3")
    assert -upwards.best_value == ours


def test_all_parameters_of_one_trial_come_from_one_point_of_the_algorithm():
    sampler = AutoVSampler(seed=1, n_trials=50)
    study = optuna.create_study(sampler=sampler)
    alone = []
    independent = sampler.sample_independent
    sampler.sample_independent = lambda s, t, name, d: alone.append((t.number, name)) or independent(s, t, name, d)
    study.optimize(mixed, n_trials=30)
    assert alone == [(0, name) for name in "xynk"]  # only the first trial, when the space is not known


def test_conditional_spaces_fall_back():
    def conditional(trial):
        x = trial.suggest_float("x", -5, 5)
        if x > 0:
            return x + trial.suggest_float("above", 0, 1)
        return -x + trial.suggest_int("below", 1, 5)

    study = study_of(conditional, 150, seed=2, algorithm="paper-h3")
    assert all(0 <= t.params.get("above", 0) <= 1 for t in study.trials)
    assert study.best_value < 0.6


def test_n_jobs_share_one_algorithm():
    study = study_of(mixed, 120, n_jobs=4, seed=1, algorithm="paper-h3")
    assert len(study.trials) == 120
    threads, alone = (
        len({tuple(t.params.values()) for t in one.trials})
        for one in (study, study_of(mixed, 120, seed=1, algorithm="paper-h3"))
    )
    assert threads > 0.8 * alone  # no thread repeats what another one had
    assert study.best_value < 1.0


def test_pruned_and_failed_trials_count_as_worst(monkeypatch):
    told = []
    tell = Points.tell
    monkeypatch.setattr(Points, "tell", lambda self, x, value: told.append(value) or tell(self, x, value))

    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        if trial.number % 7 == 3:
            raise optuna.TrialPruned
        if trial.number % 7 == 5:
            return float("nan")  # optuna marks it as failed
        return x

    study = study_of(objective, 50, seed=1)
    assert [t.state.name for t in study.trials[:7]] == ["COMPLETE"] * 3 + ["PRUNED", "COMPLETE", "FAIL", "COMPLETE"]
    assert told == [np.inf if t.value is None else t.value for t in study.trials]


def test_earlier_and_enqueued_trials_are_learnt_from():
    study = optuna.create_study(sampler=AutoVSampler(seed=1, n_trials=60, popsize=10, algorithm="paper-h3"))
    study.optimize(mixed, n_trials=20)
    study.enqueue_trial({"x": 1.0, "y": 1.0, "n": 5, "k": "b"})
    study.optimize(mixed, n_trials=40)
    near = [abs(t.params["x"] - 1) for t in study.trials[40:]]
    assert np.median(near) < 0.5


def test_goes_on_after_the_planned_trials_and_survives_pickling():
    sampler = AutoVSampler(seed=1, n_trials=20)
    study = optuna.create_study(sampler=sampler)
    study.optimize(mixed, n_trials=30)
    copy = pickle.loads(pickle.dumps(sampler))
    twin = optuna.create_study(sampler=copy)
    for trial in study.trials:
        twin.add_trial(trial)
    study.optimize(mixed, n_trials=15)
    twin.optimize(mixed, n_trials=15)
    assert [t.params for t in study.trials] == [t.params for t in twin.trials]


def test_what_cannot_be_done_is_said():
    with pytest.raises(InputError, match=r"^algorithm: "):
        AutoVSampler("scipy:de")
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=AutoVSampler(seed=1))
    with pytest.raises(ValueError, match="multi-objective"):
        study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), 0.0), n_trials=2)
