"""What is designed: genes, how they make an algorithm, and the spaces that are ready."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from autov.algorithms.base import External, Metaheuristic
from autov.algorithms.evolution import Evolution
from autov.algorithms.matrix_adaptation import BOUNDS, FIRST_MEANS, MEANS, PATHS, RESTARTS, MatrixAdaptation
from autov.algorithms.memetic import Memetic
from autov.algorithms.portfolio import Portfolio
from autov.algorithms.surrogate_ma_es import SurrogateMatrixAdaptation
from autov.algorithms.warm_start import WarmStart
from autov.core import Array, Box, InputError, whole_number
from autov.designer.genes import Gene
from autov.designer.local_genes import LOCAL_KINDS, make_memetic, memetic_genes, memetic_values
from autov.designer.own_members import default_values, genes_of, make_member, name_of
from autov.operators import AffineOperator, load_operator

Values = dict[str, Any]


@dataclass(frozen=True)
class Space:
    """Genes, and the function that makes an algorithm of them; ``design(space=...)`` takes one of your own.

    Attributes:
        name: of the space.
        genes: settings to design.
        make: an algorithm from a dict of the values of all genes that count, those that are fixed included.
        seeds: label and values of baselines; a gene that one leaves out has its middle value.
        fixed: values that are not designed.
    """

    name: str
    genes: tuple[Gene, ...]
    make: Callable[[Values], Any]
    seeds: tuple[tuple[str, Values], ...] = ()
    fixed: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "genes", tuple(self.genes))
        names = [*self.gene_names, *(name for name, _ in self.fixed)]
        if not self.genes or not callable(self.make) or not isinstance(self.name, str):
            raise InputError("space: has a name, at least one gene, and a function make(values) -> algorithm")
        if twice := {name for name in names if names.count(name) > 1}:
            raise InputError(f"space: gene {min(twice)!r} occurs twice")
        met = {name for name, _ in self.fixed}
        for gene in self.genes:
            if gene.when is not None and gene.when[0] not in met:
                raise InputError(f"space: {gene.name} depends on {gene.when[0]!r}, which must be a gene before it")
            met.add(gene.name)

    def checked(self) -> Space:
        """Itself, if its baselines have its genes and the middle of its box makes an algorithm."""
        for label, values in self.seeds:
            if wrong := set(values) - {*self.gene_names, *(name for name, _ in self.fixed)}:
                raise InputError(f"space: the baseline {label!r} has a value of {min(wrong)!r}, which is no gene")
        made = self.decode(np.full(len(self.genes), 0.5))
        if isinstance(made, type) or not isinstance(made, (Metaheuristic, External)):
            raise InputError(f"space: make must return an algorithm, got {made!r}")
        return self

    @property
    def box(self) -> Box:
        """The unit box."""
        return self._box

    @cached_property
    def _box(self) -> Box:
        return Box(np.zeros(len(self.genes)), np.ones(len(self.genes)))

    @property
    def gene_names(self) -> tuple[str, ...]:
        """Of the genes that are designed."""
        return tuple(gene.name for gene in self.genes)

    def values(self, vector: Array) -> Values:
        """Values by name."""
        found = dict(self.fixed)
        for gene, u in zip(self.genes, vector, strict=True):
            if gene.counts(found):
                found[gene.name] = gene.value(float(u))
        return found

    def decode(self, vector: Array) -> Any:
        """The algorithm of a vector."""
        return self.make(self.values(vector))

    def encode(self, values: Mapping[str, Any]) -> Array:
        """The vector of values, as near as the bounds allow."""
        return np.array([gene.unit(values[gene.name]) if gene.name in values else 0.5 for gene in self.genes])

    def known(self) -> Array:
        """Vectors of the baselines."""
        return np.array([self.encode(values) for _, values in self.seeds]).reshape(len(self.seeds), self.box.dim)

    def operator(self, vector: Array) -> AffineOperator:
        """The operator of the first evolution in the algorithm of a vector; the paper's, where there is none."""
        return operator_of(self.decode(vector)) or load_operator("paper-h3")

    def fix(self, values: Mapping[str, Any]) -> Space:
        """The same with some genes fixed; a name may leave out what stands before its dots, if that is clear."""
        if not values:
            return self
        genes = list(self.genes)
        fixed = dict(self.fixed)
        for name, value in values.items():
            found = [g for g in genes if g.name == name] or [g for g in genes if g.name.endswith(f".{name}")]
            if len(found) != 1:
                names = ", ".join(g.name for g in found[:9] or self.genes if found or ".row" not in g.name)
                what = "could be" if found else "no gene of that name; one of"
                raise InputError(f"fix: {name!r}: {what} {names}{'' if found else ', rowJ.WEIGHT.mean|std, ...'}")
            fixed[found[0].name] = found[0].checked(value)
            genes.remove(found[0])
        out = {gene.name for gene in genes if gene.when and gene.when[0] in fixed and not gene.counts(fixed)}
        while more := {gene.name for gene in genes if gene.when and gene.when[0] in out} - out:
            out |= more
        genes = [gene for gene in genes if gene.name not in out]
        if not genes:
            raise InputError("fix: every gene is fixed, nothing is left to design")
        return replace(self, genes=tuple(genes), fixed=tuple(fixed.items()))


