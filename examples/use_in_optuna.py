"""autov as a sampler of optuna, with numbers, categories and a parameter that only some trials have.

Needs `pip install 'autov[optuna]'`.
"""

import optuna

from autov.adapters.optuna import AutoVSampler

optuna.logging.set_verbosity(optuna.logging.WARNING)
TRIALS = 200


def objective(trial):
    """The best is 0 at rate 0.01, four layers, kind "b"."""
    rate = trial.suggest_float("rate", 1e-4, 1.0, log=True)
    layers = trial.suggest_int("layers", 1, 8)
    kind = trial.suggest_categorical("kind", ["a", "b", "c"])
    extra = trial.suggest_float("dropout", 0.0, 0.5) if kind == "c" else 0.0
    return abs(rate - 0.01) * 100 + (layers - 4) ** 2 + (kind != "b") + extra


for sampler in (AutoVSampler(seed=1, n_trials=TRIALS), optuna.samplers.RandomSampler(seed=1)):
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=TRIALS)
    print(f"{sampler}: {study.best_value:.3g} with {study.best_params} after {TRIALS} evaluations")
