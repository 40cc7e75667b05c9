"""Values that count as equal: those closer than 1e-8 to a known minimum, where differences are rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autov.core import Array

SOLVED = 1e-8  # the smallest target of COCO


def floored(values: Sequence[float] | Array, minimum: float | None) -> Array:
    """The values, those closer than 1e-8 to the minimum raised to that; as they are where no minimum is known."""
    x = np.asarray(values, dtype=np.float64)
    return x if minimum is None else np.maximum(x, minimum + SOLVED)
