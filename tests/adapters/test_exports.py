"""Exported programs run without autov and do what autov does."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import autov
from autov.adapters.exports import FORMATS, export
from autov.algorithms import Evolution
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.portfolio import Portfolio
from autov.cli import main
from autov.core import FileError, InputError
from autov.kernels.matrix_adaptation import SIGMA
from tests.adapters.exported import (
    BUDGET,
    EVOLUTIONS,
    LOWER,
    OPERATORS,
    PORTFOLIOS,
    SETTINGS,
    UPPER,
    evolution_of,
    finals,
    operator_of,
    parents_of,
    points_of,
    program,
    rosenbrock,
    same_law,
    slanted,
    twin_run,
)


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


@pytest.mark.parametrize("name", EVOLUTIONS)
def test_python_evolution_has_the_same_offspring_and_survivors(name):
    algorithm, rng, box = evolution_of(name), np.random.default_rng(3), autov.Box(LOWER, UPPER)
    exported = program(export(algorithm, "python"))
    ours = exported.Evolution(exported.SETTINGS, LOWER, UPPER, 3000, rng)
    state = algorithm.init(box, 3000, 10_000, rng)
    x = ours.ask()
    assert x.shape == state.x.shape
    ours.tell(slanted(x))
    state = algorithm.tell(state, x, slanted(x), rng)
    child, expected = ours.ask(), algorithm.ask(state, rng)[0]
    assert child.shape == expected.shape
    assert same_law(child, expected)
    ours.tell(slanted(child))
    state = algorithm.tell(state, child, slanted(child), rng)
    assert np.array_equal(np.sort(ours.f), np.sort(state.f))
    assert np.array_equal(np.sort(ours.x, axis=0), np.sort(state.x, axis=0))


@pytest.mark.parametrize("leader", [0, 1, 2])
@pytest.mark.parametrize("name", PORTFOLIOS)
def test_python_portfolio_gives_turns_as_autov_does(name, leader):
    algorithm, rng, maxfev = PORTFOLIOS[name], np.random.default_rng(1), 1003
    ours = program(export(algorithm, "python")).Portfolio(LOWER, UPPER, maxfev, 20, rng)
    state = algorithm.init(autov.Box(LOWER, UPPER), 20, maxfev, rng)
    made = []
    while sum(size for _, size in made) < maxfev:
        x = ours.ask()
        expected, state = algorithm.ask(state, rng)
        assert (ours.turn, len(x)) == (state.turn, len(expected))
        made.append((state.turn, len(x)))
        values = np.full(len(x), 0.0 if state.turn == leader else 1.0)  # flat: restarts come at the same time
        ours.tell(values)
        state = algorithm.tell(state, expected, values, rng)
    first = algorithm.members[leader] if leader < len(algorithm.members) else algorithm.members[0]
    polished = algorithm.polish > 0 and isinstance(first, Evolution)
    assert (made[-1][0] == len(algorithm.members)) == polished


def test_python_portfolio_begins_to_polish_as_autov_does():
    algorithm, rng = Portfolio(polish_step=0.7), np.random.default_rng(1)
    exported = program(export(algorithm, "python"))
    ours = exported.Portfolio(LOWER, UPPER, 1000, 30, rng)
    state = algorithm.init(autov.Box(LOWER, UPPER), 30, 1000, rng)
    x = ours.ask()
    ours.tell(slanted(x))
    best = x[np.argmin(slanted(x))]
    own = algorithm._start_polisher(state, x, slanted(x), best)
    polisher = ours.polisher(0)
    assert np.isclose(polisher.sigma, own.numbers[SIGMA], rtol=1e-12)
    assert np.allclose(polisher.mean, own.mean[:3], rtol=1e-12)
    points, expected = polisher.ask(), algorithm.polisher.ask(own, rng)[0]
    assert np.array_equal(points[0], best)
    assert np.array_equal(expected[0], best)
    assert points.shape == expected.shape
    polisher.tell(slanted(points))
    assert np.isfinite(polisher.matrix).all()


@pytest.mark.parametrize("source", ["autov:paper-h3", "ma-es", "portfolio", Evolution("exchange", popsize=15)])
def test_python_programs_find_values_of_the_same_distribution(source):
    exported = program(export(source, "python"))
    calls = []

    def counted(x):
        calls.append(x)
        return rosenbrock(x)

    ours = finals(lambda seed: exported.minimize(counted, [-2] * 4, [2] * 4, maxfev=1510, rng=seed)[1])
    assert len(calls) == 15 * 1510
    assert (np.abs(calls) <= 2).all()
    library = finals(
        lambda seed: autov.minimize(rosenbrock, [(-2, 2)] * 4, maxfev=1510, rng=seed, algorithm=source).fun
    )
    assert stats.mannwhitneyu(ours, library).pvalue > 1e-3


DESIGNS = sorted((Path(__file__).parents[2] / "results" / "families").glob("*/optimizer.json"))


@pytest.mark.parametrize("path", DESIGNS, ids=lambda path: path.parent.name)
def test_stored_designs_can_be_exported(path):
    calls = []
    minimize = program(export(path, "python")).minimize
    x, f = minimize(lambda x: calls.append(x) or rosenbrock(x), [-2] * 4, [2] * 4, maxfev=1203, rng=1)
    assert len(calls) == 1203
    assert f == rosenbrock(x) == min(rosenbrock(x) for x in calls)
    assert f < np.median([rosenbrock(x) for x in calls[:50]])
    assert export(path, "matlab", "opt").startswith("function [best_x, best_f] = opt(fun,")


@pytest.mark.parametrize("source", ["autov:paper-h3", "ma-es", "portfolio"])
def test_python_programs_run_as_scripts(tmp_path, source):
    path = tmp_path / "program.py"
    path.write_text(export(source, "python"))
    done = subprocess.run([sys.executable, "-I", str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("(array([")


@pytest.mark.parametrize("name", SETTINGS)
def test_python_matrix_adaptation_takes_the_same_course_with_the_same_draws(name):
    algorithm, twin, points = twin_run(SETTINGS[name])
    assert (twin.runs == 1) == (name == "none")
    uniforms, normals = iter(twin.uniforms), iter(twin.normals)
    draws = SimpleNamespace(random=lambda _: next(uniforms), standard_normal=lambda _: next(normals))
    exported = program(export(algorithm, "python"))
    strategy = exported.Strategy(exported.SETTINGS, LOWER, UPPER, BUDGET, draws)
    for expected in points:
        x = strategy.ask()
        assert np.allclose(x, expected, rtol=1e-9, atol=1e-9)
        strategy.tell(((x - 1.2) ** 2).sum(axis=1))


def test_python_matrix_adaptation_may_restart_at_the_best_point():
    exported = program(export(MatrixAdaptation(restart_mean="best", tol_x=1e-2), "python"))
    strategy = exported.Strategy(exported.SETTINGS, LOWER, UPPER, 1000, np.random.default_rng(1))
    while strategy.runs == 1:
        x = strategy.ask()
        strategy.tell(((x - 1.2) ** 2).sum(axis=1))
    assert np.allclose(LOWER + exported.inside(strategy.mean, exported.SETTINGS) * (UPPER - LOWER), strategy.best_x)


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
    assert export(f"autov:{path}", "matlab").startswith("function [best_x, best_f] = my_best(")
    assert '"sigma": 0.3,' in export("ma-es+sigma=0.3", "python")
    assert '"sigma": 0.3,' in export(MatrixAdaptation(sigma=0.3), "python")
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
        (("nothing", "python"), "export: no operator file or name 'nothing', and no algorithm"),
        (("shade", "python"), "export: the algorithm shade cannot be exported, only autov, ma-es and portfolio can"),
        (("ma-es", "latex"), "to: the algorithm ma-es can be exported to matlab and python, not to 'latex'"),
        (("portfolio", "numpy"), "to: the algorithm portfolio can be exported to matlab and python, not to 'numpy'"),
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
