"""Whole optimisers as programs.

To add an algorithm: its templates, a function for each language, its lines in PROGRAMS.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from autov.adapters.exports.operators import common, matlab_body, numpy_parts, points
from autov.adapters.exports.templates import fill
from autov.algorithms.evolution import Evolution
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.core import InputError
from autov.operators import AffineOperator


def _affine(algorithm: Evolution) -> AffineOperator:
    if not isinstance(algorithm.operator, AffineOperator):
        raise InputError("export: only affine operators can be written in other languages, not functions of Python")
    return algorithm.operator


def evolution_to_python(algorithm: Evolution, version: str, title: str, name: str) -> str:  # noqa: ARG001
    """A module with ``offspring``, ``propose`` and ``minimize``."""
    operator = _affine(algorithm)
    given = {"best": ", best=x[np.argmin(f)]", "mean": ", mean=x.mean(axis=0)"}
    return fill(
        "evolution.python", **common(operator, version, title), **numpy_parts(operator),
        given="".join(given[point] for point in points(operator)),
    )  # fmt: skip


def evolution_to_matlab(algorithm: Evolution, version: str, title: str, name: str) -> str:
    """A function file."""
    operator = _affine(algorithm)
    given = {"best": "[~, first] = min(f);\nbest = x(first, :);\n", "mean": "mean = sum(x, 1) / size(x, 1);\n"}
    return fill(
        "evolution.matlab", **common(operator, version, title), name=name, body=matlab_body(operator),
        given="".join(given[point] for point in points(operator)),
    )  # fmt: skip


def _settings(algorithm: MatrixAdaptation) -> dict[str, Any]:
    settings = dataclasses.asdict(algorithm)
    return {**settings, "popsize": settings["popsize"] or 0}


def matrix_adaptation_to_python(algorithm: MatrixAdaptation, version: str, title: str, name: str) -> str:  # noqa: ARG001
    """A module with ``Strategy`` (ask and tell) and ``minimize``."""
    lines = [f"    {key!r}: {value!r},".replace("'", '"') for key, value in _settings(algorithm).items()]
    return fill("matrix_adaptation.python", version=version, settings="\n".join(["{", *lines, "}"]))


def matrix_adaptation_to_matlab(algorithm: MatrixAdaptation, version: str, title: str, name: str) -> str:  # noqa: ARG001
    """A function file."""
    pairs = [f"    {key!r}, {value!r}" for key, value in _settings(algorithm).items()]
    settings = "struct( ...\n" + ", ...\n".join(pairs) + ")"
    return fill("matrix_adaptation.matlab", version=version, settings=settings, name=name)


Program = Callable[[Any, str, str, str], str]  # (algorithm, version, title, name of the function) -> text
PROGRAMS: dict[tuple[type, str], Program] = {
    (Evolution, "python"): evolution_to_python,
    (Evolution, "matlab"): evolution_to_matlab,
    (MatrixAdaptation, "python"): matrix_adaptation_to_python,
    (MatrixAdaptation, "matlab"): matrix_adaptation_to_matlab,
}
