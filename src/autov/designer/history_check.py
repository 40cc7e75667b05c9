"""Whether learned functions are worth a design: they order points, and optimisers, as the problem itself does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import kendalltau, rankdata

from autov.algorithms import resolve_algorithm
from autov.algorithms.warm_start import WarmStart
from autov.core import Array, InputError, identity, whole_number
from autov.designer.history import LONGEST, Learned, Recording, learned_from
from autov.problems import Problem, instance_of
from autov.runs import minimize, solve
from autov.stats import floored, signed_rank

OPTIMISERS = ("general", "ma-es", "cma-es", "de", "ga", "pso")  # very different ones
LEAST_KNOWN = 3  # optimisers of which an order says something
CORRELATION = 0.5  # of ranks on points that were held out, the median over problems, at least
AGREEMENT = 0.6  # Kendall's tau of the two orders of optimisers, at least
LEARNED_RUNS = 24  # of each optimiser on learned functions
APART = 1000  # seeds of validation from those of the check


@dataclass(frozen=True, eq=False)
class HistoryCheck:
    """What was found out before a search on learned functions.

    Attributes:
        correlation: of ranks on points that were held out, the median over problems.
        kind: "recorded" or "real" runs, or "" where the order was not checked.
        optimisers: that were compared.
        real: (k,) mean ranks in these runs.
        learned: (k,) mean ranks on learned functions.
    """

    correlation: float
    kind: str = ""
    optimisers: tuple[str, ...] = ()
    real: Array | tuple[()] = ()
    learned: Array | tuple[()] = ()

    @property
    def agreement(self) -> float:
        """Kendall's tau of the two orders; 0 where one of them has ties only."""
        found: Any = kendalltau(self.real, self.learned) if self.kind else (0.0,)
        return float(found[0]) if np.isfinite(found[0]) else 0.0

    @property
    def line(self) -> str:
        """In one line."""
        said = f"self-check: rank correlation on held-out points {self.correlation:.2f}; "
        if not self.kind:
            return f"{said}the order of optimisers was not checked"
        first, second = (self._ordered(ranks) for ranks in (self.real, self.learned))
        return f"{said}order of optimisers in {self.kind} runs {first}; on learned functions {second}; " + (
            f"agreement {self.agreement:.2f}"
        )

    def _ordered(self, ranks: Any) -> str:
        return " < ".join(self.optimisers[i] for i in np.argsort(ranks, kind="stable"))

    @property
    def refusal(self) -> str:
        """What is missing for a design; empty if nothing is."""
        if not self.correlation >= CORRELATION:
            return f"a correlation of {CORRELATION}: record more points, above all some of the whole box"
        if self.kind and not self.agreement >= AGREEMENT:
            return (
                f"an agreement of {AGREEMENT}: record longer runs, or use experience without a design "
                "(minimize with learn_from)"
            )
        return ""


@dataclass(frozen=True, eq=False)
class Validation:
    """Runs of a design and of the default on the real functions.

    Attributes:
        designed: (problems, runs) best values.
        default: likewise.
        maxfev: evaluations of a run.
        minima: of the problems, where they are known; values within 1e-8 of them are equal.
    """

    designed: Array
    default: Array
    maxfev: int
    minima: Sequence[float | None]

    @property
    def passed(self) -> bool:
        """Whether the design is at least level: better in as many pairs as it is worse."""
        ours, theirs = self._floored
        return int((ours < theirs).sum()) >= int((ours > theirs).sum())

    @property
    def _floored(self) -> tuple[Array, Array]:
        """Values of both, pair by pair; those at a known minimum are equal."""
        ours, theirs = (
            np.concatenate([floored(row, low) for row, low in zip(values, self.minima, strict=True)])
            for values in (self.designed, self.default)
        )
        return ours, theirs

    @property
    def line(self) -> str:
        """In one line, with Wilcoxon's signed-rank test of the pairs."""
        ours, theirs = self._floored
        better, n = int((ours < theirs).sum()), len(ours)
        p, _ = signed_rank(ours, theirs)
        if p >= 0.05:
            verdict = "no significant difference"
        else:
            verdict = f"significantly {'better' if 2 * better > n else 'worse'}"
        refused = "" if self.passed else ". The design is refused: the result is the default"
        return (
            f"validated on the real function, {n} runs of {self.maxfev:,} evaluations each: mean best value of the "
            f"design {self.designed.mean():.5g}, of the default {self.default.mean():.5g}; better in {better} of {n} "
            f"pairs, {verdict} (p = {p:.2g}){refused}"
        )


