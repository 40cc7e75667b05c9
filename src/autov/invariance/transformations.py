"""The transformations of the search space in Definitions 1-3: simple ones first, then random ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from autov.core import Array, Generator

Property = Literal["translation", "scale", "rotation"]
PROPERTIES: tuple[Property, ...] = ("translation", "scale", "rotation")


@dataclass(frozen=True, eq=False)
class Transformation:
    """x -> a x M + b for row vectors x; only one of a, M and b differs from doing nothing.

    Attributes:
        property: the definition it belongs to.
        label: what a reader sees.
        b: Definition 1, one number or one per variable.
        a: Definition 2, not zero.
        M: Definition 3, orthogonal; None is the identity.
    """

    property: Property
    label: str
    b: float | Array = 0.0
    a: float = 1.0
    M: Array | None = None

    def __call__(self, x: Array) -> Array:
        """Rows of x, transformed."""
        if self.property == "translation":
            return x + self.b
        return x * self.a if self.M is None else x @ self.M

    def inverse(self, y: Array) -> Array:
        """Rows of y, transformed back."""
        if self.property == "translation":
            return y - self.b
        return y / self.a if self.M is None else y @ self.M.T

    def to_dict(self) -> dict[str, Any]:
        """The label and the one parameter that matters."""
        parameter: Any
        if self.property == "translation":
            parameter = {"b": np.asarray(self.b).tolist()}
        elif self.M is None:
            parameter = {"a": self.a}
        else:
            parameter = {"M": self.M.tolist()}
        return {"property": self.property, "label": self.label, **parameter}


def turn(dim: int, degrees: float, i: int, j: int) -> Array:
    """The rotation by an angle in the plane of variables i and j; exact for 90 degrees."""
    angle = np.deg2rad(degrees)
    c, s = (0.0, 1.0) if degrees == 90 else (np.cos(angle), np.sin(angle))
    M = np.eye(dim)
    M[i, i], M[i, j], M[j, i], M[j, j] = c, s, -s, c
    return M


def random_orthogonal(dim: int, rng: Generator) -> Array:
    """A matrix from the Haar measure on all orthogonal matrices, reflections included."""
    Q, R = np.linalg.qr(rng.standard_normal((dim, dim)))
    return np.ascontiguousarray(Q * np.sign(np.diag(R)))


def simple(property: Property, dim: int) -> list[Transformation]:
    """The candidates for a witness, in the order in which a reader understands them."""
    if property == "translation":
        numbers = [Transformation(property, f"b = {b:g}", b=b) for b in (1.0, -1.0, 100.0)]
        first, last = np.eye(dim)[0], np.eye(dim)[-1]
        return [
            *numbers,
            Transformation(property, "b = 1 in variable 1 only", b=first),
            Transformation(property, f"b = 1 in variable {dim} only", b=last),
        ]
    if property == "scale":
        return [Transformation(property, f"a = {a:g}", a=a) for a in (2.0, 0.5, 1000.0, -1.0, -2.0)]

    def swap(i: int, j: int) -> Array:
        order = np.arange(dim)
        order[[i, j]] = order[[j, i]]
        return np.eye(dim)[:, order]

    planes = [(0, 1)] if dim == 2 else [(0, 1), (0, dim - 1)]
    flip = np.diag([-1.0, *np.ones(dim - 1)])
    swaps = [Transformation(property, f"swap of variables {i + 1} and {j + 1}", M=swap(i, j)) for i, j in planes]
    turns = [
        Transformation(property, f"{degrees} degree turn of variables {i + 1} and {j + 1}", M=turn(dim, degrees, i, j))
        for degrees in (90, 45)
        for i, j in planes
    ]
    return [*swaps, Transformation(property, "sign of variable 1 flipped", M=flip), *turns]


def random(property: Property, dim: int, count: int, rng: Generator) -> Iterator[Transformation]:
    """Random b (one number, and one per variable), a (powers of two and not, both signs) or M (Haar, permutations)."""
    for k in range(count):
        if property == "translation":
            size = 10 ** rng.uniform(-3, 3)
            b = rng.standard_normal(dim if k % 2 else None) * size
            label = f"random b, one per variable, of size {size:.3g}" if k % 2 else f"b = {b:.6g}"
            yield Transformation(property, label, b=b if k % 2 else float(b))
        elif property == "scale":
            a = float(2.0 ** (rng.integers(1, 21) * rng.choice([-1, 1]))) if k % 2 else float(10 ** rng.uniform(-4, 4))
            a *= -1 if k % 4 >= 2 else 1
            yield Transformation(property, f"a = {a:.6g}", a=a)
        elif k % 4 == 3:
            signs = rng.choice([-1.0, 1.0], dim)
            yield Transformation(
                property, "random signed permutation", M=(np.eye(dim) * signs)[:, rng.permutation(dim)]
            )
        else:
            yield Transformation(property, "random orthogonal matrix", M=random_orthogonal(dim, rng))
