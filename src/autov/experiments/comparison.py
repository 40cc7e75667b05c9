"""`compare`: algorithms against each other on problems, with statistics."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from autov.algorithms.registry import PAPER
from autov.core import Array, InputError, Seed, identity, seed_of
from autov.core.display import Displayable
from autov.experiments.comparison_table import comparison_table
from autov.experiments.measures import RESOLUTIONS, SHOWN, Targets
from autov.experiments.plan import Algorithms, Experiment, Problems, experiment
from autov.experiments.row import Failure, Row, versions
from autov.experiments.runner import TaskProgress, run
from autov.experiments.store import Store
from autov.experiments.table import Table
from autov.experiments.task import Task
from autov.experiments.trace import Trace
from autov.problems import Problem, ProblemFamily, instance_of, is_told_by_name, resolve_problem
from autov.runs.evaluation import DEFAULT, FaultPolicy, fault_policy
from autov.stats import SOLVED, TARGETS, Scores, hits, score

TESTS = ("auto", "bayes", "paper")


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Displayable):
    """Rows of an experiment, ready for tables and plots. Marks compare with the reference."""

    name: str
    algorithms: tuple[str, ...]
    problems: tuple[str, ...]
    reference: str
    rows: tuple[Row, ...]
    failures: tuple[Failure, ...] = field(default=(), repr=False)
    cases: Mapping[str, Problem] = field(default_factory=dict, repr=False)  # what was run, by name
    remarks: tuple[str, ...] = field(default=(), repr=False)  # for the notes of tables
    tasks: tuple[Task, ...] = field(default=(), repr=False)  # what the rows were made from; none of files

    def __repr__(self) -> str:
        size = f"{len(self.algorithms)} algorithms, {len(self.problems)} problems, {len(self.rows)} runs"
        return f"<Comparison {self.name!r}: {size}>"

    @cached_property
    def _cells(self) -> dict[tuple[str, str], list[Row]]:
        cells: dict[tuple[str, str], list[Row]] = {}
        for row in self.rows:
            cells.setdefault((row.problem, row.label), []).append(row)
        return {key: sorted(rows, key=lambda row: row.run) for key, rows in cells.items()}

    def values(self, problem: str, algorithm: str) -> Array:
        """Best values of the runs, run 0 first."""
        return np.array([row.best for row in self.runs(problem, algorithm)], dtype=np.float64)

    def curves(self, problem: str, algorithm: str) -> tuple[np.ndarray, Array]:
        """Evaluation counts (points,) and best values so far (runs, points)."""
        rows = [row for row in self.runs(problem, algorithm) if len(row.samples) == len(row.counts)]
        if not rows:
            return np.empty(0, np.int64), np.empty((0, 0))
        return rows[0].counts, np.array([row.samples for row in rows])

    def runs(self, problem: str, algorithm: str) -> tuple[Row, ...]:
        """The rows of a cell, run 0 first; none where it was not run yet."""
        for name, given, known in (("problem", problem, self.problems), ("algorithm", algorithm, self.algorithms)):
            if given not in known:
                raise InputError(f"{name}: {given!r} is not in the comparison ({', '.join(known)})")
        return tuple(self._cells.get((problem, algorithm), ()))

    def courses(self, problem: str, algorithm: str) -> list[Trace]:
        """Improvements of every run: all of them where traces are stored, else what samples or final values show."""
        return [row.course for row in self.runs(problem, algorithm)]

    @cached_property
    def _problems(self) -> dict[str, Problem | None]:
        """The problems of the rows; None where a name alone does not tell. No code of users is run to find out."""
        return {name: self.cases.get(name) or _by_name(self.rows, name) for name in self.problems}

    def problem(self, name: str) -> Problem | None:
        """The problem, or family, of that name; None where it is not known any more."""
        return self._problems.get(name)

    def minimum(self, problem: str, run: int = 0) -> float | None:
        """The known minimum of the instance that a run met, or None."""
        key = (problem, run)
        if key not in self._minima:
            found = self.problem(problem)
            self._minima[key] = None if found is None else instance_of(found, run).minimum
        return self._minima[key]

    @cached_property
    def _minima(self) -> dict[tuple[str, int], float | None]:
        return {}

    def targets(self, targets: Sequence[float] | Array = TARGETS) -> Targets:
        """When targets, gaps to the known minima, were reached: shares, ECDF and the area under it, running times.

        By default 51 targets from 1e2 to 1e-8, evenly spaced in their logarithm, as COCO has them. Problems without a
        known minimum, or without a run of each algorithm, are left out.
        """
        wanted = np.asarray(targets, dtype=np.float64)
        if wanted.ndim != 1 or not wanted.size or not (wanted > 0).all():
            raise InputError(f"targets: must be positive gaps to the minimum, got {targets!r}")
        found: dict[tuple[str, str], Array] = {}
        for problem in self.problems:
            cells = {a: self.runs(problem, a) for a in self.algorithms}
            rows = [row for cell in cells.values() for row in cell]
            if not all(cells.values()) or any(self.minimum(problem, row.run) is None for row in rows):
                continue
            for label, cell in cells.items():
                minima = [self.minimum(problem, row.run) or 0.0 for row in cell]
                found[problem, label] = np.array(
                    [hits(*row.course, minimum, wanted) for row, minimum in zip(cell, minima, strict=True)]
                )
        names = tuple(dict.fromkeys(problem for problem, _ in found))
        used = [row for row in self.rows if row.problem in names]
        worst = max((0 if row.trace else 1 if np.isfinite(row.samples).any() else 2 for row in used), default=2)
        maxfev = max((row.maxfev for row in used), default=1)
        return Targets(wanted, self.algorithms, names, maxfev, found, RESOLUTIONS[worst])

    def ecdf(self, algorithm: str, problems: Sequence[str] | None = None) -> tuple[Array, Array]:
        """Evaluations at which the share of reached targets rises, and the share from there on; see `targets`."""
        return self.targets().ecdf(algorithm, problems)

    def ert(self, targets: Sequence[float] | Array = SHOWN) -> Table:
        """Expected running times with counts of successes, for each problem and target."""
        return self.targets(targets).running_time_table()

    def measures(self) -> Table:
        """Share of targets, area under the ECDF and mean rank of medians, for each algorithm; see `targets`."""
        return self.targets().table(self.median_ranks())

    def median_ranks(self) -> dict[str, float]:
        """Mean rank of the medians over the problems that every algorithm has finished; 1 is best."""
        return self.scores(show="median").ranks

    @property
    def has_curves(self) -> bool:
        """Whether there is anything to draw over evaluations; results saved in compact form hold no curves."""
        return any(np.isfinite(row.samples).any() for row in self.rows)

    def gaps(self, problem: str, algorithm: str) -> Array:
        """Gaps of the best values to the known minima, those below 1e-8 as 1e-8, so that solved runs are equal.

        The best values themselves where a minimum is not known.
        """
        minima = [self.minimum(problem, row.run) for row in self.runs(problem, algorithm)]
        values = self.values(problem, algorithm)
        if any(minimum is None for minimum in minima):
            return values
        return np.maximum(values - np.array(minima, dtype=np.float64), SOLVED)

    @cached_property
    def paired(self) -> tuple[str, ...]:
        """Problems on which all algorithms met the same instances in the same runs, each run its own."""
        return tuple(
            f
            for f in self.problems
            if isinstance(self.problem(f), ProblemFamily)
            and len({tuple(row.run for row in self.runs(f, a)) for a in self.algorithms}) == 1
        )

    def scores(
        self, level: float = 0.05, correct: bool = True, show: Literal["mean", "median"] = "mean", test: str = "auto"
    ) -> Scores:  # fmt: skip
        """Marks with effect sizes, counts, and ranks of means or medians.

        Args:
            level: of significance.
            correct: Holm's correction on each problem, for all algorithms that are compared with the reference.
            show: statistic to show and rank.
            test: "auto": signed-rank of paired runs, rank-sum otherwise; "bayes": Bayesian signed-rank, on families
                only; "paper": the rank-sum test of values as they are, without a correction.
        """
        if test not in TESTS:
            raise InputError(f"test: must be one of {', '.join(TESTS)}, got {test!r}")
        if test == "paper":
            return score(self.values, self.problems, self.algorithms, self.reference, level=level, show=show)
        if test == "bayes" and (others := [f for f in self.problems if f not in self.paired]):
            raise InputError(
                f"test: bayes needs runs on the same instances, as on {others[0]}+family=translate; {others[0]} is not "
                "a family, or its runs are not paired"
            )
        return score(
            self.values, self.problems, self.algorithms, self.reference, level=level, correct=correct, show=show,
            judged=self.gaps, paired=self.paired, bayesian=test == "bayes",
        )  # fmt: skip

    def table(
        self, show: Literal["mean", "median"] = "mean", *, level: float = 0.05, correct: bool = True, digits: int = 4,
        test: str = "auto",
    ) -> Table:  # fmt: skip
        """Mean (standard deviation), or median (difference of the quartiles), with marks; the best is set off.

        Behind a mark are effect sizes; `scores` tells which test there is. Values closer than 1e-8 to a known minimum
        are equal in all of them.
        """
        if show not in ("mean", "median"):
            raise InputError(f"show: must be 'mean' or 'median', got {show!r}")
        return comparison_table(self, self.scores(level, correct, show, test), show, digits, test)


def _by_name(rows: tuple[Row, ...], name: str) -> Problem | None:
    row = next((row for row in rows if row.problem == name), None)
    if row is None or ":" in name:
        return None
    try:
        found = resolve_problem(name, dim=row.dim)
    except InputError:  # a label, or a library that is not there
        return None
    same = identity(found) == row.content if row.content else is_told_by_name(name)
    return found if same else None


def choose_reference(labels: tuple[str, ...], reference: str | None) -> str:
    """The label given, else the paper's algorithm, else the last."""
    if reference is None:
        return PAPER if PAPER in labels else labels[-1]
    if reference not in labels:
        raise InputError(f"reference: {reference!r} is none of the algorithms ({', '.join(labels)})")
    return reference


