"""What is said while kernels compile."""

from __future__ import annotations

import gc
from types import SimpleNamespace

import pytest
from autov.kernels.jit import _Compiling
from numba import njit


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


def test_a_program_without_a_console_compiles_and_says_nothing(monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    listener = _Compiling()
    listener.on_start(compiling("autov.kernels.run"))
    listener.on_end(compiling("autov.kernels.run"))


def test_functions_of_no_module_compile():
    names = {}
    exec("def successor(x):\n    return x + 1", names)
    assert names["successor"].__module__ is None
    assert njit(names["successor"])(2) == 3


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_the_search_for_garbage_rests_while_numba_compiles_and_is_then_as_it_was(before, fails, monkeypatch):
    seen = []
    start = _Compiling.on_start
    monkeypatch.setattr(_Compiling, "on_start", lambda *args: (start(*args), seen.append(gc.isenabled())))

    @njit
    def inner(x):
        return x + undefined if fails else x  # noqa: F821

    @njit
    def outer(x):
        return inner(x)

    try:
        (gc.enable if before else gc.disable)()
        if fails:
            with pytest.raises(Exception, match="undefined"):
                outer(1)
        else:
            assert outer(1) == 1
        assert gc.isenabled() == before
    finally:
        gc.enable()
    assert seen
    assert not any(seen)
