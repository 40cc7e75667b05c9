import dataclasses
import itertools
import warnings
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from autov.core import InputError
from autov.experiments import Comparison
from autov.operators import load_operator
from autov.reports import comparison_page, convergence_plot, page, rank_plot, save_plot, svg
from autov.reports.axes import short_count, spread, symlog_ticks
from autov.reports.operator_plots import densest, offspring, offspring_plot
from autov.reports.plots import vertical_scale
from autov.reports.rank_plots import groups_of, win_plot
from autov.reports.theme import COLOURS, INK, ON_DARK, line_style, themed
from tests.reports.made import FAILURE, made_comparison
from tests.reports.pages import check_page


@pytest.mark.parametrize("draw", [convergence_plot, rank_plot, win_plot])
def test_svg_parses_and_is_the_same_every_time(draw):
    first, second = svg(draw(made_comparison())), svg(draw(made_comparison()))
    assert ET.fromstring(first).tag == "{http://www.w3.org/2000/svg}svg"
    assert first == second
    assert "&lt;b&gt;|&amp;" in first


def test_files(tmp_path):
    save_plot(rank_plot(made_comparison()), tmp_path / "r.png")
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
    save_plot(rank_plot(made_comparison()), tmp_path / "r.svg")
    ET.parse(tmp_path / "r.svg")
    with pytest.raises(InputError, match=r"\.svg, \.pdf or \.png"):
        save_plot(rank_plot(made_comparison()), tmp_path / "r.bmp")


def test_some_of_the_problems():
    figure = convergence_plot(made_comparison(), ["step"], ["ga"])
    assert [ax.get_title() for ax in figure.axes] == ["step"]
    assert len(figure.axes[0].lines) == 1
    with pytest.raises(InputError, match="'x' is not in the comparison"):
        convergence_plot(made_comparison(), ["x"])


def test_vertical_scales():
    assert vertical_scale([np.array([1.0, 10.0])])[:2] == (0.0, "log")
    assert vertical_scale([np.array([0.0, 0.5, 10.0])]) == (0.0, "symlog", 0.5)
    assert vertical_scale([np.array([-3.0, -2.0, 7.0, np.nan])]) == (-3.0, "symlog", 1.0)
    assert vertical_scale([np.zeros(3)])[:2] == (0.0, "linear")
    assert vertical_scale([np.array([np.nan])])[1] == "linear"


def test_groups_within_the_critical_difference():
    assert groups_of([1.0, 1.5, 3.0, 3.5], 1.0) == [(0, 1), (2, 3)]
    assert groups_of([1.0, 2.0, 3.0], 2.5) == [(0, 2)]
    assert groups_of([1.0, 2.0, 3.0], 1.0) == [(0, 1), (1, 2)]
    assert groups_of([1.0, 3.0], 1.0) == []


def test_the_page_needs_nothing_else():
    text = comparison_page(made_comparison([FAILURE]), "A <title>")
    assert check_page(text).seen.count("svg") == 6, "ranks, wins, three problems, targets"
    assert "<h1>A &lt;title&gt;</h1>" in text
    assert "&lt;b&gt;|&amp;" in text
    assert "ValueError: &lt;no&gt;" in text


def test_a_page_of_own_sections():
    text = page("t & u", [("One", "<p>1</p>"), ("Two", "<p>2</p>")])
    check_page(text)
    assert text.index("<h2>One</h2>") < text.index("<p>1</p>") < text.index("<h2>Two</h2>")
    assert "<title>t &amp; u</title>" in text


def test_a_comparison_without_results():
    empty = Comparison("none", ("a", "b"), ("f",), "b", ())
    check_page(comparison_page(empty))
    assert empty.table().rows[0][1][0].text == "n/a"
    with pytest.raises(InputError, match="ranks"):
        rank_plot(empty)


