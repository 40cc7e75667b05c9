"""What is said while kernels compile."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from autov.kernels.jit import _Compiling


def compiling(module):
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=SimpleNamespace(__module__=module))})


@pytest.mark.parametrize(
    ("module", "terminal", "lines"),
    [("autov.kernels.run", True, 1), ("autov.kernels.run", False, 0), ("mine", True, 0)],
)
def test_a_first_run_says_once_on_a_terminal_that_it_compiles(module, terminal, lines, monkeypatch, capsys):
    listener = _Compiling()
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)
    for _ in range(3):
        listener.on_start(compiling(module))
        listener.on_end(compiling(module))
    assert capsys.readouterr().err.count("autov: compiling, once on this machine") == lines
