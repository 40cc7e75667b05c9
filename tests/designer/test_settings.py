"""Settings of a design: what people may write, and what is refused in one line."""

import numpy as np
import pytest

from autov.core import InputError
from autov.designer import design, design_settings
from autov.problems import function_problem
from tests.designer.counting import Counted


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"dims": np.int64(10)}, {"dims": (10,)}),
        ({"dims": 10.0}, {"dims": (10,)}),
        ({"dims": np.array([2, 3])}, {"dims": (2, 3)}),
        ({"budgets": 1e5}, {"budgets": (100_000,)}),
        ({"budgets": "100d, 300d"}, {"budgets": ("100d", "300d")}),
        ({"members": "evolution, ma-es"}, {"members": ("evolution", "ma-es")}),
        ({"panel": "cma:default,scipy:de"}, {"panel": ("cma:default", "scipy:de")}),
        ({"stops": "1, 0.3"}, {"stops": (1.0, 0.3)}),
        ({"stops": 0.5}, {"stops": (0.5,)}),
    ],
)
def test_one_or_several_as_people_write_them(given, taken):
    settings = design_settings("quick", **given)
    assert {name: getattr(settings, name) for name in taken} == taken


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"dims": 10.5}, "dims: must be a whole number of at least 1, got 10.5"),
        ({"dims": (10, 10)}, "dims: each once, got 10, 10"),
        ({"budgets": "100x"}, "budgets: must be a whole number"),
        ({"members": 5}, "members: some of evolution, ma-es, .*, got 5"),
        ({"stops": "1,0"}, "stops: must be numbers above 0 and up to 1, each once, got '1,0'"),
        ({"stops": (0.3, 0.3)}, "stops: must be numbers above 0 and up to 1, each once, got"),
        ({"stops": "soon"}, "stops: must be numbers above 0 and up to 1, each once, got 'soon'"),
        ({"panel": 5}, "panel: must be names such as cma:default, each once, got"),
        ({"panel": "de,de"}, "panel: must be names such as cma:default, each once, got"),
        ({"family": 5}, "family: must be some of translate, rotate, scale, got 5"),
        ({"fix": ["popsize"]}, "fix: must be a dict of gene -> value, got"),
        ({"fix": {"std": 1}}, r"fix: 'std': could be evolution\.row1\.x2\.std"),
    ],
)
def test_what_does_not_fit_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        design_settings("quick", **given)


def test_a_gene_may_be_fixed_at_a_number_of_numpy():
    assert ("evolution.popsize", 20) in design_settings("quick", fix={"popsize": np.int64(20)}).genome.fixed


def test_evaluations_must_be_a_number():
    with pytest.raises(InputError, match=r"^evaluations: "):
        design(Counted(), evaluations="many")


def test_a_peer_needs_a_label_of_its_own():
    with pytest.raises(InputError, match=r"^panel: "):
        design(Counted(), space="portfolio", panel="ma-es")


def test_a_twin_may_bring_its_own_bounds():
    twin = function_problem(lambda x: float(x.sum()), [(-2, 2)] * 2)
    with pytest.raises(InputError, match=r"^surrogate: "):
        design(lambda x: float(x.sum()), [(-1, 1)] * 2, surrogate=twin)