def compare_experiment(
    planned: Experiment, store: Store | str | os.PathLike[str] | None, *, workers: Any = None,
    reference: str | None = None, progress: TaskProgress | None = None, policy: FaultPolicy = DEFAULT,
    retry_failed: bool = False,
) -> Comparison:  # fmt: skip
    """Run what is missing of an experiment and compare all of it."""
    options: dict[str, Any] = {"progress": progress, "policy": policy, "retry_failed": retry_failed}
    if not isinstance(store, Store):
        with Store(store) as opened:
            return compare_experiment(planned, opened, workers=workers, reference=reference, **options)
    chosen = choose_reference(planned.algorithms, reference)
    outcome = run(planned, store, workers, **options)
    rows, failures = tuple(store.rows(planned.tasks)), tuple(outcome.failures)
    tasks = {task.problem: task for task in planned.tasks}
    cases = {name: task.make_problem() for name, task in tasks.items()}
    remarks = _other_versions(rows)
    for remark in remarks:
        warnings.warn(f"store: {remark}", stacklevel=4)
    return Comparison(planned.name, planned.algorithms, planned.problems, chosen, rows, failures, cases, remarks,
                      planned.tasks)  # fmt: skip


def _other_versions(rows: tuple[Row, ...]) -> tuple[str, ...]:
    """What to say of rows that were made with other versions than these; those of peers belong to the keys."""
    found = []
    for name, version in versions().items():
        others = [row.versions[name] for row in rows if row.versions.get(name, version) != version]
        if others:
            found.append(
                f"{len(others)} of {len(rows)} runs were made with {name} {', '.join(sorted(set(others)))}, here is "
                f"{version}; another store has them run anew."
            )
    return tuple(found)


