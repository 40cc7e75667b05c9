"""Whether a design generalises to other dimensions, budgets and instances, compared with the default."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.algorithms.files import DEFAULT, shipped_algorithm
from autov.core import InputError, identity
from autov.core.display import Displayable
from autov.designer import Design
from autov.experiments.after_design import SEED_SHIFT, JudgedCase, cases_of
from autov.experiments.comparison import compare
from autov.experiments.table import Cell, Table
from autov.problems import Family, Problem, ProblemFamily, resolve_problem, with_family
from autov.stats import Versus, least_signed_p, one_with_many, versus

RUNS, MOST_CASES = 15, 2  # runs of both under each condition; training problems
LEVEL = 0.05
FACTOR = 4  # of the budget
KINDS = (("translate",), ("translate", "rotate"))
IN_WORDS = {"translate": "translated", "translate-rotate": "translated and rotated"}
VERDICTS = {"+": "worse", "-": "better", "=": "level", "?": "too few runs"}  # marks are those of the default


@dataclass(frozen=True)
class Condition:
    """Runs of the design and of the default under another condition.

    Attributes:
        problem: label of the training problem.
        what: the difference, in words.
        dim: variables.
        maxfev: evaluations of a run.
        own: median gap (best value where no minimum is known) of the design.
        default: that of the default.
        found: the default against the design, corrected for all conditions.
    """

    problem: str
    what: str
    dim: int
    maxfev: int
    own: float
    default: float
    found: Versus

    @property
    def verdict(self) -> str:
        """Better, level or worse."""
        return VERDICTS[self.found.mark(LEVEL)]


@dataclass(frozen=True, eq=False, repr=False)
class Generalisation(Displayable):
    """The result of `generalise`; without conditions, ``reason`` says why.

    Attributes:
        conditions: one for each training problem and change.
        runs: of both algorithms under each.
        evaluations: that this took.
        reason: why there are no conditions, or some are missing.
        label: of the result: the name of the baseline that won, or "designed".
    """

    conditions: tuple[Condition, ...]
    runs: int
    evaluations: int
    reason: str = ""
    label: str = "designed"

    def __repr__(self) -> str:
        return f"<Generalisation: {len(self.conditions)} conditions, {self.runs} runs>"

    def __str__(self) -> str:
        return "\n\n".join([*self.sentences(), *([str(self.table())] if self.conditions else [])])

    def sentences(self) -> list[str]:
        """A summary in sentences."""
        said = []
        if self.conditions:
            counts = {word: sum(one.verdict == word for one in self.conditions) for word in VERDICTS.values()}
            s = "s" if len(self.conditions) != 1 else ""
            told = ", ".join(f"{word} {count}" for word, count in counts.items() if count or word == "worse")
            said.append(
                f"Compared with {DEFAULT} under {len(self.conditions)} condition{s}: {told} (signed-rank test of "
                f"{self.runs} runs on the same instances, Holm-corrected, 5 %; {self.evaluations:,} evaluations)."
            )
        return [*said, self.reason] if self.reason else said

    def table(self) -> Table:
        """One row for each condition."""
        several = len({one.problem for one in self.conditions}) > 1
        rows = tuple(
            (f"{one.problem}: {one.what}" if several else one.what,
             (Cell(str(one.dim)), Cell(f"{one.maxfev:,}"), Cell(f"{one.own:.3g}", best=one.own < one.default),
              Cell(f"{one.default:.3g}", best=one.default < one.own, effect=one.found.effect), Cell(one.verdict)))
            for one in self.conditions
        )  # fmt: skip
        note = (f"Medians of {self.runs} runs: gaps to the minimum where it is known. After the default's: the share "
                "of pairs of runs in which it is better (ties half), and the ratio of medians.")  # fmt: skip
        subject = "the design" if self.label == Generalisation.label else self.label
        columns = ("", "variables", "evaluations", self.label, DEFAULT, f"{subject} is")
        return Table(
            f"{subject[0].upper()}{subject[1:]} and {DEFAULT} under other conditions", columns, rows, notes=(note,)
        )

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        found = [
            {"problem": one.problem, "what": one.what, "dim": one.dim, "maxfev": one.maxfev, "designed": one.own,
             DEFAULT: one.default, "verdict": one.verdict, "p": one.found.p, "smaller": one.found.smaller}
            for one in self.conditions
        ]  # fmt: skip
        return {"conditions": found, "runs": self.runs, "evaluations": self.evaluations, "reason": self.reason}


def generalise(design: Design, workers: Any = 1, evaluations: float = math.inf) -> Generalisation:
    """Compare a design with the default under conditions that it was not trained on.

    These are half and twice the variables, with evaluations in proportion (if the problem leaves their number open), a
    quarter of the budget and four times the budget, and translated or rotated instances.

    Args:
        design: the finished design.
        workers: as for `autov.compare`.
        evaluations: the largest number; leaves out the costliest conditions first.
    """
    if design.baseline == DEFAULT:
        return Generalisation((), 0, 0, f"The result is {DEFAULT} itself: there is nothing to compare.")
    wanted = [(case, *one) for case in cases_of(design)[:MOST_CASES] for one in _conditions(case)]
    chosen = list(wanted)
    while chosen and 2 * _least_runs(len(chosen)) * _cost(chosen) > evaluations:
        chosen.remove(max(chosen, key=lambda one: one[2].maxfev))
    reason = "" if len(chosen) == len(wanted) else (
        f"Left out: {len(wanted) - len(chosen)} of {len(wanted)} conditions; all together need more than "
        f"{evaluations:,.0f} evaluations."
    )  # fmt: skip
    if not chosen:
        return Generalisation((), 0, 0, reason)
    runs = max(_least_runs(len(chosen)), int(min(RUNS, evaluations // (2 * _cost(chosen)))))
    return _compared(design, chosen, runs, reason, workers)


Wanted = tuple[JudgedCase, str, JudgedCase]  # the training problem, what is different, where to run


def _compared(design: Design, chosen: list[Wanted], runs: int, reason: str, workers: Any) -> Generalisation:
    popsize, seed = design.settings["trial"]["popsize"], design.settings["seed"] + SEED_SHIFT
    both = {"designed": design.algorithm, DEFAULT: shipped_algorithm(DEFAULT)}
    medians, found = [], {}
    for i, (_, _, case) in enumerate(chosen):
        made = compare(
            both, {case.label: case.problem}, runs=runs, maxfev=case.maxfev, popsize=popsize, rng=seed,
            workers=workers, reference="designed",
        )  # fmt: skip
        own, other = (made.gaps(case.label, label) for label in both)
        medians.append((float(np.median(own)), float(np.median(other))))
        found[str(i)] = versus(other, own, isinstance(case.problem, ProblemFamily))
    fair = list(one_with_many(found, LEVEL).values())
    conditions = tuple(
        Condition(trained.label, what, case.problem.box.dim, case.maxfev, medians[i][0], medians[i][1], fair[i])
        for i, (trained, what, case) in enumerate(chosen)
    )
    label = design.baseline or Generalisation.label
    return Generalisation(conditions, runs, 2 * runs * _cost(chosen), reason, label)


def _least_runs(conditions: int) -> int:
    """As many as a significant difference of all of them needs."""
    return next(runs for runs in range(5, 64) if least_signed_p(runs) * conditions < LEVEL)


def _cost(wanted: list[Wanted]) -> int:
    return sum(case.maxfev for _, _, case in wanted)


def _conditions(case: JudgedCase) -> Iterator[tuple[str, JudgedCase]]:
    """What is different, and where to run."""
    problem, maxfev, dim = case.problem, case.maxfev, case.problem.box.dim
    yield "training condition", case
    for other in (max(2, dim // 2), 2 * dim):
        if other != dim and (scaled := _in_dimension(problem, other)) is not None:
            evaluations = max(1, round(maxfev * other / dim))
            yield f"{other} variables", JudgedCase(case.label, scaled, evaluations)
    for evaluations, what in (
        (maxfev // FACTOR, "a quarter of the budget"),
        (FACTOR * maxfev, "four times the budget"),
    ):
        if evaluations >= 1:
            yield what, JudgedCase(case.label, problem, evaluations)
    for kinds in KINDS:
        if (moved := _moved(problem, kinds)) is not None:
            yield f"{IN_WORDS['-'.join(kinds)]} instances", JudgedCase(case.label, moved, maxfev)


def _in_dimension(problem: Problem, dim: int) -> Problem | None:
    """The problem with another number of variables; None where its name alone does not tell what it is."""
    try:
        same = resolve_problem(problem.name, dim=problem.box.dim)
        return resolve_problem(problem.name, dim=dim) if identity(same) == identity(problem) else None
    except InputError:
        return None


def _moved(problem: Problem, kinds: tuple[str, ...]) -> Problem | None:
    """The family of such instances; None where the problem is that family, or one of another sort."""
    if isinstance(problem, ProblemFamily) and not isinstance(problem, Family):
        return None
    try:
        base = problem.base if isinstance(problem, Family) else problem
        made = with_family(base, kinds)
        made.box  # noqa: B018 (makes the first instance)
        return None if identity(made) == identity(problem) else made
    except InputError:
        return None


__all__ = ["Condition", "Generalisation", "generalise"]
