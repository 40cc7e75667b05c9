"""Projected quasi-Newton method with difference quotients, restarted.

C. G. Broyden, R. Fletcher, D. Goldfarb and D. F. Shanno, 1970 (BFGS), as in J. Nocedal and S. J. Wright, Numerical
Optimization, 2nd edition, 2006: algorithm 6.1 with Powell's damping (procedure 18.2) and difference quotients (section
8.1). Here:

*Box.* The direction is the minimiser of the quadratic model in the whole box, so variables reach and leave their bounds
without a rule of their own. A line is cut at the box.

*Second derivatives.* The first matrix is a multiple of the identity. Curvature is learned where the steps go; that of
directions not taken yet is ``first_curvature`` times the curvature along the last step and the part of the gradient
that is left, and is lowered when a later step finds less. A second matrix takes symmetric rank-one updates (section
6.2), which are exact after d steps on a quadratic function, whatever the lengths of the steps. The direction comes from
it where it is positive definite, else from the BFGS matrix.

*Differences.* Forward ones of ``difference`` of the box. Where a line finds no descent, central ones; where these show
that the function is noisy, ones as wide as the noise demands. A search on a noisy function, a plateau or steps
therefore ends after about 3 d + 20 evaluations, or 5 d + 30 where wide differences lead nowhere either.

*Restarts.* The first search starts near the centre, each other one far from where earlier ones ended.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar

from autov.algorithms.local_search import LocalSearch
from autov.core import check_ranges
from autov.kernels.models import quasi_newton_steps as kernels


@dataclass(frozen=True)
class QuasiNewton(LocalSearch):
    """Settings; lengths are parts of the box width.

    Attributes:
        scale: longest change of a variable in the first step.
        difference: of forward quotients.
        decrease: least decrease on a line, as a part of what the slope promises (Armijo's rule).
        exactness: a line goes on while its parabola promises this part of all there is to gain on it.
        growth: most by which a line is extended at once.
        tries: most points of a line.
        first_curvature: factor of the curvature of directions that no step has taken.
        line_points: points of a line that are evaluated together, for several workers.
    """

    name: ClassVar[str] = "quasi-newton"
    kernels: ClassVar[ModuleType] = kernels
    scale: float = 0.1
    difference: float = 1e-8
    decrease: float = 0.1
    exactness: float = 0.1
    growth: float = 4.0
    tries: int = 10
    first_curvature: float = 1.0
    line_points: int = 1

    def __post_init__(self) -> None:
        check_ranges(
            self, scale=(1e-9, 1), difference=(1e-15, 0.1), decrease=(0, 0.5), exactness=(0, 1), growth=(1, 100),
            tries=(1, 100), first_curvature=(1e-12, 1e3), line_points=(1, 100),
        )  # fmt: skip
