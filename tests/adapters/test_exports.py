"""Exported programs run without autov and do what autov does."""

import json
import random
import shutil
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import autov
from autov.adapters.exports import FORMATS, export
from autov.algorithms import Evolution
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.cli import main
from autov.core import FileError, InputError
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
}  # fmt: skip
BEST, MEAN = np.array([1.0, 0.5, 2.0]), np.array([0.0, 0.2, 3.0])


def operator_of(name):
    operator = OPERATORS[name]
    return autov.load_operator(operator) if isinstance(operator, str) else operator


def points_of(operator):
    return {name: value for name, value in (("best", BEST), ("mean", MEAN)) if name in operator.inputs}


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


@pytest.mark.parametrize("name", OPERATORS)
def test_python_evolution_has_the_same_offspring(name):
    operator = operator_of(name)
    exported = program(export(Evolution(operator), "python"))
    rng = np.random.default_rng(3)
    box = autov.Box(LOWER, UPPER)
    x = box.sample(3000, rng)
    f = ((x - 1) ** 2).sum(axis=1)
    algorithm = Evolution(operator)
    state = algorithm.tell(algorithm.init(box, len(x), 10_000, rng), x, f, rng)
    expected, _ = algorithm.ask(state, rng)
    assert same_law(exported.propose(x, f, LOWER, UPPER, rng), expected)


def rosenbrock(x):
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


def finals(minimize, runs=15):
    return np.array([minimize(seed) for seed in range(runs)])


@pytest.mark.parametrize("source", ["autov:paper-h3", "ma-es"])
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


@pytest.mark.parametrize("source", ["autov:paper-h3", "ma-es"])
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
    "none": {"restarts": "none", "c_mu_factor": 0.5, "d_sigma_factor": 2.0, "c_1_factor": 0.2},
}


BUDGET = 1000


def twin_run(settings):
    """Points of each generation, and the draws that made them."""
    algorithm = MatrixAdaptation(**settings)
    twin = Recorded(algorithm, np.array([3, 9], dtype=np.uint64), LOWER, UPPER, BUDGET // 10)
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
    strategy = program(export(algorithm, "python")).Strategy(LOWER, UPPER, BUDGET, draws)
    for expected in points:
        x = strategy.ask()
        assert np.allclose(x, expected, rtol=1e-9, atol=1e-9)
        strategy.tell(((x - 1.2) ** 2).sum(axis=1))


def test_python_matrix_adaptation_may_restart_at_the_best_point():
    exported = program(export(MatrixAdaptation(restart_mean="best", tol_x=1e-2), "python"))
    strategy = exported.Strategy(LOWER, UPPER, 1000, np.random.default_rng(1))
    while strategy.runs == 1:
        x = strategy.ask()
        strategy.tell(((x - 1.2) ** 2).sum(axis=1))
    assert np.allclose(LOWER + exported.inside(strategy.mean) * (UPPER - LOWER), strategy.best_x)


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


@needs_octave
@pytest.mark.parametrize("name", ["paper-h3", "best and mean"])
def test_matlab_evolution_has_the_same_offspring_and_results(tmp_path, name):
    operator = operator_of(name)
    (tmp_path / "opt.m").write_text(export(Evolution(operator), "matlab", "opt"))
    (tmp_path / "noted.m").write_text(
        "function f = noted(x)\n global seen; seen(end + 1, :) = x; f = sum((x - 1).^2);\nend\n"
    )
    octave(
        tmp_path,
        "global seen; seen = zeros(0, 3); rand('twister', 1); randn('twister', 1);\n"
        f"opt(@noted, {matrix(LOWER)}, {matrix(UPPER)}, 3000, 1500);\n"
        "dlmwrite('seen.txt', seen, 'delimiter', ' ', 'precision', 17);\n"
        "values = zeros(15, 1); for i = 1:15, seen = zeros(0, 3); "
        f"[x, values(i)] = opt(@noted, {matrix(LOWER)}, {matrix(UPPER)}, 310, 20);\n"
        "assert(size(seen, 1) == 310); assert(abs(sum((x - 1).^2) - values(i)) < 1e-12); end\n"
        "dlmwrite('values.txt', values, 'precision', 17);\n",
    )
    seen = np.loadtxt(tmp_path / "seen.txt")
    algorithm, rng, box = Evolution(operator), np.random.default_rng(3), autov.Box(LOWER, UPPER)
    x = seen[:1500]
    state = algorithm.tell(algorithm.init(box, 1500, 3000, rng), x, ((x - 1) ** 2).sum(axis=1), rng)
    assert same_law(seen[1500:], algorithm.ask(state, rng)[0])
    options = {"algorithm": algorithm, "maxfev": 310, "popsize": 20}
    library = finals(lambda seed: autov.minimize(lambda x: float(((x - 1) ** 2).sum()), box, rng=seed, **options).fun)
    assert stats.mannwhitneyu(np.loadtxt(tmp_path / "values.txt"), library).pvalue > 1e-3


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
