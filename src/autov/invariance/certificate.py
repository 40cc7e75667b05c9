"""What a check found, for people and for machines."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from autov.core import Array
from autov.core.display import Displayable
from autov.invariance.scope import LawScope, Scope, in_words
from autov.invariance.transformations import Transformation

WIDTH = 110  # characters of a line

Level = Literal["theorem", "pathwise", "distribution", "none"]


@dataclass(frozen=True, eq=False)
class Witness:
    """One case in which an operator does not do what the definition asks for.

    ``operator(parents, lower, upper, np.random.default_rng(seed), **points)`` gives the offspring h(x); the same call
    with everything transformed gives ``found``, where the transformed h(x), ``expected``, should be.

    Attributes:
        transformation: None if the same call, repeated, gave something else.
        parents: (n_parents, n, d).
        lower: as passed.
        upper: as passed.
        points: best, mean and difference, if the operator takes them. An AffineOperator with the input spread also gets
            ``spread=parents.std(axis=(0, 1))``, of the parents of that call.
        seed: of ``numpy.random.default_rng``.
        offspring: h(x), shape (n, d).
        expected: the transformation of it.
        found: h of the transformed inputs; None if the operator broke on them.
        error: how it broke.
    """

    transformation: Transformation | None
    parents: Array
    lower: Array
    upper: Array
    points: dict[str, Array]
    seed: int
    offspring: Array
    expected: Array
    found: Array | None
    error: str = ""

    def __str__(self) -> str:
        label = self.transformation.label if self.transformation else "the same call twice"
        if self.found is None:
            return f"{label}: the operator {self.error}"
        row, variable = np.unravel_index(np.argmax(np.abs(self.found - self.expected)), self.found.shape)
        x = ", ".join(f"{value:.6g}" for value in self.parents[:, row, variable])
        want, got = told_apart(self.expected[row, variable], self.found[row, variable])
        h = f"h = {self.offspring[row, variable]:.6g} for parents ({x})"
        return f"{label}: variable {variable + 1}, {h}, expected {want} but found {got}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, complete."""
        return {
            "transformation": None if self.transformation is None else self.transformation.to_dict(),
            "parents": self.parents.tolist(),
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
            "points": {name: point.tolist() for name, point in self.points.items()},
            "seed": self.seed,
            "offspring": self.offspring.tolist(),
            "expected": self.expected.tolist(),
            "found": None if self.found is None else self.found.tolist(),
            "error": self.error,
        }


def told_apart(one: float, other: float) -> tuple[str, str]:
    """Both with six digits, or with as many as show where they differ, and one more."""
    digits = next((n for n in range(6, 18) if f"{one:.{n}g}" != f"{other:.{n}g}"), 6)
    digits = min(digits + (digits > 6), 17)
    return f"{one:.{digits}g}", f"{other:.{digits}g}"


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether one property holds, and why.

    Attributes:
        property: translation, scale, rotation, permutation or order.
        holds: the verdict.
        level: the strongest ground for it: theorem, pathwise, distribution; none if nothing could be certified.
        pathwise: whether every path matched (Definitions 1-3 with the same random numbers). A permutation may hold path
            by path with permuted random numbers only, and so in distribution.
        deviation: the largest relative deviation of a path.
        p_value: of the two-sample test, corrected for the number of comparisons; None if paths made it needless.
        evidence: what was tried and what it can and cannot show.
        witness: of a property that does not hold, or, with holds, of a path that does not match.
        condition: how a property that holds is to be understood where the operator reads the bounds of the box.
        scope: the paths that were compared, and the smallest failure rate that would have been seen; None for order,
            where there is nothing to try, and where nothing could be certified.
        law: the test of distributions with its false alarms and its power; None if paths made it needless.
    """

    property: str
    holds: bool
    level: Level
    pathwise: bool
    deviation: float
    p_value: float | None
    evidence: tuple[str, ...]
    witness: Witness | None = None
    condition: str = ""
    scope: Scope | None = None
    law: LawScope | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-able; a deviation that is not finite becomes None."""
        return {
            "property": self.property,
            "holds": self.holds,
            "level": self.level,
            "pathwise": self.pathwise,
            "deviation": self.deviation if np.isfinite(self.deviation) else None,
            "p_value": self.p_value,
            "evidence": list(self.evidence),
            "witness": None if self.witness is None else self.witness.to_dict(),
            "condition": self.condition,
            "scope": None if self.scope is None else self.scope.to_dict(),
            "law": None if self.law is None else self.law.to_dict(),
        }

    def tried(self) -> str:
        """What was tried, in words; with a bound on the failure rate if nothing failed."""
        if self.scope is None:
            return ""
        text = f"tried: {self.scope.special({'translation': 'b', 'scale': 'a'}.get(self.property, 'M'))}"
        return f"{text}; {self.scope.bound()}" if self.agree() else text

    def agree(self) -> bool:
        """Whether all paths agree, of permutations perhaps with permuted random numbers only."""
        return self.pathwise or (self.holds and self.level == "pathwise")


