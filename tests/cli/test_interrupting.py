"""Ctrl-C in whole programs: soon everything has ended, and what was done is kept.

The work would take many minutes; the limit is generous, since a busy machine needs seconds to end a process.
"""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import pytest

from autov import cli
from tests.engines.calls import alive, pids, until

pytestmark = [pytest.mark.cold, pytest.mark.skipif(not hasattr(os, "fork"), reason="looks at processes the POSIX way")]
ROOT = Path(__file__).parents[2]
LIMIT = 30.0  # seconds
START = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
OWN = """
import os, time
from pathlib import Path

def slow(x):
    (Path({folder!r}) / str(os.getpid())).touch()
    time.sleep({seconds})
    return float((x**2).sum())
"""
COMMAND = "import sys\nfrom autov.cli import main\nsys.argv[1:] = {arguments!r}\nmain()\n"
MINIMIZE = """
import autov, sys
sys.path.insert(0, {place!r})
from own import slow

try:
    autov.minimize(slow, [(-1, 1)] * 3, algorithm="pso", maxfev=10_000, popsize=20, workers=2, store={store!r})
except KeyboardInterrupt as error:
    print(len(error.autov_result.history.fun), flush=True)
    raise SystemExit(130)
"""
COMPILED = """
from pathlib import Path
from autov.algorithms import compiled as pieces

real = pieces.end_if_asked

def noted():
    Path({begun!r}).touch()
    real()

pieces.end_if_asked = noted
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pids").mkdir()
    return tmp_path


def interrupted(text, ready, folder):
    """Send Ctrl-C, as a terminal does to all processes, when it is ready: (exit code, output, errors, seconds)."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "-c", START + text], env={**os.environ, "PYTHONPATH": path}, text=True,
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert until(lambda: ready() or process.poll() is not None, 300)
        assert process.poll() is None, process.communicate()
        begun = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert not any(alive(number) for number in pids(folder / "pids"))
    assert "Traceback" not in err
    return process.returncode, out, err, time.monotonic() - begun


def test_a_design_of_a_slow_function_on_two_processes(folder):
    (folder / "own.py").write_text(OWN.format(folder=str(folder / "pids"), seconds=0.02))
    out = folder / "out"
    small = "--dim 3 --lower -1 --upper 1 --population 20 --generations 50 --workers 2 --engine processes --rows 2"
    text = COMMAND.format(arguments=["design", f"{folder}/own.py:slow", *small.split(), "--out", str(out)])
    values = out / "search.npz.values"
    code, _, err, _ = interrupted(text, lambda: values.exists() and values.stat().st_size > 2000, folder)
    assert code == 130
    assert "--resume" in err
    assert values.stat().st_size > 2000
    assert not (out / "search.npz.lock").exists()


def test_minimize_of_a_function_of_a_second(folder):
    (folder / "own.py").write_text(OWN.format(folder=str(folder / "pids"), seconds=1.0))
    store = folder / "runs.db"
    text = MINIMIZE.format(place=str(folder), store=str(store))

    def kept():
        if not store.exists():
            return 0
        db = sqlite3.connect(store)
        try:
            return db.execute("SELECT count(*) FROM evaluations").fetchone()[0]
        except sqlite3.Error:  # it is being made
            return 0
        finally:
            db.close()

    code, out, _, _ = interrupted(text, lambda: kept() >= 2, folder)
    assert code == 130
    assert kept() == int(out) >= 2


def workers_of_dask():
    """Processes that Dask has started for the command, whether they are ready or not."""
    psutil = pytest.importorskip("psutil")
    found = 0
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            found += any("spawn_main" in part for part in process.cmdline())
    return found


