"""Users' own compilations are the same with and without autov in their process."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.cold
PROGRAM = Path(__file__).with_name("user_functions.py")


def outcome(folder, how):
    """What the program prints in a process of its own; its cache is in the folder."""
    script = folder / PROGRAM.name
    if not script.exists():
        shutil.copy2(PROGRAM, script)
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run([sys.executable, str(script), how], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_users_compilations_and_the_state_of_the_process_stay_the_same(tmp_path_factory):
    found = {how: outcome(tmp_path_factory.mktemp(how), how) for how in ("without", "imported", "run")}
    if sys.version_info >= (3, 12):  # there Numba's code of this function differs from process to process
        for one in found.values():
            assert all(one["work"][what].pop("calls") for what in ("code", "llvm"))
    for one in found.values():
        assert one["work"] == found["without"]["work"]
        assert one["changed"] == []
        assert one["states"] == found["without"]["states"]
        assert all(state == one["states"][0] for state in one["states"])
    assert found["run"]["work"]["cache"] == [0, 1]


def test_users_caches_are_found_again_with_autov(tmp_path):
    first, second = outcome(tmp_path, "without"), outcome(tmp_path, "run")
    assert (first["work"]["cache"], second["work"]["cache"]) == ([0, 1], [1, 0])
    assert first["work"]["values"] == second["work"]["values"]
