"""What a check tried, and the smallest failure that it would have seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from autov.invariance.transformations import size_of

CONFIDENCE = 0.95  # of the bound on a failure rate: none in N trials means a rate below 3 / N ("rule of three")
POWER = 0.9  # the chance with which a test of distributions finds the distance it states


def in_words(numbers: Sequence[int]) -> str:
    """``2, 10 and 50``."""
    words = [f"{number:,}" for number in numbers]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


@dataclass(frozen=True)
class Scope:
    """The paths of one property that were compared.

    Attributes:
        dims: numbers of variables.
        transformations: how many, all numbers of variables together.
        sizes: the smallest and the largest absolute b or a; None for matrices.
        inputs: the smallest and the largest size of the inputs (the width of the box is 0.3 to 10 times as much).
        batches: offspring per call.
        calls: of the operator on transformed inputs.
        offspring: compared.
        tolerance: a relative deviation up to this counts as rounding.
    """

    dims: tuple[int, ...]
    transformations: int
    sizes: tuple[float, float] | None
    inputs: tuple[float, float]
    batches: tuple[int, ...]
    calls: int
    offspring: int
    tolerance: float

    @property
    def failure_rate(self) -> float:
        """If no offspring failed: with 95 % confidence fewer than this share of them do."""
        return 3.0 / self.offspring

    @property
    def call_failure_rate(self) -> float:
        """The same, of calls."""
        return 3.0 / self.calls

    def general(self) -> str:
        """The trials that all properties share."""
        low, high = self.inputs
        batches = in_words(self.batches)
        return (
            f"tried with {in_words(self.dims)} variables, inputs of size {low:.1g} to {high:.1g}, {batches} offspring "
            f"a call; relative deviations up to {self.tolerance:.1g} count as rounding. Other inputs "
            "were not tried"
        )

    def special(self, symbol: str) -> str:
        """What is peculiar to a property, whose transformations have this symbol."""
        text = f"{self.transformations} transformations"
        if self.sizes is not None:
            text += f", |{symbol}| from {self.sizes[0]:.1g} to {self.sizes[1]:.1g} with both signs"
        return f"{text}, {self.offspring:,} offspring in {self.calls:,} calls"

    def bound(self) -> str:
        """The smallest failure rate that would have been seen."""
        return (
            f"with {CONFIDENCE:.0%} confidence the property fails for fewer than {self.failure_rate:.1g} of the "
            f"offspring and in fewer than {self.call_failure_rate:.1g} of the calls"
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, with the bounds."""
        rates = {"failure_rate": self.failure_rate, "call_failure_rate": self.call_failure_rate}
        return {**asdict(self), **rates, "confidence": CONFIDENCE}


@dataclass(frozen=True)
class LawScope:
    """A test of distributions: what it compared, its false alarms and its power.

    Attributes:
        dims: numbers of variables in which paths differ, and distributions were therefore compared.
        samples: size of the smallest sample.
        comparisons: number of Kolmogorov-Smirnov distances.
        false_alarm: the chance that a property which holds in distribution is refused, at most.
        detectable: the Kolmogorov-Smirnov distance along a projection that is found with a chance of 90 %; None
            if there was too little to compare.
    """

    dims: tuple[int, ...]
    samples: int
    comparisons: int
    false_alarm: float
    detectable: float | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {**asdict(self), "power": POWER}


@dataclass(frozen=True)
class RunScope:
    """The runs of an algorithm of one property that were compared.

    Attributes:
        dims: numbers of variables.
        transformations: how many, all numbers of variables together; each was one pair of runs.
        sizes: the smallest and the largest absolute b, in widths of the box, or absolute a; None for others.
        points: asked for and compared.
        tolerance: a difference of so large a share of the widest side of the box counts as rounding.
    """

    dims: tuple[int, ...]
    transformations: int
    sizes: tuple[float, float] | None
    points: int
    tolerance: float

    @classmethod
    def of(cls, dim: int, changes: Sequence[Any], width: float, runs: int, points: int, tolerance: float) -> RunScope:
        """Of the changes that were tried with one number of variables."""
        unit = width if changes[0].property == "translation" else 1.0
        sizes = [size / unit for T in changes if (size := size_of(T)) is not None]
        return cls((dim,), runs, (min(sizes), max(sizes)) if sizes else None, points, tolerance)

    @classmethod
    def joined(cls, scopes: Sequence[RunScope]) -> RunScope:
        """All together."""
        sizes = [scope.sizes for scope in scopes if scope.sizes is not None]
        between = (min(low for low, _ in sizes), max(high for _, high in sizes)) if sizes else None
        runs, points = sum(scope.transformations for scope in scopes), sum(scope.points for scope in scopes)
        return cls(tuple(dim for scope in scopes for dim in scope.dims), runs, between, points, scopes[0].tolerance)

    @property
    def failure_rate(self) -> float:
        """If no point failed: with 95 % confidence fewer than this share of them do."""
        return 3.0 / self.points

    @property
    def run_failure_rate(self) -> float:
        """The same, of runs."""
        return 3.0 / self.transformations

    def words(self, agree: bool) -> str:
        """In a sentence; with bounds on the failure rates if all agree."""
        text = f"{in_words(self.dims)} variables, {self.transformations} pairs of runs, {self.points:,} points"
        if self.sizes is not None:
            text += f", sizes from {self.sizes[0]:.1g} to {self.sizes[1]:.1g} with both signs"
        text += f", differences up to {self.tolerance:.1g} of the box count as rounding"
        if agree:
            text += (
                f"; with {CONFIDENCE:.0%} confidence the property fails for fewer than {self.failure_rate:.1g} of the "
            )
            text += f"points and in fewer than {min(1.0, self.run_failure_rate):.1g} of the runs"
        return text

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, with the bounds."""
        rates = {"failure_rate": self.failure_rate, "run_failure_rate": self.run_failure_rate}
        return {**asdict(self), **rates, "confidence": CONFIDENCE}
