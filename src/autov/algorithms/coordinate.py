"""Line searches along the axes, for functions that are sums of functions of one variable.

P. Posik and P. Baudis, Dimension selection in axis-parallel Brent-STEP method for black-box optimization of separable
continuous functions, GECCO 2015 companion; S. Langerman, G. Seront and H. Bersini, STEP: the easiest way to optimize a
function, CEC 1994; R. P. Brent, Algorithms for minimization without derivatives, 1973. Here: all axes take turns in one
batch, global and local points of an axis alternate, and an axis ends by the curvature of its best valley.

The first batch tells whether the function is such a sum: it has the start, the far end of each axis, and the corner
where all axes are at their far end. If the change to the corner is not the sum of the changes along the axes, the
search ends after d + 2 evaluations. ``state.scalars["separable"]`` is 1 or 0, or -1 while it is not known. A search
that has converged continues with twice the detail a few times, then it begins elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar

from autov.algorithms.local_search import LocalSearch
from autov.core import check_ranges
from autov.kernels.models import coordinate_steps as kernels


@dataclass(frozen=True)
class Coordinate(LocalSearch):
    """Settings; lengths are parts of the box width.

    Attributes:
        scale: the axes are searched so far on both sides of the start.
        points: most points of an axis before the search has ended once.
        tolerance: a local step that is shorter is not made.
        detail: how much stronger the curvature of a valley may be than that of the best one, and it is looked for.
        target: wanted improvement of a global point, as a part of the range of values of its axis.
    """

    name: ClassVar[str] = "coordinate"
    kernels: ClassVar[ModuleType] = kernels
    starts_near: ClassVar[bool] = False  # it searches whole axes
    scale: float = 1.0
    points: int = 80
    tolerance: float = 1e-11
    detail: float = 2.0
    target: float = 1e-4

    def __post_init__(self) -> None:
        check_ranges(self, scale=(1e-9, 1), points=(5, 1000), tolerance=(1e-14, 0.1), detail=(0, 1e6), target=(0, 1))
