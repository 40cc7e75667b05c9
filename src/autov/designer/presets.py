"""Named sets of settings for a search."""

from __future__ import annotations

from typing import Any

from autov.core import InputError
from autov.designer.fitness import Inner

# The paper's settings, all of them (Section V-A); early_stop does not change its results, only its time. The bounds are
# tied because the operator it prints has zero means and equal variances for both of them in every row, which free
# weights would not give; tie_bounds=False is the letter of its text, and stalls (docs/designing.md).
PAPER: dict[str, Any] = {
    "population": 100, "generations": 1000, "inner": Inner(100, 100, 9), "reevaluate": 0, "final_race": False,
    "early_stop": True, "tie_bounds": True,
}  # fmt: skip
# About five minutes and about one minute on two cores.
STANDARD: dict[str, Any] = {
    "population": 100, "generations": 700, "inner": Inner(100, 100, 3), "reevaluate": 1, "final_race": True,
    "early_stop": True, "tie_bounds": True,
}  # fmt: skip
QUICK: dict[str, Any] = {**STANDARD, "generations": 100}

PRESETS = {"quick": QUICK, "standard": STANDARD, "paper": PAPER}


def preset(name: str) -> dict[str, Any]:
    """The settings of a preset."""
    if name not in PRESETS:
        raise InputError(f"preset: must be one of {', '.join(PRESETS)}, got {name!r}")
    return dict(PRESETS[name])
