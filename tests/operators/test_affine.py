"""Affine operators: construction, files, text, and the properties of their offspring."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autov
from autov.core import FileError, InputError, generator
from autov.invariance import check
from autov.kernels.evolution.variation import DIFFERENCE, SPREAD, WIDTH
from autov.operators import FORMS, AffineOperator, from_dict, load_operator, to_dict

PAPER = load_operator("paper-h3")
FORM = st.sampled_from([*FORMS.values(), ("x1", "x2", "best", "mean", "lower", "upper"), ("x1", "mean")])


def make(inputs, seed=0, rows=3, draw="variable", tie_bounds=False):
    rng = generator(seed)
    w = len(inputs) - 1 - tie_bounds
    return AffineOperator(
        inputs, rng.uniform(-1, 1, (rows, w)), rng.random((rows, w)), rng.random(rows), draw, tie_bounds
    )


def offspring(operator, parents, lower, upper, best, mean, seed):
    return operator(parents, lower, upper, generator(seed), best=best, mean=mean)


def test_paper_operator_has_variances_as_printed():
    assert PAPER.rows == 10
    assert PAPER.inputs == FORMS["h3"]
    assert PAPER.probability.sum() == pytest.approx(1.0)
    assert PAPER.std[0, 0] ** 2 == pytest.approx(0.0103)
    assert PAPER.mean[5].tolist() == [0.7293, 0, 0]
    assert "Tian" in PAPER.provenance["source"]


@given(FORM, st.sampled_from(["variable", "solution"]), st.integers(0, 10**6), st.floats(-1e3, 1e3))
def test_translated_inputs_give_translated_offspring(inputs, draw, seed, b):
    operator, rng = make(inputs, seed, draw=draw), generator(seed)
    parents, lower, upper = rng.normal(size=(3, 4, 5)), -3 - rng.random(5), 3 + rng.random(5)
    best, mean = rng.normal(size=5), rng.normal(size=5)
    plain = offspring(operator, parents, lower, upper, best, mean, seed)
    moved = offspring(operator, parents + b, lower + b, upper + b, best + b, mean + b, seed)
    assert np.allclose(moved, plain + b, rtol=1e-9, atol=1e-9 * (1 + abs(b)))


@given(FORM, st.sampled_from(["variable", "solution"]), st.integers(0, 10**6), st.floats(-1e3, 1e3).filter(bool))
def test_scaled_inputs_give_scaled_offspring(inputs, draw, seed, a):
    operator, rng = make(inputs, seed, draw=draw), generator(seed)
    parents, lower, upper = rng.normal(size=(3, 4, 5)), -3 - rng.random(5), 3 + rng.random(5)
    best, mean = rng.normal(size=5), rng.normal(size=5)
    plain = offspring(operator, parents, lower, upper, best, mean, seed)
    scaled = offspring(operator, a * parents, a * lower, a * upper, a * best, a * mean, seed)
    assert np.allclose(scaled, a * plain, rtol=1e-9, atol=1e-9 * abs(a))


@given(FORM, st.integers(0, 10**6))
def test_weights_sum_to_one(inputs, seed):
    """If all inputs are the same point, so is the offspring."""
    operator, point = make(inputs, seed), generator(seed).normal(size=5)
    parents = np.broadcast_to(point, (3, 4, 5))
    assert np.allclose(operator(parents, point, point, generator(1), best=point, mean=point), point, rtol=1e-12)


def test_solution_draw_gives_points_of_the_line_through_two_parents():
    operator = make(FORMS["h1"], draw="solution")
    parents = generator(2).normal(size=(2, 50, 6))
    step = operator(parents, np.zeros(6), np.ones(6), generator(3)) - parents[0]
    weight = step / (parents[1] - parents[0])
    assert np.allclose(weight, weight[:, :1])
    loose = make(FORMS["h1"], draw="variable")
    step = loose(parents, np.zeros(6), np.ones(6), generator(3)) - parents[0]
    assert not np.allclose(step / (parents[1] - parents[0]), (step / (parents[1] - parents[0]))[:, :1])


def test_tied_bounds_add_multiples_of_the_width():
    operator = AffineOperator(("x1", "lower", "upper"), [[0.25]], [[0.0]], [1.0], tie_bounds=True)
    child = operator(np.zeros((1, 2, 3)), np.array([0.0, -1.0, 5.0]), np.array([4.0, 1.0, 6.0]), generator(0))
    assert np.allclose(child, [[1.0, 0.5, 0.25]] * 2)


def test_matrix_round_trip():
    assert AffineOperator.from_matrix(PAPER.matrix(), "h3") == PAPER
    squared = PAPER.matrix()
    squared[:, 1:-1:2] **= 2
    again = AffineOperator.from_matrix(squared, "h3", spread="variance")
    assert np.allclose(again.std, PAPER.std)
    with pytest.raises(InputError, match="7 columns"):
        AffineOperator.from_matrix(PAPER.matrix()[:, 1:], "h3")


def test_file_round_trip_keeps_unknown_keys(tmp_path):
    data = to_dict(PAPER) | {"colour": "blue"}
    (tmp_path / "a.json").write_text(json.dumps(data))
    operator = load_operator(tmp_path / "a.json")
    assert operator == PAPER
    operator.save(tmp_path / "b.json")
    assert json.loads((tmp_path / "b.json").read_text())["colour"] == "blue"
    assert [p.name for p in tmp_path.iterdir() if "partial" in p.name] == []


def test_equality_is_by_value():
    again = AffineOperator(PAPER.inputs, PAPER.mean.copy(), PAPER.std.copy(), PAPER.probability.copy())
    assert again == PAPER
    assert hash(again) == hash(PAPER)
    assert again != make(FORMS["h3"])
    assert again != "paper-h3"


def test_text_shows_rows_by_probability():
    text = str(PAPER)
    assert "h(x1, x2, lower, upper)" in text
    assert text.index(" 0.219 ") < text.index(" 0.217 ") < text.index(" 0.032 ")
    assert "x1 + N(0.4753, 0.1015²) (x2 - x1)" in text
    assert r"r_2\sim\mathcal{N}(0.4753,0.0103)" in PAPER.latex()


def row(name="x2", **change):
    """What a file with one row has, with changes."""
    mean, std = change.get("mean", 0.0), change.get("std", 1.0)
    weights = {name: {"mean": mean, "std": std}}
    return {"inputs": ["x1", "x2"], "rows": [{"probability": change.get("probability", 1.0), "weights": weights}]}


def test_a_row_without_changes_is_read():
    operator = from_dict(to_dict(PAPER) | row())
    assert operator == AffineOperator(("x1", "x2"), [[0.0]], [[1.0]], [1.0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version 2 is unknown"), ({"format": "x"}, "not an operator file"),
        ({"inputs": ["x2", "x1"]}, "first must be x1"), ({"inputs": ["x1", "y"]}, "unknown 'y'"),
        ({"inputs": ["x1", "x3"]}, "without a gap"), ({"draw": "dice"}, "draw"), ({"rows": []}, "rows"),
        (row(std=-1), "std: must not be negative"), (row(mean=float("nan")), "finite"),
        (row(probability=0), "positive number"), (row("x9"), "unknown weight 'x9'"),
        (row(mean="a"), "mean: must be a number, got 'a'"), (row(mean="0.5"), "mean: must be a number"),
        (row(std=True), "std: must be a number, got True"), (row(std=None), "std: must be a number"),
        (row(mean=[1]), "mean: must be a number"), (row(probability="1"), "probability: must be a number"),
        (row(mean=10**400), "mean: must be finite"), (row(std=10**5000), "std: must be finite"),
        (row(probability=10**400), "probability: must be finite"),
        ({"inputs": ["x1", "x2"], "rows": [{"weights": {"x2": {"mean": 0, "std": 0}}}]}, "'probability' is missing"),
        ({"rows": [{"probability": 1}]}, "'weights' is missing"),
        ({"rows": [{"probability": 1, "weights": {}}]}, "'x2' is missing"),
        ({"rows": [{"probability": 1, "weights": {"x2": {"mean": 0, "std": 1}}}]}, "'lower' is missing"),
        ({"inputs": ["x1", "x2"], "rows": [{"probability": 1, "weights": {"x2": {"mean": 0}}}]}, "'std' is missing"),
        ({"rows": [{"probability": 1, "weights": None}]}, "not a complete operator"), ({"rows": 3}, "not a complete"),
        ({"tie_bounds": "false"}, "tie_bounds: must be true or false, got 'false'"),
        ({"tie_bounds": None}, "tie_bounds: must be true or false"), ({"tie_bounds": 1}, "tie_bounds: must be true"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_with_one_line(change, message):
    with pytest.raises(FileError, match=message) as caught:
        from_dict(to_dict(PAPER) | change, "op.json")
    assert str(caught.value).startswith("op.json: ")
    assert "\n" not in str(caught.value)


def test_truncated_and_missing_files(tmp_path):
    (tmp_path / "half.json").write_text(json.dumps(to_dict(PAPER))[:200])
    with pytest.raises(FileError, match="not valid JSON"):
        load_operator(tmp_path / "half.json")
    (tmp_path / "digits.json").write_text(json.dumps(to_dict(PAPER)).replace("0.4753", "1" * 5000))
    with pytest.raises(FileError, match=r"digits\.json: cannot be read as an operator: not valid JSON") as caught:
        load_operator(tmp_path / "digits.json")
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="no file"):
        load_operator(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((("x1",), np.zeros((1, 0)), np.zeros((1, 0)), [1.0]), "x1 alone"),
        ((("x1", "x2"), np.zeros((2, 1)), np.zeros((1, 1)), [1.0]), "mean: must have shape"),
        ((("x1", "x2"), np.zeros((1, 1)), np.zeros((1, 1)), []), "k >= 1"),
        ((("x1", "x2", "x2"), np.zeros((1, 2)), np.zeros((1, 2)), [1.0]), "each may appear once"),
        ((("x1", "x2"), [["a"]], np.zeros((1, 1)), [1.0]), "mean: must be an array of numbers"),
        ((("x1", "x2"), np.zeros((1, 1)), np.zeros((1, 1)), [-1.0]), "probability"),
        ((("x1", "x2"), np.zeros((1, 1)), np.zeros((1, 1)), [np.nan]), "finite"),
        ((("x1", "x2"), np.zeros((1, 1)), np.zeros((1, 1)), [1.0], "variable", True), "needs both lower and upper"),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        AffineOperator(*arguments)


def test_missing_inputs_are_named():
    operator = make(("x1", "best"))
    with pytest.raises(InputError, match=r"^best: "):
        operator(np.zeros((1, 2, 3)), np.zeros(3), np.ones(3), generator(0))
    with pytest.raises(InputError, match=r"^parents: "):
        PAPER(np.zeros((1, 2, 3)), np.zeros(3), np.ones(3), generator(0))


def test_public_names_exist():
    assert autov.operator_names() == ["paper-h3", "uniform-crossover"]
    for name in autov.__all__:
        assert getattr(autov, name) is not None
    with pytest.raises(AttributeError, match="no attribute"):
        autov.nonsense  # noqa: B018


def test_a_row_of_probability_zero_is_not_drawn_by_rounding():
    """Ten tenths add up to less than one, by rounding; the largest number below one must still draw the tenth row."""

    class Largest:
        def random(self, size):
            return np.full(size, 1 - 2.0**-53)

        def standard_normal(self, size):
            return np.zeros(size)

    probability = np.append(np.full(10, 0.1), 0.0)
    assert np.cumsum(probability / probability.sum())[-1] < 1
    operator = AffineOperator(("x1", "x2"), np.arange(11.0)[:, None], np.zeros((11, 1)), probability)
    parents = np.array([np.zeros((3, 2)), np.ones((3, 2))])
    assert (operator(parents, np.zeros(2), np.ones(2), Largest()) == 9).all()


MIXED = AffineOperator.from_rows(
    ("x1", "difference", "x2", "width", "spread"),
    [{"probability": 1.0, "difference": (0.5, 0.1), "spread": (0.0, 0.25)},
     {"probability": 3.0, "x2": (0.75, 0.0), "width": (0.0, 0.125)}],
    draw=("solution", "variable"),
)  # fmt: skip


def test_mixed_draws_are_written_and_read():
    data = json.loads(json.dumps(to_dict(MIXED)))
    assert data["draw"] == ["solution", "variable"]
    assert from_dict(data) == MIXED
    assert AffineOperator.from_matrix(MIXED.matrix(), MIXED.inputs, draw=MIXED.draw) == MIXED
    assert replace(MIXED, draw="variable") != MIXED
    assert replace(MIXED, draw=["solution", "solution"]).draw == "solution"


@pytest.mark.parametrize("draw", ["row", ("solution",), ("solution", "row"), 3, ("solution",) * 3, ()])
def test_unknown_draws_are_refused(draw):
    with pytest.raises(InputError, match=r"^draw: "):
        replace(MIXED, draw=draw)


def test_directions_are_added_without_x1():
    constant = AffineOperator(MIXED.inputs, [[2.0, 0.0, 10.0, 100.0]], np.zeros((1, 4)), [1.0])
    parents = np.array([[[1.0, 2.0]], [[5.0, 5.0]]])
    difference, spread = np.array([[0.25, 0.5]]), np.array([3.0, 4.0])
    found = constant(parents, np.zeros(2), np.array([1.0, 2.0]), generator(0), difference=difference, spread=spread)
    assert found.tolist() == [[1 + 0.5 + 10 + 300, 2 + 1 + 20 + 400]]
    with pytest.raises(InputError, match=r"^spread: "):
        constant(parents, np.zeros(2), np.ones(2), generator(0), difference=difference)


def test_directions_are_packed_last_and_others_keep_their_order():
    variation = MIXED.variation()
    assert variation.inputs.tolist() == [1, 2, DIFFERENCE, WIDTH, SPREAD]
    assert len(variation.tied) == 3
    assert variation.rows.tolist() == [1, 1]
    assert variation.parameters[0].tolist() == [0.75, 0, 0, 0, 0, 0.125**2, 0, 0]
    assert variation.parameters[1].tolist() == [0, 0, 0.5, 0.1**2, 0, 0, 0, 0.25**2]


def test_certificates_of_directions_and_mixed_draws():
    vectors = AffineOperator.from_rows(("x1", "x2", "difference"), [{"probability": 1.0, "difference": (0.5, 0.2)}])
    for operator, rotation in (
        (MIXED, False), (replace(MIXED, draw="solution"), False),  # its lengths are no vectors
        (vectors, False), (replace(vectors, draw="solution"), True),
    ):  # fmt: skip
        found = check(operator, dim=3, trials=4, properties=("translation", "scale", "rotation"))
        assert found.holds == {"translation": True, "scale": True, "rotation": rotation}
        assert "do not move with the points" in str(found).replace("\n      ", " ")


def test_a_negative_constant_is_subtracted():
    operator = AffineOperator.from_rows(
        ("x1", "x2", "best"), [{"probability": 1.0, "x2": (-0.5, 0.0), "best": (-1, 2)}]
    )
    assert "x1 - 0.5 (x2 - x1) + N(-1, 2²) (b - x1)" in str(operator)
