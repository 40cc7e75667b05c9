"""Results that plot themselves and show themselves in notebooks."""

import html.parser

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import autov
from autov.core import InputError
from autov.reports import convergence_plot, save_plot
from autov.runs.result import Result


@pytest.fixture(scope="module")
def things():
    trial = autov.TrialBudget(10, 3, 1)
    return {
        "result": autov.minimize("sphere", dim=3, maxfev=200, rng=1),
        "comparison": autov.compare(
            ["de", "pso"], ["sphere", "ackley"], dim=3, maxfev=60, popsize=20, runs=2, store=None, workers=1
        ),
        "design": autov.design(
            "sphere", dim=2, rng=1, workers=1, population=4, generations=2, rows=2, retest_runs=2, final_race=False,
            trial=trial,
        ),
        "operator": autov.load_operator("paper-h3"),
        "certificate": autov.check(autov.load_operator("paper-h3")),
    }  # fmt: skip


def test_a_design_without_an_operator_shows_its_algorithm():
    trial = autov.TrialBudget(10, 3, 1)
    found = autov.design(
        "sphere", dim=2, rng=1, workers=1, population=4, generations=1, retest_runs=2, final_race=False, trial=trial,
        members="ma-es",
    )  # fmt: skip
    with pytest.raises(InputError, match="operator"):
        found.operator  # noqa: B018
    page = Balanced()
    page.feed(found._repr_html_())
    assert not page.open
    assert "re-tested mean" in page.text
    assert "populations" in page.text


class Balanced(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text = [], ""

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        if tag != "wbr":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("result", ["budget of 200", "fun", "nfev"]), ("comparison", ["de", "pso", "ackley", "average rank"]),
        ("design", ["re-tested mean", "search", "x1"]), ("operator", ["probability", "(x2 - x1)"]),
        ("certificate", ["translation", "rotation", "yes", "no"]),
    ],
)  # fmt: skip
def test_notebooks_show_a_table(things, name, words):
    page = Balanced()
    page.feed(things[name]._repr_html_())
    assert not page.open
    for word in words:
        assert word in page.text


@pytest.mark.parametrize("name", ["result", "comparison", "design", "operator", "certificate"])
def test_reprs_are_short(things, name):
    assert len(repr(things[name])) < 500


def test_tables_print_as_text(things):
    text = str(things["comparison"].table())
    assert "ackley" in text
    assert "rank sum test" in " ".join(text.split())  # lines are as long as COLUMNS says


@pytest.mark.parametrize("name", ["result", "design", "operator"])
def test_plots_are_axes_and_take_axes(things, name):
    made = things[name].plot()
    assert isinstance(made, Axes)
    ax = Figure().subplots()
    assert things[name].plot(ax=ax) is ax
    assert ax.lines


def test_plots_belong_to_pyplot_where_it_is_in_use(things):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.close("all")
    try:
        shown = [things[name].plot() for name in ("result", "design", "operator")]
        assert [ax.figure.number for ax in shown] == plt.get_fignums()
        assert things["comparison"].plot()[0].figure.number == 4
        _, ax = plt.subplots()
        things["result"].plot(ax=ax)
        assert len(plt.get_fignums()) == 5  # none is made besides the one given
        convergence_plot(things["comparison"])
        assert len(plt.get_fignums()) == 5  # nor for files
    finally:
        plt.close("all")


def test_a_table_prints_nothing_by_the_way_in_a_notebook(things, monkeypatch):
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    shown = []
    monkeypatch.setattr("rich.jupyter.display", lambda *given: shown.append(given))
    assert "ackley" in str(things["comparison"].table())
    assert not shown


def test_the_plot_of_a_result_is_its_trace(things):
    result = things["result"]
    line = result.plot().lines[0]
    assert np.array_equal(line.get_xdata(), result.trace_nfev)
    assert np.array_equal(line.get_ydata(), result.trace_best)


def test_the_plot_of_a_comparison_has_a_panel_for_each_problem(things):
    axes = things["comparison"].plot()
    assert [ax.get_title() for ax in axes] == ["sphere", "ackley"]
    assert [ax.get_title() for ax in things["comparison"].plot(problems=["ackley"])] == ["ackley"]


def test_what_has_no_plot_says_so(things):
    with pytest.raises(InputError, match="nothing is known of Certificate"):
        things["certificate"].plot()


def test_pdf_files_are_pdf_and_repeatable(things, tmp_path):
    for name in ("a.pdf", "b.pdf"):
        save_plot(things["result"].plot().figure, tmp_path / name)
    first, second = ((tmp_path / name).read_bytes() for name in ("a.pdf", "b.pdf"))
    assert first.startswith(b"%PDF")
    assert first == second


def test_a_result_with_values_of_one_decade_has_few_short_ticks():
    result = Result(trace_nfev=np.array([10, 20, 30]), trace_best=np.array([9.2, 8.9, 8.78]))
    axes = result.plot()
    axes.figure.canvas.draw()
    texts = [tick.get_text() for tick in axes.get_yticklabels(which="both") if tick.get_text()]
    assert 2 <= len(texts) <= 6
    assert all(float(text) for text in texts), "plain numbers"


def test_the_page_of_a_run_follows_the_colours_of_the_browser_and_tells_values(tmp_path):
    autov.minimize("sphere", dim=3, maxfev=60, rng=1).report(tmp_path / "run.html")
    plot = (tmp_path / "run.html").read_text().partition("<svg")[2].partition("</svg>")[0]
    assert plot.count("currentColor") >= plot.count("<text") >= 5, "text in black cannot be read on dark paper"
    assert 'data-series="best value"' in plot


def test_the_page_of_a_run_says_who_made_its_evaluations(tmp_path):
    def stops(x):
        calls.append(x)
        if len(calls) == 150:
            raise KeyboardInterrupt
        return float((x**2).sum()), 1.0 - x[0]

    calls = []
    with pytest.raises(KeyboardInterrupt) as caught:
        autov.minimize(stops, [(-5, 5)] * 8, constraints="returned", maxfev=300, rng=1)
    result = caught.value.autov_result
    assert sum(result.members.values()) == result.nfev == 149
    assert result.trace_best[-1] == result.fun
    assert np.all(np.diff(result.trace_best) < 0)
    result.report(tmp_path / "run.html")
    text = (tmp_path / "run.html").read_text().replace("<wbr>", "")
    assert "Evaluations of each member" in text
    assert all(name in text for name in result.members)
    assert "Best value over evaluations" in text
