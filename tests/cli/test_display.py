"""The progress display of comparisons."""

import io

from rich.console import Console

from autov.cli.search_display import ProgressDisplay


def test_runs_of_a_comparison_are_shown_until_they_are_done():
    out = io.StringIO()
    with ProgressDisplay(Console(file=out, force_terminal=True, width=80)) as display:
        display(3, 10, 65.0)
        display(10, 10, 0.0)
    assert "3 of 10 runs, 1:05 left" in out.getvalue()


def test_without_a_terminal_nothing_is_shown():
    out = io.StringIO()
    with ProgressDisplay(Console(file=out)) as display:
        display(3, 10, None)
    assert out.getvalue() == ""
