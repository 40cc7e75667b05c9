"""The backend follows the version of Numba; versions that nobody has tested get the plain one and Numba's own cache."""

import json
import os
import subprocess
import sys

import pytest

from tests.compiler.test_cache import blocked, copy_package

pytestmark = pytest.mark.cold

# Prints the backend, the lines that are logged, and how often a kernel came from the disk or was compiled.
PROGRAM = """
import json, logging, sys
import numba
import numpy as np

numba.__version__ = sys.argv[1]
lines = []
handler = logging.Handler()
handler.emit = lambda record: lines.append(record.getMessage())
logging.getLogger("autov").addHandler(handler)
logging.getLogger("autov").setLevel(logging.INFO)

from autov.compiler.backend import backend_name
from autov.kernels.order import sort_order

order = np.empty((2, 3), np.int64)
sort_order(np.array([3.0, 1.0, 2.0]), 3, order)
stats = sort_order.dispatcher.stats
from autov.problems import Classic
value = Classic("sphere", 2)(np.ones((1, 2)), np.random.default_rng(0))[0]
counts = [sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]
print(json.dumps([backend_name(), lines, order[0].tolist(), value, counts]))
"""


def outcome(version, **environment):
    kept = {name: value for name, value in os.environ.items() if name != "AUTOV_COMPILER"}
    program = [sys.executable, "-c", PROGRAM, version]
    done = subprocess.run(program, env={**kept, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_an_unknown_version_gets_the_plain_backend_one_line_and_numbas_cache(tmp_path):
    for counts in ([0, 1], [1, 0]):
        (name, lines, order, value, found), noise = outcome("99.0", NUMBA_CACHE_DIR=str(tmp_path))
        assert (name, order, value, found, noise) == ("plain", [1, 2, 0], 2.0, counts, "")
        assert len(lines) == 1
        assert "99.0" in lines[0]


def test_the_plain_backend_by_hand_is_not_logged(tmp_path):
    (name, lines, *_), _ = outcome("99.0", NUMBA_CACHE_DIR=str(tmp_path), AUTOV_COMPILER="plain")
    assert (name, lines) == ("plain", [])


def test_a_backend_that_does_not_exist_is_refused():
    done = subprocess.run(
        [sys.executable, "-c", "import autov.kernels.order"], env={**os.environ, "AUTOV_COMPILER": "quick"},
        capture_output=True, text=True,
    )  # fmt: skip
    assert "BackendError: AUTOV_COMPILER: must be plain or fast, got 'quick'" in done.stderr


def test_no_place_for_numbas_cache_costs_time_only(tmp_path):
    package = blocked(copy_package(tmp_path))
    (package / "autov" / "problems" / "__pycache__").write_text("")
    nowhere = dict.fromkeys(("NUMBA_CACHE_DIR", "HOME", "XDG_CACHE_HOME"), str(package / "autov" / "__init__.py"))
    (_, _, order, value, counts), noise = outcome("99.0", PYTHONPATH=str(package), **nowhere)
    assert (order, value, counts) == ([1, 2, 0], 2.0, [0, 1])
    assert noise.count("RuntimeWarning") == 1
    assert "every process compiles anew" in noise
