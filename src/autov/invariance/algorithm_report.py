"""What a check of an algorithm found, for people and for machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.core.display import Displayable
from autov.invariance.certificate import Level
from autov.invariance.scope import POWER, RunScope

ALPHA = 1e-3  # chance of a false refusal by the test on many runs, per property


@dataclass(frozen=True)
class Trajectory:
    """Whether an algorithm does the same on a transformed problem.

    Attributes:
        property: translation, scale, rotation, permutation or order.
        holds: True if the populations agree, or agree for every a > 0 and a theorem says that they agree in
            distribution for a < 0; False if they do not agree and many runs differ in distribution; None if populations
            differ and the distributions show no significant difference: the question is open.
        level: pathwise, distribution if many runs were compared, theorem if that decides about a < 0.
        transformation: the one with the largest deviation.
        deviation: largest difference of two populations, as a share of the widest side of the box.
        diverged: first generation with a deviation above tol (0 is the first population), None if there is none.
        touches: number of variables of points asked for that lie on the border of the box, both runs together.
        first_touch: first generation with such a point.
        p_value: of the test on many runs, corrected for the number of comparisons; None if populations agree.
        runs: size of each sample of that test.
        detectable: the Kolmogorov-Smirnov distance that it finds with a chance of 90%.
        turned: whether its random draws were rotated with the problem (`Rotatable`), or permuted with the variables.
        inside: whether its first steps were made small, to stay away from the border.
        negative: whether populations differ for a < 0 only.
        member: of an algorithm made of others, one that is not certified by itself, though it may not show in these
            runs.
        dim: number of variables in which this was found.
        affine: of order, whether a f + b with a > 0 agrees, and only other increasing transformations differ.
        scope: what was compared, in all numbers of variables.
        rounding: whether runs on the plain problem part as early if their points are shaken by a few units in the last
            place: then rounding alone can be the cause, and distributions were compared with all runs shaken.
        memory: why an algorithm that starts at points that it remembers does not have the property.
    """

    property: str
    holds: bool | None
    level: Level
    transformation: str
    deviation: float
    diverged: int | None
    touches: int
    first_touch: int | None
    p_value: float | None = None
    runs: int = 0
    detectable: float | None = None
    turned: bool = False
    inside: bool = False
    negative: bool = False
    member: str = ""
    dim: int = 0
    affine: bool = False
    scope: RunScope | None = None
    rounding: bool = False
    memory: str = ""

    def note(self) -> str:
        """In words."""
        if self.memory:
            return self.memory
        if self.diverged is None:
            text = f"populations agree up to {self.deviation:.2g} of the box under every transformation"
            if self.member:
                return f"{text}, but its member {self.member}, which may run later, is not certified"
            if self.turned and self.property == "permutation":
                text += "; its draws were permuted with the variables, which keeps their distribution"
            elif self.turned and self.property == "scale":
                text += "; for a < 0 its draws were mirrored with the problem, which keeps their distribution"
            elif self.turned:
                text += (
                    "; its draws were rotated with the problem, which keeps their distribution, and its steps kept "
                    "away from the border: it is rotation invariant in distribution"
                )
            elif self.inside:
                text += "; its first points were put near the centre, away from the border"
            return text
        text = f"populations differ from generation {self.diverged} under {self.transformation}"
        if self.scope is not None and len(self.scope.dims) > 1:
            text += f" ({self.dim} variables)"
        if self.negative:
            text = f"populations agree for every a > 0; {text}"
        if self.affine:
            text = f"populations agree for a f + b with a > 0; {text}"
        if self.rounding:
            text += "; runs on the plain problem part as early if points are shaken by rounding, so it may be the cause"
        if self.level == "theorem":
            text += (
                "; by theorem (its draws have the same distribution in any order) they agree in distribution"
                if self.property == "permutation"
                else "; by theorem (its draws are symmetric in distribution) they agree in distribution for a < 0"
            )
            return f"{text}, but its member {self.member} is not certified" if self.member else text
        if self.first_touch is not None and self.first_touch <= self.diverged:
            text += f"; points lay on the border from generation {self.first_touch}, so clipping may be the cause"
        if self.holds is False:
            return f"{text}; {self.runs} runs of each differ in distribution, p = {self.p_value:.2g}"
        open_ = f"{self.runs} runs of each show no significant difference, p = {self.p_value:.2g}"
        found = f"the test detects a Kolmogorov-Smirnov distance of {self.detectable:.2f} with a power of {POWER:.0%}"
        if self.detectable is not None and self.detectable >= 1:
            found = f"so few runs that no difference at all is detected with a power of {POWER:.0%}"
        return f"{text}; {open_}; {found}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-able; a deviation that is not finite becomes None."""
        deviation = self.deviation if np.isfinite(self.deviation) else None
        scope = None if self.scope is None else self.scope.to_dict()
        return {
            **vars(self),
            "deviation": deviation,
            "scope": scope,
            "power": None if self.detectable is None else POWER,
            "false_alarm": None if self.p_value is None else ALPHA,
        }


@dataclass(frozen=True, repr=False)
class AlgorithmReport(Displayable):
    """Trajectories of an algorithm, one per property; remarks name numbers of variables that it does not work with."""

    algorithm: str
    problem: str
    popsize: int
    generations: int
    seed: int
    trajectories: tuple[Trajectory, ...]
    remarks: tuple[str, ...] = ()

    @property
    def holds(self) -> dict[str, bool | None]:
        """Verdict by property; None is open."""
        return {t.property: t.holds for t in self.trajectories}

    def __getitem__(self, property: str) -> Trajectory:
        return next(t for t in self.trajectories if t.property == property)

    @property
    def notes(self) -> tuple[str, ...]:
        """The grounds of every verdict, and the trials."""
        words = [f"{t.property}: {t.note()}" for t in self.trajectories]
        tried = [f"{t.property}, tried: {t.scope.words(t.diverged is None)}" for t in self.trajectories if t.scope]
        level = f"tests of runs: a property that holds in distribution is refused with a chance of at most {ALPHA:g}"
        compared = any(t.p_value is not None for t in self.trajectories)
        return (*words, *tried, *([level] if compared else []), *self.remarks)

    @property
    def in_short(self) -> str:
        """The verdicts in a line."""
        words = {True: "yes", False: "no", None: "open"}
        return f"invariance: {', '.join(f'{name} {words[held]}' for name, held in self.holds.items())}"

    def __repr__(self) -> str:
        return f"<AlgorithmReport of {self.algorithm}, {self.in_short}>"

    @property
    def title(self) -> str:
        """Algorithm, problem and sizes."""
        size = f"population {self.popsize}, {self.generations} generations, seed {self.seed}"
        return f"Trajectories of {self.algorithm} on {self.problem}, {size}"

    def __str__(self) -> str:
        lines = [self.title]
        lines.append(f"  {'property':<12} {'holds':<6} {'level':<13} {'deviation':<10} touches")
        for t in self.trajectories:
            holds = {True: "yes", False: "no", None: "open"}[t.holds]
            lines.append(f"  {t.property:<12} {holds:<6} {t.level:<13} {t.deviation:<10.2g} {t.touches}")
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {**vars(self), "holds": self.holds, "trajectories": [t.to_dict() for t in self.trajectories]}
