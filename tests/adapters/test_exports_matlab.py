"""Exported MATLAB programs do what autov does, run by GNU Octave where it is installed."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest
from scipy import stats

import autov
from autov.adapters.exports import export
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
    same_law,
    slanted,
    twin_run,
)

OCTAVE = shutil.which("octave-cli")
needs_octave = pytest.mark.skipif(OCTAVE is None, reason="octave-cli is not installed")


def octave(folder, script):
    """Run statements of Octave in a folder; files that they write are read by the caller."""
    (folder / "run_it.m").write_text(script)
    done = subprocess.run(
        [OCTAVE, "--no-gui", "--norc", "--quiet", "--eval", "run_it"], cwd=folder, capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip
    assert "error: " not in done.stderr.replace("error: ignoring const execution_exception", ""), done.stderr


def matrix(values):
    return "[" + "; ".join(" ".join(repr(float(v)) for v in row) for row in np.atleast_2d(values)) + "]"


@needs_octave
def test_matlab_operators_have_the_same_distribution(tmp_path):
    lines = ["rand('seed', 1); randn('seed', 1); rand('twister', 1); randn('twister', 1);"]
    for i, name in enumerate(OPERATORS):
        operator = operator_of(name)
        (tmp_path / f"h_{i}.m").write_text(export(operator, "matlab", f"h_{i}"))
        parents = ", ".join(f"repmat({matrix(row[0])}, 2000, 1)" for row in parents_of(operator, 2000))
        extra = "".join(f", {matrix(value)}" for value in points_of(operator).values())
        lines.append(f"child = h_{i}({{{parents}}}, {matrix(LOWER)}, {matrix(UPPER)}{extra});")
        lines.append(f"dlmwrite('out_{i}.txt', child, 'delimiter', ' ', 'precision', 17);")
    octave(tmp_path, "\n".join(lines))
    for i, name in enumerate(OPERATORS):
        operator = operator_of(name)
        made = np.loadtxt(tmp_path / f"out_{i}.txt")
        rng = np.random.default_rng(2)
        expected = operator(parents_of(operator, 2000), LOWER, UPPER, rng, **points_of(operator))
        assert same_law(made, expected), name


@needs_octave
def test_platemo_operator_with_decisions_and_with_solutions(tmp_path):
    operator = operator_of("paper-h3")
    (tmp_path / "vary.m").write_text(export(operator, "platemo", "vary"))
    (tmp_path / "SOLUTION.m").write_text(
        "classdef SOLUTION\n properties\n decs\n end\n methods\n function o = SOLUTION(x)\n o.decs = x;\n end\n"
        " end\nend\n"
    )
    first, second = parents_of(operator, 2000)
    octave(
        tmp_path,
        f"rand('twister', 1); randn('twister', 1);\n"
        f"Problem.lower = {matrix(LOWER)};\nProblem.upper = {matrix(UPPER)};\n"
        "Problem.Evaluation = @(x) SOLUTION(x);\n"
        f"Parent = [repmat({matrix(first[0])}, 2000, 1); repmat({matrix(second[0])}, 2000, 1)];\n"
        "child = vary(Problem, Parent);\nmade = vary(Problem, SOLUTION(Parent));\n"
        "assert(isa(made, 'SOLUTION') && isequal(size(made.decs), size(Parent)));\n"
        "dlmwrite('out.txt', child, 'delimiter', ' ', 'precision', 17);\n",
    )
    made = np.loadtxt(tmp_path / "out.txt")
    assert made.shape == (4000, 3)
    rng = np.random.default_rng(2)
    for part, parents in ((made[:2000], (first, second)), (made[2000:], (second, first))):
        assert same_law(part, operator(np.array(parents), LOWER, UPPER, rng).clip(LOWER, UPPER))


NOTED = "function f = noted(x)\n global seen; seen(end + 1, :) = x; f = sum((x - 1).^2) + 5 * (x(1) + x(2))^2;\nend\n"


def octave_runs(folder, maxfev, popsize, runs=15):
    """Final values of runs of opt.m, whose budgets and best points are checked on the way."""
    (folder / "noted.m").write_text(NOTED)
    octave(
        folder,
        "global seen; rand('twister', 1); randn('twister', 1);\n"
        f"values = zeros({runs}, 1); for i = 1:{runs}, seen = zeros(0, 3); "
        f"[x, values(i)] = opt(@noted, {matrix(LOWER)}, {matrix(UPPER)}, {maxfev}, {popsize});\n"
        f"assert(size(seen, 1) == {maxfev}); assert(abs(noted(x) - values(i)) < 1e-9); end\n"
        "dlmwrite('values.txt', values, 'precision', 17);\n",
    )
    return np.loadtxt(folder / "values.txt")


@needs_octave
@pytest.mark.parametrize("name", EVOLUTIONS)
def test_matlab_evolution_has_the_same_offspring_and_results(tmp_path, name):
    algorithm, rng, box = evolution_of(name), np.random.default_rng(3), autov.Box(LOWER, UPPER)
    (tmp_path / "opt.m").write_text(export(algorithm, "matlab", "opt"))
    (tmp_path / "noted.m").write_text(NOTED)
    n = algorithm.popsize or 1500
    m = algorithm.offspring_of(n)
    octave(
        tmp_path,
        "global seen; seen = zeros(0, 3); rand('twister', 1); randn('twister', 1);\n"
        f"opt(@noted, {matrix(LOWER)}, {matrix(UPPER)}, {n + m}, {n});\n"
        "dlmwrite('seen.txt', seen, 'delimiter', ' ', 'precision', 17);\n",
    )
    seen = np.loadtxt(tmp_path / "seen.txt")
    state = algorithm.tell(algorithm.init(box, n, 3000, rng), seen[:n], slanted(seen[:n]), rng)
    assert same_law(seen[n:], algorithm.ask(state, rng)[0])
    options = {"algorithm": algorithm, "maxfev": 310, "popsize": 20, "vectorized": True}
    library = finals(lambda seed: autov.minimize(slanted, box, rng=seed, **options).fun)
    assert stats.mannwhitneyu(octave_runs(tmp_path, 310, 20), library).pvalue > 1e-3


@needs_octave
@pytest.mark.parametrize("name", PORTFOLIOS)
def test_matlab_portfolio_has_the_same_results(tmp_path, name):
    algorithm = PORTFOLIOS[name]
    (tmp_path / "opt.m").write_text(export(algorithm, "matlab", "opt"))
    options = {"algorithm": algorithm, "maxfev": 410, "popsize": 20, "vectorized": True}
    box = autov.Box(LOWER, UPPER)
    library = finals(lambda seed: autov.minimize(slanted, box, rng=seed, **options).fun)
    assert stats.mannwhitneyu(octave_runs(tmp_path, 410, 20), library).pvalue > 1e-3


@needs_octave
@pytest.mark.parametrize("name", SETTINGS)
def test_matlab_matrix_adaptation_takes_the_same_course_with_the_same_draws(tmp_path, name):
    algorithm, twin, points = twin_run(SETTINGS[name])
    (tmp_path / "opt.m").write_text(export(algorithm, "matlab", "opt"))
    (tmp_path / "noted.m").write_text(
        "function f = noted(x)\n global seen; seen(end + 1, :) = x; f = sum((x - 1.2).^2);\nend\n"
    )
    np.savetxt(tmp_path / "normals.txt", np.concatenate([z.ravel() for z in twin.normals]), fmt="%.17g")
    np.savetxt(tmp_path / "uniforms.txt", np.concatenate([*twin.uniforms, [0.0]]), fmt="%.17g")
    for drawer, numbers in (("rand", "uniforms"), ("randn", "normals")):  # in place of the built-in ones
        (tmp_path / f"{drawer}.m").write_text(
            f"function r = {drawer}(n, d)\n persistent numbers used\n"
            f" if isempty(numbers), numbers = load('{numbers}.txt'); used = 0; end\n"
            " r = reshape(numbers(used+1:used+n*d), d, n)'; used = used + n * d;\nend\n"
        )
    octave(
        tmp_path,
        "warning('off', 'all'); global seen; seen = zeros(0, 3);\n"
        f"opt(@noted, {matrix(LOWER)}, {matrix(UPPER)}, {BUDGET});\n"
        "dlmwrite('seen.txt', seen, 'delimiter', ' ', 'precision', 17);\n",
    )
    assert np.allclose(np.loadtxt(tmp_path / "seen.txt"), np.concatenate(points)[:BUDGET], rtol=1e-9, atol=1e-9)
