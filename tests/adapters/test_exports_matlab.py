"""Operators exported to MATLAB do what autov does, run by GNU Octave where it is installed."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest

from autov.adapters.exports import export
from tests.adapters.exported import LOWER, OPERATORS, UPPER, operator_of, parents_of, points_of, same_law

OCTAVE = shutil.which("octave-cli")
pytestmark = [pytest.mark.cold, pytest.mark.skipif(OCTAVE is None, reason="octave-cli is not installed")]


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