def operator_of(algorithm: Any) -> AffineOperator | None:
    """The operator of an evolution, or of the first one in a portfolio or its global search."""
    if isinstance(algorithm, WarmStart):
        return operator_of(algorithm.cold)
    if isinstance(algorithm, Memetic):
        return operator_of(algorithm.global_search)
    members = algorithm.members if isinstance(algorithm, Portfolio) else (algorithm,)
    for member in members:
        if isinstance(member, Evolution) and isinstance(member.operator, AffineOperator):
            return member.operator
    return None


KINDS = ("evolution", "ma-es")  # of the members that share a budget unless others are named
STRATEGIES = {"ma-es": MatrixAdaptation, "lq-ma-es": SurrogateMatrixAdaptation}
MEMBERS = ("evolution", *STRATEGIES, *LOCAL_KINDS)
INPUTS = ("x1", "x2", "best", "mean", "difference", "width", "spread")
WEIGHTS = INPUTS[1:]
SCALES = ("width", "spread")  # lengths, not directions towards something: their weights have mean zero
NOTHING: tuple[float, float] = (0.0, 0.0)
LEAST = {"width": 1e-5, "spread": 1e-2}
LONGEST_TRIALS = 0.9  # of the budget before the polish
ROWS = 6  # the last of them drawn once for a whole offspring
# Ahead of the default strategy after few evaluations: rounded from searches on the classic and added functions.
FASTER = {
    "first_mean": "centre", "bounds": "fold", "popsize_budget": 0.25, "sigma": 0.14, "longest": 0.08,
    "c_1_factor": 0.7, "c_mu_factor": 1.3, "c_sigma_factor": 1.4, "d_sigma_factor": 0.4, "growth": 2.3,
}  # fmt: skip
SPARING = {"hedge": 0.1, "round": 0.03, "polish": 0.06, "full_budget": 700.0}  # shares for budgets of all sizes

STRATEGY = (
    Gene("popsize_factor", 0.5, 6.0, "log"), Gene("popsize_budget", 0.0, 0.6), Gene("sigma", 0.02, 0.6, "log"),
    Gene("longest", 0.05, 1.0, "log"),
    Gene("c_1_factor", 0.2, 5.0, "log"), Gene("c_mu_factor", 0.2, 5.0, "log"), Gene("c_sigma_factor", 0.3, 3.0, "log"),
    Gene("d_sigma_factor", 0.3, 3.0, "log"), Gene("c_c_factor", 0.3, 3.0, "log"), Gene("negative", 0.0, 2.0),
    Gene("paths", scale="choice", choices=PATHS), Gene("bounds", scale="choice", choices=BOUNDS),
    Gene("restarts", scale="choice", choices=RESTARTS), Gene("growth", 1.0, 4.0),
    Gene("restart_sigma", 0.02, 2.0, "log"), Gene("restart_mean", scale="choice", choices=MEANS),
    Gene("first_mean", scale="choice", choices=FIRST_MEANS),
    Gene("tol_f", 1e-14, 1e-3, "log"), Gene("patience", 0.1, 5.0, "log"),
)  # fmt: skip


