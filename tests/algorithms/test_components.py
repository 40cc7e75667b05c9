"""Variants of an algorithm by name: settings at any depth, and parts that are taken away."""

import pytest

import autov
from autov.algorithms import resolve_algorithm
from autov.algorithms.components import NO_DEFAULT, components_of, with_settings
from autov.algorithms.de import DE
from autov.algorithms.files import save_algorithm
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.memetic import Memetic
from autov.algorithms.portfolio import Portfolio
from autov.algorithms.resolve import find_algorithm
from autov.core import InputError


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "optimizer.json"
    save_algorithm(Portfolio(trial=(0.1, 0.2)), path, {"seed": 3})
    return str(path)


def test_settings_of_a_stored_optimizer_at_any_depth(stored):
    as_it_is = resolve_algorithm(stored)
    assert resolve_algorithm(f"{stored}+polish=0") == with_settings("", as_it_is, {"polish": 0})
    assert resolve_algorithm(f"{stored}+polish=0").polish == 0
    assert resolve_algorithm(f"{stored}+ma-es.sigma=0.4").members[1] == MatrixAdaptation(sigma=0.4)
    assert resolve_algorithm(f"mine={stored}+sigma=0.4+evolution.trial=0.3").trial == (0.3, 0.2)
    row = resolve_algorithm(f"{stored}+evolution.row3.x2.mean=0.25").members[0].operator
    assert row.mean[2, row.weights.index("x2")] == 0.25
    assert find_algorithm(f"{stored}+polish=0")[1] == {"seed": 3}
    assert resolve_algorithm("general+polish=0").global_search.polish == 0
    assert resolve_algorithm("general+round=0.2").round == 0.2, "own settings come before those of parts"


def test_parts_that_are_taken_away(stored):
    assert resolve_algorithm(f"{stored}+without=evolution").members == (MatrixAdaptation(),)
    assert resolve_algorithm(f"{stored}+without=evolution").trial == (0.2,)
    operator = resolve_algorithm(f"{stored}+without=row2/row3").members[0].operator
    assert (operator.probability[1], operator.probability[2]) == (0, 0)
    assert operator.probability[0] > 0
    weights = resolve_algorithm(f"{stored}+without=row4.spread").members[0].operator
    column = weights.weights.index("spread")
    assert weights.std[3, column] == 0 < resolve_algorithm(stored).members[0].operator.std[3, column]
    general = resolve_algorithm("general")
    assert "quasi-newton" not in [s.name for s in resolve_algorithm("general+without=quasi-newton").local_searches]
    alone = with_settings("", Memetic(global_search=DE()), {"without": "quasi-newton"})
    assert alone == DE(), "without its only local search a memetic algorithm is its global search"
    assert len(general.most_variables) in (0, len(general.local_searches))


def test_twins_have_names_of_their_own():
    twins = Portfolio(members=(DE(), DE(F=0.7)))
    assert with_settings("", twins, {"de-2.F": 0.3}).members == (DE(), DE(F=0.3))
    with pytest.raises(InputError, match=r"^algorithm: 'F' could be de\.F, de-2\.F"):
        with_settings("", twins, {"F": 0.3})


def test_every_change_back_to_its_default_is_an_algorithm():
    for name in ("general", "portfolio", "memetic", "rotated-multimodal", "paper-h3"):
        algorithm = resolve_algorithm(name)
        for path, part in components_of(algorithm).items():
            if part.away is not None:
                assert part.away() != algorithm, path
            elif part.default is not NO_DEFAULT:
                changed = part.changed(part.default)
                assert components_of(changed)[path].value == part.default


def test_variants_are_compared(stored):
    made = autov.compare([stored, f"{stored}+polish=0", f"x={stored}+without=ma-es"], "sphere", dim=2, maxfev=60,
                         popsize=10, runs=2, rng=1)  # fmt: skip
    assert made.algorithms == (stored, f"{stored}+polish=0", "x")


@pytest.mark.parametrize(
    ("tail", "message"),
    [
        ("+nope=1", "has no setting 'nope'"), ("+ma-es.sgma=1", r"did you mean 'ma-es\.sigma'"),
        ("+without=ga", "no part 'ga' that can be taken away; one of evolution, ma-es"),
        ("+without=evolution/ma-es", "no part 'ma-es'"), ("+polish", r"expected \+setting=value"),
        ("+evolution.row1.probability=x", "cannot be 'x'"),
    ],
)  # fmt: skip
def test_bad_variants(stored, tail, message):
    with pytest.raises(InputError, match=rf"^algorithm: .*{message}"):
        resolve_algorithm(stored + tail)


def test_a_file_whose_name_has_a_plus(tmp_path):
    path = tmp_path / "a.json+b.json"
    save_algorithm(DE(), path)
    assert resolve_algorithm(str(path)) == DE()
