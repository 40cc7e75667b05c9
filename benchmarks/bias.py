"""Structural bias: where algorithms end on a function of random values; `results/bias.json` has what the page shows.

The figures depend on the seed and on the algorithms alone: run it again after an algorithm has changed.
"""

from __future__ import annotations

import importlib.util
from typing import Any

from autov.experiments import Table
from autov.experiments.row import versions
from autov.invariance import check_bias
from autov.reports import bias_table as table_of

DESIGNED = (
    "general", "ill-conditioned", "large-scale", "noisy", "rotated-multimodal",
    "separable-multimodal",
)  # fmt: skip
OWN = (
    "paper-h3", "ga", "pso", "de", "cma-es", "fep", "cso", "shade", "imode", "ma-es", "quasi-newton", "trust-region",
    "lq-ma-es",
)  # fmt: skip
OTHERS = ("coordinate", "portfolio")
PEERS = {
    "scipy": ("scipy:de", "scipy:slsqp"),
    "cma": ("cma:default", "cma:100"),
    "minionpy": ("minion:arrde", "minion:bipop", "minion:lshade", "minion:jso", "minion:imode", "minion:jade",
                 "minion:nlshade-rsp", "minion:rcmaes"),
}  # fmt: skip
FEWER = {  # with a tenth of the evaluations, since they are slow
    "scipy": ("scipy:l-bfgs-b", "scipy:powell", "scipy:direct", "scipy:dual-annealing"), "cmaes": ("cmaes:default",),
    "nlopt": ("nlopt:bobyqa", "nlopt:sbplx"),
}  # fmt: skip
DIM, RUNS, MAXFEV, SEED = 10, 100, 10_000, 1


def bench_bias() -> dict[str, Any]:
    """Test all of them; peers that are not installed are left out."""
    rows, budgets = [], dict.fromkeys((*DESIGNED, *OWN, *OTHERS), MAXFEV)
    for peers, maxfev in ((PEERS, MAXFEV), (FEWER, MAXFEV // 10)):
        for package, names in peers.items():
            if importlib.util.find_spec(package):
                budgets |= dict.fromkeys(names, maxfev)
    for name, maxfev in budgets.items():
        found = check_bias(name, dim=DIM, runs=RUNS, maxfev=maxfev, rng=SEED)
        rows.append({key: value for key, value in found.to_dict(points=False).items() if key != "corrected"})
    return {"rows": rows, "versions": versions()}


def bias_table(result: dict[str, Any]) -> Table:
    """The table of the page."""
    return table_of(result["rows"])