@dataclass(frozen=True, eq=False, repr=False)
class Certificate(Displayable):
    """Verdicts on an operator.

    Attributes:
        operator: its name.
        dims: numbers of variables it was tried with.
        seed: of the whole check: the same seed gives the same certificate.
        verdicts: one per property.
        remarks: other things seen: inputs changed by a call, results that cannot be repeated.
        reproducible: whether the same inputs and random numbers gave the same offspring.
    """

    operator: str
    dims: tuple[int, ...]
    seed: int
    verdicts: tuple[Verdict, ...]
    remarks: tuple[str, ...] = ()
    reproducible: bool = True

    @property
    def tried(self) -> str:
        """The trials that all properties share; empty without trials."""
        scopes = [verdict.scope for verdict in self.verdicts if verdict.scope is not None]
        if not scopes:
            return ""
        low, high = min(scope.inputs[0] for scope in scopes), max(scope.inputs[1] for scope in scopes)
        return replace(scopes[0], inputs=(low, high)).general()

    @property
    def title(self) -> str:
        """Operator, numbers of variables, seed."""
        return f"Invariance of {self.operator}, {in_words(self.dims)} variables, seed {self.seed}"

    @property
    def holds(self) -> dict[str, bool]:
        """Verdict by property."""
        return {verdict.property: verdict.holds for verdict in self.verdicts}

    def __getitem__(self, property: str) -> Verdict:
        return next(verdict for verdict in self.verdicts if verdict.property == property)

    def __repr__(self) -> str:
        holds = ", ".join(f"{name} {'yes' if held else 'no'}" for name, held in self.holds.items())
        return f"<Certificate of {self.operator}: {holds}>"

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = WIDTH) -> str:
        """The text of the command, in lines of at most this many characters (its table may have 62)."""
        lines = [textwrap.fill(self.title, width, subsequent_indent="  ")]
        long = max(len(v.level) for v in self.verdicts)
        lines.append(f"  {'property':<11}  {'holds':<5}  {'level':<{long}}  {'paths':<6}  {'deviation':<9}  p-value")
        for v in self.verdicts:
            p = "-" if v.p_value is None else f"{v.p_value:.2g}"
            paths = "agree" if v.pathwise else "differ"
            holds = "yes" if v.holds else "no"
            lines.append(f"  {v.property:<11}  {holds:<5}  {v.level:<{long}}  {paths:<6}  {v.deviation:<9.2g}  {p}")
        for v in self.verdicts:
            notes = [*([f"holds {v.condition}"] if v.condition else []), *v.evidence]
            notes += [v.tried()] if v.scope else []
            if v.witness is not None:
                notes.append(f"{'witness' if not v.holds else 'a path that differs'}: {v.witness}")
            lines.append(f"  {v.property}:")
            lines += [_indented(note, width) for note in notes]
        lines += [_indented(note, width, "  ") for note in self.notes]
        return "\n".join(lines)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about all properties: the trials, and further observations."""
        return (*([self.tried] if self.tried else []), *self.remarks)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "operator": self.operator,
            "dims": list(self.dims),
            "seed": self.seed,
            "reproducible": self.reproducible,
            "holds": self.holds,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "remarks": list(self.remarks),
        }


def _indented(text: str, width: int, indent: str = "    ") -> str:
    return textwrap.fill(text, width, initial_indent=f"{indent}- ", subsequent_indent=f"{indent}  ")
