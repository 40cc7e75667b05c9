"""Evaluations a second of autov and of other libraries on the same loop, one process and one core each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from autov.core import InputError
from autov.experiments import Cell, Table
from benchmarks import loops
from benchmarks.kernel import machine

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
FOUND = "import importlib.metadata, sys; importlib.metadata.version(sys.argv[1])"


def bench_peers(python: Sequence[str] = (), repeats: int = 2) -> dict[str, Any]:
    """Run every loop of `benchmarks.loops` in a process of its own, in turns; the faster of its times.

    Args:
        python: further interpreters, in whose environments libraries are looked for that are not in this one.
        repeats: rounds, so that a disturbance does not hit one library only.
    """
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    hosts = {name: _host(loops.LOOPS[name][0], [sys.executable, *python]) for name in loops.LOOPS}
    found: dict[str, dict[str, Any]] = {}
    for _ in range(repeats):
        for name, host in hosts.items():
            if host is not None:
                now = _measured(host, name)
                fastest = max(now, found.get(name, now), key=lambda one: one["evaluations_per_second"])
                found[name] = fastest
    for one in found.values():
        one["autov_over_it"] = found["autov"]["evaluations_per_second"] / one["evaluations_per_second"]
    return {
        "what": f"{loops.DIM}-D Rastrigin, population {loops.POPSIZE}, {loops.GENERATIONS} generations, one core",
        "loops": found,
        "not_installed": [name for name, host in hosts.items() if host is None],
        "load_of_the_machine": load,
        "machine": machine(),
    }


def peers_table(result: dict[str, Any]) -> Table:
    """One line for each library."""
    rows = tuple(
        (name, (Cell(one["version"]), Cell(one["what"]), Cell(f"{one['evaluations_per_second']:,.0f}"),
                Cell(f"{one['autov_over_it']:.3g}")))
        for name, one in result["loops"].items()
    )  # fmt: skip
    missing = result["not_installed"]
    notes = [f"Load of the machine when it began: {result['load_of_the_machine']}."]
    notes += [f"Not installed: {', '.join(missing)}."] if missing else []
    return Table(
        result["what"], ("loop", "version", "what", "evaluations/s", "autov is faster by"), rows, notes=tuple(notes)
    )


def _host(library: str, interpreters: Sequence[str]) -> str | None:
    """The first interpreter that has the library."""
    for interpreter in interpreters:
        try:
            done = subprocess.run([interpreter, "-P", "-c", FOUND, library], capture_output=True, check=False)
        except OSError as error:
            raise InputError(f"--python: cannot run {interpreter!r}: {error.strerror}") from None
        if done.returncode == 0:
            return interpreter
    return None


def _measured(interpreter: str, name: str) -> dict[str, Any]:
    command = [interpreter, "-P", loops.__file__, name]
    done = subprocess.run(command, env={**os.environ, **ONE_THREAD}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(f"peers: {name} failed: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1])
