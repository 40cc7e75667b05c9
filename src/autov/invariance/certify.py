"""check: an operator in, a certificate out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autov.core import Generator, InputError, Seed, generator, seed_of
from autov.invariance.certificate import Certificate, Level, Verdict, Witness
from autov.invariance.distribution import ALPHA, LawTest, compare_laws
from autov.invariance.pathwise import Paths, repeats_itself, small_case, try_paths
from autov.invariance.subject import Broken, Subject
from autov.invariance.theorem import condition, rule
from autov.invariance.transformations import PROPERTIES, Property, Transformation, random, simple
from autov.operators import resolve_operator

MUTATES = "warning: the operator changes its inputs; it was given copies here, but callers may not do that"
LAW_RANDOM = 2  # random transformations among those whose laws are compared


def check(
    operator: Any,
    *,
    properties: Sequence[str] = PROPERTIES,
    dim: int = 10,
    trials: int = 40,
    tol: float = 1e-9,
    n_parents: int | None = None,
    rng: Seed = None,
) -> Certificate:
    """Find out whether an operator is translation, scale and rotation invariant.

    A property holds by theorem (affine operators; path by path, or in law), or because all paths tried agree, or
    because the law of the offspring could not be told apart. Only the first is a proof. A property that does not hold
    comes with a witness.

    Args:
        operator: an AffineOperator, its name or file, a classic operator or its name, or any
            ``h(parents, lower, upper, rng) -> offspring``, which may take the keywords best and mean, too.
        properties: some of translation, scale, rotation.
        dim: number of variables, at least 2.
        trials: random transformations per property, apart from the simple ones that are always tried.
        tol: the largest relative deviation of a path that counts as rounding.
        n_parents: for callables without that attribute; 3 if not given.
        rng: seed; None is 0, so that a certificate does not change from call to call.

    Returns:
        A `Certificate`; ``print`` shows all of it, ``holds`` is a dictionary of property -> True or False, and
        ``certificate["scale"].witness`` has the arrays of a counterexample.

    Examples:
        >>> import autov
        >>> autov.check("paper-h3").holds
        {'translation': True, 'scale': True, 'rotation': False}
        >>> def halfway(parents, lower, upper, rng):
        ...     return (parents[0] + parents[1]) / 2
        >>> autov.check(halfway, n_parents=2)["rotation"].holds
        True
    """
    wanted = _properties(properties)
    if not isinstance(dim, (int, np.integer)) or dim < 2:
        raise InputError(f"dim: must be an integer, at least 2 (one variable has nothing to rotate), got {dim!r}")
    if not isinstance(trials, (int, np.integer)) or trials < 1:
        raise InputError(f"trials: must be an integer, at least 1, got {trials!r}")
    if not isinstance(tol, (int, float)) or not 0 < tol < 1:
        raise InputError(f"tol: must be between 0 and 1, got {tol!r}")
    seed = 0 if rng is None else seed_of(rng)
    subject = Subject.of(resolve_operator(operator), n_parents, int(dim))
    source = generator(seed)
    subject.first_call(source)
    reads_bounds = subject.uses_bounds(source)
    try:
        verdicts, reproducible = _verdicts(subject, wanted, trials, tol, seed)
    except Broken as error:  # on plain inputs, that is: under a transformation it is a verdict
        raise InputError(f"operator: {subject.name} sometimes {error}") from error.__cause__
    if reads_bounds:
        verdicts = [replace(v, condition=condition(subject.operator, v.property)) if v.holds else v for v in verdicts]
    remarks = (MUTATES,) if subject.mutates else ()
    return Certificate(subject.name, int(dim), seed, tuple(verdicts), remarks, reproducible)


def _verdicts(
    subject: Subject, wanted: list[Property], trials: int, tol: float, seed: int
) -> tuple[list[Verdict], bool]:
    source = generator(seed, 0)
    inputs, call = subject.inputs(8, source), int(source.integers(2**31))
    first = subject(inputs, np.random.default_rng(call))
    twice = repeats_itself(subject, inputs, call, first)
    if twice is None:
        verdicts = [_verdict(subject, p, trials, tol, generator(seed, 1 + PROPERTIES.index(p))) for p in wanted]
        twice = repeats_itself(subject, inputs, call, first)  # a state that moves slowly shows after many calls only
        if twice is None:
            return verdicts, True
    return [_refused(p, twice) for p in wanted], False


def _properties(properties: Sequence[str]) -> list[Property]:
    given = [properties] if isinstance(properties, str) else list(properties or ())
    unknown = [name for name in given if name not in PROPERTIES]
    if unknown or not given:
        raise InputError(
            f"properties: must be some of {', '.join(PROPERTIES)}, got {', '.join(map(str, unknown)) or 'none'}"
        )
    return [name for name in PROPERTIES if name in given]


def _refused(property: Property, twice: Witness) -> Verdict:
    text = "the same inputs and random numbers gave different offspring, so no definition applies"
    return Verdict(
        property,
        False,
        "none",
        False,
        float("nan"),
        None,
        (f"{text}: take all randomness from rng, keep no state",),
        twice,
    )


def _verdict(subject: Subject, property: Property, trials: int, tol: float, rng: Generator) -> Verdict:
    ruling = rule(subject.operator, property)
    known = simple(property, subject.dim)
    others = list(random(property, subject.dim, trials, rng))
    paths = try_paths(subject, [*known, *others], tol, rng)
    evidence = [] if ruling is None else [ruling.reason]
    agree = not paths.differing
    tried = f"{len(known)} simple and {trials} random transformations, {paths.compared} offspring"
    if agree:
        missed = f"a branch taken by fewer than {3 / paths.compared:.1g} of the offspring may be missed"
        limit = "" if ruling and ruling.holds else f"; evidence, not a proof: {missed}"
        evidence.append(f"pathwise: all agree up to {paths.deviation:.2g} ({tried}){limit}")
        if ruling is None or ruling.holds:
            level: Level = "pathwise" if ruling is None else "theorem"
            return Verdict(property, True, level, True, paths.deviation, None, tuple(evidence))
        evidence.append(f"the tests cannot see what the theorem refuses: the weights vary by {ruling.varies:.2g} only")
        return Verdict(property, False, "theorem", True, paths.deviation, None, tuple(evidence))
    evidence.append(
        f"pathwise: {len(paths.differing)} of {len(known) + trials} transformations break some path ({tried})"
    )
    evidence += _pattern(property, paths)
    if ruling is not None and ruling.holds and ruling.in_law:
        shown = small_case(subject, paths.differing[0], tol, rng) or paths.cases[0]
        return Verdict(property, True, "theorem", False, paths.deviation, None, tuple(evidence), shown)
    if ruling is not None and ruling.holds:
        evidence.append(
            f"the deviation of {paths.deviation:.2g} is above tol = {tol:g}, but by the theorem it is rounding"
        )
        return Verdict(property, True, "theorem", False, paths.deviation, None, tuple(evidence))
    suspects = [T for T in paths.differing if T in known] + [T for T in paths.differing if T in others][:LAW_RANDOM]
    laws = compare_laws(subject, [paths.cases[paths.differing.index(T)] for T in suspects], tol, rng)
    evidence.append(_law_text(laws, len(suspects)))
    blind = laws.refused is None and laws.detectable >= 1
    refused = laws.refused is not None or blind or (ruling is not None and not ruling.holds)
    level = "theorem" if ruling is not None else "pathwise" if blind else "distribution"
    breaking = laws.refused or suspects[0]
    shown = small_case(subject, breaking, tol, rng) or paths.cases[paths.differing.index(breaking)]
    return Verdict(property, not refused, level, False, paths.deviation, laws.p_value, tuple(evidence), shown)


def _pattern(property: Property, paths: Paths) -> list[str]:
    """What the transformations that break something have in common, where that has a name."""
    if property == "scale" and all(T.a < 0 for T in paths.differing):
        return ["only negative a break a path, all positive a agree; Definition 2 asks for every real a"]
    if property == "translation" and all(np.ndim(T.b) for T in paths.differing):
        return ["only a different b in every variable breaks a path; one b for all agrees"]
    if property == "rotation" and not any(_signed_permutation(T) for T in paths.differing):
        return ["swaps and sign flips agree, turns by other angles do not"]
    return []


def _signed_permutation(T: Transformation) -> bool:
    return T.M is not None and bool(np.isin(T.M, (-1.0, 0.0, 1.0)).all())


def _law_text(laws: LawTest, count: int) -> str:
    if laws.error:
        return f"distribution: under {laws.refused.label if laws.refused else 'it'} the operator {laws.error}"
    sizes = f"{laws.samples} offspring each, {laws.comparisons} comparisons, false alarm at most {ALPHA:g}"
    if laws.refused is not None:
        return (
            f"distribution: the law of offspring differs under {laws.refused.label}, p = {laws.p_value:.2g} ({sizes})"
        )
    if laws.detectable >= 1:
        return (
            f"distribution: paths differ too rarely to compare laws ({laws.samples} such calls were found), "
            "so the verdict is that of the paths"
        )
    sizes += ", calls whose paths differ only" if laws.rare else ""
    return (
        f"distribution: no difference found under {count} transformations that break paths, p = {laws.p_value:.2g} "
        f"({sizes}); evidence, not a proof: a Kolmogorov-Smirnov distance of {laws.detectable:.3f} along one of the "
        "projections would have been found with a chance of 90%, a smaller one may be there"
    )
