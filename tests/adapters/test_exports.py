"""Exported programs run without autov and do what autov does."""

from __future__ import annotations

import functools
import json
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import autov
from autov.adapters.exports import FORMATS, export
from autov.adapters.exports.optimizers import PROGRAMS
from autov.algorithms import Evolution
from autov.algorithms.files import load_algorithm
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.portfolio import Portfolio
from autov.cli import main
from autov.core import FileError, InputError
from tests.adapters.exported import (
    LOWER,
    OPERATORS,
    UPPER,
    operator_of,
    optimizers,
    parents_of,
    points_of,
    program,
    rosenbrock,
    same_law,
    slanted,
)
from tests.algorithms.driver import sized


@pytest.mark.parametrize("name", OPERATORS)
def test_numpy_operator_gives_the_same_bits(name):
    operator = operator_of(name)
    parents, points = parents_of(operator, 50), points_of(operator)
    exported = program(export(operator, "numpy")).offspring(parents, LOWER, UPPER, np.random.default_rng(1), **points)
    assert np.array_equal(exported, operator(parents, LOWER, UPPER, np.random.default_rng(1), **points))


@pytest.mark.parametrize("name", OPERATORS)
def test_python_operator_has_the_same_distribution(name):
    operator = operator_of(name)
    text = export(operator, "python")
    assert "numpy" not in text
    offspring, rng = program(text).offspring, random.Random(1)
    parents, points = parents_of(operator, 2000), points_of(operator)
    lists = {key: value.tolist() for key, value in points.items()}
    made = [offspring(parents[:, 0].tolist(), LOWER.tolist(), UPPER.tolist(), **lists, rng=rng) for _ in range(2000)]
    assert same_law(np.array(made), operator(parents, LOWER, UPPER, np.random.default_rng(2), **points))


def test_the_test_of_distributions_can_fail():
    operator, other = operator_of("paper-h3"), operator_of("one draw")
    one = operator(parents_of(operator, 2000), LOWER, UPPER, np.random.default_rng(2))
    two = other(parents_of(other, 2000), LOWER, UPPER, np.random.default_rng(2))
    assert not same_law(one, two)
    assert not same_law(one, one + 0.1)


def evaluated(minimize, *arguments, popsize=20, **options):
    """What is found, and the points in the order of their evaluation."""
    points = []

    def noted(x):
        points.append(np.array(x))
        return float(slanted(x[None])[0])

    return minimize(noted, *arguments, maxfev=410, popsize=popsize, rng=3, **options), points


OPTIMIZERS = optimizers()


def called(name):
    """The algorithm, and the popsize where it uses it; programs just ignore it."""
    return {"algorithm": OPTIMIZERS[name], "popsize": None, **sized(OPTIMIZERS[name], 20)}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_functions_that_programs_are_made_of_give_the_same_bits_as_minimize(name):
    run, settings_of = PROGRAMS[type(OPTIMIZERS[name])]
    alone = functools.partial(run, settings_of(OPTIMIZERS[name]))
    (x, f), points = evaluated(lambda fun, **options: alone(fun, LOWER, UPPER, **options))
    library, expected = evaluated(autov.minimize, autov.Box(LOWER, UPPER), **called(name))
    assert np.array_equal(points, expected)
    assert f == library.fun
    assert np.array_equal(x, library.x)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_python_programs_evaluate_the_same_points_as_autov(name):
    exported = program(export(OPTIMIZERS[name], "python"))
    (x, f), points = evaluated(exported.minimize, LOWER, UPPER)
    _, expected = evaluated(autov.minimize, autov.Box(LOWER, UPPER), **called(name))
    assert len(points) == len(expected) == 410
    # Compiled code rounds normal numbers differently; later on one comparison may come out differently, too.
    assert np.allclose(points[:120], expected[:120], rtol=1e-5, atol=1e-5)
    assert f == min(slanted(np.array(points))) == slanted(x[None])[0]


def test_a_program_goes_on_after_nan():
    minimize = program(export("portfolio", "python")).minimize
    x, f = minimize(lambda x: np.nan if x[0] > 0 else x @ x, [-1] * 3, [1] * 3, maxfev=300, rng=1)
    assert f == x @ x < 0.1
    assert x[0] <= 0


DESIGNS = sorted((Path(__file__).parents[2] / "results" / "families").glob("*/optimizer.json"))