def _rows(operator: AffineOperator) -> list[dict[str, Any]]:
    """The rows of an operator by the names of its weights."""
    return [
        {"probability": float(operator.probability[j])}
        | {name: (operator.mean[j, w], operator.std[j, w]) for w, name in enumerate(operator.weights)}
        for j in range(operator.rows)
    ]


UNIFORM_CROSSOVER = _rows(load_operator("uniform-crossover"))


SURROGATE = (Gene("tau", 0.5, 0.95), Gene("refit", 0.0, 0.5))


def strategy_genes(kind: Any) -> tuple[Gene, ...]:
    """Everything of an evolution strategy, and of its model if it has one; what a member of the user's own declares."""
    if not isinstance(kind, str):
        return genes_of(kind)
    return STRATEGY if kind == "ma-es" else STRATEGY + SURROGATE


def row_genes(rows: int) -> tuple[Gene, ...]:
    """The matrix of an operator."""
    found = []
    for j in range(1, rows + 1):
        for weight in WEIGHTS:
            if weight not in SCALES:
                found.append(Gene(f"row{j}.{weight}.mean", -1.0, 1.0))
            found.append(Gene(f"row{j}.{weight}.std", LEAST.get(weight, 1e-2), 2.0 if weight == "spread" else 1.0,
                              "zero-log"))  # fmt: skip
        found.append(Gene(f"row{j}.probability", 1e-3, 1.0, "zero-log"))
    return tuple(found)


def evolution_genes(rows: int) -> tuple[Gene, ...]:
    """Everything of an `Evolution`."""
    return (
        Gene("popsize", 5, 200, "integer"), Gene("offspring", 0.2, 4.0, "log"),
        Gene("tournament_first", 1.0, 8.0, "log"), Gene("tournament_others", 1.0, 8.0, "log"),
        Gene("survival", scale="choice", choices=("plus", "comma")),
        Gene("frame", scale="choice", choices=("axes", "learned")), *row_genes(rows),
    )  # fmt: skip


def make_evolution(values: Values, rows: int, prefix: str = "evolution") -> Evolution:
    """An `Evolution` from values by name."""

    def get(name: str) -> Any:
        return values[f"{prefix}.{name}"]

    numbers = np.zeros((2, rows, len(WEIGHTS)))
    for j in range(rows):
        for w, weight in enumerate(WEIGHTS):
            numbers[0, j, w] = 0.0 if weight in SCALES else get(f"row{j + 1}.{weight}.mean")
            numbers[1, j, w] = get(f"row{j + 1}.{weight}.std")
    probability = np.array([get(f"row{j + 1}.probability") for j in range(rows)])
    if not probability.any():
        probability[:] = 1.0
    draw: Any = "variable" if rows == 1 else ("variable",) * (rows - 1) + ("solution",)
    operator = AffineOperator(INPUTS, numbers[0], numbers[1], probability, draw)
    survival = get("survival")
    offspring = get("offspring") if survival == "plus" else max(get("offspring"), 1.0)
    return Evolution(
        operator, popsize=get("popsize"), offspring=offspring, tournament_first=get("tournament_first"),
        tournament_others=get("tournament_others"), survival=survival, frame=get("frame"),
    )  # fmt: skip