def test_labels_are_drawn_as_typed_and_long_ones_fit():
    made = made_comparison()
    long = "cma-es+sigma=0.1+c_sigma=None+d_sigma=None+c_c=None+damping=3.33+steps=sampled"
    names = {"ga": r"x$\frac$", "<b>|&": "_x", "paper-h3": long}
    rows = tuple(dataclasses.replace(row, label=names[row.label]) for row in made.rows)
    renamed = Comparison("made", tuple(names.values()), made.problems, long, rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for drawn in (svg(convergence_plot(renamed)), svg(rank_plot(renamed))):
            for label in (r"x$\frac$", "_x", "steps=sampled"):
                assert label in drawn


def test_a_problem_without_a_finite_value_is_an_empty_panel():
    made = made_comparison()
    lost = tuple(
        dataclasses.replace(row, best=np.inf, samples=np.full_like(row.samples, np.inf))
        if row.problem == "step"
        else row
        for row in made.rows
    )
    broken = Comparison("made", made.algorithms, made.problems, "paper-h3", lost)
    assert "no finite value" in svg(convergence_plot(broken))
    assert "no finite value" in comparison_page(broken)


def test_the_page_begins_with_what_came_out():
    text = comparison_page(made_comparison())
    assert text.index("Average ranks of the means on 3 problems, smaller is better: ga 1.50") < text.index("<table")
    assert "ga is significantly better than paper-h3 on 1, worse on 0" in text
    assert "<h1>made</h1>" in text
    few = tuple(row for row in made_comparison().rows if row.run < 3)
    said = comparison_page(Comparison("comparison", ("ga", "paper-h3"), ("f_1",), "paper-h3", few))
    assert "too few runs for a significant difference" in said
    assert "<h1>Comparison on f_<wbr>1</h1>" in said


def test_negative_values_are_drawn_above_the_smallest():
    assert "best value + 90" in svg(convergence_plot(made_comparison(), ["f8"]))


def test_the_page_shows_the_table_it_is_given():
    made = made_comparison()
    shown = comparison_page(made, table=made.table("median", correct=True))
    assert "median (interquartile range)" in shown
    assert "Holm-corrected" in shown


def test_names_of_lines_are_moved_apart_as_little_as_possible():
    assert spread([0.5, 0.5], 0.1) == pytest.approx([0.45, 0.55])
    assert spread([0.9, 0.1], 0.1) == pytest.approx([0.9, 0.1]), "what does not collide stays, in its order"
    crowded = np.sort(spread([1.0] * 5, 0.2))
    assert np.diff(crowded) == pytest.approx([0.2] * 4)
    assert (crowded[0], crowded[-1]) == pytest.approx((0.2, 1.0)), "none leaves the axes"


def test_short_counts_and_few_ticks():
    assert [short_count(x) for x in (1, 300, 10_000, 2.5e6)] == ["1", "300", "10k", "2.5M"]
    assert symlog_ticks(1e-3, 50.0) == [0.0, 1e-1, 1e0, 1e1]
    assert symlog_ticks(10.0, 75.0) == [0.0, 70.0], "also where a decade is all there is"
    wide = symlog_ticks(1e-16, 1e4)
    assert len(wide) <= 6
    assert wide[0] == 0.0
    assert wide[-1] == 1e4


def test_lines_differ_without_colours_too():
    looks = [line_style(i) for i in range(9)]
    assert len({(look.linestyle, look.marker) for look in looks}) == 9
    assert len({look.color for look in looks}) == 9


# Severe protanopia, deuteranopia and tritanopia in linear RGB: G. Machado, M. Oliveira, L. Fernandes, A
# Physiologically-based Model for Simulation of Color Vision Deficiency, 2009.
VISION = {
    "all": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour, vision):
    """CIE Lab of a colour as it is seen."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(np.array(VISION[vision]) @ linear, 0, 1) / (0.9505, 1.0, 1.089)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("colours", [COLOURS, ON_DARK], ids=["light", "dark"])
def test_colours_can_be_told_apart_with_any_colour_vision(colours, vision):
    seen = [lab(colour, vision) for colour in colours]
    apart = [float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2)]
    assert min(apart) > 9, "2.3 is just noticeable"


def test_plots_follow_the_colours_of_the_page():
    assert themed(f"stroke: {COLOURS[1]}; fill: {INK}") == f"stroke: var(--c1, {COLOURS[1]}); fill: currentColor"


def test_wins_by_hand():
    texts = [text.get_text() for text in win_plot(made_comparison()).axes[0].texts]
    # ga beats <b>|& on three problems and paper-h3 on one; paper-h3 beats <b>|& on three, ga on none.
    assert texts == ["1", "3", "0", "3", "0", "0"]


def test_the_densest_regions_hold_their_shares():
    density = np.array([[8.0, 4.0], [2.0, 2.0]])
    assert densest(density, (0.5, 0.75)) == [4.0, 8.0]
    operator = load_operator("paper-h3")
    assert offspring(operator, 50).shape == (50, 2)
    drawn = svg(offspring_plot(operator))
    assert drawn == svg(offspring_plot(operator))
    for text in ("x1", "other parents", "box", "leave the box"):
        assert text in drawn
