"""The verdict on one property of an operator: theorem, paths and distributions, in every number of variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from autov.core import generator
from autov.invariance.certificate import Level, Verdict, Witness
from autov.invariance.distribution import ALPHA, LawTest, compare_laws
from autov.invariance.pathwise import SMALL, SMALL_CALLS, Paths, small_case, try_paths
from autov.invariance.scope import LawScope, Scope
from autov.invariance.subject import Subject
from autov.invariance.theorem import Ruling, rule
from autov.invariance.transformations import PROPERTIES, Property, Transformation, random, simple

LAW_RANDOM = 2  # random transformations among those under which distributions are compared
USUAL_ROUNDING = 1e-12  # deviations between this and the tolerance are mentioned


@dataclass(frozen=True, eq=False)
class Tried:
    """Paths of one property in one number of variables."""

    subject: Subject
    known: tuple[Transformation, ...]
    paths: Paths

    def suspects(self) -> list[Transformation]:
        """The transformations under which distributions are compared: simple ones that break paths, and random ones."""
        random = [T for T in self.paths.differing if T not in self.known]
        return [T for T in self.paths.differing if T in self.known] + random[:LAW_RANDOM]

    def case(self, T: Transformation) -> Witness:
        """The path that differs under T."""
        return self.paths.cases[self.paths.differing.index(T)]


@dataclass(frozen=True, eq=False)
class Trial:
    """One property of an operator, tried with several numbers of variables."""

    subjects: tuple[Subject, ...]
    property: Property
    trials: int
    tol: float
    seed: int

    def verdict(self) -> Verdict:
        """Theorem first, then paths, then distributions."""
        ruling = rule(self.subjects[0].operator, self.property)
        if self.property == "order":
            assert ruling is not None
            return Verdict(self.property, True, "theorem", True, 0.0, None, (ruling.reason,))
        tried = [self._try(subject, proved=ruling is not None) for subject in self.subjects]
        found = Verdict(
            self.property, True, "pathwise", True, max(t.paths.deviation for t in tried), None,
            () if ruling is None else (ruling.reason,), scope=_joined([t.paths.scope for t in tried]),
        )  # fmt: skip
        differing = [t for t in tried if t.paths.differing]
        if not differing:
            return self._agreeing(found, ruling)
        count = sum(len(t.paths.differing) for t in tried)
        evidence = [*found.evidence, f"pathwise: {count} of {_all(tried)} transformations break some path"]
        evidence += _where(tried, differing) + _pattern(self.property, [T for t in tried for T in t.paths.differing])
        found = replace(found, pathwise=False, evidence=tuple(evidence))
        return self._differing(found, ruling, differing)

    def _try(self, subject: Subject, permuted: bool = False, proved: bool = False) -> Tried:
        rng = generator(self.seed, 1 + PROPERTIES.index(self.property), subject.dim, int(permuted))
        known = simple(self.property, subject.dim)
        others = list(random(self.property, subject.dim, self.trials, rng))
        few = len(SMALL) if proved else SMALL_CALLS  # the theorem decides: the paths only illustrate it
        paths = try_paths(subject, [*known, *others], self.tol, rng, permuted, few)
        return Tried(subject, tuple(known), paths)

    def _agreeing(self, found: Verdict, ruling: Ruling | None) -> Verdict:
        """The verdict where all paths agree."""
        limit = "" if ruling and ruling.holds else "; evidence, not a proof"
        evidence = [
            *found.evidence,
            f"pathwise: all agree up to {found.deviation:.2g}{limit}",
            *self._suspicious(found),
        ]
        level: Level = "pathwise" if ruling is None else "theorem"
        if ruling is not None and not ruling.holds:
            evidence.append(
                f"the tests cannot see what the theorem refuses: the weights vary by {ruling.varies:.2g} only"
            )
        holds = ruling is None or ruling.holds
        return replace(found, holds=holds, level=level, evidence=tuple(evidence))

    def _suspicious(self, found: Verdict) -> list[str]:
        if not found.deviation > USUAL_ROUNDING:
            return []
        text = f"{found.deviation:.2g} is more than rounding usually is, and less than tol = {self.tol:.1g}"
        return [f"{text}: a bias of this size is not excluded; tol={USUAL_ROUNDING:g} refuses it"]

    def _differing(self, found: Verdict, ruling: Ruling | None, differing: list[Tried]) -> Verdict:
        """The verdict where some paths differ."""
        first = differing[0]
        if ruling is not None and ruling.holds:
            if ruling.in_law:
                return replace(found, level="theorem", witness=self._witness(first, first.paths.differing[0]))
            reason = (
                f"the deviation of {found.deviation:.2g} is above tol = {self.tol:g}, but by the theorem it is rounding"
            )
            return replace(found, level="theorem", evidence=(*found.evidence, reason))
        if self.property == "permutation":
            coupled = [self._try(subject, permuted=True) for subject in self.subjects]
            if not any(t.paths.differing for t in coupled):
                return self._coupled(found, coupled, first)
        return self._by_law(found, ruling, differing)

    def _coupled(self, found: Verdict, coupled: list[Tried], first: Tried) -> Verdict:
        deviation = max(t.paths.deviation for t in coupled)
        text = (
            f"pathwise: all agree up to {deviation:.2g} if the random numbers are permuted with the variables, which "
            "does not change their distribution: the property holds in distribution; evidence, not a proof"
        )
        scope = _joined([t.paths.scope for t in coupled])
        witness = self._witness(first, first.paths.differing[0])
        evidence = (*found.evidence, text)
        return replace(found, evidence=evidence, deviation=deviation, scope=scope, witness=witness)

    def _by_law(self, found: Verdict, ruling: Ruling | None, differing: list[Tried]) -> Verdict:
        """Distributions are compared in every number of variables in which paths differ, until they differ, too."""
        tests: list[LawTest] = []
        for t in differing:
            rng = generator(self.seed, 1 + PROPERTIES.index(self.property), t.subject.dim, 2)
            suspects = t.suspects()
            tests.append(compare_laws(t.subject, [t.case(T) for T in suspects], self.tol, rng, len(differing)))
            if tests[-1].refused is not None or tests[-1].blind:
                break
        laws, place = tests[-1], differing[len(tests) - 1]
        blind = laws.blind
        refused = laws.refused is not None or blind or (ruling is not None and not ruling.holds)
        if laws.refused is None and not blind:  # the weakest of the tests that found nothing
            laws = max(tests, key=lambda test: test.detectable)
        smallest = [test.p_value for test in tests if test.p_value is not None]
        p_value = None if laws.p_value is None else min(smallest)
        breaking = laws.refused or place.suspects()[0]
        level: Level = "theorem" if ruling is not None else "pathwise" if blind else "distribution"
        dims = tuple(t.subject.dim for t in differing[: len(tests)])
        text = _law_text(replace(laws, p_value=p_value), len(place.suspects()), place.subject.dim)
        power = None if laws.error or blind else laws.detectable
        return replace(
            found, holds=not refused, level=level, p_value=p_value, witness=self._witness(place, breaking),
            evidence=(*found.evidence, text),
            law=LawScope(dims, laws.samples, laws.comparisons, ALPHA, power),
        )  # fmt: skip

    def _witness(self, tried: Tried, T: Transformation) -> Witness:
        rng = generator(self.seed, 1 + PROPERTIES.index(self.property), tried.subject.dim, 3)
        return small_case(tried.subject, T, self.tol, rng) or tried.case(T)


def _all(tried: Sequence[Tried]) -> int:
    return sum(t.paths.scope.transformations for t in tried)


def _joined(scopes: Sequence[Scope]) -> Scope:
    """What was tried in all numbers of variables together."""
    sizes = [scope.sizes for scope in scopes if scope.sizes is not None]
    return Scope(
        tuple(dim for scope in scopes for dim in scope.dims),
        sum(scope.transformations for scope in scopes),
        (min(low for low, _ in sizes), max(high for _, high in sizes)) if sizes else None,
        (min(scope.inputs[0] for scope in scopes), max(scope.inputs[1] for scope in scopes)),
        tuple(sorted({n for scope in scopes for n in scope.batches})),
        sum(scope.calls for scope in scopes),
        sum(scope.offspring for scope in scopes),
        scopes[0].tolerance,
    )


def _where(tried: list[Tried], differing: list[Tried]) -> list[str]:
    """In which numbers of variables paths differ, where it is not in all."""
    if len(differing) == len(tried):
        return []
    good = [str(t.subject.dim) for t in tried if not t.paths.differing]
    bad = [str(t.subject.dim) for t in differing]
    return [f"paths agree with {' and '.join(good)} variables and differ with {' and '.join(bad)}"]


def _pattern(property: Property, differing: list[Transformation]) -> list[str]:
    """What the transformations that break something have in common, where that has a name."""
    if property == "scale" and all(T.a < 0 for T in differing):
        return ["only negative a break a path, all positive a agree; Definition 2 asks for every real a"]
    if property == "translation" and all(np.ndim(T.b) for T in differing):
        return ["only a different b in every variable breaks a path; one b for all agrees"]
    if property == "rotation" and not any(_signed_permutation(T) for T in differing):
        return ["swaps and sign flips agree, rotations by other angles do not"]
    return []


def _signed_permutation(T: Transformation) -> bool:
    return T.M is not None and bool(np.isin(T.M, (-1.0, 0.0, 1.0)).all())


def _law_text(laws: LawTest, count: int, dim: int) -> str:
    if laws.error:
        return f"distribution: under {laws.refused.label if laws.refused else 'it'} the operator {laws.error}"
    sizes = f"{laws.samples} offspring each, {laws.comparisons} comparisons, false alarm at most {ALPHA:g}"
    if laws.refused is not None:
        return (
            f"distribution: that of the offspring differs under {laws.refused.label}, p = {laws.p_value:.2g} "
            f"({dim} variables, {sizes})"
        )
    if laws.blind:
        return (
            f"distribution: paths differ too rarely to compare distributions ({laws.samples} such calls were found), "
            "so the verdict is that of the paths"
        )
    sizes += ", calls whose paths differ only" if laws.rare else ""
    return (
        f"distribution: no difference found under {count} transformations that break paths, p = {laws.p_value:.2g} "
        f"({sizes}); evidence, not a proof: the test detects a Kolmogorov-Smirnov distance of {laws.detectable:.3f} "
        "along one of the projections with a power of 90%"
    )
