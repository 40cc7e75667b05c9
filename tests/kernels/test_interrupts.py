"""Ctrl-C in the callbacks of LLVM, where an exception would be printed and forgotten."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys

import numba
import pytest
from autov.kernels.interrupts import Held
from llvmlite.binding import executionengine

CALLBACK = ctypes.CFUNCTYPE(None)
# What LLVM calls, with a function that a test puts there; only the place and the name of the code matter.
exec(compile("def _raw_called(call):\n    call()", executionengine.__file__, "exec"))


def come(number=signal.SIGINT):
    signal.raise_signal(number)


@pytest.fixture(autouse=True)
def ctrl_c():
    """Ctrl-C as people have it, also where a shell lets it be ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def in_callback(number=signal.SIGINT):
    CALLBACK(lambda: _raw_called(lambda: come(number)))()  # noqa: F821


def test_a_signal_in_a_callback_comes_out_when_llvm_is_done(capfd):
    held, owner = Held(), object()
    held.begin(owner)
    in_callback()
    with pytest.raises(KeyboardInterrupt):
        held.end(owner)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert "Exception ignored" not in capfd.readouterr().err


def test_without_it_the_signal_is_lost(monkeypatch):
    ignored = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: ignored.append(found.exc_type))
    in_callback()
    assert ignored == [KeyboardInterrupt]


def test_elsewhere_a_signal_has_its_effect_at_once():
    held, owner = Held(), object()
    held.begin(owner)
    with pytest.raises(KeyboardInterrupt):
        come()
    held.end(owner)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_it_comes_out_after_a_part_of_the_work():
    held, whole, part = Held(), object(), object()
    held.begin(whole)
    held.begin(part)
    in_callback()
    with pytest.raises(KeyboardInterrupt):
        held.end(part)
    held.end(whole)  # only once
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_handlers_of_the_program_are_called():
    called, held, owner = [], Held(), object()
    before = signal.signal(signal.SIGTERM, lambda number, _: called.append(number))
    try:
        held.begin(owner)
        in_callback(signal.SIGTERM)
        assert called == []
        held.end(owner)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert called == [signal.SIGTERM]


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
from autov.kernels.jit import kernel

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


def test_ctrl_c_while_a_kernel_compiles_and_while_it_is_loaded(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(COMPILING)
    for _ in range(3):  # compiled, then compiled or loaded again, then loaded
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
        assert (done.stdout, done.stderr, done.returncode) == ("ended 8\n", "", 0)


def test_numba_still_compiles_functions_of_others():
    assert numba.njit(lambda x: x + 1)(1) == 2
