"""Spaces of whole algorithms: genes, and how their values make an algorithm.

A space is a `Genome` over the unit box. The paper's matrix is one block of genes among others: each row of an
operator has a mean and a spread for each of its weights, and a probability.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from autov.algorithms.evolution import Evolution
from autov.algorithms.portfolio import Portfolio
from autov.core import Array, Box, InputError
from autov.designer.genes import Gene
from autov.operators import AffineOperator, load_operator

Values = dict[str, Any]


@dataclass(frozen=True)
class Space:
    """Genes, and what they make.

    Attributes:
        name: of the space.
        genes: what is designed.
        make: an algorithm from the values of all genes, those that are fixed included.
        seeds: label and values of known designs; a gene that one leaves out has its middle value.
        fixed: values that are not designed.
    """

    name: str
    genes: tuple[Gene, ...]
    make: Callable[[Values], Any]
    seeds: tuple[tuple[str, Values], ...] = ()
    fixed: tuple[tuple[str, Any], ...] = ()

    @property
    def box(self) -> Box:
        """The unit box."""
        return self._box

    @cached_property
    def _box(self) -> Box:
        return Box(np.zeros(len(self.genes)), np.ones(len(self.genes)))

    def values(self, vector: Array) -> Values:
        """Values by name."""
        found = {gene.name: gene.value(float(u)) for gene, u in zip(self.genes, vector, strict=True)}
        return found | dict(self.fixed)

    def decode(self, vector: Array) -> Any:
        """The algorithm of a vector."""
        return self.make(self.values(vector))

    def encode(self, values: Mapping[str, Any]) -> Array:
        """The vector of values, as near as the bounds allow."""
        return np.array([gene.unit(values[gene.name]) if gene.name in values else 0.5 for gene in self.genes])

    def known(self) -> Array:
        """Vectors of the known designs."""
        return np.array([self.encode(values) for _, values in self.seeds]).reshape(len(self.seeds), self.box.dim)

    def operator(self, vector: Array) -> AffineOperator:
        """The operator of the first evolution in the algorithm of a vector; the paper's, where there is none."""
        return operator_of(self.decode(vector)) or load_operator("paper-h3")

    def fix(self, values: Mapping[str, Any]) -> Space:
        """The same with some genes fixed; a name may leave out what stands before its dots, if that is clear."""
        if not values:
            return self
        genes = list(self.genes)
        fixed = dict(self.fixed)
        for name, value in values.items():
            found = [g for g in genes if g.name == name] or [g for g in genes if g.name.endswith(f".{name}")]
            if len(found) != 1:
                names = ", ".join(g.name for g in found[:9] or self.genes if found or ".row" not in g.name)
                what = "could be" if found else "no gene of that name; one of"
                raise InputError(f"fix: {name!r}: {what} {names}{'' if found else ', rowJ.WEIGHT.mean|std, ...'}")
            fixed[found[0].name] = found[0].checked(value)
            genes.remove(found[0])
        if not genes:
            raise InputError("fix: every gene is fixed, nothing is left to design")
        return replace(self, genes=tuple(genes), fixed=tuple(fixed.items()))


def operator_of(algorithm: Any) -> AffineOperator | None:
    """The operator of an evolution, or of the first one in a portfolio."""
    members = algorithm.members if isinstance(algorithm, Portfolio) else (algorithm,)
    for member in members:
        if isinstance(member, Evolution) and isinstance(member.operator, AffineOperator):
            return member.operator
    return None
