"""Settings of a design: what people may write, and what is refused in one line."""

import dataclasses
import hashlib

import numpy as np
import pytest

from autov.core import InputError, to_json
from autov.designer import DesignSettings, design, design_settings
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
    assert {name: settings.values()[name] for name in taken} == taken
    assert settings == design_settings("quick").changed(**taken)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"dims": 10.5}, "dims: must be an integer of at least 1, got 10.5"),
        ({"dims": (10, 10)}, "dims: each once, got 10, 10"),
        ({"budgets": "100x"}, "budgets: must be an integer"),
        ({"members": 5}, "members: user members are classes with a name, .*, got 5"),
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
    assert ("evolution.popsize", 20) in design_settings("quick", fix={"popsize": np.int64(20)}).designed.genome.fixed


def test_every_setting_is_in_one_group_and_has_a_name_of_its_own():
    groups = [getattr(DesignSettings(), group.name) for group in dataclasses.fields(DesignSettings)]
    names = [field.name for group in groups for field in dataclasses.fields(group)]
    assert list(DesignSettings().values()) == names
    assert len(set(names)) == len(names)


def test_files_keep_the_names_and_the_order_of_settings():
    """Fingerprints of searches are made of this text."""
    text = to_json(design_settings("quick", dims=3, panel="de", trial={"runs": 2}).described())
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "fc0102cff8f75057"


def test_an_unknown_setting_is_named():
    with pytest.raises(InputError, match=r"^design: "):
        DesignSettings().changed(size=3)


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


@pytest.mark.parametrize("family", ["translate-rotate", ["rotate", "translate"], ["translate-rotate"]])
def test_a_family_may_be_text(family):
    assert design_settings("quick", family=family).training.family == ("translate", "rotate")
