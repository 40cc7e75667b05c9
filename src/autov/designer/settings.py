"""The settings of a design, in five groups."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal

from autov.core import InputError, check_choice, import_object, whole_number
from autov.designer.fitness import AGGREGATES, OVER_RUNS
from autov.designer.genome import Genome, OperatorGenome
from autov.designer.own_members import own_member
from autov.designer.search import PROPOSERS
from autov.designer.space import Space, evolution_space, portfolio_space
from autov.designer.trials import TrialBudget
from autov.problems import checked_kinds

SPACES = ("operator", "evolution", "portfolio")


def _count(name: str, value: Any) -> int | str:
    """An integer, or for budgets a multiple of the number of variables."""
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


def _set(settings: Any, **values: Any) -> None:
    """Values of a frozen group in their usual form."""
    for name, value in values.items():
        object.__setattr__(settings, name, value)


def _check_numbers(settings: Any, **least: int) -> None:
    """Take settings as integers that are at least so large."""
    _set(settings, **{name: whole_number(name, getattr(settings, name), low) for name, low in least.items()})


def _check_truth(settings: Any, *names: str) -> None:
    for name in names:
        if not isinstance(getattr(settings, name), bool):
            raise InputError(f"{name}: must be True or False, got {getattr(settings, name)!r}")


@dataclass(frozen=True)
class Designed:
    """What is designed.

    Attributes:
        space: an "operator" in the paper's metaheuristic, a whole "evolution", a "portfolio", or a
            `autov.designer.space.Space` of your own, also as ``file.py:name``.
        members: of a portfolio: some of "evolution", "ma-es", ..., also twice, and classes of your own with the genes
            that they declare, also as ``file.py:Name``.
        fix: values of genes that are not designed, by name.
        form: h1..h5, or inputs such as ("x1", "x2", "best", "lower", "upper").
        rows: parameter sets, the paper's k; None is 10 for an operator and 6 in the wide spaces.
        draw: row and weights for every "variable" (the paper's) or once for every "solution".
        tie_bounds: one weight for upper - lower instead of two for the bounds; where the form has no bounds, it is off.
    """

    space: Literal["operator", "evolution", "portfolio"] | Space = "operator"
    members: tuple[Any, ...] = ("evolution", "ma-es")
    fix: Mapping[str, Any] = field(default_factory=dict)
    form: str | tuple[str, ...] = "h3"
    rows: int | None = None
    draw: Literal["variable", "solution"] = "variable"
    tie_bounds: bool = True

    def __post_init__(self) -> None:
        _check_truth(self, "tie_bounds")
        if isinstance(self.space, str) and ":" in self.space:
            _set(self, space=import_object(self.space))
        if not isinstance(self.space, Space):
            check_choice(self, space=SPACES)
        elif self.space.name in SPACES:
            raise InputError(f"space: {self.space.name!r} is the name of a space of autov; choose another one")
        if not isinstance(self.fix, Mapping):
            raise InputError(f"fix: must be a dict of gene -> value, got {self.fix!r}")
        form = self.form if isinstance(self.form, str) else tuple(self.form)
        _set(self, form=form, members=tuple(own_member(one) for one in _several(self.members)))
        self.genome  # noqa: B018 (says what does not fit)

    @property
    def space_name(self) -> str:
        """What the space is called."""
        return self.space.name if isinstance(self.space, Space) else self.space

    @cached_property
    def genome(self) -> Genome:
        """Its genes."""
        if self.space == "operator":
            if self.fix:
                raise InputError("fix: only in the spaces evolution and portfolio; an operator has form, rows and draw")
            return OperatorGenome.of(self.form, 10 if self.rows is None else self.rows, self.draw, self.tie_bounds)
        if isinstance(self.space, Space):
            return self.space.fix(self.fix).checked()
        wide = evolution_space(self.rows) if self.space == "evolution" else portfolio_space(self.members, self.rows)
        return wide.fix(self.fix)


@dataclass(frozen=True)
class Training:
    """What it is designed for.

    Attributes:
        family: what the instances of a training problem differ in, each run with its own: some of "translate" (its
            optimum anywhere in the inner 80 % of the box), "rotate" and "scale"; () for the problem as it is, from
            which a search learns where the optimum lies.
        dims: numbers of variables to train on, each problem with each of them; () for those of the problems.
        budgets: evaluations of a run, each problem with each of them, as numbers or as multiples of the variables such
            as "100d"; () for those of ``trial``.
        stops: parts of a run after which its best value counts: (1, 0.3, 0.1) trains for the way as well as for the
            end. A run does not know that it will be cut off.
        cases: of all problems with all dims, budgets and stops, train on this many, each level about equally often;
            None for all.
        trial: population, generations and runs of the metaheuristic that tries a candidate (Algorithm 2).
    """

    family: tuple[str, ...] = ("translate",)
    dims: tuple[int, ...] = ()
    budgets: tuple[int | str, ...] = ()
    stops: tuple[float, ...] = (1.0,)
    cases: int | None = None
    trial: TrialBudget = field(default_factory=lambda: TrialBudget(100, 100, 3))

    def __post_init__(self) -> None:
        if not isinstance(self.trial, TrialBudget):
            raise InputError(f"trial: must be a TrialBudget(popsize, generations, runs), got {self.trial!r}")
        _set(self, family=checked_kinds(self.family), stops=_parts("stops", self.stops))
        for name in ("dims", "budgets"):
            values = tuple(_count(name, value) for value in _several(getattr(self, name)))
            if len(set(values)) < len(values):
                raise InputError(f"{name}: each once, got {', '.join(map(str, values))}")
            _set(self, **{name: values})
        if self.cases is not None:
            _check_numbers(self, cases=1)


@dataclass(frozen=True)
class Fitness:
    """How runs of a candidate become its fitness; see `autov.designer.fitness`.

    Attributes:
        over_runs: how the runs of a candidate on one problem become a figure: "median" (the paper's, which does not
            feel failures of a quarter of the runs), "quantile", "gap" or "rank". The presets quick and standard of a
            portfolio have "rank".
        aggregate: for several problems, "rank", "log-gap" or "panel".
        panel: algorithms of other libraries that take part in the final race and the comparison, such as "cma:default".
        panel_runs: runs of each baseline and of each algorithm of the panel that candidates are measured by ("panel").
    """

    over_runs: Literal["median", "quantile", "gap", "rank"] = "median"
    aggregate: str = "rank"
    panel: tuple[str, ...] = ()
    panel_runs: int = 12

    def __post_init__(self) -> None:
        check_choice(self, aggregate=AGGREGATES, over_runs=OVER_RUNS)
        _check_numbers(self, panel_runs=1)
        _set(self, panel=_several(self.panel))
        if not all(isinstance(one, str) for one in self.panel) or len(set(self.panel)) < len(self.panel):
            raise InputError(f"panel: must be names such as cma:default, each once, got {self.panel!r}")


@dataclass(frozen=True)
class SearchSettings:
    """The search for candidates (Algorithm 1).

    Attributes:
        searcher: who proposes candidates: "best-operator" (Algorithm 1), "ma-es", or "random" (uniform in the space: a
            baseline).
        population: candidates.
        generations: of the search, after the first population.
        known: the first population holds baselines, such as the paper's operator, as far as the form allows.
        reevaluate: fresh runs that every survivor gets each generation (True: 1); reduces the selection bias.
        memory: runs after which a candidate is known well enough, where survivors are evaluated again.
    """

    searcher: Literal["best-operator", "ma-es", "random"] = "best-operator"
    population: int = 100
    generations: int = 700
    known: bool = True
    reevaluate: int = 1
    memory: int = 99

    def __post_init__(self) -> None:
        check_choice(self, searcher=tuple(PROPOSERS))
        _check_truth(self, "known")
        if isinstance(self.reevaluate, bool):
            _set(self, reevaluate=int(self.reevaluate))
        _check_numbers(self, population=2, generations=0, reevaluate=0, memory=1)


@dataclass(frozen=True)
class Race:
    """The choice of the result, and its re-test.

    Attributes:
        final_race: choose among the best survivors by a race on fresh seeds.
        race_size: survivors in that race.
        race_runs: runs of each in its first round; every round halves the candidates and doubles the runs.
        retest_runs: runs of the result on held-out seeds.
        random_baseline: make a second search of the same size among random designs; the re-test has its result, too.
        remember: whether the result starts where runs on its training problems ended (`autov.designer.memory`); None
            where that is significantly better on held-out problems or instances. Not for an operator, nor for families.
    """

    final_race: bool = True
    race_size: int = 32
    race_runs: int = 16
    retest_runs: int = 30
    random_baseline: bool = False
    remember: bool | None = None

    def __post_init__(self) -> None:
        _check_truth(self, "final_race", "random_baseline")
        if self.remember is not None:
            _check_truth(self, "remember")
        _check_numbers(self, race_size=1, race_runs=1, retest_runs=2)


@dataclass(frozen=True)
class DesignSettings:
    """All settings of a design, apart from the problems and the seed.

    The settings have names of their own in all groups: `changed`, `design_settings` and `autov.design` take them
    without the group, as in ``generations=100``.

    Attributes:
        designed: the space.
        training: what for.
        fitness: how good a candidate is.
        search: how candidates are found.
        race: how the result is chosen, and tested again.
    """

    designed: Designed = field(default_factory=Designed)
    training: Training = field(default_factory=Training)
    fitness: Fitness = field(default_factory=Fitness)
    search: SearchSettings = field(default_factory=SearchSettings)
    race: Race = field(default_factory=Race)

    def changed(self, **values: Any) -> DesignSettings:
        """With other values of some settings."""
        groups: dict[str, dict[str, Any]] = {}
        check_names(values)
        for name, value in values.items():
            groups.setdefault(GROUPS[name], {})[name] = value
        return replace(self, **{group: replace(getattr(self, group), **some) for group, some in groups.items()})

    def values(self) -> dict[str, Any]:
        """All settings by name."""
        return {name: getattr(getattr(self, group), name) for name, group in GROUPS.items()}

    def described(self) -> dict[str, Any]:
        """As JSON, for files: the settings that the space uses."""
        found = self.values()
        found["trial"] = {name: value for name, value in asdict(found["trial"]).items() if name != "stop"}
        for name, value in found.items():
            found[name] = list(value) if isinstance(value, tuple) else dict(value) if name == "fix" else value
        found["members"] = [one if isinstance(one, str) else one.name for one in found["members"]]
        if isinstance(own := found["space"], Space):
            found |= {"space": own.name, "genes": [gene.described() for gene in own.genes]}
        unused = ("members", "fix") if found["space"] == "operator" else ("form", "draw", "tie_bounds")
        unused += ("dims", "budgets", "stops", "cases")  # told case by case
        if found["remember"] is None:  # a setting that was added later
            del found["remember"]
        if not found["random_baseline"]:  # which searches of earlier versions do not have
            unused += ("random_baseline",)
        return {name: value for name, value in found.items() if name not in unused}


GROUPS = {one.name: group.name for group in fields(DesignSettings) for one in fields(group.default_factory)}  # type: ignore[arg-type]


def check_names(names: Iterable[str]) -> None:
    """Refuse names that no setting has."""
    for name in names:
        if name not in GROUPS:
            raise InputError(f"design: unknown setting {name!r}; one of {', '.join(GROUPS)}")
