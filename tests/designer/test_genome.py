"""Vectors and the operators they stand for."""

import numpy as np
import pytest

from autov.algorithms import Evolution
from autov.core import InputError, generator
from autov.designer import OperatorGenome
from autov.operators import load_operator


@pytest.mark.parametrize("tie_bounds", [False, True])
@pytest.mark.parametrize("form", ["h2", "h3", "h5", ("x1", "x2", "best", "mean", "lower", "upper")])
def test_vectors_and_operators_are_the_same_thing(form, tie_bounds):
    genome = OperatorGenome.of(form, 4, "variable", tie_bounds)
    vector = genome.box.sample(1, generator(3))[0]
    operator = genome.operator(vector)
    assert operator.rows == 4
    assert np.allclose(genome.encode(operator), vector)
    assert genome.decode(vector) == Evolution(operator)
    if tie_bounds:
        assert (operator.mean[:, -1] == 0).all()
    genes = 4 * (2 * (len(operator.inputs) - 1) + 1)
    assert genome.box.dim == genes - (3 * 4 if tie_bounds else 0)


def test_first_matrices_are_as_in_the_paper():
    genome = OperatorGenome.of("h3", 10, "variable", False)
    assert genome.box.dim == 70
    lower = genome.box.lower.reshape(10, 7)
    assert (lower == [-1, 0, -1, 0, -1, 0, 0]).all()
    assert (genome.box.upper == 1).all()


def test_a_vector_without_any_probability_still_works():
    genome = OperatorGenome.of("h1", 3, "variable", False)
    assert genome.operator(np.zeros(genome.box.dim)).probability.tolist() == [1, 1, 1]
    assert genome.pack(np.zeros((2, genome.box.dim))).thresholds.shape == (2, 4)


@pytest.mark.parametrize("tie_bounds", [False, True])
def test_known_designs_are_written_in_the_form(tie_bounds):
    genome = OperatorGenome.of("h3", 10, "variable", tie_bounds)
    exchange, paper = (genome.operator(vector) for vector in genome.known())
    assert exchange.probability[:4].tolist() == [0.45, 0.45, 0.07, 0.03]
    assert exchange.mean[:3, 0].tolist() == [0, 1, 0.5]
    assert (exchange.std[3, 1:] > 0).all()
    if tie_bounds:
        assert np.array_equal(paper.mean[:, 0], load_operator("paper-h3").mean[:, 0])
    else:
        assert paper == load_operator("paper-h3")
    assert genome.box.holds(genome.known())
    assert len(OperatorGenome.of("h1", 4, "variable", False).known()) == 1
    assert len(OperatorGenome.of("h2", 10, "variable", False).known()) == 0
    assert len(OperatorGenome.of("h3", 3, "variable", False).known()) == 0


def test_operators_of_another_form_are_refused():
    with pytest.raises(InputError, match="its form, draw, tied bounds or number of rows"):
        OperatorGenome.of("h1", 3, "variable", False).encode(load_operator("paper-h3"))
    with pytest.raises(InputError, match="rows"):
        OperatorGenome.of("h1", 1001, "variable", False)
