"""Kernels that another process compiles."""

import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

from autov.compiler import precompile
from autov.compiler.backend import has_own_cache
from autov.compiler.cache import is_cached
from autov.kernels.order import sort_order

pytestmark = [pytest.mark.cold, pytest.mark.skipif(not has_own_cache(), reason="what Numba's own cache has is unknown")]

# Prints the order of three values, how often the kernel came from the disk or was compiled, and who compiled it.
PROGRAM = """
import json, sys
import numpy as np
from autov.compiler import precompile
from autov.kernels.order import sort_order
precompile._is_worthwhile = lambda: True
precompile.PROGRAM = {program}
f, order = np.array([3.0, 1.0, 2.0]), np.empty((2, 3), np.int64)
precompile.precompile([(sort_order, (f, 3, order))])
elsewhere = sort_order.pending is not None
sort_order(f, 3, order)
stats = sort_order.dispatcher.stats
print(json.dumps([order[0].tolist(), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), elsewhere]))
"""


def outcome(folder, program="precompile.PROGRAM"):
    run = [sys.executable, "-c", PROGRAM.format(program=program)]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run(run, env=environment, check=True, capture_output=True, text=True)
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_what_another_process_compiled_is_loaded_and_found_the_next_time(tmp_path):
    assert outcome(tmp_path) == [[1, 2, 0], 1, 0, True]
    assert outcome(tmp_path) == [[1, 2, 0], 1, 0, False]  # nothing is missing any more


@pytest.mark.parametrize("program", ["'raise SystemExit(1)'", "'import time; raise KeyboardInterrupt'"])
def test_a_process_that_fails_costs_only_time(tmp_path, program):
    assert outcome(tmp_path, program) == [[1, 2, 0], 0, 1, True]


EXPECTING = """
import time
from autov.compiler import precompile
precompile._is_worthwhile = lambda: True
precompile.start_worker()
precompile.start_worker()
print([process.pid for process in precompile._ready])
"""


def expecting(folder):
    run = [sys.executable, "-c", EXPECTING]
    done = subprocess.run(
        run, env={**os.environ, "NUMBA_CACHE_DIR": str(folder)}, check=True, capture_output=True, text=True
    )
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_another_process_is_expected_only_where_nothing_was_ever_compiled_and_ends_with_the_program(tmp_path):
    (waiting,) = expecting(tmp_path)
    with pytest.raises(ProcessLookupError):
        os.kill(waiting, 0)
    outcome(tmp_path)
    assert expecting(tmp_path) == []


def test_a_process_that_nobody_wants_anything_of_ends_by_itself(tmp_path):
    program = [sys.executable, "-c", precompile.PROGRAM]
    done = subprocess.run(
        program, env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}, input=pickle.dumps(sys.path), capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_kernel_is_considered_once(monkeypatch):
    asked = []
    monkeypatch.setattr(precompile, "_is_worthwhile", lambda: True)
    monkeypatch.setattr(precompile, "_compile_in_worker", asked.append)
    monkeypatch.setattr("autov.compiler.cache.is_cached", lambda _compiled, _signature: False)
    monkeypatch.setattr(sort_order, "considered", False)
    arguments = (np.empty(3, np.float32), 3, np.empty((2, 3), np.int64))  # types that nobody has compiled
    precompile.precompile([(sort_order, arguments)])
    precompile.precompile([(sort_order, arguments)])
    assert [[kernel for kernel, _ in missing] for missing in asked] == [[sort_order]]


@pytest.mark.parametrize(
    ("worthwhile", "executable", "frozen", "cores", "parent"),
    [
        (True, "/usr/bin/python3", False, 2, None),
        (False, "/usr/bin/python3", False, 1, None),
        (False, "/usr/bin/python3", False, 2, "a pool"),
        (False, "/opt/simulator", False, 2, None),
        (False, "/opt/python-simulator", True, 2, None),
        (False, "", False, 2, None),
    ],
)
def test_a_worker_or_a_program_that_embeds_python_starts_no_other(
    worthwhile, executable, frozen, cores, parent, monkeypatch
):
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: parent)
    assert precompile._is_worthwhile() is worthwhile


def test_files_of_the_current_folder_are_not_taken_for_modules(tmp_path):
    (tmp_path / "pickle.py").write_text("from pathlib import Path\nPath('run').touch()\n")
    script = tmp_path / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text(PROGRAM.format(program="precompile.PROGRAM"))
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, script], env=environment, check=True, capture_output=True, text=True, cwd=tmp_path
    )
    assert json.loads(done.stdout) == [[1, 2, 0], 1, 0, True]
    assert not (tmp_path / "run").exists()


def test_an_index_that_cannot_be_read_now_means_that_nothing_is_precompiled(monkeypatch):
    # On Windows, one that another process is just replacing.
    def locked():
        raise PermissionError(13, "in use")

    file = sort_order.dispatcher._cache._cache_file
    monkeypatch.setattr(file, "_load_index", locked)
    assert is_cached(sort_order.dispatcher, ()) is None


def test_threads_wait_for_the_same_process(monkeypatch):
    class Process:
        """Ends when both wait for it."""

        both = threading.Barrier(2)

        def wait(self):
            self.both.wait(timeout=60)

    orders = [np.empty((2, 3), np.int64) for _ in range(2)]
    monkeypatch.setattr(sort_order, "pending", Process())
    threads = [threading.Thread(target=sort_order, args=(np.array([3.0, 1.0, 2.0]), 3, order)) for order in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [order[0].tolist() for order in orders] == [[1, 2, 0]] * 2
    assert sort_order.pending is None
