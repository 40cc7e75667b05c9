"""Exported programs run without autov and do what autov does."""

import json
import random
import shutil
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
from tests.naive_matrix_adaptation import Strategy

LOWER, UPPER = np.array([-5.0, 0.0, 1.0]), np.array([5.0, 1.0, 4.0])
OPERATORS = {
    "paper-h3": "paper-h3",
    "tied bounds": autov.AffineOperator.from_rows(
        "h5", [{"probability": 2.0, "x2": (0.5, 0.1), "bounds": (0.0, 0.1)}, {"probability": 1.0, "x3": (1.0, 0.0)}],
        tie_bounds=True,
    ),
    "one draw": autov.AffineOperator.from_rows(
        "h4", [{"probability": 1.0, "x2": (0.5, 0.3), "x3": (-0.2, 0.1)}, {"probability": 1.0, "x2": (0.1, 0.2)}],
        draw="solution",
    ),
    "one row, one parent": autov.AffineOperator.from_rows(
        "h2", [{"probability": 1.0, "lower": (0.0, 0.1), "upper": (0.1, 0.1)}]
    ),
    "best and mean": autov.AffineOperator.from_rows(
        "x1,best,x2,mean", [{"probability": 1.0, "best": (0.3, 0.1), "x2": (0.0, 0.1), "mean": (0.2, 0.0)}]
    ),
    "rows of both kinds": autov.AffineOperator.from_rows(
        "x1,x2,difference,spread,width",
        [{"probability": 0.3, "x2": (0.4, 0.2), "difference": (0.5, 0.2)},
         {"probability": 0.2, "spread": (0.1, 0.3), "width": (0.0, 0.05)},
         {"probability": 0.0, "x2": (9.0, 0.0)},
         {"probability": 0.5, "x2": (1.0, 0.2), "difference": (-0.5, 0.1), "spread": (0.2, 0.1)}],
        draw=("solution", "variable", "solution", "variable"),
    ),
}  # fmt: skip
POINTS = {
    "best": np.array([1.0, 0.5, 2.0]), "mean": np.array([0.0, 0.2, 3.0]), "difference": np.array([0.5, -0.1, 0.3]),
    "spread": np.array([1.0, 0.2, 0.5]),
}  # fmt: skip


def operator_of(name):
    operator = OPERATORS[name]
    return autov.load_operator(operator) if isinstance(operator, str) else operator


def points_of(operator):
    return {name: value for name, value in POINTS.items() if name in operator.inputs}


def parents_of(operator, n):
    parents = np.array([[4.0, 0.9, 1.1], [-1.0, 0.5, 3.0], [2.0, 0.0, 4.0]])[: operator.n_parents]
    return np.repeat(parents[:, None], n, axis=1)


def program(text):
    """The names that a module defines; it may import NumPy and the standard library only."""
    assert "autov import" not in text
    assert "import autov" not in text
    names = {"__name__": "exported"}
    exec(compile(text, "exported", "exec"), names)
    return SimpleNamespace(**names)


def same_law(a, b):
    """Whether two samples (n, d) look alike, each variable and the sum of all."""
    columns = [*zip(a.T, b.T, strict=True), (a.sum(axis=1), b.sum(axis=1))]
    return min(stats.ks_2samp(one, two).pvalue for one, two in columns) > 1e-4


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


EVOLUTIONS = {name: {"operator": name} for name in OPERATORS} | {
    "other tournaments": {"operator": "paper-h3", "tournament_first": 1.0, "tournament_others": 3.7},
    "comma, in a learned frame": {"operator": "rows of both kinds", "survival": "comma", "offspring": 1.3,
                                  "frame": "learned"},
    "plus, in a learned frame": {"operator": "tied bounds", "offspring": 0.5, "frame": "learned", "popsize": 900},
}  # fmt: skip


def evolution_of(name):
    settings = dict(EVOLUTIONS[name])
    return Evolution(operator_of(settings.pop("operator")), **settings)


def slanted(x):
    """Values with a direction that is none of the axes."""
    return ((x - 1) ** 2).sum(axis=1) + 5 * (x[:, 0] + x[:, 1]) ** 2


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


PORTFOLIOS = {
    "default": Portfolio(),
    "three": Portfolio(
        (Evolution("paper-h3", popsize=7), MatrixAdaptation(popsize=5), Evolution("exchange", popsize=11)),
        trial=(0.05, 0.1, 0.0), hedge=0.5, round=0.031, polish=0.2,
    ),
    "one": Portfolio((Evolution("exchange", popsize=12, offspring=0.5),), polish=0.3, polish_step=3.0),
    "strategies": Portfolio((MatrixAdaptation(), MatrixAdaptation(sigma=0.05, bounds="clip"))),
    "no polishing": Portfolio((Evolution("exchange", popsize=9, frame="learned"), MatrixAdaptation()), polish=0.0),
    "a small budget": Portfolio(
        (MatrixAdaptation(first_mean="centre", popsize_budget=0.3, restart_mean="mixed"),
         Evolution("exchange", popsize=9)),
        trial=(0.2, 0.2), hedge=0.4, full_budget=1000.0,
    ),
}  # fmt: skip


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


def rosenbrock(x):
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


def finals(minimize, runs=15):
    return np.array([minimize(seed) for seed in range(runs)])


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


class Recorded(Strategy):
    """The twin of the kernels, which keeps what it draws."""

    def __init__(self, *arguments):
        self.uniforms, self.normals = [], []
        super().__init__(*arguments)

    def uniform(self, purpose, count):
        drawn = super().uniform(purpose, count)
        self.uniforms.append(drawn)
        return drawn

    def ask(self):
        x = super().ask()
        self.normals.append(self.z)
        return x


SETTINGS = {
    "default": {},
    "fold, ipop": {"bounds": "fold", "tol_x": 1e-2, "sigma": 0.3, "popsize": 7},
    "clip, two paths": {"bounds": "clip", "paths": "two", "tol_f": 1e-1, "negative": 0.5},
    "bipop": {"restarts": "bipop", "tol_x": 3e-2, "restart_sigma": 0.5, "popsize_factor": 0.7, "growth": 3.0},
    "centre": {
        "first_mean": "centre",
        "popsize_budget": 0.3,
        "restarts": "bipop",
        "restart_mean": "mixed",
        "tol_x": 3e-2,
    },
    "none": {"restarts": "none", "c_mu_factor": 0.5, "d_sigma_factor": 2.0, "c_1_factor": 0.2},
}


BUDGET = 1000


def twin_run(settings):
    """Points of each generation, and the draws that made them."""
    algorithm = MatrixAdaptation(**settings)
    twin = Recorded(algorithm, np.array([3, 9], dtype=np.uint64), LOWER, UPPER, BUDGET // 10, BUDGET)
    points = []
    while sum(len(x) for x in points) < BUDGET:
        points.append(twin.ask())
        twin.tell(points[-1], ((points[-1] - 1.2) ** 2).sum(axis=1))
    return algorithm, twin, points


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
        (("shade", "python"), "to: the algorithm shade cannot be exported"),
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
