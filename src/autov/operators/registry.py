"""The classic operators by name, as the AutoV paper compares them."""

from __future__ import annotations

from collections.abc import Callable

from autov.core import Array
from autov.operators.cauchy import FEPMutation
from autov.operators.differential import DEMutation
from autov.operators.gaussian import GaussianSampling
from autov.operators.polynomial import PolynomialMutation
from autov.operators.sbx import SBX

CLASSIC: dict[str, Callable[..., Array]] = {
    "sbx": SBX(),
    "sbx-prime": SBX(keep=0.1),
    "polynomial-mutation": PolynomialMutation(),
    "de-mutation": DEMutation(),
    "cma-es-sampling": GaussianSampling(),
    "fep-mutation": FEPMutation(),
}
