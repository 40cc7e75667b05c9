"""Genes of local searches, and of how a `Memetic` shares its budget between them and a global search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autov.algorithms.coordinate import Coordinate
from autov.algorithms.memetic import Memetic
from autov.algorithms.quasi_newton import QuasiNewton
from autov.algorithms.trust_region import TrustRegion
from autov.designer.genes import Gene

LOCAL_KINDS: dict[str, type] = {cls.name: cls for cls in (QuasiNewton, TrustRegion, Coordinate)}
LOCAL_GENES: dict[str, tuple[Gene, ...]] = {
    "quasi-newton": (
        Gene("scale", 0.01, 0.5, "log"), Gene("exactness", 0.01, 0.9, "log"), Gene("growth", 1.5, 10.0, "log"),
        Gene("first_curvature", 1e-3, 10.0, "log"),
    ),
    "trust-region": (Gene("scale", 0.01, 0.25, "log"), Gene("points", 5, 200, "integer")),
    "coordinate": (Gene("detail", 0.25, 16.0, "log"), Gene("target", 1e-6, 1e-2, "log")),
}  # fmt: skip
SHARES = (
    Gene("cover", 1e-3, 0.1, "zero-log"), Gene("cover_most", 0.25, 8.0, "log"), Gene("cover_after", 0.01, 0.5, "log"),
    Gene("trial", 0.01, 0.5, "log"), Gene("refine", 1e-3, 0.3, "zero-log"), Gene("most", 0.05, 1.0),
    Gene("most_separable", 0.05, 1.0), Gene("patience", 1, 8, "integer"), Gene("round", 0.01, 0.2, "log"),
    Gene("inherit_below", 20.0, 2000.0, "log"),
)  # fmt: skip
PREFIX = "memetic"


def memetic_genes(kinds: Sequence[str]) -> list[tuple[str, Gene]]:
    """Prefix and gene: shares of the budget, and settings of each local search."""
    own = [(kind, gene) for kind in kinds for gene in LOCAL_GENES[kind]]
    return [*((PREFIX, gene) for gene in SHARES), *own]


def memetic_values(kinds: Sequence[str]) -> dict[str, Any]:
    """The defaults."""
    settings: dict[str, Any] = {PREFIX: Memetic()} | {kind: LOCAL_KINDS[kind]() for kind in kinds}
    return {f"{prefix}.{gene.name}": getattr(settings[prefix], gene.name) for prefix, gene in memetic_genes(kinds)}


def make_memetic(values: dict[str, Any], kinds: Sequence[str], global_search: Any) -> Memetic:
    """A `Memetic` from values by name."""

    def named(prefix: str, genes: Sequence[Gene]) -> dict[str, Any]:
        return {gene.name: values[f"{prefix}.{gene.name}"] for gene in genes}

    searches = tuple(LOCAL_KINDS[kind](**named(kind, LOCAL_GENES[kind])) for kind in kinds)
    return Memetic(global_search, searches, **named(PREFIX, SHARES))