def compare(
    algorithms: Algorithms, problems: Problems, *, dim: int | None = None, maxfev: int = 10_000, popsize: int = 100,
    runs: int = 30, rng: Seed = None, store: Store | str | os.PathLike[str] | None = None, workers: Any = 1,
    reference: str | None = None, progress: TaskProgress | None = None,
    name: str = "comparison", faults: FaultPolicy | None = None, retry_failed: bool = False,
) -> Comparison:  # fmt: skip
    """Compare algorithms on problems.

    A store keeps all runs. The same call with more runs, problems or algorithms makes only the new ones, and resumes an
    interrupted comparison. Without a store autov writes nothing.

    Args:
        algorithms: names such as "shade", "de+F=0.7" (a setting), "paper-h3", "evolution:operator.json" and
            "label=name", or a dict of label -> name or algorithm.
        problems: names, ranges such as "paper-f1..paper-f13", problems, or a dict of name -> problem.
        dim: number of variables where it is open; None for 30 on the classic problems.
        maxfev: evaluations of a run.
        popsize: population size.
        runs: runs of each algorithm on each problem.
        rng: seed; run i owns the stream (seed, i). None for a fresh one; with a store for 1, so that the same call
            resumes.
        store: a file such as "results.db", an open Store, or None to keep nothing.
        workers: processes, -1 for all cores; an Executor, a Dask client, or a map-like callable.
        reference: label of the algorithm that marks compare with; "paper-h3" or the last one by default.
        progress: called with (finished tasks, all tasks, seconds left or None).
        name: for captions.
        faults: `autov.FaultPolicy`: the timeout of an evaluation, and whether one that fails counts as worst.
        retry_failed: run tasks that ended their worker process again, too.

    Returns:
        A `Comparison`: ``table()`` has means and signs, ``values(problem, algorithm)`` the best values of the runs,
        ``scores().ranks`` the average ranks, and ``plot()`` draws best values over evaluations. `autov.reports` writes
        tables, plots and pages of it.

    Examples:
        >>> import autov
        >>> size = {"dim": 2, "maxfev": 300, "popsize": 20, "runs": 5}
        >>> compared = autov.compare(["de", "ga"], "sphere,ackley+family=translate", workers=1, **size)
        >>> compared
        <Comparison 'comparison': 2 algorithms, 2 problems, 20 runs>
        >>> compared.values("sphere", "de").shape  # print(compared.table()) shows means and signs
        (5,)
    """
    policy, seed = fault_policy(faults), seed_of(1 if rng is None and store is not None else rng)
    planned = experiment(algorithms, problems, dim=dim, maxfev=maxfev, popsize=popsize, runs=runs, seed=seed, name=name)
    return compare_experiment(
        planned, store, workers=workers, reference=reference, progress=progress, policy=policy,
        retry_failed=retry_failed,
    )  # fmt: skip
