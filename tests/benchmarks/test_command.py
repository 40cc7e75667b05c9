"""``python -m benchmarks``: every name has its module, figures are shown as tables or JSON."""

import importlib
import json

import pytest

from benchmarks import overhead
from benchmarks.__main__ import BENCHMARKS, MODULES, main


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_name_has_a_benchmark(name):
    called = MODULES.get(name, name)
    assert callable(getattr(importlib.import_module(f"benchmarks.{called}"), f"bench_{called}"))


def test_figures_are_shown_as_tables_or_as_json(monkeypatch, capsys):
    monkeypatch.setattr(overhead, "bench_overhead", lambda: {"what": "a run", "own_us": 12345})
    main(["overhead"])
    assert "12,345" in capsys.readouterr().out
    main(["overhead", "--json"])
    assert json.loads(capsys.readouterr().out) == {"what": "a run", "own_us": 12345}


@pytest.mark.parametrize("arguments", [["nosuch"], [], ["kernel", "--python", "python3"]])
def test_bad_input_ends_with_exit_code_two(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().out == ""
