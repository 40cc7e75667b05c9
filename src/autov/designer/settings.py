"""The settings of a design, and named sets of them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from autov.core import InputError, check_choice, whole_number
from autov.designer.genome import Genome, OperatorGenome
from autov.designer.search import AGGREGATES, PROPOSERS
from autov.designer.space import evolution_space, portfolio_space
from autov.designer.trials import TrialBudget
from autov.operators.inputs import inputs_of
from autov.problems import checked_kinds

SPACES = ("operator", "evolution", "portfolio")


def _count(name: str, value: Any) -> int | str:
    """A whole number, or for budgets a multiple of the number of variables."""
    if name == "budgets" and isinstance(value, str) and re.fullmatch(r"[1-9][0-9]*d", value):
        return value
    return whole_number(name, value, 1)


def _parts(name: str, given: Any) -> tuple[float, ...]:
    """Parts of a whole, each once."""
    try:
        parts = tuple(float(part) for part in _several(given))
    except (TypeError, ValueError):
        parts = ()
    if not parts or len(set(parts)) < len(parts) or not all(0 < part <= 1 for part in parts):
        raise InputError(f"{name}: must be numbers above 0 and up to 1, each once, got {given!r}")
    return parts


def _several(given: Any) -> tuple[Any, ...]:
    """One value, or several; a text may hold several."""
    if isinstance(given, str):
        return tuple(part.strip() for part in given.split(","))
    return tuple(given) if isinstance(given, Iterable) else (given,)


@dataclass(frozen=True)
class DesignSettings:
    """Everything that decides what a design finds, apart from the problems and the seed.

    Attributes:
        space: what is designed: an "operator" in the paper's metaheuristic, a whole "evolution", or a "portfolio".
        members: of a portfolio: "evolution" and "ma-es", or one of them, or one of them twice.
        fix: values of genes that are not designed, by name.
        form: h1..h5, or inputs such as ("x1", "x2", "best", "lower", "upper").
        rows: parameter sets, the paper's k; None is 10 for an operator and 6 in the wide spaces.
        draw: row and weights for every "variable" (the paper's) or once for every "solution".
        tie_bounds: one weight for upper - lower instead of two for the bounds; where the form has no bounds, it is off.
        family: what the instances of a training problem differ in, each run with its own: some of "translate" (its
            optimum anywhere in the inner 80 % of the box), "rotate" and "scale"; () for the problem as it is, from
            which a search learns where the optimum lies.
        dims: numbers of variables to train on, each problem with each of them; () for those of the problems.
        budgets: evaluations of a run, each problem with each of them, as numbers or as multiples of the variables such
            as "100d"; () for those of ``trial``.
        stops: parts of a run after which its best value counts: (1, 0.3, 0.1) trains for the way as well as for the
            end. A run does not know that it will be cut off.
        cases: of all problems with all dims, budgets and stops, train on so many only, each level about equally often;
            None for all.
        trial: population, generations and runs of the metaheuristic that tries a candidate (Algorithm 2).
        aggregate: for several problems, "rank", "log-gap" or "panel" (see `autov.designer.search`).
        panel: algorithms of other libraries that take part in the final race and the comparison, such as "cma:default".
        panel_runs: runs of each known design and of each of the panel that candidates are measured by ("panel").
        searcher: who proposes candidates: "best-operator" (Algorithm 1), "ma-es", or "random" (uniform in the space: a
            baseline).
        population: candidates.
        generations: of the search, after the first population.
        known: the first population holds known designs, such as the paper's operator, as far as the form allows.
        reevaluate: fresh runs that every survivor gets each generation (True: 1); cures the winner's curse.
        memory: runs after which a candidate is known well enough, where survivors are evaluated again.
        final_race: choose among the best survivors by a race on fresh seeds.
        race_size: survivors in that race.
        race_runs: runs of each in its first round; every round halves the candidates and doubles the runs.
        retest_runs: runs of the result on seeds that the search never saw.
    """

    # What is designed
    space: Literal["operator", "evolution", "portfolio"] = "operator"
    members: tuple[str, ...] = ("evolution", "ma-es")
    fix: Mapping[str, Any] = field(default_factory=dict)
    form: str | tuple[str, ...] = "h3"
    rows: int | None = None
    draw: Literal["variable", "solution"] = "variable"
    tie_bounds: bool = True

    # What for
    family: tuple[str, ...] = ("translate",)
    dims: tuple[int, ...] = ()
    budgets: tuple[int | str, ...] = ()
    stops: tuple[float, ...] = (1.0,)
    cases: int | None = None
    trial: TrialBudget = field(default_factory=lambda: TrialBudget(100, 100, 3))
    aggregate: str = "rank"
    panel: tuple[str, ...] = ()
    panel_runs: int = 12

    # The search
    searcher: Literal["best-operator", "ma-es", "random"] = "best-operator"
    population: int = 100
    generations: int = 700
    known: bool = True
    reevaluate: int = 1
    memory: int = 99

    # The choice of the result, and its re-test
    final_race: bool = True
    race_size: int = 32
    race_runs: int = 16
    retest_runs: int = 30

    def __post_init__(self) -> None:
        self._check_numbers()
        self._check_cases()
        for name in ("tie_bounds", "known", "final_race"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name}: must be True or False, got {getattr(self, name)!r}")
        check_choice(self, space=SPACES, searcher=tuple(PROPOSERS), aggregate=AGGREGATES)
        if not isinstance(self.fix, Mapping):
            raise InputError(f"fix: must be a dict of gene -> value, got {self.fix!r}")
        self._set("form", self.form if isinstance(self.form, str) else tuple(self.form))
        self._set("members", _several(self.members))
        self.genome  # noqa: B018 (says what does not fit)

    def _set(self, name: str, value: Any) -> None:
        """The value in its usual form."""
        object.__setattr__(self, name, value)

    def _check_numbers(self) -> None:
        least = {"population": 2, "generations": 0, "memory": 1, "race_size": 1, "race_runs": 1, "retest_runs": 2,
                 "panel_runs": 1}  # fmt: skip
        for name, low in least.items():
            self._set(name, whole_number(name, getattr(self, name), low))
        fresh = int(self.reevaluate) if isinstance(self.reevaluate, bool) else self.reevaluate
        self._set("reevaluate", whole_number("reevaluate", fresh, 0))

    def _check_cases(self) -> None:
        """What it is designed for."""
        if not isinstance(self.trial, TrialBudget):
            raise InputError(f"trial: must be a TrialBudget(popsize, generations, runs), got {self.trial!r}")
        self._set("family", checked_kinds(self.family))
        for name in ("dims", "budgets"):
            values = tuple(_count(name, value) for value in _several(getattr(self, name)))
            if len(set(values)) < len(values):
                raise InputError(f"{name}: each once, got {', '.join(map(str, values))}")
            self._set(name, values)
        self._set("stops", _parts("stops", self.stops))
        if self.cases is not None:
            self._set("cases", whole_number("cases", self.cases, 1))
        self._set("panel", _several(self.panel))
        if not all(isinstance(one, str) for one in self.panel) or len(set(self.panel)) < len(self.panel):
            raise InputError(f"panel: must be names such as cma:default, each once, got {self.panel!r}")

    @cached_property
    def genome(self) -> Genome:
        """What is designed."""
        if self.space == "operator":
            if self.fix:
                raise InputError("fix: only in the spaces evolution and portfolio; an operator has form, rows and draw")
            return OperatorGenome.of(self.form, 10 if self.rows is None else self.rows, self.draw, self.tie_bounds)
        wide = evolution_space(self.rows) if self.space == "evolution" else portfolio_space(self.members, self.rows)
        return wide.fix(self.fix)

    def described(self) -> dict[str, Any]:
        """As JSON, for files: what has a meaning in the space."""
        found = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        found["trial"] = {name: value for name, value in dataclasses.asdict(self.trial).items() if name != "stop"}
        for name, value in found.items():
            found[name] = list(value) if isinstance(value, tuple) else dict(value) if name == "fix" else value
        unused = ("members", "fix") if self.space == "operator" else ("form", "draw", "tie_bounds")
        unused += ("dims", "budgets", "stops", "cases")  # told case by case
        return {name: value for name, value in found.items() if name not in unused}


OPERATOR = DesignSettings()
# The paper's settings, all of them (Section V-A), its centred problem included. The bounds are tied because the
# operator it prints has zero means and equal variances for both of them in every row, which free weights would not
# give; tie_bounds=False is the letter of its text, and stalls (docs/designing.md).
PAPER = dataclasses.replace(
    OPERATOR, generations=1000, trial=TrialBudget(100, 100, 9), reevaluate=0, final_race=False, family=(), known=False
)  # fmt: skip
STANDARD = dataclasses.replace(
    OPERATOR, space="portfolio", population=40, generations=1000, memory=40, race_size=16
)  # fmt: skip
PRESETS = {"quick": dataclasses.replace(STANDARD, generations=150), "standard": STANDARD, "paper": PAPER}
OPERATOR_PRESETS = {"quick": dataclasses.replace(OPERATOR, generations=100), "standard": OPERATOR, "paper": PAPER}
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
    known = [f.name for f in dataclasses.fields(DesignSettings)]
    for name in overrides:
        if name not in known:
            raise InputError(f"design: unknown setting {name!r}; one of {', '.join(known)}")
    given = {name: value for name, value in overrides.items() if value is not None}
    if given.get("space", chosen.space) != "operator" and any(name in given for name in OF_OPERATORS):
        raise InputError(f"{next(n for n in OF_OPERATORS if n in given)}: only for the space operator")
    trial = given.get("trial")
    if isinstance(trial, Mapping):  # some of its numbers
        if unknown := set(trial) - {"popsize", "generations", "runs", "evaluations"}:
            raise InputError(f"trial: has popsize, generations, runs and evaluations, got {sorted(unknown)[0]!r}")
        given["trial"] = dataclasses.replace(chosen.trial, **trial)
    form = inputs_of(given.get("form", chosen.form))
    if given.get("space", chosen.space) == "operator" and "tie_bounds" not in given:
        given["tie_bounds"] = chosen.tie_bounds and {"lower", "upper"} <= set(form)
    return dataclasses.replace(chosen, **given)
