"""Optimisers of other libraries as algorithms: same budgets, same boxes, same seeds, one kind of result.

Names are ``library:algorithm``; a library is imported when one of its algorithms is used. Each is a frozen dataclass
with a method ``minimize_with`` that hands an objective under a budget to its library: that objective clips points to
the box should a library leave it, takes NaN for infinite, and ends the run at the last evaluation of the budget, in the
middle of a batch if need be. The version of the library is one of the settings: another version is another task.
To add a library: a module with a function ``resolve(name)``, its line in PREFIXES, its names in PEERS.
"""

from __future__ import annotations

import importlib
from typing import Any

PREFIXES = {
    "cma": "pycma", "scipy": "scipy", "pymoo": "pymoo", "minion": "minion", "nevergrad": "nevergrad", "cmaes": "cmaes",
    "pypop7": "pypop", "nlopt": "nlopt", "optuna": "optuna", "smac": "smac",
}  # fmt: skip
PEERS: dict[str, str] = {
    "cma:default": "CMA-ES of pycma with its default population, restarts with doubled populations",
    "cma:100": "CMA-ES of pycma with a first population of 100 (or another number), restarts with doubled populations",
    "cma:lq": "lq-CMA-ES of pycma, which ranks most points by a quadratic model, restarts with doubled populations",
    "scipy:de": "Differential evolution of SciPy, without local refinement",
    "scipy:slsqp": "Sequential quadratic programming of SciPy with difference quotients, restarts",
    "scipy:l-bfgs-b": "Quasi-Newton method of SciPy (L-BFGS-B) with difference quotients, restarts",
    "scipy:powell": "Powell's method of SciPy, restarts",
    "scipy:cobyqa": "Quadratic models in a trust region (COBYQA) of SciPy, restarts",
    "scipy:direct": "DIRECT of SciPy, locally biased",
    "scipy:dual-annealing": "Dual annealing of SciPy, with local searches by L-BFGS-B",
    "pymoo:ga": "Genetic algorithm of pymoo",
    "pymoo:de": "Differential evolution of pymoo",
    "pymoo:pso": "Particle swarm of pymoo",
    "minion:lshade": "L-SHADE of minionpy (C++)",
    "minion:jso": "jSO of minionpy (C++)",
    "minion:arrde": "ARRDE of minionpy (C++)",
    "minion:imode": "IMODE of minionpy (C++)",
    "minion:jade": "JADE of minionpy (C++)",
    "minion:nlshade-rsp": "NL-SHADE-RSP of minionpy (C++)",
    "minion:bipop": "Active CMA-ES with restarts of two population sizes (BIPOP) of minionpy (C++)",
    "minion:rcmaes": "CMA-ES with restarts (RCMAES) of minionpy (C++)",
    "cmaes:default": "CMA-ES of the package cmaes with its default population, restarts with doubled populations",
    "pypop7:ddcma": "CMA-ES with diagonal decoding of pypop7, restarts with doubled populations",
    "pypop7:sepcma": "CMA-ES with a diagonal matrix of pypop7, restarts with doubled populations",
    "nevergrad:ngopt": "NGOpt, the algorithm selector of nevergrad",
    "nlopt:bobyqa": "Quadratic models in a trust region (BOBYQA) of NLopt, restarts",
    "nlopt:sbplx": "Subplex of NLopt, restarts",
    "optuna:tpe": "Tree-structured Parzen estimator of Optuna",
    "optuna:gp": "Gaussian processes of Optuna, with PyTorch",
    "smac:hpo": "Random forests of SMAC",
}


def resolve_peer(prefix: str, name: str) -> Any:
    """The algorithm ``prefix:name``."""
    return importlib.import_module(f"autov.peers.{PREFIXES[prefix]}").resolve(name)


__all__ = ["PEERS", "PREFIXES", "resolve_peer"]
