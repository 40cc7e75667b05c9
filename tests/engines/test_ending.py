"""Whole programs that end: by Ctrl-C, by a kill, by themselves, or because a guard is missing."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines.calls import alive, pids, until

pytestmark = [pytest.mark.cold, pytest.mark.skipif(not hasattr(os, "fork"), reason="looks at processes the POSIX way")]
ROOT = Path(__file__).parents[2]
METHODS = ["fork", "spawn", "forkserver"]
SLEEP = """
import multiprocessing
from autov.engines import {engine}, in_order
from tests.engines.calls import sleeper

if __name__ == "__main__":
    multiprocessing.set_start_method({method!r})
    try:
        in_order({engine}(2), sleeper({folder!r}), [1, 2, 3])
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        raise SystemExit(130)
"""


def start(folder, text):
    script = folder / "script.py"
    script.write_text(text)
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, str(script)], env={**os.environ, "PYTHONPATH": path}, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # A shell that runs the tests in the background lets them, and what they start, ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


@pytest.fixture
def sleeping(tmp_path, request):
    """A program whose two workers sleep, and their numbers."""
    process = start(tmp_path, SLEEP.format(engine="Processes", method=request.param, folder=str(tmp_path)))
    assert until(lambda: len(pids(tmp_path)) == 2)
    numbers = pids(tmp_path)
    yield process, numbers
    for number in (process.pid, *numbers):
        if alive(number):
            os.kill(number, signal.SIGKILL)
    process.communicate()


@pytest.mark.parametrize("sleeping", METHODS, indirect=True)
def test_ctrl_c_ends_all(sleeping):
    process, numbers = sleeping
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "interrupted\n", "")
    assert not any(alive(number) for number in numbers)


@pytest.mark.parametrize("sleeping", METHODS, indirect=True)
def test_workers_end_when_their_parent_is_killed(sleeping):
    process, numbers = sleeping
    assert all(alive(number) for number in numbers)
    process.kill()
    process.wait()
    assert until(lambda: not any(alive(number) for number in numbers))


@pytest.mark.parametrize("method", METHODS)
def test_idle_workers_whose_parent_is_killed_say_nothing(tmp_path, method):
    text = f"""
import multiprocessing, os, signal
from autov.engines import Processes, in_order
from tests.engines.calls import pid

if __name__ == "__main__":
    multiprocessing.set_start_method({method!r})
    engine = Processes(2)
    print(*set(in_order(engine, pid, range(8))), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    process = start(tmp_path, text)
    out, err = process.communicate(timeout=120)  # until all that hold the streams have ended
    assert out.split()
    assert err == ""


def test_ctrl_c_among_threads(tmp_path):
    text = """
import os, signal, threading
from autov.engines import Threads

began = []
def call(i):
    began.append(i)
    if i == 1:
        os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait(0.2)

try:
    for _ in Threads(2).map(call, range(10_000)):
        pass
except KeyboardInterrupt:
    print(len(began) < 20)
    raise SystemExit(130)
"""
    process = start(tmp_path, text)
    assert process.communicate(timeout=120) == ("True\n", "")
    assert process.returncode == 130


@pytest.mark.parametrize("end", ["", "next(found)", "del found, engine", "raise SystemExit(0)"])
def test_a_program_that_closes_nothing_ends(tmp_path, end):
    text = f"""
from autov.engines import Processes, Threads, in_order
from tests.engines.calls import pid, square

engine = Processes(2)
print(*set(in_order(engine, pid, range(8))), flush=True)
found, others = engine.map(square, range(100)), Threads(2).map(square, range(100))
next(found), next(others)
{end}
"""
    process = start(tmp_path, text)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    assert len(out.split()) == 2
    assert not any(alive(int(number)) for number in out.split())


def test_a_missing_guard_is_named(tmp_path):
    text = """
import multiprocessing, threading
from autov.core import WorkerError
from autov.engines import Processes, in_order

multiprocessing.set_start_method("spawn", force=True)
lock = threading.Lock()


def locked(x):  # cannot travel by value, so that workers must run this script to find it
    with lock:
        return x


try:
    in_order(Processes(2), locked, range(3))
except WorkerError as error:
    print(error)
"""
    process = start(tmp_path, text)
    out, err = process.communicate(timeout=120)
    assert out == (
        "a worker process exited with code 1 while it started; what a script does must stand under "
        '`if __name__ == "__main__":`\n'
    )
    assert err == ""  # no traceback of every worker besides


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_functions_of_a_script_need_no_guard(tmp_path, method):
    text = f"""
import multiprocessing
from autov.engines import Processes, in_order

multiprocessing.set_start_method("{method}")
step = 2


def late(x):
    return x + step


print(in_order(Processes(2), late, range(3)), in_order(Processes(2), lambda x: late(x) * step, range(3)))
"""
    out, err = start(tmp_path, text).communicate(timeout=120)
    assert (out, err) == ("[2, 3, 4] [4, 6, 8]\n", "")
