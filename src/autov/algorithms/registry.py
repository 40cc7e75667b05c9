"""The algorithms by name."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from autov.algorithms.cmaes import CMAES
from autov.algorithms.cso import CSO
from autov.algorithms.de import DE
from autov.algorithms.fep import FEP
from autov.algorithms.ga import GA
from autov.algorithms.imode import IMODE
from autov.algorithms.pso import PSO
from autov.algorithms.shade import SHADE
from autov.core import InputError

ALGORITHMS: dict[str, type] = {cls.name: cls for cls in (GA, PSO, DE, CMAES, FEP, CSO, SHADE, IMODE)}


def make(name: str, **settings: Any) -> Any:
    """The algorithm of that name with some of its settings changed."""
    if name not in ALGORITHMS:
        raise InputError(f"algorithm: unknown name {name!r}; one of {', '.join(ALGORITHMS)}")
    known = [field.name for field in fields(ALGORITHMS[name])]
    for setting in settings:
        if setting not in known:
            raise InputError(f"algorithm: {name} has no setting {setting!r}; one of {', '.join(known)}")
    return ALGORITHMS[name](**settings)
