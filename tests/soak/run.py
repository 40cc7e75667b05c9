"""``python -m tests.soak.run [SECONDS] [SEED]``: designs, comparisons and runs that are killed, resumed and moved.

Each round starts one of them as a process of its own on an engine drawn at random, ends it after a random time by
Ctrl-C, SIGTERM or SIGKILL, and goes on with it on another engine until it has finished; its result must then be that of
the same work done at once on one worker. Ctrl-C and SIGTERM must give the exit code 130, SIGKILL -9, and nothing may be
left running. Two processes write to one store in some rounds. The outcome is written to ``results/soak.json``.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
FUNCTION = """
import time

def bowl(x):
    time.sleep(0.001)
    return float((x**2).sum())
"""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
PATIENCE = 60.0  # seconds until a process that was told to end, and all that it started, must have ended
# The file says that Python has started and that signals are those of a command: before, any program ends by SIGTERM.
START = """
import contextlib, pathlib, signal, sys
from autov import cli

real = cli.handled

@contextlib.contextmanager
def noted(*given):
    with real(*given):
        pathlib.Path(began).touch()
        yield

cli.handled = noted
signal.signal(signal.SIGINT, signal.default_int_handler)
began = sys.argv.pop(1)
cli.main()
"""


def commands(folder: Path, dice: random.Random) -> tuple[str, list[str]]:
    """What is done, and the arguments that decide its result."""
    seed, own = str(dice.randrange(1000)), f"{folder}/own.py:bowl"
    box = ["--dim", "3", "--lower", "-1", "--upper", "1", "--seed", seed]
    kind = dice.choice(["design compiled", "design own", "compare", "minimize"])
    if kind == "design compiled":
        small = ["--population", "20", "--generations", "60", "--trial-generations", "40", "--rows", "4"]
        return kind, ["design", "rastrigin", "--dim", "8", "--seed", seed, *small]
    if kind == "design own":
        small = ["--population", "6", "--generations", "3", "--trial-generations", "4", "--trial-popsize", "8"]
        return kind, ["design", own, *box, *small, "--rows", "3", "--race-runs", "1", "--retest-runs", "2"]
    if kind == "compare":
        runs = ["--runs", "40", "--maxfev", "3000", "--dim", "10", "--seed", seed]
        return kind, ["compare", "--algorithms", "ga,de,paper-h3", "--problems", "f1,f9,f10", *runs]
    return kind, ["minimize", own, *box, "--algorithm", "ga", "--runs", "3", "--maxfev", "300", "--popsize", "20"]


def engine(dice: random.Random) -> list[str]:
    """An engine drawn at random."""
    return ["--engine", dice.choice(["auto", "serial", "threads", "processes", "dask"]), "--workers", "2"]


def start(arguments: list[str], folder: Path) -> subprocess.Popen[str]:
    """The command as the first process of a session of its own, with Ctrl-C as people have it, when it has begun."""
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    began = folder / f"began-{time.monotonic_ns()}"
    process = subprocess.Popen(
        [sys.executable, "-c", START, str(began), *arguments, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "PYTHONPATH": path, "AUTOV_CHECKPOINT_SECONDS": "0.5"}, start_new_session=True,
    )  # fmt: skip
    while not began.exists() and process.poll() is None:
        time.sleep(0.01)
    return process


def left_running(session: int) -> list[int]:
    """Processes of a session that are alive, as Linux tells; none elsewhere."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, own = (place / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it has just ended
            continue
        if int(own) == session and state not in "ZX":
            found.append(int(place.name))
    return found


def all_ended(session: int) -> bool:
    """Whether all processes of a session end soon; those that do not are killed."""
    end = time.monotonic() + PATIENCE
    while (left := left_running(session)) and time.monotonic() < end:
        time.sleep(0.1)
    for number in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    return not left


def place(kind: str, folder: Path, name: str) -> list[str]:
    """Where the result is kept, so that it can go on."""
    if kind.startswith("design"):
        return ["--out", str(folder / name), "--resume"]
    return ["--store", str(folder / f"{name}.db")] if kind == "compare" else []


def essence(kind: str, out: str) -> object:
    """What must be the same."""
    found = json.loads(out)
    if kind.startswith("design"):
        return found["fitness"], found["retested_values"], found["spent"]
    return found["values"] if kind == "minimize" else found


def one_round(dice: random.Random) -> dict[str, object]:
    """One piece of work, ended and gone on with; its outcome."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "own.py").write_text(FUNCTION)
        kind, arguments = commands(folder, dice)
        ends = []
        while True:
            process = start([*arguments, *place(kind, folder, "broken"), *engine(dice)], folder)
            other = None
            if kind == "compare" and dice.random() < 0.3:
                other = start([*arguments, *place(kind, folder, "broken"), *engine(dice)], folder)
            patience = dice.uniform(1, 12) if len(ends) < 6 else 600
            expected = 0
            try:
                out, err = process.communicate(timeout=patience)
            except subprocess.TimeoutExpired:
                number = dice.choice(SIGNALS)
                process.send_signal(number)
                out, err = process.communicate(timeout=2 * PATIENCE)
                ends.append(signal.Signals(number).name)
                expected = -9 if number == signal.SIGKILL else 130
            if other is not None:
                other.kill()
                other.communicate()
            ended = all_ended(process.pid) and (other is None or all_ended(other.pid))
            # It may have come to its end when the signal came.
            if not ended or "Traceback" in err or process.returncode not in (0, expected):
                why = f"exit code {process.returncode}, all ended: {ended}: {err[-2000:]}"
                return {"kind": kind, "ok": False, "why": why, "ends": ends}
            if process.returncode == 0:
                break
        alone = start([*arguments, *place(kind, folder, "whole"), "--engine", "serial"], folder)
        expected, err = alone.communicate(timeout=900)
        if alone.returncode != 0:
            why = f"alone, exit code {alone.returncode}: {err[-2000:]}"
            return {"kind": kind, "ok": False, "why": why, "ends": ends}
        found, wanted = essence(kind, out), essence(kind, expected)
        same = found == wanted
        if kind == "compare":
            db = sqlite3.connect(folder / "broken.db")
            same = same and db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            same = same and db.execute("SELECT count(*) FROM results").fetchone() == (360,)
            db.close()
        more = {} if same else {"why": "another result", "found": str(found)[:2000], "wanted": str(wanted)[:2000]}
        return {"kind": kind, "ok": same, "ends": ends, **more}


def main(seconds: float = 1200.0, seed: int = 1) -> int:
    """How many rounds went wrong."""
    end, rounds = time.monotonic() + seconds, []
    while time.monotonic() < end:
        found = one_round(random.Random(f"{seed} {len(rounds)}"))
        rounds.append(found)
        sys.stdout.write(f"{len(rounds)}: {json.dumps(found)}\n")
        sys.stdout.flush()
    wrong = [found for found in rounds if not found["ok"]]
    summary = {
        "seconds": seconds, "seed": seed, "rounds": len(rounds), "wrong": wrong,
        "ends": {name.name: sum(str(r["ends"]).count(name.name) for r in rounds) for name in SIGNALS},
        "kinds": {kind: sum(r["kind"] == kind for r in rounds) for kind in sorted({str(r["kind"]) for r in rounds})},
    }  # fmt: skip
    (ROOT / "results").mkdir(exist_ok=True)
    (ROOT / "results" / "soak.json").write_text(json.dumps(summary, indent=2) + "\n")
    return len(wrong)


if __name__ == "__main__":
    raise SystemExit(main(*(float(text) for text in sys.argv[1:2]), *(int(text) for text in sys.argv[2:3])) > 0)
