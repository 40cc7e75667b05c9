"""A report that is written anew while long work goes on."""

import io

import numpy as np
from rich.console import Console

from autov.cli.live_report import EVERY, LONG, LiveReport
from autov.cli.search_display import ProgressDisplay
from tests.reports.pages import check_page


class Clock:
    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


def test_a_long_comparison_has_a_page_that_says_how_far_it_is(tmp_path, capsys):
    clock, path = Clock(), tmp_path / "out" / "report.html"
    report = LiveReport(path, "comparing", clock)
    assert not capsys.readouterr().err, "nothing before the work begins: the folder may be one that cannot be written"
    assert not report.due()
    assert capsys.readouterr().err == f"autov: writing {path} (updated during the run)\n", "told at the start"
    shown = Console(file=io.StringIO(), force_terminal=False)
    try:
        with ProgressDisplay(shown, "comparing", now=clock, report=report) as display:
            display.begin([("f1", "ga"), ("f1", "de")])
            display.ran("f1", "ga", 1.0)
            display.ran("f1", "de", 2.0)
            display(1, 9, 3.0, 1.0)
            assert not path.exists(), "short work has none"
            clock.seconds = LONG
            display(2, 9, 3.0, 0.5)
            first = path.read_text()
            assert "2 of 9 runs" in first
            assert "mean ranks ga 1" in first
            assert f'http-equiv="refresh" content="{EVERY:.0f}"' in first
            clock.seconds += 0.9 * EVERY
            display(3, 9, 3.0, 0.5)
            assert path.read_text() == first, "not at every run"
            clock.seconds += 0.1 * EVERY
            display(4, 9, 3.0, 0.5)
            assert "4 of 9 runs" in path.read_text()
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    last = path.read_text()
    assert "Interrupted" in last
    assert "refresh" not in last
    check_page(last)


def test_a_search_shows_its_course(tmp_path):
    clock, path = Clock(), tmp_path / "report.html"
    report = LiveReport(path, "designing", clock)
    clock.seconds = 2 * LONG
    history = [np.array([g, 100 * g, 5.0 - g, 6.0, 7.0, 0.0]) for g in range(3)]
    report.write(["generation 2 of 9"], ["a portfolio"], history)
    text = path.read_text()
    assert "generation 2 of 9" in text
    assert "<svg" in text
    check_page(text)
