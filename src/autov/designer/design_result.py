"""What a search has found: `Design`."""

from __future__ import annotations

import datetime
import math
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from autov.algorithms.files import save_algorithm
from autov.core import Array, InputError
from autov.core.display import Displayable
from autov.designer.candidates import Candidates
from autov.designer.history_check import Validation
from autov.designer.memory import Memory
from autov.designer.space import operator_of
from autov.operators import AffineOperator
from autov.problems import Problem, ProblemFamily
from autov.stats.floor import floored
from autov.version import VERSION


@dataclass(frozen=True, eq=False, repr=False)
class Design(Displayable):
    """A finished search and its result.

    Attributes:
        algorithm: the result, for any place that takes an algorithm.
        baseline: the name of the baseline that won the final race; None if the search found the result.
        fitness: the training fitness, which has a selection bias; NaN for a baseline.
        retested: (problems, runs) best values on held-out seeds and instances, without selection bias.
        baselines: the best values (problems, runs) of each baseline and peer, on the same instances.
        rivals: the algorithms of these labels.
        history: one row a generation, columns as in HISTORY.
        population: final candidates, the best by the search's figure first.
        evaluations: all that were made; ``spent`` says for what.
        spent: evaluations of the search, the final race and the re-test.
        seconds: of all of it.
        settings: problems, dimensions, seed and all settings.
        problems: the training problems, families included.
        judged: the problems of the re-test: the same, unless it was trained on cheap models of them.
        budgets: evaluations of a run on each of them.
        provenance: all of this in short, as the files have it.
        translated: (problems, runs) best values on translated instances, for a design that was trained on a problem as
            it is; None for families.
        failed: evaluations that failed and counted as worst, by what happened.
        first_failure: the message of the first of them with a known point.
        self_check: for a design from earlier runs: how well the learned functions represent the problem.
        validation: for such a design: runs on the problem itself; None without them.
        memory: the start distribution that was tried for the result, and whether it is offered; None without one.
            Where it is, ``retested`` are runs with a memory of other problems, and ``baselines`` has those without.
        candidates: all candidates of the search, for `autov.explain`.
    """

    algorithm: Any
    baseline: str | None
    fitness: float
    retested: Array
    baselines: dict[str, Array]
    rivals: dict[str, Any]
    history: Array
    population: list[Any]
    spent: dict[str, int]
    seconds: float
    settings: dict[str, Any]
    problems: tuple[Problem, ...]
    judged: tuple[Problem, ...]
    budgets: tuple[int, ...]
    provenance: dict[str, Any]
    translated: Array | None = None
    failed: dict[str, int] = field(default_factory=dict)
    first_failure: str = ""
    self_check: str = ""
    validation: Validation | None = None
    memory: Memory | None = None
    candidates: Candidates | None = None

    def figures_of(self, place: int) -> str:
        """Whether the re-test on a problem is held out: as a problem, by its instances, or not at all."""
        if place >= len(self.judged) - self.settings.get("left_out", 0):
            return "held-out problem"
        if isinstance(self.judged[place], ProblemFamily):
            return "training problem, held-out instances"
        if self.memory is not None and self.memory.offered and len(self.memory.values):
            return "training problem, held out of the memory only"
        return "training problem, not held out: only the seeds are fresh"

    @property
    def operator(self) -> AffineOperator:
        """The operator of the result, where there is one."""
        found = operator_of(self.algorithm)
        if found is None:
            raise InputError("operator: the result has none; see algorithm")
        return found

    def save(self, path: str | PathLike[str], certificate: Any = None) -> None:
        """Write the algorithm with its provenance; read by `load_algorithm` and wherever an algorithm is named.

        Args:
            path: of the JSON file.
            certificate: of its invariances, by ``autov.check_algorithm(design.algorithm)``, to keep in the file.
        """
        told = {} if certificate is None else {"certificate": certificate.to_dict()}
        save_algorithm(self.algorithm, path, {**self.provenance, **told})

    @property
    def evaluations(self) -> int:
        """All evaluations: search, race and re-test."""
        return sum(self.spent.values())

    @cached_property
    def retested_means(self) -> dict[str, float]:
        """Mean of the re-tested best values on each training problem."""
        means = self.retested.mean(axis=1)
        return {name: float(mean) for name, mean in zip(self.settings["problems"], means, strict=True)}

    @property
    def retested_fitness(self) -> float:
        """Mean of the re-tested best values on the training problem; with several, see `retested_means`."""
        if len(self.retested) - self.settings.get("left_out", 0) > 1:
            raise InputError("retested_fitness: there are several training problems; see retested_means")
        return float(self.retested[0].mean())

    def failure_measure(self, place: int) -> str | None:
        """The baseline with the smallest median on a training problem: a run fails if it is worse than its median."""
        return self._least_median(place)

    def _least_median(self, place: int, without: Collection[str] = ()) -> str | None:
        medians = {name: float(np.median(each[place])) for name, each in self.baselines.items() if name not in without}
        return min(medians, key=lambda name: medians[name]) if medians else None

    @cached_property
    def failed_runs(self) -> Array:
        """On each training problem, the share of re-tested runs that failed.

        A run fails if it ends worse than the median run of the best baseline; values within 1e-8 of a known
        minimum are equal. NaN without baselines.
        """
        found = np.full(len(self.retested), np.nan)
        for place, (own, problem) in enumerate(zip(self.retested, self.judged, strict=True)):
            if (label := self.failure_measure(place)) is not None:
                limit = np.median(floored(self.baselines[label][place], problem.minimum))
                found[place] = (floored(own, problem.minimum) > limit).mean()
        return found

    def best_baseline(self, place: int) -> str | None:
        """The baseline with the smallest median on a training problem, without peers, which may be slow."""
        return self._least_median(place, set(self.settings["panel"]))

    def __repr__(self) -> str:
        named = list(self.retested_means.items())
        means = ", ".join(f"{name} {mean:.5g}" for name, mean in named[:3])
        means += f" and {len(named) - 3} more problems" if len(named) > 3 else ""
        return f"<Design: {self.retested.shape[1]} re-tested runs, mean {means}; {self.evaluations:.3g} evaluations>"


def provenance_of(design: Design, preset: str, instances: str) -> dict[str, Any]:
    """Where a design comes from, for files.

    Args:
        design: the finished design.
        preset: the name of its settings.
        instances: what it was trained and re-tested on, in words.
    """
    settings, means = design.settings, design.retested_means
    found = {
        "problem": ", ".join(settings["problems"]), "dim": settings["dims"][0], "seed": settings["seed"],
        "preset": preset, "space": settings["space"], "evaluations": design.evaluations,
        "fitness": None if math.isnan(design.fitness) else design.fitness, "baseline": design.baseline,
        "retested_fitness": design.retested_fitness if len(design.retested) == 1 else means,
        "translated_retest": None if design.translated is None else design.translated.mean(axis=1).tolist(),
        "failed_runs": [None if math.isnan(share) else float(share) for share in design.failed_runs],
        "retest_runs": settings["retest_runs"], "instances": instances, "settings": settings,
        "autov": VERSION, "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }  # fmt: skip
    found["figures"] = {name: design.figures_of(place) for place, name in enumerate(settings["problems"])}
    if design.memory is not None:
        found["memory"] = design.memory.line
    return found | ({"failed": design.failed, "first_failure": design.first_failure} if design.failed else {})
