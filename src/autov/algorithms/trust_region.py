"""Trust-region search with quadratic interpolation models, in the manner of BOBYQA, restarted.

M. J. D. Powell, Least Frobenius norm updating of quadratic models that satisfy interpolation conditions, Mathematical
Programming 100, 183-215, 2004, and The BOBYQA algorithm for bound constrained optimization without derivatives, Report
DAMTP 2009/NA06, Cambridge. What differs from the report:

- The first model has 2 n + 1 points, as there, but a new point is added while there is room and the system stays
  well-conditioned: up to 12 variables a model may become a full quadratic. On functions whose variables interact this
  saves most evaluations; on others it costs none.
- When the points have no inverse any more, new ones are taken around the best one, and the Hessian is kept.
- The inverse is made anew, not updated, when the base moves.
- Above ``variables`` variables there is one model for a random block of them after the other.
- A search that has converged, or whose values do not follow a model, ends; the next one starts far from where others
  ended. Infinite values enter a model as values somewhat worse than its worst.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar

from autov.algorithms.local_search import LocalSearch
from autov.core import check_ranges
from autov.kernels.models import trust_region_steps as kernels


@dataclass(frozen=True)
class TrustRegion(LocalSearch):
    """Settings; lengths are parts of the box width.

    Attributes:
        scale: first radius of the trust region, and the distance of the first points from the start.
        points: of a model, at most; a first model of n variables has 2 n + 1 in any case, a full quadratic has
            (n + 1) (n + 2) / 2, more are not used. Memory grows with its square, and so does the time of a step.
        variables: of a model, at most; with more, models are of blocks of this many.
        smallest: radius below which a search has converged.
    """

    name: ClassVar[str] = "trust-region"
    kernels: ClassVar[ModuleType] = kernels
    scale: float = 0.1
    points: int = 100
    variables: int = 60
    smallest: float = 1e-9

    def __post_init__(self) -> None:
        check_ranges(self, scale=(1e-6, 0.25), points=(1, 1000), variables=(1, 100), smallest=(1e-12, 0.1))
