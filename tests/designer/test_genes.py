"""Genes and spaces: values from the unit interval and back, fixed genes, known designs."""

import numpy as np
import pytest

from autov.algorithms import Evolution
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.portfolio import Portfolio
from autov.core import InputError
from autov.designer.genes import Gene
from autov.designer.space import (
    STRATEGY,
    UNIFORM_CROSSOVER,
    Space,
    evolution_space,
    evolution_values,
    operator_of,
    portfolio_space,
)
from autov.operators import load_operator

GENES = [
    (Gene("a", -1, 3), {0.0: -1.0, 0.25: 0.0, 1.0: 3.0}),
    (Gene("a", 0.01, 100, "log"), {0.0: 0.01, 0.5: 1.0, 1.0: 100.0}),
    (Gene("a", 1e-3, 10, "zero-log"), {0.0: 0.0, 0.199: 0.0, 0.2: 1e-3, 0.6: 0.1, 1.0: 10.0}),
    (Gene("a", 5, 200, "integer"), {0.0: 5, 0.5: 32, 1.0: 200}),
    (Gene("a", scale="choice", choices=("x", "y", "z")), {0.0: "x", 0.34: "y", 0.67: "z", 1.0: "z"}),
]


@pytest.mark.parametrize(("gene", "known"), GENES)
def test_values_of_the_unit_interval(gene, known):
    for unit, value in known.items():
        found = gene.value(unit)
        assert found == (pytest.approx(value, rel=1e-12) if isinstance(value, float) else value)
        assert type(found) is type(value)


@pytest.mark.parametrize("gene", [gene for gene, _ in GENES])
def test_a_value_comes_back(gene):
    for unit in np.linspace(0, 1, 41):
        value = gene.value(unit)
        assert 0 <= gene.unit(value) <= 1
        again = gene.value(gene.unit(value))
        assert again == (pytest.approx(value, rel=1e-9, abs=1e-12) if isinstance(value, float) else value)


def test_values_outside_are_moved_to_the_border():
    assert Gene("a", 1, 4, "log").unit(100) == 1
    assert Gene("a", -1, 1).unit(-7) == 0


def test_a_space_makes_what_its_genes_say():
    space = portfolio_space()
    values = space.values(np.full(space.box.dim, 0.5))
    values |= {"evolution.popsize": 17, "ma-es.sigma": 0.07, "hedge": 0.33, "evolution.row2.best.mean": 0.4}
    made = space.make(values)
    assert isinstance(made, Portfolio)
    evolution, strategy = made.members
    assert (evolution.popsize, strategy.sigma, made.hedge) == (17, 0.07, 0.33)
    assert evolution.operator.mean[1, evolution.operator.weights.index("best")] == 0.4
    assert evolution.operator.draw == ("variable",) * 5 + ("solution",)


SPACES = [
    evolution_space(), evolution_space(1), portfolio_space(), portfolio_space(rows=3), portfolio_space(("ma-es",)),
    portfolio_space(("evolution", "evolution")),
]  # fmt: skip


@pytest.mark.parametrize("space", SPACES)
def test_every_corner_and_random_vectors_are_algorithms(space):
    rng = np.random.default_rng(1)
    for vector in [*np.eye(space.box.dim)[:5], space.box.lower, space.box.upper, *rng.random((20, space.box.dim))]:
        made = space.decode(vector)
        assert made.compiles
        if isinstance(made, Portfolio):
            assert sum(made.trial) + made.polish <= 1


def test_known_designs_are_those_meant():
    space = portfolio_space()
    known = {label: space.decode(space.encode(values)) for label, values in space.seeds}
    assert np.array_equal(space.known()[0], space.encode(space.seeds[0][1]))
    alone = known["ma-es"]
    assert alone.trial[0] == 0
    assert alone.hedge == 0
    for gene in STRATEGY:
        mine, default = getattr(alone.members[1], gene.name), getattr(MatrixAdaptation(), gene.name)
        assert mine == (pytest.approx(default, rel=1e-9) if isinstance(default, float) else default), gene.name
    exchange = load_operator("uniform-crossover")
    small = known["small uniform crossover"].members[0]
    assert small.popsize == 30
    for name in ("mean", "std", "probability"):
        assert np.allclose(getattr(small.operator, name), getattr(exchange, name), rtol=1e-9, atol=1e-9)


def test_fixed_genes_are_not_designed():
    space = portfolio_space()
    fixed = space.fix({"popsize": 20, "ma-es.restarts": "bipop", "row1.x2.std": 0})
    assert len(fixed.genes) == len(space.genes) - 3
    made = fixed.decode(np.full(fixed.box.dim, 0.9))
    assert made.members[0].popsize == 20
    assert made.members[1].restarts == "bipop"
    assert made.members[0].operator.std[0, 0] == 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"nonsense": 1}, "no gene of that name; one of hedge"),
        ({"trial": 0.1}, "could be evolution.trial, ma-es.trial"),
        ({"popsize": 3}, "evolution.popsize must lie between 5 and 200"),
        ({"popsize": "many"}, "evolution.popsize must be a number"),
        ({"frame": "bent"}, "must be one of axes, learned"),
    ],
)
def test_what_cannot_be_fixed_is_refused_in_a_line(values, message):
    with pytest.raises(InputError, match=message):
        portfolio_space().fix(values)


def test_members_may_be_left_out_or_doubled():
    assert all(g.name.startswith("ma-es") or "." not in g.name for g in portfolio_space(("ma-es",)).genes)
    twice = portfolio_space(("evolution", "evolution"))
    assert {g.name for g in twice.genes} >= {"evolution.popsize", "evolution-2.popsize"}
    with pytest.raises(InputError, match=r"^members: "):
        portfolio_space(("shade",))


def test_the_search_varies_by_the_operator_of_the_first_evolution():
    space = evolution_space()
    vector = space.encode(evolution_values(UNIFORM_CROSSOVER, 6, popsize=9))
    assert space.operator(vector) == space.decode(vector).operator
    alone = portfolio_space(("ma-es",))
    assert alone.operator(np.full(alone.box.dim, 0.5)) == load_operator("paper-h3")
    assert operator_of(MatrixAdaptation()) is None
    assert isinstance(space, Space)
    assert isinstance(space.decode(vector), Evolution)
