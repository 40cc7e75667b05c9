"""TPE and Gaussian processes of Optuna.

T. Akiba et al., Optuna: a next-generation hyperparameter optimization framework, KDD 2019; J. Bergstra, R. Bardenet,
Y. Bengio and B. Kegl, Algorithms for hyper-parameter optimization, NIPS 2011. Samplers have Optuna's settings;
variables are scaled to the unit box, and first points are enqueued. Both get slower with every evaluation, from
milliseconds to a second. The Gaussian process needs PyTorch.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from autov.algorithms.base import Batch
from autov.algorithms.population import initial_points
from autov.core import Array, Box, check_choice
from autov.peers.libraries import Peer, global_stream, library, release
from autov.peers.starts import unit_call

METHODS = {"tpe": ("TPESampler", "optuna"), "gp": ("GPSampler", "optuna-gp")}  # class and extra


@dataclass(frozen=True)
class Optuna(Peer):
    """It has no settings but its method."""

    prefix: ClassVar[str] = "optuna"
    methods: ClassVar[tuple[str, ...]] = tuple(METHODS)
    method: str
    version: str = field(default_factory=partial(release, "optuna", "optuna"))

    def __post_init__(self) -> None:
        check_choice(self, method=self.methods)

    def check_fit(self, box: Box, popsize: int, maxfev: int, x0: Array | None = None) -> None:  # noqa: ARG002
        """Say what does not fit."""
        _, extra = METHODS[self.method]
        library("optuna", extra)
        if self.method == "gp":
            library("torch", extra)
        initial_points(box, popsize, x0)

    def minimize_with(
        self, objective: Batch, box: Box, popsize: int, maxfev: int, seed: int, x0: Array | None
    ) -> None:  # fmt: skip
        """Run until the objective ends it."""
        self.check_fit(box, popsize, maxfev, x0)
        optuna, call = library("optuna"), unit_call(objective, box)
        space = {f"x{i}": optuna.distributions.FloatDistribution(0.0, 1.0) for i in range(box.dim)}
        with warnings.catch_warnings(), np.errstate(all="ignore"), global_stream(seed):
            warnings.simplefilter("ignore")
            study = _quiet_study(optuna, getattr(optuna.samplers, METHODS[self.method][0])(seed=seed))
            for point in (initial_points(box, popsize, x0) - box.lower) / box.width:
                study.enqueue_trial(dict(zip(space, np.clip(point, 0.0, 1.0).tolist(), strict=True)))
            while True:
                trial = study.ask(space)
                study.tell(trial, call(np.array([trial.params[name] for name in space])))


def _quiet_study(optuna: Any, sampler: Any) -> Any:
    """A study in memory, without the line that Optuna prints about it."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        return optuna.create_study(sampler=sampler)
    finally:
        optuna.logging.set_verbosity(before)


resolve = Optuna.of
