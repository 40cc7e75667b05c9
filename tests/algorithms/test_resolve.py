"""Algorithms by name: one resolver for minimize, Optimizer, compare, check and every command."""

import json

import numpy as np
import pytest

import autov
from autov.algorithms import Evolution, resolve_algorithm, resolve_algorithms
from autov.algorithms.de import DE
from autov.algorithms.resolve import find_algorithm
from autov.core import InputError
from autov.operators import SBX, CallableOperator, load_operator
from autov.peers.scipy import SciPyDE

BOX = [(-5.0, 5.0)] * 3


def sphere(x):
    return float((x**2).sum())


def test_every_kind_of_name(tmp_path):
    load_operator("paper-h3").save(tmp_path / "op.json")
    (tmp_path / "own_for_resolve.py").write_text(
        "from autov.algorithms.de import DE\nclass Mine(DE):\n    name = 'mine'\nready = DE(F=0.3)\n"
    )
    assert resolve_algorithm("paper-h3") == resolve_algorithm("evolution:paper-h3") == Evolution()
    assert resolve_algorithm("de") == DE()
    assert resolve_algorithm("quick=de+F=0.7+CR=0.5") == DE(F=0.7, CR=0.5)
    assert resolve_algorithm(f"evolution:{tmp_path}/op.json") == Evolution()
    assert resolve_algorithm("evolution:sbx") == Evolution(SBX())
    assert resolve_algorithm("scipy:de") == SciPyDE()
    assert resolve_algorithm(DE(F=0.1)) == DE(F=0.1)
    assert resolve_algorithm(f"{tmp_path}/own_for_resolve.py:ready") == DE(F=0.3)
    assert resolve_algorithm(f"{tmp_path}/own_for_resolve.py:Mine").name == "mine"
    assert resolve_algorithm("cma-es+c_1=None+steps=sampled").steps == "sampled"


def own_operator(parents, lower, upper, rng):  # noqa: ARG001
    return parents.mean(axis=0)


def test_an_operator_runs_in_the_paper_s_metaheuristic():
    paper = load_operator("paper-h3")
    assert resolve_algorithm(paper) == resolve_algorithm("evolution+operator=paper-h3") == Evolution("paper-h3")
    assert resolve_algorithm(SBX()).operator == CallableOperator.of(SBX())
    assert resolve_algorithm(own_operator) == Evolution(own_operator)
    assert autov.Optimizer(BOX, algorithm=own_operator).algorithm == Evolution(own_operator)
    with pytest.raises(InputError, match="no such name"):
        autov.minimize(sphere, BOX, algorithm="evolution:nonsense")
    with pytest.raises(TypeError, match="operator"):
        autov.minimize(sphere, BOX, operator=paper)


@pytest.mark.parametrize("spec", ["autov", "mine=autov", "autov:sbx", "autov+popsize=9"])
def test_the_former_name_tells_the_new_ones(spec):
    for resolve in (resolve_algorithm, find_algorithm):
        with pytest.raises(InputError, match=r"^algorithm: .*paper-h3.*evolution:OPERATOR[^\n]*$"):
            resolve(spec)


def test_the_paper_s_algorithm_keeps_its_operator():
    assert resolve_algorithm("paper-h3+popsize=9") == Evolution(popsize=9)
    with pytest.raises(InputError, match="algorithm: paper-h3 has its own operator"):
        resolve_algorithm("paper-h3+operator=sbx")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nope", "unknown 'nope'; one of general, .*cma-es, coordinate, cso"),
        ("x:y", "unknown prefix in 'x:y'"),
        ("de+speed=1", "de has no setting 'speed'"), ("de+F", r"expected \+setting=value"), ("de+F=5", "F: must be"),
        ("evolution:nowhere.json", "no file 'nowhere.json'"), (3, "expected a name, operator, or object"),
        (DE, "expected a name, operator, or object"), (object(), "expected a name, operator, or object"),
        ("nofile.py:f", "no file"),
    ],
)  # fmt: skip
def test_bad_specs_are_one_line(spec, message):
    with pytest.raises(InputError, match=message) as caught:
        resolve_algorithm(spec)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match=message):
        autov.minimize(sphere, BOX, algorithm=spec)


def test_labels():
    found = resolve_algorithms(["ga", "quick=de+F=0.7"])
    assert {label: spec for label, (spec, _) in found.items()} == {"ga": "ga", "quick": "de+F=0.7"}
    assert resolve_algorithms({"mine": DE()})["mine"] == (None, DE())
    for bad, message in ((["ga", "ga"], "'ga' occurs twice"), ([], "none given"), ([DE()], "give objects a name")):
        with pytest.raises(InputError, match=message):
            resolve_algorithms(bad)


def test_all_places_know_all_names(capsys):
    """Peers and settings in minimize, Optimizer, check_algorithm and the command."""
    from autov.cli import main

    assert autov.minimize(sphere, BOX, algorithm="scipy:de", maxfev=60, popsize=10, rng=1).nfev == 60
    settings = autov.minimize(sphere, BOX, algorithm="de+F=0.9", maxfev=200, popsize=10, rng=1)
    assert settings.fun == autov.minimize(sphere, BOX, algorithm=DE(F=0.9), maxfev=200, popsize=10, rng=1).fun
    assert autov.Optimizer(BOX, algorithm="de+F=0.9").algorithm == DE(F=0.9)
    with pytest.raises(InputError, match="scipy:de can only be run as a whole"):
        autov.Optimizer(BOX, algorithm="scipy:de")
    assert autov.check_algorithm("de+CR=1.0", generations=3, runs=2).holds["translation"] is True
    assert autov.check_algorithm("scipy:de", generations=3, runs=2).algorithm == "scipy:de"
    with pytest.raises(SystemExit) as ended:
        main(["minimize", "sphere", "--dim", "3", "--runs", "2", "--maxfev", "60", "--popsize", "10", "--workers", "1",
              "--algorithm", "de+F=0.9", "--json"])  # fmt: skip
    assert ended.value.code == 0
    assert np.isfinite(json.loads(capsys.readouterr().out)["values"]).all()
