"""Kernels that another process compiles."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from autov.kernels import ahead
from autov.kernels.order import sort_order

# Prints the order of three values, how often the kernel came from the disk or was compiled, and who compiled it.
PROGRAM = """
import json, sys
import numpy as np
from autov.kernels import ahead
from autov.kernels.order import sort_order
ahead._worthwhile = lambda: True
ahead.PROGRAM = {program}
f, order = np.array([3.0, 1.0, 2.0]), np.empty((2, 3), np.int64)
ahead.compile_ahead([(sort_order, (f, 3, order))])
elsewhere = sort_order.coming is not None
sort_order(f, 3, order)
stats = sort_order.dispatcher.stats
print(json.dumps([order[0].tolist(), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), elsewhere]))
"""


def outcome(folder, program="ahead.PROGRAM"):
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


def test_a_kernel_is_looked_at_once(monkeypatch):
    asked = []
    monkeypatch.setattr(ahead, "_worthwhile", lambda: True)
    monkeypatch.setattr(ahead, "_compile_elsewhere", asked.append)
    monkeypatch.setattr(ahead, "on_disk", lambda _compiled, _signature: False)
    monkeypatch.setattr(sort_order, "looked_at", False)
    arguments = (np.empty(3, np.float32), 3, np.empty((2, 3), np.int64))  # types that nobody has compiled
    ahead.compile_ahead([(sort_order, arguments)])
    ahead.compile_ahead([(sort_order, arguments)])
    assert [[kernel for kernel, _ in missing] for missing in asked] == [[sort_order]]


def test_a_worker_or_a_program_that_embeds_python_starts_no_other(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/opt/simulator")
    assert not ahead._worthwhile()
    monkeypatch.setattr(sys, "executable", "")
    assert not ahead._worthwhile()
