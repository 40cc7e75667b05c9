"""Algorithms in words."""

from autov.algorithms import Evolution, resolve_algorithm
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.portfolio import Portfolio
from autov.algorithms.shade import SHADE
from autov.algorithms.text import explain, row_words
from autov.operators import AffineOperator


def test_a_portfolio_says_who_gets_how_much():
    text = explain(Portfolio(trial=(0.06, 0.25), hedge=0.2, round=0.05, polish=0.1))
    assert text.startswith("A portfolio of 2: evolution (population 30), ma-es.")
    assert "evolution (population 30) 6.0%, ma-es 25.0%" in text
    assert "rounds of 5.0%: the one with the best value gets 80% of each, the others share 20%" in text
    assert "The last 10.0% belong to the leader" in text
    assert "steps of 1 times the spread of its better half (at least 0.001 of the box)" in text
    assert "With fewer than" not in text
    sparing = explain(Portfolio((MatrixAdaptation(popsize_budget=0.25, first_mean="centre"), SHADE()), full_budget=700))
    assert "With fewer than 700 evaluations for each variable, trials of all but ma-es and what others share" in sparing
    assert (
        "a population of 1 (4 + 3 ln d) (evaluations / 50 d)^0.25, first steps 0.2 of the box from its centre"
        in sparing
    )
    silent = explain(Portfolio(trial=(0.5, 0.0), hedge=0.0, polish=0.0))
    assert "ma-es never runs" in silent
    assert "belong to the leader" not in silent


def test_an_evolution_says_how_it_selects_and_survives():
    text = explain(Evolution("uniform-crossover", popsize=7, tournament_first=1, tournament_others=2.5,
                             survival="comma", offspring=3, frame="learned"))  # fmt: skip
    assert "a population of 7, 3 offspring for each member; only offspring survive" in text
    assert "x1 is a random member, others are the best of 2.5 random members" in text
    assert "along the eigenvectors" in text
    assert "50.0%: the variable stays that of x1" in text
    assert "40.0%: the variable is that of x2" in text


def test_rows_in_words():
    inputs = ("x1", "x2", "best", "difference", "width", "spread")
    rows = [
        {"probability": 1, "x2": (0.5, 0.0)},
        {"probability": 1, "best": (0.9, 0.2), "width": (0.0, 0.01)},
        {"probability": 1, "x2": (-0.25, 0.0), "difference": (0.7, 0.1), "spread": (0.0, 1.5)},
        {"probability": 1, "x2": (0.0, 0.3)},
    ]
    operator = AffineOperator.from_rows(inputs, rows, draw=("variable", "variable", "solution", "variable"))
    assert [row_words(operator, j) for j in range(4)] == [
        "the variable goes 50% of the way to x2",
        "the variable goes 0.9 ± 0.2 of the way to the best point, and moves by 0.01 times the width of the box",
        "the whole offspring moves 25% away from x2, and moves by 0.7 (± 0.1) times the difference of two random "
        "members, and moves by 1.5 times the spread of the population",
        "the variable moves along the line to x2 (0 ± 0.3 of the way)",
    ]


def test_a_strategy_says_its_rates_and_restarts():
    text = explain(MatrixAdaptation(c_mu_factor=2.5, restarts="bipop", growth=3, longest=0.5, popsize=12))
    assert "a population of 12" in text
    assert "c_mu x 2.5" in text
    assert "Restarts (bipop) anywhere, populations x 3" in text
    assert "Other settings: longest = 0.5." in text
    assert "No restarts" in explain(MatrixAdaptation(restarts="none"))


def test_other_algorithms_say_their_settings():
    assert explain(resolve_algorithm("de+F=0.7")).startswith("de with")

    class Own:
        name = "mine"

    assert explain(Own()) == "mine"
