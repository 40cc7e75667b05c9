"""Named sets of settings, and settings from a name and some changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from autov.core import InputError
from autov.designer.settings import DesignSettings, check_names
from autov.designer.trials import TrialBudget
from autov.operators.inputs import inputs_of

OPERATOR = DesignSettings()
# The paper's settings, all of them (Section V-A), its centred problem included. The bounds are tied because the
# operator it prints has zero means and equal variances for both of them in every row, which free weights would not
# give; tie_bounds=False is the letter of its text, and stalls (docs/designs-found.md).
PAPER = OPERATOR.changed(
    generations=1000, trial=TrialBudget(100, 100, 9), reevaluate=0, final_race=False, family=(), known=False
)
STANDARD = OPERATOR.changed(
    space="portfolio", over_runs="rank", population=40, generations=1000, memory=40, race_size=16
)
PRESETS = {"quick": STANDARD.changed(generations=150), "standard": STANDARD, "paper": PAPER}
OPERATOR_PRESETS = {"quick": OPERATOR.changed(generations=100), "standard": OPERATOR, "paper": PAPER}
OF_OPERATORS = ("form", "draw", "tie_bounds")  # settings that only an operator has


def design_settings(preset: str | DesignSettings | None = None, **overrides: Any) -> DesignSettings:
    """A preset ("quick" if None) with some settings changed; those that are None stay.

    The presets quick and standard design a portfolio; another space has a population and generations of its own.
    """
    space = overrides.get("space") or (
        "operator" if any(overrides.get(name) is not None for name in OF_OPERATORS) else None
    )
    if isinstance(preset, DesignSettings):
        chosen = preset
    elif preset is None or (isinstance(preset, str) and preset in PRESETS):
        chosen = (OPERATOR_PRESETS if space == "operator" else PRESETS)[preset or "quick"]
    else:
        raise InputError(f"preset: must be one of {', '.join(PRESETS)}, got {preset!r}")
    if preset == "paper" and space not in (None, "operator"):
        raise InputError(f"space: the preset paper designs an operator, got {space!r}")
    check_names(overrides)
    given = {name: value for name, value in overrides.items() if value is not None}
    if given.get("space", chosen.designed.space) != "operator" and any(name in given for name in OF_OPERATORS):
        raise InputError(f"{next(n for n in OF_OPERATORS if n in given)}: only for the space operator")
    trial = given.get("trial")
    if isinstance(trial, Mapping):  # some of its numbers
        if unknown := set(trial) - {"popsize", "generations", "runs", "evaluations"}:
            raise InputError(f"trial: has popsize, generations, runs and evaluations, got {sorted(unknown)[0]!r}")
        given["trial"] = replace(chosen.training.trial, **trial)
    form = inputs_of(given.get("form", chosen.designed.form))
    if given.get("space", chosen.designed.space) == "operator" and "tie_bounds" not in given:
        given["tie_bounds"] = chosen.designed.tie_bounds and {"lower", "upper"} <= set(form)
    return chosen.changed(**given)
