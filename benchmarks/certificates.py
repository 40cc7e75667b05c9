"""What the operators and algorithms of the package are invariant to.

Each is kept in the file as soon as it is there, and what is there is not made again: take the file away after a change.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from autov.algorithms.files import shipped_names
from autov.algorithms.registry import NAMES
from autov.core.atomic_files import read_json, to_json, write_text
from autov.experiments import Cell, Table
from autov.experiments.row import versions
from autov.invariance import PROPERTIES, check, check_algorithm
from autov.operators import CLASSIC, operator_names

OPERATORS = (*CLASSIC, *(name for name in operator_names() if name not in CLASSIC))
ALGORITHMS = (*shipped_names(), *(name for name in NAMES if name != "evolution"))  # that is paper-h3
SEED = 1
WORDS = {True: "yes", False: "no", None: "open"}


def bench_certificates(path: str | Path = "runs/certificates.json") -> dict[str, Any]:
    """Certify all of them, in 2, 10 and 50 variables; witnesses can be had from the same seed and are not kept."""
    path = Path(path)
    data = read_json(path, "certificates") if path.exists() else {"operators": {}, "algorithms": {}}
    data["versions"] = versions()
    for name in OPERATORS:
        if name not in data["operators"]:
            found = check(name, rng=SEED).to_dict()
            data["operators"][name] = {**found, "verdicts": [{**row, "witness": None} for row in found["verdicts"]]}
    for name in ALGORITHMS:
        if name not in data["algorithms"]:
            data["algorithms"][name] = check_algorithm(name, rng=SEED).to_dict()
            write_text(path, to_json(data, indent=2) + "\n")
    return data


def certificates_table(result: dict[str, Any]) -> Table:
    """One row for each operator and algorithm."""
    found = {**result["operators"], **result["algorithms"]}
    rows = tuple((name, tuple(Cell(WORDS[held]) for held in data["holds"].values())) for name, data in found.items())
    return Table("Certificates", ("", *PROPERTIES), rows)
