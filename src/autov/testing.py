"""Assertions for the tests of people who write operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autov.core import Seed
from autov.invariance import DIMS, PAPER, Certificate, check


def assert_invariant(
    operator: Any, *properties: str, dim: int | Sequence[int] = DIMS, trials: int = 40, tol: float = 1e-9,
    n_parents: int | None = None, pathwise: bool = False, rng: Seed = None,
) -> Certificate:  # fmt: skip
    """Raise AssertionError, with a witness in its message, unless the operator has the properties.

    Args:
        operator: an operator, or any ``h(parents, lower, upper, rng) -> offspring``.
        properties: some of "translation", "scale", "rotation", "permutation"; the first three if none is named.
        dim: number of variables, or several.
        trials: random transformations per property.
        tol: the largest relative deviation of a path that counts as rounding.
        n_parents: for callables without that attribute; 3 if not given.
        pathwise: ask for equal offspring from equal random numbers; equal distributions are not enough.
        rng: seed; the default is fixed, so that a test gives the same result every time.

    Returns:
        The certificate.
    """
    __tracebackhide__ = True
    wanted = properties or PAPER
    certificate = check(operator, properties=wanted, dim=dim, trials=trials, tol=tol, n_parents=n_parents, rng=rng)
    failed = [v for v in certificate.verdicts if not v.holds or (pathwise and not v.pathwise)]
    if failed:
        reasons = [
            f"{certificate.operator} is not {v.property} invariant: {v.witness or v.evidence[0]}" for v in failed
        ]
        raise AssertionError("\n".join([*reasons, "", str(certificate)]))
    return certificate
