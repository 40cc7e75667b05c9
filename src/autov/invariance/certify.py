"""check: an operator in, a certificate out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autov.core import InputError, Seed, generator, seed_of
from autov.invariance.certificate import Certificate, Verdict, Witness
from autov.invariance.pathwise import repeats_itself
from autov.invariance.subject import Broken, Subject
from autov.invariance.theorem import condition
from autov.invariance.transformations import PROPERTIES, Property
from autov.invariance.verdicts import Trial
from autov.operators import resolve_operator

MUTATES = "warning: the operator changes its inputs; it was given copies here, but callers may not do that"
DIMS = (2, 10, 50)  # numbers of variables that are tried by default


def check(
    operator: Any,
    *,
    properties: Sequence[str] = PROPERTIES,
    dim: int | Sequence[int] = DIMS,
    trials: int = 40,
    tol: float = 1e-9,
    n_parents: int | None = None,
    rng: Seed = None,
) -> Certificate:
    """Test the invariances of an operator: translation, scale, rotation, order of the variables, order of f.

    A property holds by theorem (affine operators; path by path, or in distribution), or because all paths tried agree,
    or because the distributions of the offspring show no significant difference. Only the first is a proof. A property
    that does not hold comes with a witness. The certificate states the trials, and the smallest failure that they
    detect.

    Args:
        operator: an AffineOperator, its name or file, a classic operator or its name, or any
            ``h(parents, lower, upper, rng) -> offspring``, which may take the keywords best and mean, too.
        properties: some of translation, scale, rotation, permutation, order.
        dim: number of variables, or several to try, each at least 2.
        trials: random transformations per property and number of variables, apart from the simple ones that are always
            tried.
        tol: the largest relative deviation of a path that counts as rounding.
        n_parents: for callables without that attribute; 3 if not given.
        rng: seed; None is 0, so that a certificate does not change from call to call.

    Returns:
        A `Certificate`; ``print`` shows all of it, ``holds`` is a dictionary of property -> True or False, and
        ``certificate["scale"].witness`` has the arrays of a counterexample.

    Examples:
        >>> import autov
        >>> autov.check("paper-h3").holds
        {'translation': True, 'scale': True, 'rotation': False, 'permutation': True, 'order': True}
        >>> def halfway(parents, lower, upper, rng):
        ...     return (parents[0] + parents[1]) / 2
        >>> autov.check(halfway, n_parents=2)["rotation"].holds
        True
    """
    wanted, dims = wanted_properties(properties), wanted_dims(dim)
    if not isinstance(trials, (int, np.integer)) or trials < 1:
        raise InputError(f"trials: must be an integer, at least 1, got {trials!r}")
    if not isinstance(tol, (int, float)) or not 0 < tol < 1:
        raise InputError(f"tol: must be between 0 and 1, got {tol!r}")
    seed = 0 if rng is None else seed_of(rng)
    resolved = resolve_operator(operator)
    subjects, remarks = _working([Subject.of(resolved, n_parents, d) for d in dims], seed)
    first = subjects[0]
    reads_bounds = first.uses_bounds(generator(seed))
    try:
        verdicts, reproducible = _verdicts(subjects, wanted, trials, tol, seed)
    except Broken as error:  # on plain inputs, that is: under a transformation it is a verdict
        raise InputError(f"operator: {first.name} sometimes {error}") from error.__cause__
    if reads_bounds:
        verdicts = [replace(v, condition=condition(first.operator, v.property)) if v.holds else v for v in verdicts]
    if any(subject.mutates for subject in subjects):
        remarks.append(MUTATES)
    worked = tuple(subject.dim for subject in subjects)
    return Certificate(first.name, worked, seed, tuple(verdicts), tuple(remarks), reproducible)


def wanted_dims(dim: int | Sequence[int]) -> list[int]:
    """Numbers of variables, from the smallest to the largest; raises InputError."""
    given = list(dim) if isinstance(dim, Sequence) else [dim]
    if not given or not all(isinstance(d, (int, np.integer)) and d >= 2 for d in given):
        raise InputError(
            f"dim: must be an integer, at least 2 (one variable has nothing to rotate), or several, got {dim!r}"
        )
    return sorted({int(d) for d in given})


def _working(subjects: list[Subject], seed: int) -> tuple[list[Subject], list[str]]:
    """Those numbers of variables that the operator works with at all, and remarks on the others; raises InputError."""
    working: list[Subject] = []
    failures: list[tuple[int, InputError]] = []
    for subject in subjects:
        try:
            subject.first_call(generator(seed, subject.dim))
            working.append(subject)
        except InputError as error:
            failures.append((subject.dim, error))
    if not working:
        raise failures[0][1]
    return working, [f"warning: not certified for {dim} variables, {error}" for dim, error in failures]


def _verdicts(
    subjects: list[Subject], wanted: list[Property], trials: int, tol: float, seed: int
) -> tuple[list[Verdict], bool]:
    source = generator(seed, 0)
    begun = []
    for subject in subjects:
        inputs, call = subject.inputs(8, source), int(source.integers(2**31))
        begun.append((subject, inputs, call, subject(inputs, np.random.default_rng(call))))
    twice = next((w for calls in begun if (w := repeats_itself(*calls)) is not None), None)
    if twice is None:
        verdicts = [Trial(tuple(subjects), p, trials, tol, seed).verdict() for p in wanted]
        # A state that moves slowly shows after many calls only.
        twice = next((w for calls in begun if (w := repeats_itself(*calls)) is not None), None)
        if twice is None:
            return verdicts, True
    return [_refused(p, twice) for p in wanted], False


def wanted_properties(properties: Sequence[str]) -> list[Property]:
    """Properties in their usual order; raises InputError."""
    given = [properties] if isinstance(properties, str) else list(properties or ())
    unknown = [name for name in given if name not in PROPERTIES]
    if unknown or not given:
        raise InputError(
            f"properties: must be some of {', '.join(PROPERTIES)}, got {', '.join(map(str, unknown)) or 'none'}"
        )
    return [name for name in PROPERTIES if name in given]


def _refused(property: Property, twice: Witness) -> Verdict:
    text = "the same inputs and random numbers gave different offspring, so no definition applies"
    evidence = (f"{text}: take all randomness from rng, keep no state",)
    return Verdict(property, False, "none", False, float("nan"), None, evidence, twice)
