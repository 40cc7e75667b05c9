"""What operators and algorithms are invariant to: proofs where there are some, tests where there are none."""

from autov.invariance.certificate import Certificate, Verdict, Witness
from autov.invariance.certify import check
from autov.invariance.trajectories import AlgorithmReport, Trajectory, check_algorithm
from autov.invariance.transformations import PROPERTIES, Transformation

__all__ = [
    "PROPERTIES",
    "AlgorithmReport",
    "Certificate",
    "Trajectory",
    "Transformation",
    "Verdict",
    "Witness",
    "check",
    "check_algorithm",
]
