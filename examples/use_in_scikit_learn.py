"""Hyper-parameters of a support vector machine by AutoVSearchCV, and by random search with the same number of fits.

Needs `pip install ".[sklearn]"` in a copy of the repository.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import loguniform
from sklearn.datasets import load_diabetes
from sklearn.model_selection import RandomizedSearchCV
from sklearn.svm import SVR

from autov.adapters.sklearn import AutoVSearchCV

trials = 20 if "--quick" in sys.argv else 60
x, y = load_diabetes(return_X_y=True)
space = {"C": loguniform(1e-2, 1e3), "gamma": loguniform(1e-3, 1e2), "epsilon": loguniform(1e-2, 1e2),
         "kernel": ["rbf", "poly", "sigmoid"]}  # fmt: skip
searches = (
    AutoVSearchCV(SVR(), space, n_iter=trials, cv=3, random_state=1),
    RandomizedSearchCV(SVR(), space, n_iter=trials, cv=3, random_state=1),
)
axes = plt.figure(figsize=(5.6, 3.4)).subplots()
for search, colour, style in zip(searches, ("#0072b2", "#d55e00"), ("-", "--"), strict=True):
    search.fit(x, y)
    tried = len(search.cv_results_["params"])
    best = {k: v if isinstance(v, str) else float(f"{v:.3g}") for k, v in search.best_params_.items()}
    print(f"{type(search).__name__}: R² {search.best_score_:.4f} with {best} after {tried} evaluations")
    scores = np.maximum.accumulate(search.cv_results_["mean_test_score"])
    axes.step(range(1, tried + 1), scores, where="post", color=colour, linestyle=style, label=type(search).__name__)
axes.set(xlabel="settings tried", ylabel="best R²", ylim=(0, None))
axes.legend(frameon=False)
plt.show()
