"""Real processes on one store: killed at random moments, and two at once."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autov.experiments import Store
from tests.experiments.tiny import slow_comparison

ROOT = Path(__file__).parents[2]


def start(store, runs):
    code = f"from tests.experiments.tiny import slow_comparison; slow_comparison({str(store)!r}, {runs})"
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, start_new_session=True)


def rows(path):
    if not path.exists() or not path.stat().st_size:
        return []
    with Store(path) as store:
        return store.rows()


def alive(group):
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] not in "ZX":
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_kills_lose_only_what_was_running(tmp_path):
    path, runs, dice = tmp_path / "r.db", 150, random.Random(5)
    kept = {}
    for _ in range(3):
        process = start(path, runs)
        deadline = time.monotonic() + 60
        while len(rows(path)) <= len(kept) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(dice.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if os.path.isdir("/proc/self"):
            deadline = time.monotonic() + 20
            while alive(process.pid) and time.monotonic() < deadline:
                time.sleep(0.02)
            assert not alive(process.pid), "workers must end with their parent"
        now = {row.key: (row.created, row.seconds, row.best) for row in rows(path)}
        assert kept.items() <= now.items()
        assert len(now) > len(kept)
        kept = now
    assert len(kept) < 2 * runs, "the last kill came too late to show anything"

    comparison = slow_comparison(path, runs)
    after = {row.key: (row.created, row.seconds, row.best) for row in rows(path)}
    assert kept.items() <= after.items()
    assert len(after) == len(comparison.rows) == 2 * runs
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


def test_two_processes_share_a_store(tmp_path):
    path = tmp_path / "r.db"
    processes = [start(path, 12), start(path, 20)]
    assert [process.wait(timeout=60) for process in processes] == [0, 0]
    found = rows(path)
    assert len(found) == 40
    again = slow_comparison(None, 20, workers=1)
    assert {row.key: row.best for row in found} == {row.key: row.best for row in again.rows}
