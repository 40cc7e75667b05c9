"""What earlier runs on problems of one kind teach about the next one: sources as a start distribution.

How a run uses it, `autov.algorithms.start_distribution` says.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from autov.algorithms.start_distribution import StartDistribution
from autov.core import Array, Box, FileError, Generator, to_json
from autov.core.atomic_files import check_depth
from autov.runs.budget import BudgetedObjective, Evaluations
from autov.runs.sources import Source

RIDGE = 0.1  # of the regression on contexts, for standardized numbers


@dataclass(frozen=True, eq=False)
class Experience(StartDistribution):
    """What was learnt; it is kept with a run, so that the run can go on when its sources have grown.

    Attributes:
        labels: of the sources.
    """

    labels: tuple[str, ...]

    def begin(
        self, spent: BudgetedObjective, popsize: int, rng: Generator
    ) -> tuple[Evaluations, Array | None]:  # fmt: skip
        """Try points. What is known then, and first points for the algorithm; None for a cold start."""
        trial = self.trial(spent.box, spent.maxfev, rng)
        x = spent.affordable(trial.x)
        f = spent.take(x)
        first = self.first_points(trial, f, spent.box, rng)
        return Evaluations(x, f), None if first is None else first[: max(1, popsize // 2)]

    def free(self, which: np.ndarray) -> Experience:
        """Of the variables that are not fixed."""
        predicted = self.predicted[which] if self.predicted.size else self.predicted
        return Experience(self.optima[:, which], self.weights, self.spread[which], predicted, self.labels)

    def joined(self, memory: StartDistribution) -> Experience:
        """With the memory of an algorithm, whose points count as sources without a context; not of other variables."""
        if memory.optima.shape[1] != self.optima.shape[1]:
            return self
        n, m = len(self.optima), len(memory.optima)
        return replace(
            self, optima=np.concatenate([self.optima, memory.optima]),
            weights=np.append(self.weights, np.full(m, self.weights.min())),
            spread=(n * self.spread + m * memory.spread) / (n + m),
        )  # fmt: skip

    def sentence(self, used: bool) -> str:
        """What to tell people."""
        count = f"{len(self.labels)} earlier {'run' if len(self.labels) == 1 else 'runs'}"
        return f"It started where {count} found good points." if used else f"Points of {count} were of no use."

    def to_bytes(self) -> bytes:
        """As it is kept in a store."""
        arrays = {name: getattr(self, name).tolist() for name in ("optima", "weights", "spread", "predicted")}
        return to_json({"labels": list(self.labels), **arrays}).encode()

    @classmethod
    def from_bytes(cls, data: bytes, dim: int) -> Experience | None:
        """What `to_bytes` made, checked: a store may come from anywhere; None for none."""
        if not data:
            return None
        try:
            told = json.loads(data)
            check_depth(told)
            names = ("optima", "weights", "spread", "predicted")
            optima, weights, spread, predicted = (np.array(told[name], dtype=np.float64) for name in names)
            labels = tuple(str(label) for label in told["labels"])
            n = len(labels)
            fits = optima.shape == (n, dim) and weights.shape == (n,) and spread.shape == (dim,) and n > 0
            if not fits or predicted.shape not in ((0,), (dim,)):
                raise ValueError("shapes do not fit")
            for part in (optima, weights, spread, predicted):
                if not ((part >= 0) & (part <= 1)).all():
                    raise ValueError("numbers are not between 0 and 1")
            return cls(optima, weights, spread, predicted, labels)
        except (KeyError, TypeError, ValueError, RecursionError, OverflowError) as error:
            raise FileError(f"learn_from: the experience in the store cannot be read: {str(error)[:200]}") from None


def learn(sources: Sequence[Source], box: Box, context: Array | None = None) -> Experience | None:
    """What sources teach; None if there are none.

    Args:
        sources: of this box.
        box: where to search.
        context: numbers that describe the instance; sources without some of them count as far away.
    """
    if not sources:
        return None
    width = np.where(box.width > 0, box.width, 1.0)
    optima = np.array([np.clip((source.x[0] - box.lower) / width, 0, 1) for source in sources])
    spread = np.mean([(source.x / width).std(axis=0) for source in sources], axis=0)
    weights, predicted = np.ones(len(sources)), np.empty(0)
    if context is not None:
        weights, predicted = from_context(sources, optima, context)
    labels = tuple(source.label for source in sources)
    return Experience(optima, weights, np.clip(spread, 0, 1), predicted, labels)


def from_context(sources: Sequence[Source], optima: Array, context: Array) -> tuple[Array, Array]:
    """Weights of the sources by similarity of their contexts, and the optimum that ridge regression predicts."""
    has = np.array([source.context.shape == context.shape for source in sources])
    weights = np.full(len(sources), 0.1)
    if not has.any():
        return weights, np.empty(0)
    known = np.array([source.context for source, there in zip(sources, has, strict=True) if there])
    scale = known.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    a, now = (known - known.mean(axis=0)) / scale, (context - known.mean(axis=0)) / scale
    distance = np.sqrt(((a - now) ** 2).sum(axis=1))
    typical = float(np.median(distance)) or 1.0
    weights[has] = np.maximum(np.exp(-0.5 * (distance / typical) ** 2), 0.1)
    if len(known) < 3:
        return weights, np.empty(0)
    mean = optima[has].mean(axis=0)
    gram = a.T @ a + RIDGE * len(known) * np.eye(a.shape[1])
    predicted = mean + now @ np.linalg.solve(gram, a.T @ (optima[has] - mean))
    return weights, np.clip(predicted, 0, 1)
