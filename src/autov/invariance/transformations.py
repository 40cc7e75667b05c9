"""The transformations of the search space in Definitions 1-3, and permutations: simple ones first, then random ones.

Random ones go through all sizes between fixed limits evenly, decade by decade.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from autov.core import Array, Generator

Property = Literal["translation", "scale", "rotation", "permutation", "order"]
PAPER: tuple[Property, ...] = ("translation", "scale", "rotation")  # Definitions 1-3
PROPERTIES: tuple[Property, ...] = (*PAPER, "permutation", "order")
B_DECADES = (-6.0, 6.0)  # sizes of random b, as powers of ten
A_DECADES = (-12.0, 12.0)  # of random a
A_POWERS = 40  # random powers of two are at most 2^40 and at least 2^-40
GOLDEN = 0.6180339887498949  # its multiples, modulo one, are spread evenly however many there are


@dataclass(frozen=True, eq=False)
class Transformation:
    """x -> a x M + b for row vectors x; only one of a, M and b differs from doing nothing.

    Attributes:
        property: the definition it belongs to.
        label: what a reader sees.
        b: Definition 1, one number or one per variable.
        a: Definition 2, not zero.
        M: Definition 3, orthogonal; None is the identity. A permutation is one, too.
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


def order_of(T: Transformation) -> np.ndarray:
    """Of a permutation: variable j of the image is variable ``order[j]`` of the plain point."""
    assert T.M is not None
    return np.argmax(T.M, axis=0)


def size_of(T: Any) -> float | None:
    """|b|, the largest over the variables, or |a|; None where there is none."""
    if T.property == "translation":
        return float(np.abs(T.b).max())
    return abs(T.a) if T.property == "scale" else None


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
    if property == "order":
        return []

    def swap(i: int, j: int) -> Array:
        order = np.arange(dim)
        order[[i, j]] = order[[j, i]]
        return np.eye(dim)[:, order]

    planes = [(0, 1)] if dim == 2 else [(0, 1), (0, dim - 1)]
    swaps = [Transformation(property, f"swap of variables {i + 1} and {j + 1}", M=swap(i, j)) for i, j in planes]
    if property == "permutation":
        return [*swaps, Transformation(property, "variables in reverse order", M=np.eye(dim)[:, ::-1])]
    flip = np.diag([-1.0, *np.ones(dim - 1)])
    turns = [
        Transformation(
            property, f"{degrees} degree rotation of variables {i + 1} and {j + 1}", M=turn(dim, degrees, i, j)
        )
        for degrees in (90, 45)
        for i, j in planes
    ]
    return [*swaps, Transformation(property, "sign of variable 1 flipped", M=flip), *turns]


def random(property: Property, dim: int, count: int, rng: Generator) -> Iterator[Transformation]:
    """Random b (one number, and one per variable), a (powers of two and not), both signs, or M (Haar, permutations)."""
    start = rng.random()
    for k in range(count):
        place = (start + k * GOLDEN) % 1.0
        if property == "translation":
            size = _power_of_ten(B_DECADES, place)
            if k % 2:
                b = rng.standard_normal(dim)
                b *= size / np.abs(b).max()
                yield Transformation(property, f"random b, one per variable, of size {size:.3g}", b=b)
            else:
                b = float(size * rng.choice([-1, 1]))
                yield Transformation(property, f"b = {b:.6g}", b=b)
        elif property == "scale":
            power = max(1, math.ceil(abs(2 * place - 1) * A_POWERS)) * (-1 if place < 0.5 else 1)
            a = 2.0**power if k % 2 else _power_of_ten(A_DECADES, place)
            a *= -1 if k % 4 >= 2 else 1
            yield Transformation(property, f"a = {a:.6g}", a=a)
        elif property == "permutation":
            yield Transformation(property, "random permutation", M=np.eye(dim)[:, rng.permutation(dim)])
        elif k % 4 == 3:
            signs = rng.choice([-1.0, 1.0], dim)
            M = (np.eye(dim) * signs)[:, rng.permutation(dim)]
            yield Transformation(property, "random signed permutation", M=M)
        else:
            yield Transformation(property, "random orthogonal matrix", M=random_orthogonal(dim, rng))


def _power_of_ten(decades: tuple[float, float], place: float) -> float:
    return float(10 ** (decades[0] + (decades[1] - decades[0]) * place))
