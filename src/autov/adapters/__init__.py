"""Optimisers of other libraries inside autov's comparisons: same budgets, same boxes, same seeds, one kind of result.

After `register()`, names such as ``cma:default`` are algorithms for `autov.experiments.compare`. Libraries are imported
when one of their algorithms is used. An adapter is a frozen dataclass with a method ``run_whole`` that hands a counting
objective to its library. That objective clips points to the box should a library leave it, takes NaN for infinite,
and ends the run at the last evaluation of the budget, in the middle of a batch if need be. The version of the library
is one of the settings: another version is another task.
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

from autov.experiments.task import RESOLVERS

PEERS: dict[str, str] = {
    "cma:default": "CMA-ES of pycma with its default population, restarts with doubled populations",
    "cma:100": "the same with a first population of 100; any other number will do",
    "scipy:de": "differential evolution of SciPy, without polishing",
    "pymoo:ga": "genetic algorithm of pymoo",
    "pymoo:de": "differential evolution of pymoo",
    "pymoo:pso": "particle swarm of pymoo",
    "minion:lshade": "L-SHADE of minionpy (C++)",
    "minion:jso": "jSO of minionpy (C++)",
    "minion:arrde": "ARRDE of minionpy (C++)",
    "minion:imode": "IMODE of minionpy (C++)",
    "nevergrad:ngopt": "NGOpt, the algorithm selector of nevergrad",
}

_MODULES = {"cma": "pycma", "scipy": "scipy", "pymoo": "pymoo", "minion": "minion", "nevergrad": "nevergrad"}


def register() -> None:
    """Make the names of PEERS known to comparisons."""
    for prefix, module in _MODULES.items():
        RESOLVERS.setdefault(prefix, partial(_resolve, module))


def _resolve(module: str, name: str) -> Any:
    return importlib.import_module(f"autov.adapters.{module}").resolve(name)


__all__ = ["PEERS", "register"]
