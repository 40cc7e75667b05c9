"""autov as a sampler of optuna, with numbers, categories and a parameter that only some trials have.

Needs `pip install ".[optuna]"` in a copy of the repository.
"""

import matplotlib.pyplot as plt
import numpy as np
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


axes = plt.figure(figsize=(5.6, 3.4)).subplots()
samplers = (AutoVSampler(seed=1, n_trials=TRIALS), optuna.samplers.RandomSampler(seed=1))
for sampler, colour, style in zip(samplers, ("#0072b2", "#d55e00"), ("-", "--"), strict=True):
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=TRIALS)
    best = {name: float(f"{v:.3g}") if isinstance(v, float) else v for name, v in study.best_params.items()}
    print(f"{type(sampler).__name__}: {study.best_value:.3g} with {best} after {TRIALS} evaluations")
    values = np.minimum.accumulate([trial.value for trial in study.trials])
    axes.step(range(1, TRIALS + 1), values, where="post", color=colour, linestyle=style, label=type(sampler).__name__)
axes.set(yscale="log", xlabel="trials", ylabel="best value")
axes.legend(frameon=False)
plt.show()
