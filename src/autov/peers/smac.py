"""SMAC with random forests, for hyperparameters (`smac:hpo`).

M. Lindauer et al., SMAC3: a versatile Bayesian optimization package for hyperparameter optimization, Journal of Machine
Learning Research 23, 2022. The facade has SMAC's settings; variables are scaled to the unit box, and first points join
its first design. It gets slower with every evaluation, and takes some tenths of a second for each.
"""

from __future__ import annotations

import tempfile
import warnings
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from autov.algorithms.base import Batch
from autov.algorithms.population import initial_points
from autov.core import Array, Box, check_choice
from autov.peers.libraries import Peer, global_stream, library, release
from autov.peers.starts import unit_call

FACADES = {"hpo": "HyperparameterOptimizationFacade"}


@dataclass(frozen=True)
class Smac(Peer):
    """It has no settings but its method."""

    prefix: ClassVar[str] = "smac"
    methods: ClassVar[tuple[str, ...]] = tuple(FACADES)
    method: str
    version: str = field(default_factory=partial(release, "smac", "smac"))

    def __post_init__(self) -> None:
        check_choice(self, method=self.methods)

    def check_fit(self, box: Box, popsize: int, maxfev: int, x0: Array | None = None) -> None:
        """Say what does not fit."""
        library("smac", "smac")
        super().check_fit(box, popsize, maxfev, x0)

    def minimize_with(
        self, objective: Batch, box: Box, popsize: int, maxfev: int, seed: int, x0: Array | None
    ) -> None:  # fmt: skip
        """Run until the objective ends it."""
        self.check_fit(box, popsize, maxfev, x0)
        call = unit_call(objective, box)
        points = np.clip((initial_points(box, popsize, x0) - box.lower) / box.width, 0.0, 1.0)
        with (
            warnings.catch_warnings(), np.errstate(all="ignore"), global_stream(seed),
            tempfile.TemporaryDirectory() as folder,
        ):  # fmt: skip
            warnings.simplefilter("ignore")
            facade, names = self._facade(box.dim, maxfev, seed % 2**32, points, Path(folder)), _names(box.dim)
            value = library("smac.runhistory.dataclasses", "smac").TrialValue
            while True:
                trial = facade.ask()
                found = call(np.array([trial.config[name] for name in names]))
                facade.tell(trial, value(cost=found), save=False)

    def _facade(self, dim: int, maxfev: int, seed: int, points: Array, folder: Path) -> Any:
        """SMAC in the unit box, with first points."""
        smac, space = library("smac", "smac"), library("ConfigSpace", "smac")
        box = space.ConfigurationSpace(dict.fromkeys(_names(dim), (0.0, 1.0)), seed=seed)
        first = [space.Configuration(box, dict(zip(box, point.tolist(), strict=True))) for point in points]
        kind = getattr(smac, FACADES[self.method])
        scenario = smac.Scenario(box, deterministic=True, n_trials=maxfev, seed=seed, output_directory=folder)
        design = kind.get_initial_design(scenario, additional_configs=first)
        return kind(scenario, _never, initial_design=design, logging_level=False, overwrite=True)


def _names(dim: int) -> list[str]:
    """In the order of the variables, which ConfigSpace sorts by name."""
    return [f"x{i:0{len(str(dim))}}" for i in range(dim)]


def _never(config: Any, seed: int = 0) -> float:
    """A function for SMAC, which is asked and told instead."""
    raise NotImplementedError


resolve = Smac.of
