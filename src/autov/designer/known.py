"""Known designs: what a search begins with, and what its result must beat."""

from __future__ import annotations

from typing import Any

from autov.algorithms.evolution import Evolution
from autov.algorithms.files import DEFAULT, shipped_algorithm
from autov.designer.genome import OperatorGenome
from autov.designer.settings import DesignSettings
from autov.designer.space import Space


def known_designs(settings: DesignSettings) -> dict[str, Any]:
    """Label -> algorithm: the default of `minimize`, the paper's, and those of the space."""
    found: dict[str, Any] = {DEFAULT: shipped_algorithm(DEFAULT), "paper-h3": Evolution()}
    genome = settings.genome
    if isinstance(genome, OperatorGenome):
        for vector in genome.known()[:1]:  # the other one is the paper's
            found["exchange"] = genome.decode(vector)
    elif isinstance(genome, Space):
        found |= {label: genome.decode(genome.encode(values)) for label, values in genome.seeds}
    return found
