"""What the operators and algorithms of the package are invariant to; keep it with `--json`."""

from __future__ import annotations

from typing import Any

from autov.experiments import Cell, Table
from autov.experiments.row import versions
from autov.invariance import PROPERTIES, check, check_algorithm
from autov.operators import CLASSIC, operator_names

ALGORITHMS = (
    "general", "ill-conditioned", "large-scale", "noisy", "rotated-multimodal", "separable-multimodal", "pso", "cso",
    "shade", "de", "ga", "cma-es", "fep", "imode", "ma-es", "lq-ma-es", "paper-h3", "quasi-newton", "trust-region",
    "coordinate",
)  # fmt: skip
SEED = 1
WORDS = {True: "yes", False: "no", None: "open"}


def bench_certificates() -> dict[str, Any]:
    """Certify all of them, in 2, 10 and 50 variables; witnesses can be had from the same seed and are not kept."""
    operators = {}
    for name in (*CLASSIC, *(name for name in operator_names() if name not in CLASSIC)):
        data = check(name, rng=SEED).to_dict()
        operators[name] = {**data, "verdicts": [{**row, "witness": None} for row in data["verdicts"]]}
    algorithms = {name: check_algorithm(name, rng=SEED).to_dict() for name in ALGORITHMS}
    return {"operators": operators, "algorithms": algorithms, "versions": versions()}


def certificates_table(result: dict[str, Any]) -> Table:
    """One row for each operator and algorithm."""
    found = {**result["operators"], **result["algorithms"]}
    rows = tuple((name, tuple(Cell(WORDS[held]) for held in data["holds"].values())) for name, data in found.items())
    return Table("Certificates", ("", *PROPERTIES), rows)