def evolution_values(
    rows: Sequence[Mapping[str, Any]], count: int, prefix: str = "evolution", *, popsize: int = 100,
    offspring: float = 1.0, tournament_first: float = 2.0, tournament_others: float = 2.0, survival: str = "plus",
    frame: str = "axes",
) -> Values:  # fmt: skip
    """Values of an evolution with at most ``count`` rows, the last of them for whole offspring."""
    found: Values = {
        "popsize": popsize, "offspring": offspring, "tournament_first": tournament_first,
        "tournament_others": tournament_others, "survival": survival, "frame": frame,
    }  # fmt: skip
    for j in range(count):
        row: Mapping[str, Any] = rows[j] if j < len(rows) else {"probability": 0.0}
        found[f"row{j + 1}.probability"] = row["probability"]
        for weight in WEIGHTS:
            mean, std = row.get(weight, NOTHING)
            found[f"row{j + 1}.{weight}.mean"], found[f"row{j + 1}.{weight}.std"] = mean, std
    return {f"{prefix}.{name}": value for name, value in found.items()}


def make_strategy(values: Values, prefix: str = "ma-es", kind: Any = "ma-es") -> Any:
    """A `MatrixAdaptation`, or one with a model, or a member of the user's own, from values by name."""
    if not isinstance(kind, str):
        return make_member(kind, values, prefix)
    return STRATEGIES[kind](**{gene.name: values[f"{prefix}.{gene.name}"] for gene in strategy_genes(kind)})


def strategy_values(prefix: str = "ma-es", kind: Any = "ma-es", **settings: Any) -> Values:
    """Values of a strategy, or of a member of the user's own: the defaults, apart from those given."""
    if not isinstance(kind, str):
        return default_values(kind, prefix)
    defaults = {field.name: field.default for field in fields(STRATEGIES[kind])} | settings
    return {f"{prefix}.{gene.name}": defaults[gene.name] for gene in strategy_genes(kind)}


def make_portfolio(
    values: Values, members: tuple[tuple[str, Any], ...], rows: int, searches: tuple[str, ...] = ()
) -> Portfolio | Memetic:  # fmt: skip
    """A `Portfolio` of members (prefix, kind) from values by name, with local searches around it if there are some."""
    made = [
        make_evolution(values, rows, prefix) if kind == "evolution" else make_strategy(values, prefix, kind)
        for prefix, kind in members
    ]
    trial = np.array([values[f"{prefix}.trial"] for prefix, _ in members])
    trial *= min(1.0, LONGEST_TRIALS * (1 - values["polish"]) / max(trial.sum(), 1e-9))
    shared = Portfolio(
        tuple(made), trial=tuple(float(t) for t in trial), hedge=values["hedge"], round=values["round"],
        polish=values["polish"], polish_step=values["polish_step"], polish_least=values["polish_least"],
        full_budget=values["full_budget"],
    )  # fmt: skip
    return make_memetic(values, searches, shared) if searches else shared


def _renamed(genes: Sequence[Gene], prefix: str) -> list[Gene]:
    """The genes of a member."""
    when = [g.when and (f"{prefix}.{g.when[0]}", g.when[1]) for g in genes]
    return [replace(g, name=f"{prefix}.{g.name}", when=w) for g, w in zip(genes, when, strict=True)]


def evolution_space(rows: int | None = None) -> Space:
    """An evolution with everything open: population, selection, survival, frame and operator."""
    rows = ROWS if rows is None else whole_number("rows", rows, 1, 50)
    seeds = [("paper-sized uniform crossover", evolution_values(UNIFORM_CROSSOVER[:5], rows))] if rows >= 5 else []
    if rows >= len(UNIFORM_CROSSOVER):
        seeds.append(("small uniform crossover", evolution_values(UNIFORM_CROSSOVER, rows, popsize=30)))
        seeds.append(
            (
                "small uniform crossover, learned frame",
                evolution_values(UNIFORM_CROSSOVER, rows, popsize=30, frame="learned"),
            )
        )
    return Space("evolution", tuple(_renamed(evolution_genes(rows), "evolution")),
                 partial(make_evolution, rows=rows), tuple(seeds))  # fmt: skip