@pytest.mark.parametrize("path", DESIGNS, ids=lambda path: path.parent.name)
def test_stored_designs_can_be_exported(path):
    if load_algorithm(path).name == "memetic":
        with pytest.raises(InputError, match="cannot be exported; only"):
            export(path, "python")
        return
    calls = []
    minimize = program(export(path, "python")).minimize
    x, f = minimize(lambda x: calls.append(x) or rosenbrock(x), [-2] * 4, [2] * 4, maxfev=1203, rng=1)
    assert len(calls) == 1203
    assert f == rosenbrock(x) == min(rosenbrock(x) for x in calls)
    assert f < np.median([rosenbrock(x) for x in calls[:50]])


WITHOUT = "import sys; sys.modules['numba'] = None; import runpy; runpy.run_path(sys.argv[1], run_name='__main__')"


@pytest.mark.cold
@pytest.mark.parametrize("source", ["evolution:paper-h3", "ma-es", "portfolio"])
def test_python_programs_run_as_scripts(tmp_path, source):
    path = tmp_path / "program.py"
    path.write_text(export(source, "python"))
    options = {"capture_output": True, "text": True, "check": True}
    plain = subprocess.run([sys.executable, "-I", "-W", "error", "-c", WITHOUT, str(path)], **options).stdout
    assert plain.startswith("(array([")
    if source == "portfolio":  # has all kernels
        for _ in range(2):  # compiled, then loaded
            compiled = subprocess.run([sys.executable, "-I", "-W", "error", str(path)], **options).stdout
            assert compiled[:14] == plain[:14]


def test_formats_for_papers():
    assert export("paper-h3", "latex") == autov.load_operator("paper-h3").latex() + "\n"
    table = export("paper-h3", "markdown").splitlines()
    assert table[0] == "# paper-h3"
    assert "| 0.219 | x1 + N(0.4753, 0.1015²) (x2 - x1) |" in table
    assert sum(line.startswith("| 0.") for line in table) == 10


def test_from_files_algorithms_and_designs(tmp_path):
    path = tmp_path / "my best.json"
    operator_of("one draw").save(path)
    assert export(path, "matlab").startswith("function child = my_best(parents, lower, upper)")
    assert export(SimpleNamespace(operator=operator_of("one draw")), "numpy") == export(
        operator_of("one draw"), "numpy"
    )
    assert "the operator my best makes offspring" in export(f"evolution:{path}", "python")
    assert "sigma=0.3," in export("ma-es+sigma=0.3", "python")
    assert export("ma-es+sigma=0.3", "python") == export(MatrixAdaptation(sigma=0.3), "python")
    found = SimpleNamespace(operator=operator_of("one draw"), algorithm=Portfolio(), settings={"space": "portfolio"})
    assert export(found, "python") == export("portfolio", "python")
    file = tmp_path / "es.json"
    made = {"format": "autov-optimizer", "version": 1, "algorithm": {"name": "ma-es", "settings": {"sigma": 0.3}}}
    file.write_text(json.dumps(made))
    assert export(file, "python") == export("ma-es+sigma=0.3", "python")
    file.write_text(json.dumps({"format": "autov-optimizer", "version": 1}))
    with pytest.raises(FileError, match="not a complete optimiser"):
        export(file, "python")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(FileError, match="not an operator file"):
        export(tmp_path / "bad.json", "python")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("paper-h3", "fortran"), "to: must be one of python, numpy"),
        (("paper-h3", "matlab", "1st"), "name: must be a name of a function"),
        (("nothing", "python"), "export: unknown 'nothing'"),
        (("shade", "python"), "export: shade cannot be exported; only evolution, ma-es and portfolios of them can"),
        (("ma-es", "matlab"), "to: a whole optimiser such as ma-es can be exported to python; 'matlab' is for"),
        (("portfolio", "numpy"), "to: a whole optimiser such as portfolio can be exported to python; 'numpy' is for"),
        (("portfolio+members=ma-es/shade", "python"), "export: the member shade cannot be exported"),
        ((OPERATORS["best and mean"], "platemo"), "export: PlatEMO's operators do not know best"),
        ((Evolution("sbx"), "python"), "export: only affine operators"),
    ],
)
def test_what_cannot_be_exported(arguments, message):
    with pytest.raises(InputError, match=f"^{message}"):
        export(*arguments)


@pytest.mark.parametrize("to", FORMATS)
def test_command(tmp_path, capsys, to):
    out = tmp_path / "made.txt"
    with pytest.raises(SystemExit) as ended:
        main(["export", "paper-h3", "--to", to])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert shown == export("paper-h3", to)
    with pytest.raises(SystemExit) as ended:
        main(["export", "paper-h3", "--to", to, "--out", str(out)])
    assert ended.value.code == 0
    assert out.read_text() == export("paper-h3", to, "made")
    assert capsys.readouterr().out == ""
