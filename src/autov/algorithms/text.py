"""Algorithms for people to read: which members, who gets how much of the budget, what each row does."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from autov.algorithms.coordinate import Coordinate
from autov.algorithms.evolution import Evolution
from autov.algorithms.local_search import LocalSearch
from autov.algorithms.matrix_adaptation import StrategySettings
from autov.algorithms.memetic import Memetic
from autov.algorithms.portfolio import Portfolio
from autov.algorithms.quasi_newton import QuasiNewton
from autov.algorithms.start_distribution import PART, clusters
from autov.algorithms.surrogate_ma_es import SurrogateMatrixAdaptation
from autov.algorithms.trust_region import TrustRegion
from autov.algorithms.warm_start import WarmStart
from autov.operators import AffineOperator
from autov.operators.formulas import by_probability, row_formula

MOST_VARIABLES = 40  # of a memory, in the text
SMALL = 5e-3  # weights and chances below this are not told apart from zero in words
BOUNDS = {"fold": "mirrored", "smooth": "mirrored, bent near the border", "clip": "clipped to the border"}
RESTART_MEANS = {"uniform": "anywhere", "best": "at the best point",
                 "mixed": "anywhere, small populations at the best point"}  # fmt: skip

LOCAL_SEARCHES: dict[type, str] = {
    Coordinate: "line searches along the axes; they end after d + 2 evaluations where the variables interact",
    QuasiNewton: "projected BFGS steps with difference quotients as wide as the noise demands",
    TrustRegion: "quadratic interpolation models in a trust region, in the manner of BOBYQA",
}


def explain(algorithm: Any) -> str:
    """An algorithm in words and numbers."""
    if isinstance(algorithm, WarmStart):
        return "\n".join([*_memory(algorithm), "", explain(algorithm.cold)])
    if isinstance(algorithm, Memetic):
        return _memetic(algorithm)
    if isinstance(algorithm, Portfolio):
        return _portfolio(algorithm)
    if isinstance(algorithm, Evolution):
        return "\n".join(_evolution(algorithm))
    if isinstance(algorithm, StrategySettings):
        return "\n".join(_strategy(algorithm))
    if type(algorithm) in LOCAL_SEARCHES:
        return "\n".join(_local_search(algorithm))
    known = fields(algorithm) if is_dataclass(type(algorithm)) else ()  # one of your own need not be
    settings = ", ".join(f"{f.name} = {getattr(algorithm, f.name)!r}" for f in known)
    return f"{algorithm.name}{f' with {settings}' if settings else ''}"


def _memory(algorithm: WarmStart) -> list[str]:
    """Where it starts."""
    points, d = algorithm.memory.optima, len(algorithm.spread)
    places = clusters(points)
    lines = [
        f"It remembers the optima of its training problems: {len(points)} points of {d} variables in "
        f"{'one cluster' if len(places) == 1 else f'{len(places)} clusters'}.",
        f"  At most {PART:.0%} of the budget evaluates some of them and points of the whole box. If they are better, "
        "it starts there; otherwise it starts cold.",
        f"  With given first points, or another number of variables than {d}, it starts cold.",
        "  So it is not translation invariant: it is made for problems with a fixed optimum.",
    ]
    for number, rows in enumerate(places, start=1):
        own = points[rows]
        told = [f"x[{k}] {own[:, k].mean():.0%} +- {own[:, k].std():.0%}" for k in range(min(d, MOST_VARIABLES))]
        more = ", ..." if d > MOST_VARIABLES else ""
        where = f"Cluster {number} ({len(rows)} points)" if len(places) > 1 else "Where they lie"
        lines.append(f"  {where}, from the lower to the upper bound: {', '.join(told)}{more}.")
    return lines


def _memetic(algorithm: Memetic) -> str:
    most = algorithm.most_variables or (0,) * len(algorithm.local_searches)
    names = [
        f"{search.name} (up to {n} variables)" if n else search.name
        for search, n in zip(algorithm.local_searches, most, strict=True)
    ]
    lines = [
        f"Local searches around a global one: {', '.join(names)}.",
        "  They start near the centre of the box, or at the points that are given.",
        f"  After {algorithm.cover_after:.1%} of the budget, points that cover the box are evaluated "
        f"({algorithm.cover:.1%} of the budget, at most {algorithm.cover_most:.3g} for each variable); local searches "
        "start at the best of them.",
        f"  They may spend {algorithm.trial:.1%} of the budget and {algorithm.refine:.1%} of the evaluations made, up "
        f"to {algorithm.most:.0%} while they find better points, to {algorithm.most_separable:.0%} along the axes of a "
        f"separable function, and for all with fewer than {algorithm.short:.3g} evaluations for each variable.",
        "  Then the global search starts, at the best point with fewer than "
        f"{algorithm.inherit_below:.3g} evaluations for each variable, else at the best that covers the box. After "
        f"each {algorithm.round:.1%} of the budget a local search starts at its best point; after "
        f"{algorithm.patience} failures in a row it is tried more rarely.",
    ]
    for search in algorithm.local_searches:
        lines += ["", *_local_search(search)]
    return "\n".join([*lines, "", "Global search:", *(f"  {x}" for x in explain(algorithm.global_search).split("\n"))])


def _local_search(search: LocalSearch) -> list[str]:
    settings = ", ".join(f"{f.name} {getattr(search, f.name):.3g}" for f in fields(search))  # type: ignore[arg-type]
    return [f"{search.name}: {LOCAL_SEARCHES[type(search)]}.", f"  Settings: {settings}."]


def _portfolio(algorithm: Portfolio) -> str:
    trial, names = algorithm._trial, [short_name(member) for member in algorithm.members]
    lines = [f"A portfolio of {len(names)}: {', '.join(names)}."]
    if len(names) > 1:
        shares = ", ".join(f"{name} {part:.1%}" for name, part in zip(names, trial, strict=True))
        lines.append(f"Budget: first a trial for each ({shares}).")
        lines.append(
            f"  Then rounds of {algorithm.round:.1%}: the one with the best value gets {1 - algorithm.hedge:.0%} of "
            f"each, the others share {algorithm.hedge:.0%}."
        )
        if algorithm.full_budget > 0:
            lines.append(
                f"  With fewer than {algorithm.full_budget:.3g} evaluations for each variable, trials of all but "
                f"{names[0]} and what others share are smaller in proportion."
            )
        silent = [n for n, part in zip(names, trial, strict=True) if part == 0]
        if silent and algorithm.hedge == 0:
            lines.append(f"  {', '.join(silent)} never runs: no trial and no hedge.")
    if algorithm.polish > 0:
        last = f"  The last {algorithm.polish:.1%} belong to the leader"
        if len(algorithm.runners) > len(algorithm.members):
            last += (
                "; where that is an evolution, an evolution strategy starts at its best point with steps of "
                f"{algorithm.polish_step:.2g} times the spread of its better half (at least "
                f"{algorithm.polish_least:.2g} of the box)"
            )
        lines.append(f"{last}.")
    for number, member in enumerate(algorithm.members, start=1):
        lines += ["", f"Member {number}:", *(f"  {line}" for line in explain(member).splitlines())]
    return "\n".join(lines)


def short_name(algorithm: Any) -> str:
    """What a member is called in a sentence or a legend."""
    if isinstance(algorithm, Evolution):
        return "evolution" if algorithm.popsize is None else f"evolution (population {algorithm.popsize})"
    return algorithm.name


def _evolution(algorithm: Evolution) -> list[str]:
    size = "the population of the run" if algorithm.popsize is None else f"a population of {algorithm.popsize}"
    keep = "the best of parents and offspring survive" if algorithm.survival == "plus" else "only offspring survive"
    pressure = [_tournament(s) for s in (algorithm.tournament_first, algorithm.tournament_others)]
    lines = [
        f"Evolution: {size}, {algorithm.offspring:.3g} offspring for each member; {keep}.",
        f"Parents: x1 is {pressure[0]}, others are {pressure[1]}.",
    ]
    if algorithm.frame == "learned":
        lines.append("Variables are drawn along the eigenvectors of the population's covariance.")
    if algorithm.bounds == "midpoint":
        lines.append("Variables outside are placed half way between the bound and x1, unless a parent is there.")
    operator = algorithm.operator
    if not isinstance(operator, AffineOperator):
        return [*lines, f"Offspring: the operator {operator.name}."]
    total = operator.probability.sum()
    lines.append("Offspring, row by row (chance: what happens, and the formula):")
    for j in by_probability(operator):
        chance = operator.probability[j] / total
        if chance > 0:
            lines.append(f"  {chance:6.1%}: {row_words(operator, j)}")
            lines.append(f"          {row_formula(operator, j)}")
    return lines


def _tournament(size: float) -> str:
    return "a random member" if size == 1 else f"the best of {size:.3g} random members"


def row_words(operator: AffineOperator, j: int) -> str:
    """What a row does, for a variable or for a whole offspring."""
    draw = operator.draw if isinstance(operator.draw, str) else operator.draw[j]
    whole = draw == "solution"
    what, parts = ("the whole offspring" if whole else "the variable"), []
    for i, name in enumerate(operator.weights):
        mean, std = operator.mean[j, i], operator.std[j, i]
        if abs(mean) < SMALL and std < SMALL and name not in ("width", "upper-lower"):
            continue
        if mean == 0 and std == 0:
            continue
        parts.append(_weight(name, mean, std))
    if not parts:
        return f"{what} stays that of x1"
    if parts == ["goes to x2"]:
        return f"{what} is that of x2"
    return f"{what} {', and '.join(parts)}"


def _weight(name: str, mean: float, std: float) -> str:
    steps = {"difference": "the difference of two random members", "width": "the width of the box",
             "upper-lower": "the width of the box", "spread": "the spread of the population"}  # fmt: skip
    if name in steps:
        exact = f"{mean:.2g}" if std < SMALL else f"{mean:.2g} (± {std:.2g})"
        size = f"{std:.2g} times" if abs(mean) < SMALL else f"{exact} times"
        return f"moves by {size} {steps[name]}"
    target = {"best": "the best point", "mean": "the mean of the population"}.get(name, name)
    if std < SMALL:
        if abs(mean - 1) < SMALL:
            return f"goes to {target}"
        return f"goes {mean:.0%} of the way to {target}" if mean > 0 else f"moves {-mean:.0%} away from {target}"
    if abs(mean) < SMALL:
        return f"moves along the line to {target} (0 ± {std:.2g} of the way)"
    return f"goes {mean:.2g} ± {std:.2g} of the way to {target}"


def _strategy(algorithm: StrategySettings) -> list[str]:
    size = f"{algorithm.popsize}" if algorithm.popsize else f"{algorithm.popsize_factor:.3g} (4 + 3 ln d)"
    if algorithm.popsize_budget and not algorithm.popsize:
        size += f" (evaluations / 50 d)^{algorithm.popsize_budget:.2g}"
    defaults = type(algorithm)()
    lines = [
        f"Matrix adaptation evolution strategy: a population of {size}, first steps {algorithm.sigma:.2g} of the box"
        f"{' from its centre' if algorithm.first_mean == 'centre' else ''}, points outside it are "
        f"{BOUNDS[algorithm.bounds]}."
    ]
    rates = ("c_1_factor", "c_mu_factor", "c_sigma_factor", "d_sigma_factor", "negative")
    said = [f"{name.removesuffix('_factor')} x {getattr(algorithm, name):.3g}" for name in rates]
    lines.append(f"Rates, as multiples of their formulas: {', '.join(said)}.")
    if algorithm.paths == "two":
        lines.append(f"A path of its own for the rank-one update, c_c x {algorithm.c_c_factor:.3g}.")
    if algorithm.restarts == "none":
        lines.append("No restarts.")
    else:
        where = RESTART_MEANS[algorithm.restart_mean]
        lines.append(
            f"Restarts ({algorithm.restarts}) {where}, populations x {algorithm.growth:.3g}, "
            f"steps x {algorithm.restart_sigma:.2g}, after {algorithm.patience:.2g} times the usual patience."
        )
    if isinstance(algorithm, SurrogateMatrixAdaptation):
        lines.append(
            "A linear or quadratic model of recent points orders each generation; points are evaluated until its order "
            f"agrees with the function's (Kendall's tau of {algorithm.tau:.2g})."
        )
    told = {*rates, "tau", "values", "middle", "popsize", "popsize_factor", "popsize_budget", "sigma", "bounds",
            "restarts", "growth", "restart_sigma", "first_mean", "restart_mean", "patience", "paths",
            "c_c_factor"}  # fmt: skip
    rest = [f.name for f in fields(algorithm) if f.name not in told]
    other = [f"{n} = {getattr(algorithm, n):.3g}" for n in rest if getattr(algorithm, n) != getattr(defaults, n)]
    return [*lines, *([f"Other settings: {', '.join(other)}."] if other else [])]
