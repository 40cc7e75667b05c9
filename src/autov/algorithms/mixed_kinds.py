"""Which variables of a box are numbers, integers and categories, and their coordinates in the unit box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autov.core import Array, Box


@dataclass(frozen=True, eq=False)
class Kinds:
    """Which variables are what."""

    box: Box
    ordered: np.ndarray  # (d,) bool
    unordered: np.ndarray
    sizes: np.ndarray  # categories of the unordered ones
    counts: np.ndarray  # of the ordered ones: how many integers, 0 for numbers

    @classmethod
    def of(cls, box: Box, categories: tuple[int, ...], integers: tuple[bool, ...]) -> Kinds:
        """From the settings."""
        unordered = np.array(categories) > 0
        whole = np.where(np.array(integers), np.rint(box.width), 0.0)
        return cls(box, ~unordered, unordered, np.array(categories, np.int64)[unordered], whole[~unordered])

    def points(self, u: Array) -> Array:
        """Points of the box at points of the unit box, integers and categories rounded."""
        box = self.box
        x = box.clip(box.lower + u * box.width)
        whole = self.unordered.copy()
        whole[self.ordered] = self.counts > 0
        inside = np.clip(np.rint(x), np.ceil(box.lower), np.floor(box.upper))
        return np.where(whole, inside + 0.0, x)

    def split(self, x: Array) -> tuple[Array, np.ndarray]:
        """Ordered variables in the unit box, and categories."""
        u = (x - self.box.lower) / self.box.width
        chosen = np.clip((u[:, self.unordered] * self.sizes).astype(np.int64), 0, self.sizes - 1)
        return u[:, self.ordered], chosen
