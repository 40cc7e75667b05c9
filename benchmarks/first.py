"""How long the first call of a fresh installation takes: in processes of their own, with nothing compiled yet."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks.kernel import machine

PROGRAM = """
import json, time
import autov
wall, processor = time.perf_counter(), time.process_time()
autov.minimize({}, rng=1)
print(json.dumps([time.perf_counter() - wall, time.process_time() - processor]))
"""
# Calls that a newcomer makes first, with the default algorithm.
CALLS = {
    "python_function": "lambda x: ((x - 1) ** 2).sum(), bounds=[(-5, 5)] * 10, maxfev=10_000",
    "compiled_problem": "'rastrigin', maxfev=10_000",
}


def bench_first(repeats: int = 3) -> dict[str, Any]:
    """Seconds of `autov.minimize` in a fresh process with an empty cache, and in the next one; the least of several.

    Seconds of the processor count what the process does and not how long it waits for its turn.
    """
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    found: dict[str, dict[str, float]] = {}
    for name, arguments in CALLS.items():
        program = [sys.executable, "-c", PROGRAM.format(arguments)]
        figures: dict[str, float] = {}
        for _ in range(repeats):
            with tempfile.TemporaryDirectory() as folder:
                for when in ("first", "later"):
                    for kind, value in zip(("seconds", "processor_seconds"), _seconds(program, folder), strict=True):
                        key = f"{when}_{kind}"
                        figures[key] = min(value, figures.get(key, value))
        found[name] = figures
    return {
        "what": "the first call of autov.minimize, default algorithm",
        "calls": found,
        "load_of_the_machine": load,
        "machine": machine(),
    }


def _seconds(program: list[str], folder: str) -> list[float]:
    """What a process says that keeps compiled code in a folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
    done = subprocess.run(program, env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)