@pytest.mark.parametrize("when", ["start", "middle"])
def test_a_cluster_of_dask_on_this_machine(folder, when):
    """Its workers get the signal of a terminal, too, and say nothing of it; one that starts is ended as well."""
    pytest.importorskip("distributed")
    (folder / "own.py").write_text(OWN.format(folder=str(folder / "pids"), seconds=0.02))
    rest = "--dim 3 --lower -1 --upper 1 --workers 2 --engine dask --algorithm pso --maxfev 100000"
    text = COMMAND.format(arguments=["minimize", f"{folder}/own.py:slow", *rest.split()])
    ready = workers_of_dask if when == "start" else lambda: len(pids(folder / "pids")) == 2
    code, _, err, _ = interrupted(text, ready, folder)
    assert code == 130
    assert err.endswith("autov: interrupted\n")
    assert until(lambda: not workers_of_dask())


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_after_the_work_is_done_changes_no_exit_code(tmp_path, name):
    """While libraries are taken apart: what was printed is there, and the command has done what it should."""
    text = START + (
        f"import atexit, os, time\nfrom autov import cli\nreal = cli.handled\ndef handled(*given):\n"
        f"    atexit.register(lambda: (os.kill(os.getpid(), signal.{name}), time.sleep(600)))\n"
        "    return real(*given)\ncli.handled = handled\n"
    ) + COMMAND.format(arguments=["--version"])  # fmt: skip
    done = run_text(text, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("autov ")
    text = START + (
        f"import os\nclass Late:\n    def __del__(self, kill=os.kill, own=os.getpid(), number=signal.{name}):\n"
        "        kill(own, number)\nlate = Late()\n"
    ) + COMMAND.format(arguments=["--version"])  # fmt: skip
    done = run_text(text, tmp_path)  # when Python has given up its handlers
    assert (done.returncode, done.stderr) == (0, "")


def test_a_compiled_run(folder):
    begun, out = folder / "begun", folder / "result.json"
    budget = ["--dim", "100", "--maxfev", "1000000000", "--runs", "2"]
    text = COMMAND.format(arguments=["minimize", "sphere", *budget, "--out", str(out)])
    text = COMPILED.format(begun=str(begun)) + text
    code, _, err, _ = interrupted(text, begun.exists, folder)
    assert code == 130
    found = json.loads(out.read_text())
    assert found["interrupted"] is True
    assert found["best"] == pytest.approx(sum(x * x for x in found["best_x"]))
    assert err.startswith("autov: best value so far ")
    assert err.endswith("autov: interrupted\n")


LOST = """
import ctypes, os, signal

def lost(x):
    def called():
        os.kill(os.getpid(), signal.{name})
        for _ in range(1000):
            pass
    ctypes.CFUNCTYPE(None)(called)()
    return float((x**2).sum())
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("command", [["minimize", "--runs", "2"], ["design", "--preset", "quick"]], ids=lambda c: c[0])
def test_a_signal_whose_exception_gets_lost_in_a_callback_from_c(tmp_path, name, command):
    (tmp_path / "own.py").write_text(LOST.format(name=name))
    rest = ["--dim", "3", "--lower", "-1", "--upper", "1", "--engine", "serial"]
    text = START + COMMAND.format(arguments=[command[0], f"{tmp_path}/own.py:lost", *command[1:], *rest])
    done = run_text(text, tmp_path)
    assert done.returncode == 130
    assert done.stderr.count("Exception ignored") < 100  # each call sends a signal; a whole run makes thousands
    assert "autov: interrupted" in done.stderr


def test_a_signal_that_becomes_an_error_of_an_import(tmp_path):
    text = START + (
        "import os, sys\nclass Interrupting:\n    def find_spec(self, name, *_):\n        if name == 'typer':\n"
        "            try:\n                os.kill(os.getpid(), signal.SIGINT)\n"
        "            except KeyboardInterrupt:\n                raise ImportError('initialisation failed') from None\n"
        "sys.meta_path.insert(0, Interrupting())\n"
    ) + COMMAND.format(arguments=["--version"])  # fmt: skip
    done = run_text(text, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "autov: interrupted\n")


def run_text(text, folder):
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, "-c", text], env=environment, text=True, capture_output=True, cwd=folder, timeout=300
    )


def test_what_python_cannot_raise_is_not_printed(monkeypatch):
    """Such as in the callback of a weak reference."""
    asked, printed = threading.Event(), []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: printed.append(unraisable.exc_type))
    with cli.handled(asked):
        forget_and_raise(KeyboardInterrupt)
        asked.set()
        forget_and_raise(KeyboardInterrupt)
        forget_and_raise(ValueError)
    forget_and_raise(KeyboardInterrupt)
    assert printed == [KeyboardInterrupt, ValueError, KeyboardInterrupt]


class Watched:
    """Something that a weak reference can point to."""


def forget_and_raise(error):
    def called(_):
        raise error

    watched = Watched()
    kept = weakref.ref(watched, called)
    del watched
    assert kept() is None
