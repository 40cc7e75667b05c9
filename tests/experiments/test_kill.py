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

from autov.experiments import Store, experiment
from tests.experiments.tiny import slow_comparison

pytestmark = pytest.mark.cold
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


def _writer(path, tasks, report):
    """In a forked child: write rows for ever, and report each when it is written."""
    with Store(path) as store:
        while True:
            for task in tasks:
                store.add(task, float(task.run), [float(task.run)] * 50, 0.0)
                os.write(report, f"{task.key}\n".encode())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fifty_kills_of_two_writers_lose_nothing_that_was_reported(tmp_path):
    path, dice = tmp_path / "r.db", random.Random(3)
    tasks = list(experiment("ga", "sphere", dim=2, maxfev=10, popsize=5, runs=600).tasks)
    assert len({task.key for task in tasks}) == 600  # known before the children begin
    Store(path).close()
    reported = set()
    for _ in range(50):
        children = []
        for _ in range(2):
            order = dice.sample(tasks, len(tasks))
            end, report = os.pipe()
            number = os.fork()
            if number == 0:
                try:
                    _writer(path, order, report)
                finally:
                    os._exit(1)
            os.close(report)
            children.append((number, end))
        firsts = [os.read(end, 1) for _, end in children]  # both are writing now
        time.sleep(dice.uniform(0.0, 0.02))
        for number, _ in children:
            os.kill(number, signal.SIGKILL)
        for (number, end), first in zip(children, firsts, strict=True):
            os.waitpid(number, 0)
            with os.fdopen(end, "rb") as file:
                lines = (first + file.read()).decode().split("\n")
            reported |= set(lines[:-1])
    assert len(reported) > 100
    found = rows(path)
    keys = [row.key for row in found]
    assert reported <= set(keys)
    assert len(keys) == len(set(keys))
    assert all(row.best == row.run for row in found)
