"""The algorithms of this package by name, and how one is made of its name and settings."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from autov.algorithms.cat_cma import CatCMA
from autov.algorithms.cma_es import CMAES
from autov.algorithms.coordinate import Coordinate
from autov.algorithms.cso import CSO
from autov.algorithms.de import DE
from autov.algorithms.evolution import Evolution
from autov.algorithms.fep import FEP
from autov.algorithms.ga import GA
from autov.algorithms.imode import IMODE
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.memetic import Memetic
from autov.algorithms.portfolio import Portfolio
from autov.algorithms.pso import PSO
from autov.algorithms.quasi_newton import QuasiNewton
from autov.algorithms.shade import SHADE
from autov.algorithms.surrogate_ma_es import SurrogateMatrixAdaptation
from autov.algorithms.trust_region import TrustRegion
from autov.core import InputError, unknown

ALGORITHMS: dict[str, type] = {
    cls.name: cls
    for cls in (
        Evolution,
        GA,
        PSO,
        DE,
        CMAES,
        CatCMA,
        FEP,
        CSO,
        SHADE,
        IMODE,
        MatrixAdaptation,
        SurrogateMatrixAdaptation,
        Coordinate,
        QuasiNewton,
        TrustRegion,
        Portfolio,
        Memetic,
    )
}
PAPER = "paper-h3"  # the algorithm of the paper: an evolution with the operator of that name
NAMES = tuple(sorted([*ALGORITHMS, PAPER]))
FORMER = "autov"  # what files of earlier versions call an evolution


def make_algorithm(name: str, **settings: Any) -> Any:
    """The algorithm of that name with some of its settings changed."""
    refuse_former(name)
    kind = Evolution if name == PAPER else ALGORITHMS.get(name)
    if kind is None:
        raise InputError("algorithm: " + unknown(name, NAMES, f"one of {', '.join(NAMES)}"))
    if name == PAPER and "operator" in settings:
        raise InputError(f"algorithm: {PAPER} has its own operator; {Evolution.name}:OPERATOR takes another")
    check_settings(name, kind, settings)
    return kind(**settings)


def refuse_former(name: str) -> None:
    """Tell the new names of an algorithm that was renamed."""
    if name == FORMER:
        raise InputError(
            f"algorithm: {FORMER!r} is called {PAPER!r} now; with another operator it is '{Evolution.name}:OPERATOR'"
        )


def check_settings(name: str, algorithm: Any, settings: dict[str, Any]) -> None:
    """Refuse settings that an algorithm does not have."""
    known = [field.name for field in fields(algorithm)]
    for setting in settings:
        if setting not in known:
            raise InputError(f"algorithm: {name} has no setting {setting!r}; one of {', '.join(known)}")
