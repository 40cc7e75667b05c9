"""Displays of long work, rendered at the widths of terminals."""

import io
import re
import sys
import types

import numpy as np
import pytest
from rich.console import Console

from autov.algorithms.files import read_algorithm
from autov.cli import design as design_command
from autov.cli.facts import clock, packed, ranking, speed, wrapped
from autov.cli.minimize import run_counter
from autov.cli.output import folded
from autov.cli.search_display import ENDING, ProgressDisplay, search_facts, task_facts, view
from autov.designer import OperatorGenome, SearchProgress, design_settings
from autov.experiments import compare

BAR = set("━╸╺ ")


WIDTHS = [60, 80, 120, 200]


def progress(generation=3, rate=12.5, genome=None, aggregate=""):
    genome = genome or OperatorGenome.of("h3", 10, "variable", False)
    vectors = genome.box.sample(1, np.random.default_rng(1))
    history = [(0.0, 1e5, 98.7654321, 1e4, 1e5), (float(generation), 1e6, 0.012345678, 123.45678, 1e5)]
    state = types.SimpleNamespace(generation=generation, vectors=vectors, history=history, fitness=np.array([0.0123]))
    return SearchProgress(state, 200, 75.0, rate, 4000.0, genome, aggregate)


def shown_by(display, out):
    """Lines of the last thing that a display drew."""
    display._live.refresh()
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue())
    return text.rstrip().split("\r")[-1].split("\n")


def terminal(width):
    out = io.StringIO()
    return out, Console(file=out, width=width, height=40, force_terminal=True, color_system=None)


def rendered(shown, width):
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=True, color_system=None).print(shown)
    return out.getvalue().rstrip("\n").split("\n")


@pytest.mark.parametrize("width", WIDTHS)
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


@pytest.mark.parametrize("space", ["operator", "evolution", "portfolio"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_best_so_far_is_not_cut(width, space):
    genome = design_settings("quick", space=space).designed.genome
    out, console = terminal(width)
    with ProgressDisplay(
        console, title="designing", hint="Ctrl-C writes it to best-so-far.json, --resume goes on"
    ) as d:
        d(progress(genome=genome))
        lines = shown_by(d, out)
    assert max(map(len, lines)) < width
    text = " ".join(" ".join(lines).split())
    assert "best value 0.012346" in text
    assert "at first 98.765" in text
    assert "best so far (Ctrl-C writes it to best-so-far.json, --resume goes on):" in text
    assert "…" not in text
    assert lines[0] == "designing"
    assert len(lines) <= 13, "it must fit a small terminal"


def test_what_the_best_is_of_several_problems():
    assert "best mean rank 0.012346" in search_facts(progress(aggregate="rank"))
    assert not any("at first" in fact for fact in search_facts(progress(aggregate="rank"))), "ranks cannot be compared"
    assert "best log-gap 0.012346" in search_facts(progress(aggregate="log-gap"))


def test_a_search_that_is_stopped_leaves_an_optimiser(tmp_path, capsys):
    genome = design_settings("quick").designed.genome
    design_command._write_best(progress(genome=genome), tmp_path, "sphere")
    algorithm, told = read_algorithm(tmp_path / "best-so-far.json")
    assert algorithm == genome.decode(progress(genome=genome).state.vectors[0])
    assert told["note"].startswith("the best of a search that was stopped after generation 3 of 200; neither raced")
    assert str(tmp_path / "best-so-far.json") in capsys.readouterr().err


@pytest.mark.parametrize("width", WIDTHS)
def test_runs_are_readable_at_every_width(width):
    out, console = terminal(width)
    with ProgressDisplay(console, title="table-7: nine algorithms", hint="Ctrl-C keeps all runs") as display:
        display.begin([(problem, label) for problem in ("f1", "f2") for label in ("ga", "de")])
        for label, value in (("ga", 3.0), ("de", 1.0)):
            for problem in ("f1", "f2"):
                display.ran(problem, label, value)
        display(3, 10, 65.0)
        lines = shown_by(display, out)
    assert max(map(len, lines)) < width
    assert lines[0] == "table-7: nine algorithms"
    assert set(lines[1]) <= BAR
    assert lines[2].startswith("3 of 10 runs, 1:05 left, 1 or more in every cell")
    assert lines[-2:] == ["best so far (Ctrl-C keeps all runs):", "  mean ranks de 1, ga 2"]


def test_a_display_without_an_estimate_says_so():
    assert task_facts(0, 2, None, None) == ["0 of 2 runs", "time left not known yet"]


def test_before_every_cell_has_a_run_there_is_no_leader():
    out, console = terminal(80)
    with ProgressDisplay(console) as display:
        display.begin([("f1", "ga"), ("f1", "de")])
        display.ran("f1", "ga", 1.0)
        display(1, 2, None)
        lines = shown_by(display, out)
    assert lines[-1] == "1 of 2 runs, time left not known yet, some cells have no run yet"


def test_a_comparison_tells_its_display_what_the_runs_found(tmp_path):
    heard = []

    class Ear:
        def __call__(self, *_):
            pass

        def begin(self, cells):
            heard.append(sorted(set(cells)))

        def ran(self, *facts):
            heard.append(facts)

    options = {"dim": 2, "maxfev": 40, "popsize": 10, "store": tmp_path / "s.db", "workers": 1, "progress": Ear()}
    first = compare(["de", "ga"], "sphere", runs=1, **options)
    assert heard[0] == [("sphere", "de"), ("sphere", "ga")]
    assert sorted(heard[1:]) == [("sphere", label, first.values("sphere", label)[0]) for label in ("de", "ga")]
    heard.clear()
    compare(["de", "ga"], "sphere", runs=2, **options)
    assert len(heard) == 5, "stored runs are told, too"


def test_mean_ranks_of_what_is_complete():
    cells = {("f1", "a"): (4.0, 2), ("f1", "b"): (1.0, 1), ("f2", "a"): (1.0, 1), ("f2", "b"): (1.0, 1)}
    assert ranking(cells) == {"b": 1.25, "a": 1.75}
    assert list(ranking(cells)) == ["b", "a"]
    assert ranking({**cells, ("f3", "a"): (0.0, 1), ("f3", "b"): (0.0, 0)}) == {"b": 1.25, "a": 1.75}
    assert ranking({("f1", "a"): (1.0, 1), ("f1", "b"): (0.0, 0)}) == {}


def test_lines_are_broken_between_words():
    assert wrapped(["  one two three four five six"], 20, 6) == ["  one two three four", "    five six"]
    assert wrapped(["a", "b", "c"], 20, 2) == ["a", "..."]


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
    assert "a &lt; b\n" in shown[-2]
    assert "\n3 of 10 runs, 1:05 left, best 0.25\n" in shown[-2]
    assert shown[-1] == "", "nothing is left of it"


def test_without_a_terminal_there_is_a_line_a_minute():
    out, seconds = io.StringIO(), iter([0.0, 1.0, 61.0, 62.0, 130.0])
    with ProgressDisplay(Console(file=out, width=60), title="this", now=lambda: next(seconds)) as display:
        display(1, 10, None)
        display(2, 10, 60.0)
        display(3, 10, 50.0)
        display(progress())
        display(10, 10, 0.0)
    lines = out.getvalue().splitlines()
    assert lines[0] == "autov: this: 2 of 10 runs, 1:00 left"
    assert lines[1].startswith("autov: this: generation 3 of 200, 1:06:40 left, best value 0.012346")
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
