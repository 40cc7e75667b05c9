"""Ctrl-C in the callbacks of LLVM, where an exception would be printed and forgotten."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import pytest
from llvmlite.binding import executionengine

from autov.compiler import signals
from autov.compiler.signals import DeferredSignals, compiling

CALLBACK = ctypes.CFUNCTYPE(None)
# What LLVM calls, with a function that a test puts there; only its module and its name matter.
LLVM: dict[str, Any] = {"__name__": executionengine.__name__}
exec("def _raw_called(call):\n    call()", LLVM)


@pytest.fixture(autouse=True)
def ctrl_c():
    """Ctrl-C as people have it, also where a shell lets it be ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def in_callback(number=signal.SIGINT):
    CALLBACK(lambda: LLVM["_raw_called"](lambda: signal.raise_signal(number)))()


def test_a_signal_in_a_callback_has_its_effect_when_the_compilation_ends(capfd):
    with pytest.raises(KeyboardInterrupt), DeferredSignals():
        in_callback()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert "Exception ignored" not in capfd.readouterr().err


def test_without_it_the_signal_is_lost(monkeypatch):
    ignored = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: ignored.append(found.exc_type))
    in_callback()
    assert ignored == [KeyboardInterrupt]


def test_outside_of_callbacks_a_signal_has_its_effect_at_once():
    after = []
    with pytest.raises(KeyboardInterrupt), DeferredSignals():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        after.append("never")
    assert after == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_long_compilation_is_interrupted_soon_after_the_callback(monkeypatch):
    monkeypatch.setattr(signals, "RETRY", 0.001)
    with pytest.raises(KeyboardInterrupt), DeferredSignals():  # noqa: PT012
        in_callback()
        end = time.monotonic() + 60
        while time.monotonic() < end:
            pass
        pytest.fail("not interrupted")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_has_its_effect_once_in_nested_blocks():
    deferred = DeferredSignals()
    with pytest.raises(KeyboardInterrupt), deferred, deferred:
        in_callback()
    with deferred:
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_handlers_of_the_program_are_called():
    called = []
    before = signal.signal(signal.SIGTERM, lambda number, _: called.append(number))
    try:
        with DeferredSignals():
            in_callback(signal.SIGTERM)
            within = list(called)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert within == []
    assert called == [signal.SIGTERM]


def test_threads_leave_the_handlers_alone():
    seen = []

    def compile_something():
        with compiling():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=compile_something)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


# The signal comes from LLVM's side: just before Python is asked, as if it had come while LLVM was working.
COMPILING = """
import signal, sys
from llvmlite.binding import executionengine

signal.signal(signal.SIGINT, signal.default_int_handler)
left = 1
real = executionengine.ExecutionEngine._find_module_ptr

def interrupted(self, pointer):  # called by both callbacks
    global left
    if left and armed:
        left = 0
        signal.raise_signal(signal.SIGINT)
    return real(self, pointer)

armed = False
executionengine.ExecutionEngine._find_module_ptr = interrupted
from autov.compiler.functions import kernel

@kernel
def double(x):
    return 2 * x

armed = True
try:
    double(3)
    print("went on", left)
except KeyboardInterrupt:
    print("ended", double(4))
"""


@pytest.mark.cold
def test_ctrl_c_while_a_kernel_compiles_and_while_it_is_loaded(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(COMPILING)
    for _ in range(3):  # compiled, then compiled or loaded again, then loaded
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
        assert (done.stdout, done.stderr, done.returncode) == ("ended 8\n", "", 0)


@pytest.mark.parametrize(("terminal", "lines"), [(True, 1), (False, 0)])
def test_a_long_compilation_is_announced_once_on_a_terminal(terminal, lines, monkeypatch, capsys):
    monkeypatch.setattr(signals, "_announced", threading.Event())
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)
    for _ in range(3):
        signals.announce()
    assert capsys.readouterr().err.count("autov: compiling, once on this machine") == lines


def test_a_program_without_a_console_announces_nothing(monkeypatch):
    monkeypatch.setattr(signals, "_announced", threading.Event())
    monkeypatch.setattr("sys.stderr", None)
    signals.announce()
    assert not signals._announced.is_set()


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_garbage_is_not_collected_during_a_compilation_and_then_as_before(before, fails):
    seen = []
    try:
        (gc.enable if before else gc.disable)()
        with contextlib.suppress(RuntimeError), compiling(), compiling():
            seen.append(gc.isenabled())
            if fails:
                raise RuntimeError
        assert gc.isenabled() == before
    finally:
        gc.enable()
    assert seen == [False]