@dataclass(frozen=True, eq=False)
class History:
    """Earlier runs to design from, and what may be spent on the problem itself.

    Attributes:
        given: stores, tables and so on, as `minimize` takes them.
        problems: the problems themselves, where there are some.
        bounds: of tables, where there is no problem.
        real_runs: runs on the problems for the check; None for none, 0 to continue without an order of optimisers.
        validate: runs of the result and of the default on each problem.
    """

    given: Any
    problems: Sequence[Problem]
    bounds: Any = None
    real_runs: int | None = None
    validate: int = 0

    def __post_init__(self) -> None:
        for name in ("real_runs", "validate"):
            value = getattr(self, name)
            count = whole_number(name, 0 if value is None else value, 0)
            if count and not self.problems:
                raise InputError(f"{name}: needs the problem, which is not part of earlier runs")
            if name == "real_runs" and 0 < count < len(OPTIMISERS):
                raise InputError(
                    f"real_runs: must be 0, or at least one for each of {', '.join(OPTIMISERS)}, got {count}"
                )

    def learned(self) -> Learned:
        """Families of functions that fit what was recorded."""
        return learned_from(self.given, self.problems[0] if self.problems else None, self.bounds)

    def check(
        self, learned: Learned, seed: int, workers: Any = 1, store: Path | None = None, budget: int | None = None
    ) -> HistoryCheck:  # fmt: skip
        """Compare learned functions with what was recorded, or with real runs, which ``store`` keeps.

        Args:
            learned: the functions.
            seed: of all runs.
            workers: of real runs.
            store: of real runs.
            budget: evaluations that the design is for; None for those of recorded runs.
        """
        correlation, popsize = float(np.median(learned.correlations)), learned.popsize
        budget = budget or learned.maxfev
        if self.real_runs:
            names, maxfev, kind = OPTIMISERS, budget, "real"
            real = self._real_ranks(maxfev, popsize, seed, workers, store)
        else:
            if self.real_runs is None and budget > learned.maxfev:
                raise InputError(
                    f"learn_from: recorded runs of {learned.maxfev:,} evaluations do not tell how optimisers come in "
                    f"order after {budget:,}. Missing are recorded runs of this length, or real ones (real_runs=12); "
                    f"or design for {learned.maxfev:,} evaluations, and real_runs=0 continues without"
                )
            names, real, maxfev = recorded_ranks(learned.recordings)
            kind = "recorded" if len(names) >= LEAST_KNOWN else ""
        if not kind and self.real_runs is None:
            raise InputError(
                f"learn_from: there are recorded runs of {', '.join(names) or 'no optimiser'} only, so it is unknown "
                "whether optimisers come in the same order on learned functions. Missing are recorded runs of "
                f"{LEAST_KNOWN} optimisers on each problem, or real ones: real_runs=12 makes 12 (two of each of "
                f"{', '.join(OPTIMISERS)}), and real_runs=0 continues without"
            )
        if not kind:
            return HistoryCheck(correlation)
        return HistoryCheck(correlation, kind, names, real, learned_ranks(learned, names, maxfev, popsize, seed))

    def _real_ranks(self, maxfev: int, popsize: int, seed: int, workers: Any, store: Path | None) -> Array:
        """Mean ranks of OPTIMISERS in real runs on the problems, in turn."""
        assert self.real_runs is not None
        ranks = []
        for i in range(self.real_runs // len(OPTIMISERS)):
            problem = self.problems[i % len(self.problems)]
            made = [_real_run(problem, one, maxfev, popsize, seed + i, workers, store) for one in OPTIMISERS]
            ranks.append(rankdata(made))
        return np.mean(ranks, axis=0)

    def validation(
        self, found: Any, learned: Learned, seed: int, workers: Any = 1, store: Path | None = None,
        budget: int | None = None,
    ) -> Validation | None:  # fmt: skip
        """Runs of a result and of the default on every problem, with the same seeds.

        A memory runs without what was recorded of that problem.
        """
        if not self.validate:
            return None
        budget, popsize = budget or learned.maxfev, learned.popsize
        labels = [one.label for one in learned.recordings]

        def run_of(problem: Problem, one: Any, run: int) -> float:
            chosen = _held_out(one, labels, problem)
            return _real_run(problem, chosen, budget, popsize, seed + APART + run, workers, store)

        def values(one: Any) -> Array:
            return np.array([[run_of(problem, one, run) for run in range(self.validate)] for problem in self.problems])

        return Validation(values(found), values(None), budget, [problem.minimum for problem in self.problems])


def _held_out(algorithm: Any, labels: Sequence[str], problem: Problem) -> Any:
    """The algorithm; of one that remembers, without the points of that problem (a point for each label)."""
    if not isinstance(algorithm, WarmStart):
        return algorithm
    pairs = zip(algorithm.points, labels, strict=True)
    others = tuple(point for point, label in pairs if label != problem.name[:LONGEST])
    return replace(algorithm, points=others) if others else algorithm.cold


def recorded_ranks(recordings: Sequence[Recording]) -> tuple[tuple[str, ...], Array, int]:
    """Optimisers that ran on all problems with most of them, their mean ranks, and after how many evaluations."""
    named = {identity(resolve_algorithm(name)): name for name in OPTIMISERS}
    known: list[dict[str, list[Array]]] = []
    for recording in recordings:
        by_name: dict[str, list[Array]] = {}
        for optimiser, values in recording.runs:
            if optimiser in named and len(values):
                by_name.setdefault(named[optimiser], []).append(values)
        known.append(by_name)
    most = max((len(by_name) for by_name in known), default=0)
    used = [by_name for by_name in known if len(by_name) == most]
    names = tuple(sorted(set.intersection(*(set(by_name) for by_name in used)))) if used else ()
    if not names:
        return (), np.empty(0), 0
    count = min(len(values) for by_name in used for name in names for values in by_name[name])
    means = [[np.mean([values[:count].min() for values in by_name[name]]) for name in names] for by_name in used]
    return names, rankdata(means, axis=1).mean(axis=0), count


def _real_run(
    problem: Problem, algorithm: Any, maxfev: int, popsize: int, seed: int, workers: Any, store: Any
) -> float:
    """The best value of one run on the real function."""
    chosen = resolve_algorithm(algorithm)
    found = minimize(
        problem, algorithm=chosen, maxfev=maxfev, rng=seed, store=store,
        popsize=popsize if getattr(chosen, "uses_popsize", True) else None,
        workers=workers if isinstance(workers, int) else 1,
    )  # fmt: skip
    return float(found.fun)


def learned_ranks(learned: Learned, names: Sequence[str], maxfev: int, popsize: int, seed: int) -> Array:
    """Mean ranks on samples of all families in turn; all optimisers meet the same samples."""
    algorithms: list[Any] = [resolve_algorithm(name) for name in names]
    ranks = []
    for i in range(LEARNED_RUNS):
        instance = instance_of(learned.families[i % len(learned.families)], seed + i)
        values = [solve(instance, one, maxfev=maxfev, popsize=popsize, seed=seed + i).fun for one in algorithms]
        ranks.append(rankdata(values))
    return np.mean(ranks, axis=0)
