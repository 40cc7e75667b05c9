"""What operators and algorithms are invariant to: proofs where there are some, tests where there are none."""

from autov.invariance.algorithm_report import AlgorithmReport, Trajectory
from autov.invariance.certificate import Certificate, Verdict, Witness
from autov.invariance.certify import DIMS, check
from autov.invariance.scope import LawScope, Scope
from autov.invariance.structural_bias import BiasReport, check_bias
from autov.invariance.trajectories import check_algorithm
from autov.invariance.transformations import PAPER, PROPERTIES, Transformation

__all__ = [
    "DIMS",
    "PAPER",
    "PROPERTIES",
    "AlgorithmReport",
    "BiasReport",
    "Certificate",
    "LawScope",
    "Scope",
    "Trajectory",
    "Transformation",
    "Verdict",
    "Witness",
    "check",
    "check_algorithm",
    "check_bias",
]
