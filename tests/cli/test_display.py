"""Displays of long work, rendered at the widths of terminals."""

import io
import sys
import types

import numpy as np
import pytest
from rich.console import Console

from autov.cli.facts import clock, packed, speed
from autov.cli.minimize import run_counter
from autov.cli.output import folded
from autov.cli.search_display import ENDING, ProgressDisplay, search_facts, view
from autov.designer import OperatorGenome, SearchProgress

BAR = set("━╸╺ ")


def progress(generation=3, rate=12.5):
    genome = OperatorGenome.of("h3", 10, "variable", False)
    vectors = genome.box.sample(1, np.random.default_rng(1))
    history = [(float(generation), 1e6, 0.012345678, 123.45678, 1e5)]
    state = types.SimpleNamespace(generation=generation, vectors=vectors, history=history)
    return SearchProgress(state, 200, 75.0, rate, 4000.0, genome)


def rendered(shown, width):
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=True, color_system=None).print(shown)
    return out.getvalue().rstrip("\n").split("\n")


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_a_search_is_readable_at_every_width(width):
    facts = search_facts(progress())
    lines = rendered(view("designing for sphere", 4, 201, facts, width, ["row"] * 6, "Ctrl-C stops"), width)
    assert max(map(len, lines)) <= width
    assert lines[0] == "designing for sphere"
    bars = [line for line in lines if "━" in line]
    assert len(bars) == 1
    assert set(bars[0]) <= BAR, "nothing else on the line of the bar"
    assert len(bars[0]) == min(60, width - 1)
    text = "\n".join(lines)
    for fact in facts:
        assert fact in text, "no fact is cut"
    assert "1:06:40 left" in lines[2]
    assert lines[-7:] == ["best so far (Ctrl-C stops):", *["  row"] * 6]
    assert "…" not in text


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_runs_are_readable_at_every_width(width):
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=True, color_system=None)
    with ProgressDisplay(console, title="table-7") as display:
        display(3, 10, 65.0, 0.25)
    lines = out.getvalue().replace("\x1b[?25l", "").split("\n")
    assert set(lines[0].rstrip("\r")) <= BAR
    assert lines[1].startswith("table-7: 3 of 10 runs, 1:05 left, best 0.25")


def test_runs_of_a_comparison_are_shown_until_they_are_done():
    out = io.StringIO()
    with ProgressDisplay(Console(file=out, force_terminal=True, width=80)) as display:
        display(3, 10, 65.0)
        display(10, 10, 0.0)
    assert "3 of 10 runs, 1:05 left" in out.getvalue()


def test_after_the_last_generation_it_says_what_is_done():
    out = io.StringIO()
    with ProgressDisplay(Console(file=out, force_terminal=True, width=80, color_system=None)) as display:
        display(progress(199))
        display(progress(200))
    assert ENDING in out.getvalue()


def test_a_notebook_shows_one_output_that_is_replaced(monkeypatch):
    shown = []

    class Handle:
        def update(self, made):
            shown.append(made)

    def display(made, *, display_id):
        assert display_id
        shown.append(made)
        return Handle()

    module = types.ModuleType("IPython.display")
    module.display, module.HTML = display, lambda text: text
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    with ProgressDisplay(Console(force_jupyter=True, width=80), title="a < b") as display:
        display(3, 10, 65.0, 0.25)
    assert "a &lt; b: 3 of 10 runs, 1:05 left, best 0.25" in shown[-2]
    assert shown[-1] == "", "nothing is left of it"


def test_without_a_terminal_there_is_a_line_a_minute():
    out, seconds = io.StringIO(), iter([0.0, 1.0, 61.0, 62.0, 130.0])
    with ProgressDisplay(Console(file=out, width=60), now=lambda: next(seconds)) as display:
        display(1, 10, None)
        display(2, 10, 60.0)
        display(3, 10, 50.0)
        display(progress())
        display(10, 10, 0.0)
    lines = out.getvalue().splitlines()
    assert lines[0] == "autov: 2 of 10 runs, 1:00 left"
    assert lines[1].startswith("autov: generation 3 of 200, 1:06:40 left, best 0.012346")
    assert len(lines) == 2


def test_the_time_left_of_runs_is_that_of_the_runs_after_the_first():
    seconds, shown = iter([10.0, 12.0, 14.0]), []
    count = run_counter(lambda *facts: shown.append(facts), 10, lambda: next(seconds))
    for value in (3.0, 1.0, 2.0):
        count(value)
    assert shown == [(0, 10, None, None), (1, 10, None, 3.0), (2, 10, 16.0, 1.0), (3, 10, 14.0, 1.0)]


@pytest.mark.parametrize(
    ("rate", "text"),
    [(2.5e6, "2.5 million evaluations/s"), (12_345.0, "12.3 thousand evaluations/s"), (7.0, "7 evaluations/s"),
     (0.4, "2.5 s per evaluation"), (1 / 600, "10:00 per evaluation"), (0.0, "no evaluation yet"),
     (999.9, "1 thousand evaluations/s")],
)  # fmt: skip
def test_speeds_in_a_unit_that_says_something(rate, text):
    assert speed(rate) == text


def test_facts_are_packed_and_never_broken():
    assert packed(["aaa", "bbb", "ccc"], 8) == ["aaa, bbb", "ccc"]
    assert packed(["a" * 20], 8) == ["a" * 20]
    assert [clock(s) for s in (59.6, 3723.0)] == ["1:00", "1:02:03"]


def test_long_lines_of_text_are_broken_between_words():
    text = "  first steps 0.14 of the box, points outside it are mirrored.\n\n    x1 + N(0, 0.05²) (u - l)"
    assert folded(text, 30).split("\n") == [
        "  first steps 0.14 of the box,", "    points outside it are", "    mirrored.", "",
        "    x1 + N(0, 0.05²) (u - l)",
    ]  # fmt: skip
    assert folded(text, 200) == text
