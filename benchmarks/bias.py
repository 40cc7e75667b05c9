"""Structural bias: where algorithms end on a function of random values.

The figures depend on the seed and on the algorithms alone. Each row is kept in the file as soon as it is there, and
what is there is not made again: take the file away after a change.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from autov.algorithms.files import shipped_names
from autov.algorithms.registry import NAMES
from autov.core.atomic_files import read_json, to_json, write_text
from autov.experiments import Table
from autov.experiments.row import versions
from autov.invariance import check_bias
from autov.peers import PEERS
from autov.reports import bias_table as table_of

OWN = (*shipped_names(), *(name for name in NAMES if name != "evolution"))  # that is paper-h3
SLOW = {  # and so with fewer evaluations
    "scipy:l-bfgs-b": 1000, "scipy:powell": 1000, "scipy:direct": 1000, "scipy:dual-annealing": 1000,
    "cmaes:default": 1000, "nlopt:bobyqa": 1000, "nlopt:sbplx": 1000, "pymoo:ga": 1000, "pymoo:de": 1000,
    "pymoo:pso": 1000, "cma:lq": 300, "scipy:cobyqa": 300, "nevergrad:ngopt": 300, "optuna:tpe": 100, "memetic": 1000,
}  # fmt: skip
MODULES = {"minion": "minionpy", "optuna:gp": "torch"}  # what a peer needs, where it is not called as its prefix
DIM, RUNS, MAXFEV, SEED = 10, 100, 10_000, 1
SHORTER, MORE_RUNS = (200, 1_000, 2_000, 10_000), 400  # runs of the default


def bench_bias(path: str | Path = "runs/bias.json") -> dict[str, Any]:
    """Test all of them; peers that are not installed are left out."""
    path = Path(path)
    data: dict[str, Any] = read_json(path, "a table of bias") if path.exists() else {"rows": []}
    data["versions"] = versions()
    there = {row["algorithm"] for row in data["rows"]}
    for name in (*OWN, *(name for name in PEERS if installed(name))):
        if name not in there:
            data["rows"].append(_row(name, RUNS, SLOW.get(name, MAXFEV)))
            write_text(path, to_json(data, indent=2) + "\n")
    budgets = data.setdefault("default", [])
    for maxfev in SHORTER:
        if maxfev not in [row["maxfev"] for row in budgets]:
            budgets.append(_row("general", MORE_RUNS, maxfev))
            write_text(path, to_json(data, indent=2) + "\n")
    return data


def _row(name: str, runs: int, maxfev: int) -> dict[str, Any]:
    found = check_bias(name, dim=DIM, runs=runs, maxfev=maxfev, rng=SEED)
    return {key: value for key, value in found.to_dict(points=False).items() if key != "corrected"}


def installed(peer: str) -> bool:
    """Whether the library of a peer is there."""
    prefix = peer.partition(":")[0]
    return importlib.util.find_spec(MODULES.get(peer, MODULES.get(prefix, prefix))) is not None


def bias_table(result: dict[str, Any]) -> Table:
    """The table of the page."""
    return table_of(result["rows"])


def default_table(result: dict[str, Any]) -> Table:
    """The table of the default with other numbers of evaluations."""
    return table_of(result["default"])
