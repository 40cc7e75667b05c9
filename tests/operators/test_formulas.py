"""What is printed of an operator is that operator: text and LaTeX read back, every row and every weight."""

import re
from pathlib import Path

import numpy as np
import pytest

from autov.operators import AffineOperator, load_operator
from autov.operators.formulas import by_probability, latex_number
from autov.operators.inputs import input_of

DESIGNED = Path(__file__).parents[2] / "results" / "designs" / "rastrigin-quick-1" / "operator.json"
SMALL = AffineOperator(
    ("x1", "x2", "best", "lower", "upper"),
    [[1e-7, -0.123456, 0.0], [0.0, 0.0, 0.0], [123456.0, 0.5, 0.0]], [[2e-5, 0.0, 3.3e-6], [0.0, 0.0, 0.0], [0, 1, 1]],
    [1e-5, 0.3, 2.0], tie_bounds=True,
)  # fmt: skip
MANY = AffineOperator([f"x{i}" for i in range(1, 13)], np.full((1, 11), 0.25), np.full((1, 11), 1e-3), [1.0])
MIXED = AffineOperator.from_rows(
    ("x1", "difference", "x2", "width", "spread"),
    [{"probability": 1.0, "difference": (0.5, 0.1), "spread": (0.0, 0.25)},
     {"probability": 3.0, "x2": (0.75, 0.0), "width": (0.0, 0.125)}],
    draw=("solution", "variable"),
)  # fmt: skip
OPERATORS = {"paper-h3": load_operator("paper-h3"), "designed": load_operator(DESIGNED), "small": SMALL, "many": MANY}
NUMBER = r"-?[0-9.]+(?:e[-+]?[0-9]+)?"


def sorted_rows(operator):
    order = by_probability(operator)
    probability = operator.probability[order] / operator.probability.sum()
    return operator.mean[order], operator.std[order], probability


def read_text(text, weights):
    names = {input_of(name).term: i for i, name in enumerate(weights)}
    lines = text.splitlines()[2:]
    mean, std = np.zeros((2, len(lines), len(weights)))
    probability = np.empty(len(lines))
    for j, line in enumerate(lines):
        found, formula = line.split(maxsplit=1)
        probability[j] = float(found)
        formula = re.sub(r" - (?=\d)", " + -", formula)
        first, *terms = re.split(r" \+ (?=N\(|-?\d)", formula)
        assert first == "x1"
        for term in terms:
            law = re.fullmatch(rf"(?:N\(({NUMBER}), ({NUMBER})²\)|({NUMBER})) (\(.*\))", term)
            i = names[law[4]]
            mean[j, i], std[j, i] = (float(law[3]), 0.0) if law[3] else (float(law[1]), float(law[2]))
    return mean, std, probability


def read_latex(text, weights):
    names = {input_of(name).latex_term: i for i, name in enumerate(weights)}
    text = re.sub(r"\\times 10\^\{(-?[0-9]+)\}", r"e\1", text)
    lines = text.splitlines()[1:-1]
    mean, std = np.zeros((2, len(lines), len(weights)))
    above = np.ones(len(lines))
    for j, line in enumerate(lines):
        formula, laws = line.split("&")
        terms = dict(re.findall(r"(r_\{?[0-9]+\}?)(\([^()]*\))", formula))
        for weight, a, b in re.findall(rf"(r_\{{?[0-9]+\}}?)\\sim\\mathcal\{{N\}}\(({NUMBER}),({NUMBER})\)", laws):
            i = names[terms.pop(weight)]
            mean[j, i], std[j, i] = float(a), np.sqrt(float(b))
        assert not terms
        if found := re.search(rf"p<({NUMBER})\\\\", laws):
            above[j] = float(found[1])
        low = re.search(rf"({NUMBER})\\le p", laws)
        assert (float(low[1]) if low else 0.0) == (above[j - 1] if j else 0.0)
    assert above[-1] == 1
    return mean, std, np.diff(above, prepend=0.0)


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize(("kind", "read"), [("__str__", read_text), ("latex", read_latex)])
def test_what_is_printed_is_the_operator(name, kind, read):
    operator = OPERATORS[name]
    printed = read(getattr(operator, kind)(), operator.weights)
    *rows, probability = sorted_rows(operator)
    chosen = probability > 0 if kind == "latex" else slice(None)  # the formula leaves out what is never chosen
    for found, expected in zip(printed, (*rows, probability), strict=True):
        np.testing.assert_allclose(found, expected[chosen], rtol=1e-3, atol=2e-6 if found.ndim == 1 else 0)


def test_small_numbers_keep_their_digits():
    assert latex_number(3.14159e-6) == r"3.142\times 10^{-6}"
    assert latex_number(-123456.0) == r"-1.235\times 10^{5}"
    assert latex_number(0.47531) == "0.4753"
    assert latex_number(0.0) == "0"
    assert "x_{12}" in MANY.latex()


def test_mixed_draws_and_directions_as_text():
    assert str(MIXED).splitlines() == [
        "h(x1, difference, x2, width, spread)  form x1,difference,x2,width,spread, k = 2, "
        "draws per variable and per solution",
        "  probability  draw      offspring",
        "         0.75  variable  x1 + 0.75 (x2 - x1) + N(0, 0.125²) (u - l)",
        "         0.25  solution  x1 + N(0.5, 0.1²) (xa - xb) + N(0, 0.25²) (s)",
    ]
    first, second, end = MIXED.latex().splitlines()[1:]
    assert r"p<0.75\\" in first
    assert r"0.75\le p\\" in second
    assert end == r"\end{cases}\quad p\sim\mathcal{U}(0,1)"
    never = AffineOperator.from_rows("h1", [{"probability": 1.0, "x2": (0.5, 0.1)}, {"probability": 0.0}])
    assert never.latex().count("&") == 1
    assert "p" not in never.latex()
    assert "(u-l)" in first
    assert r"\text{per variable}" in first
    assert "(x_a-x_b)" in second
    assert r"\text{per solution}" in second
