"""Values on hover and lines hidden by a click, in a real browser."""

import html
import json
import re

import pytest

from autov.reports import comparison_page
from autov.reports.axes import level_axis
from autov.reports.html import command_html, figure_html, page
from autov.reports.strip_plots import strip_plot
from autov.reports.theme import OWN, styles_of
from tests.reports.browser import CHROMIUM, REASON, chromium
from tests.reports.made import made_comparison
from tests.reports.pages import check_page

ACT = """<script>
const svg = document.querySelector("svg[data-x]"), frame = svg.getBoundingClientRect();
const move = (x, y) => svg.dispatchEvent(new PointerEvent("pointermove", {clientX: x, clientY: y, bubbles: true}));
const found = {};
const dot = svg.querySelector("g.series use");
if (svg.dataset.kind === "points") {
  const p = dot.getBoundingClientRect();
  move(p.left + p.width / 2, p.top + p.height / 2);
} else {
  const table = JSON.parse(svg.dataset.x), last = table[table.length - 1][0];
  const at = new DOMPoint(last - 0.01, 50).matrixTransform(svg.getScreenCTM());
  move(at.x, at.y);
  const name = [...svg.querySelectorAll("g.series")].find((g) => g.querySelector("text"));
  name.dispatchEvent(new MouseEvent("click", {bubbles: true}));
  found.clicked = name.dataset.series;
  found.off = [...svg.querySelectorAll("g.series.off")].map((g) => g.dataset.series);
}
found.text = document.querySelector(".values").textContent;
document.body.setAttribute("data-result", JSON.stringify(found));
</script>"""


def acted(text, folder):
    path = folder / "page.html"
    path.write_text(text.replace("</body>", f"{ACT}</body>"), encoding="utf-8")
    done = chromium("--window-size=900,900", "--dump-dom", path.as_uri())
    return json.loads(html.unescape(re.search(r'data-result="([^"]*)"', done.stdout)[1]))


def strip():
    import numpy as np

    values = {"general": np.array([3.0, 30.0, 300.0]), "ma-es": np.array([4.0, 40.0, 400.0])}
    return figure_html(strip_plot(values, styles_of(list(values))), "runs")


@pytest.mark.skipif(CHROMIUM is None, reason=REASON)
def test_a_course_tells_values_and_hides_lines(tmp_path):
    made = made_comparison()
    found = acted(comparison_page(made), tmp_path)
    shown = dict(line.rsplit(": ", 1) for line in found["text"].splitlines()[1:])
    problem = made.problems[0]
    for label in made.algorithms:
        last = sorted(made.curves(problem, label)[1][:, -1])[2]
        assert float(shown[label]) == pytest.approx(last, rel=0.02), label
    assert set(found["off"]) == {found["clicked"]}
    assert len(found["off"]) >= 3, "the line, its band and its name"


@pytest.mark.skipif(CHROMIUM is None, reason=REASON)
def test_a_point_of_a_strip_tells_its_run_and_value(tmp_path):
    found = acted(page("runs", [("", strip())]), tmp_path)
    name, value = found["text"].split(": ")
    assert name in ("general", "ma-es")
    assert min(abs(float(value) / each - 1) for each in (3, 30, 300, 4, 40, 400)) < 0.02


def test_a_command_is_broken_between_words_only_and_can_be_copied():
    text = command_html(
        "Use it", "autov minimize file.py:f --lower -5 --upper 5 --algorithm a/very/long/path/optimizer.json"
    )
    words = re.findall(r'<span class="word">([^<]*)</span>', text)
    assert words == ["autov", "minimize", "file.py:f", "--lower -5", "--upper 5", "--algorithm",
                     "a/very/long/path/optimizer.json"]  # fmt: skip
    assert 'class="copy"' in text
    check_page(page("x", [("", text)]))
    several = command_html("Compare", "autov compare --algorithms mine=runs/first/optimizer.json,ga,shade")
    parts = re.findall(r'<span class="word">([^<]*)</span>', several)
    assert parts == ["autov", "compare", "--algorithms", "mine=runs/first/optimizer.json,", "ga,", "shade"]
    assert re.sub("<[^>]+>", "", several).endswith("--algorithms mine=runs/first/optimizer.json,ga,shade")


def test_an_algorithm_has_one_colour_everywhere():
    first = styles_of(["designed", "x", "general", "GA"])
    second = styles_of(["GA", "general", "y", "z", "ma-es"])
    for label in ("general", "GA"):
        assert first[label] == second[label]
    own = {styles_of([names[0]])[names[0]].color for names in OWN.values()}
    assert len(own) == len(OWN)
    assert first["x"].color not in own
    assert styles_of(["faster ma-es (won)"])["faster ma-es (won)"] == first["designed"]
    many = styles_of([f"a{i}" for i in range(20)])
    assert len(set(many.values())) == 20


def test_a_wide_range_is_shown_on_a_logarithmic_axis():
    import numpy as np
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    level_axis(ax, np.array([1.0, 100.0]))
    assert ax.get_xscale() == "log"
    ax = Figure().subplots()
    level_axis(ax, np.array([-1.0, 100.0]))
    assert ax.get_xscale() == "linear"
