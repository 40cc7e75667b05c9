"""Tables V and VI and Figure 5 of the paper: operators that have to be designed before they can be compared."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from autov.algorithms import Evolution
from autov.core import Seed, seed_of
from autov.designer import design
from autov.operators import AffineOperator, load_operator


class DesignSpec(NamedTuple):
    """An operator to design: trained on which problem, of which form, with how many parameter sets."""

    problem: str = "rastrigin"
    form: str = "h3"
    rows: int = 10

    def folder(self, preset: str, seed: int) -> str:
        """Where it is kept; one operator may be a column of several tables."""
        return f"{self.problem}-{self.form}-k{self.rows}-{preset}-{seed}"


def design_operators(
    specs: Mapping[str, DesignSpec], folder: str | os.PathLike[str], *, preset: str = "quick", seed: Seed = 1,
    workers: Any = None, progress: Any = None, announce: Callable[[str], None] | None = None,
) -> dict[str, AffineOperator]:  # fmt: skip
    """Design what is not in the folder yet; a search that was interrupted continues.

    Args:
        specs: column -> operator.
        folder: a folder for each operator is made in it.
        preset: of the searches.
        seed: of the searches.
        workers: threads; None for all cores.
        progress: as in `autov.design`.
        announce: called with the name of each search before it starts.
    """
    found = {}
    for label, spec in specs.items():
        place = Path(folder) / spec.folder(preset, seed_of(seed))
        if not (place / "operator.json").is_file():
            if announce:
                announce(place.name)
            designed = design(
                spec.problem, form=spec.form, rows=spec.rows, preset=preset, rng=seed, workers=workers,
                checkpoint=place / "search.npz", resume=True, progress=progress, family=(), known=False,
            )  # fmt: skip
            designed.operator.save(place / "operator.json")
        found[label] = load_operator(place / "operator.json")
    return found


def as_algorithms(operators: Mapping[str, AffineOperator]) -> dict[str, Any]:
    """The simple metaheuristic around each operator."""
    return {label: Evolution(operator) for label, operator in operators.items()}