def portfolio_space(members: Sequence[Any] = KINDS, rows: int | None = None) -> Space:
    """A portfolio of members of these kinds, each with everything open, and how they share the budget.

    Local searches among them work around the portfolio of the others.
    """
    rows = ROWS if rows is None else whole_number("rows", rows, 1, 50)
    if not members or any(isinstance(kind, str) and kind not in MEMBERS for kind in members):
        known = f"{', '.join(MEMBERS)}, or file.py:Name"
        raise InputError(f"members: some of {known}, got {', '.join(map(str, members)) or 'none'}")
    searches = tuple(kind for kind in members if kind in LOCAL_KINDS)
    shared = [kind for kind in members if kind not in LOCAL_KINDS]
    if not shared or len(set(searches)) < len(searches):
        rule = "local searches once each, and another member with them"
        raise InputError(f"members: {rule}, got {', '.join(map(name_of, members))}")
    named = tuple((_prefix(shared, i), kind) for i, kind in enumerate(shared))
    genes: list[Gene] = [
        Gene("hedge", 0.0, 0.6), Gene("round", 0.01, 0.2, "log"), Gene("polish", 0.0, 0.5),
        Gene("polish_step", 0.05, 5.0, "log"), Gene("polish_least", 1e-7, 0.1, "log"),
        Gene("full_budget", 10.0, 3000.0, "zero-log"),
    ]  # fmt: skip
    for prefix, kind in named:
        own = evolution_genes(rows) if kind == "evolution" else strategy_genes(kind)
        genes += [Gene(f"{prefix}.trial", 0.0, 0.5), *_renamed(own, prefix)]
    seeds = _portfolio_seeds(named, rows)
    if searches:
        genes += [_renamed([gene], prefix)[0] for prefix, gene in memetic_genes(searches)]
        seeds = [(f"{label} and local searches", values | memetic_values(searches)) for label, values in seeds]
    return Space("portfolio", tuple(genes), partial(make_portfolio, members=named, rows=rows, searches=searches),
                 tuple(seeds))  # fmt: skip


def _prefix(members: Sequence[Any], place: int) -> str:
    names = [name_of(member) for member in members]
    before = names[:place].count(names[place])
    return names[place] if not before else f"{names[place]}-{before + 1}"


def _portfolio_seeds(named: Sequence[tuple[str, Any]], rows: int) -> list[tuple[str, Values]]:
    """Known designs: each member alone, and hand-made shares for all of them."""
    kinds = [kind for _, kind in named]
    own: Values = {}
    for prefix, kind in named:
        own |= evolution_values(UNIFORM_CROSSOVER[:rows], rows, prefix, popsize=30) if kind == "evolution" \
            else strategy_values(prefix, kind)  # fmt: skip
    shares = {"hedge": 0.2, "round": 0.06, "polish": 0.1, "polish_step": 1.0, "polish_least": 1e-3,
              "full_budget": 0.0}  # fmt: skip
    trials = {f"{prefix}.trial": 0.06 if kind == "evolution" else 0.2 for prefix, kind in named}
    found = [("hand-made portfolio", own | shares | trials)]
    for prefix, kind in named:
        alone = {f"{p}.trial": 0.3 if p == prefix else 0.0 for p, _ in named}
        rest = shares | {"hedge": 0.0, "polish": 0.0}
        if kind == "evolution":
            big = evolution_values(UNIFORM_CROSSOVER[: min(rows, 5)], rows, prefix)
            found += [
                ("small uniform crossover", own | alone | rest),
                ("paper-sized uniform crossover", own | big | alone | rest),
            ]
        elif isinstance(kind, str):
            quick = strategy_values(prefix, kind, **FASTER)
            found += [(kind, own | alone | rest), (f"faster {kind}", own | quick | alone | rest)]
        else:
            found.append((prefix, own | alone | rest))
    both = [strategy_values(prefix, kind, **FASTER) for prefix, kind in named if kind in STRATEGIES]
    if "evolution" in kinds and both:
        found.append(("hand-made portfolio, faster ma-es", own | both[0] | trials | shares | SPARING))
    if "evolution" in kinds:
        learned = {f"{prefix}.frame": "learned" for prefix, kind in named if kind == "evolution"}
        found.append(("hand-made portfolio, learned frame", own | shares | trials | learned))
    return found
