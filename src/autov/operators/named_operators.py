"""Operators as people name them: classic ones by name, as the AutoV paper compares them, files, functions."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from autov.core import Array, FileError, InputError, import_object
from autov.operators.affine import AffineOperator
from autov.operators.callable import CallableOperator
from autov.operators.cauchy import FEPMutation
from autov.operators.differential import DEMutation
from autov.operators.gaussian import GaussianSampling
from autov.operators.operator_files import load_operator
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


def resolve_operator(spec: Any) -> Any:
    """The operator that is meant: a name, a file, ``file.py:name``, an operator, or the result of a design."""
    if isinstance(spec, (AffineOperator, CallableOperator)):
        return spec
    if isinstance(spec, (str, os.PathLike)):
        name = os.fspath(spec)
        if name in CLASSIC:
            return CallableOperator.of(CLASSIC[name])
        if ":" in name and not os.path.exists(name):
            return resolve_operator(import_object(name))
        try:
            return load_operator(name)
        except FileError:
            raise
        except InputError as error:
            raise InputError(f"{error}; classic operators are {', '.join(CLASSIC)}") from None
    designed = getattr(spec, "operator", None)  # of a Design
    if designed is not None and not callable(spec):
        return resolve_operator(designed)
    return CallableOperator.of(spec)
