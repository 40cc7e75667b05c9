"""A list of tasks: algorithms times problems times runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from autov.algorithms import Algorithms, resolve_algorithms
from autov.core import InputError, identity, whole_number
from autov.experiments.task import Task, identify
from autov.problems import Problem, Problems, is_told_by_name, resolve_problems, without_fixed
from autov.runs import check_fit


@dataclass(frozen=True)
class Experiment:
    """Tasks under a name; algorithms and problems are those of the tasks, in their order."""

    name: str
    tasks: tuple[Task, ...]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Labels."""
        return tuple(dict.fromkeys(task.label for task in self.tasks))

    @property
    def problems(self) -> tuple[str, ...]:
        """Names."""
        return tuple(dict.fromkeys(task.problem for task in self.tasks))


def experiment(
    algorithms: Algorithms, problems: Problems, *, dim: int | None = None, maxfev: int = 10_000, popsize: int = 100,
    runs: int | Mapping[str, int] = 30, seed: int = 1, name: str = "comparison",
) -> Experiment:  # fmt: skip
    """Every algorithm on every problem, runs 0 to runs - 1; all first runs come first.

    Args:
        algorithms: specs (see `autov.algorithms.resolve_algorithm`), ``label=spec``, or a dict of label -> spec or
            algorithm.
        problems: names and ranges (see `autov.problems.expand_names`), problems, or a dict of label -> either.
        dim: variables of the problems that leave it open; None for their own (30 for the classic ones).
        maxfev: evaluations of a run.
        popsize: population size.
        runs: how many, or a dict of label -> how many; run i owns the random stream (seed, i).
        seed: of the experiment.
        name: for reports.
    """
    maxfev, popsize = whole_number("maxfev", maxfev, 1), whole_number("popsize", popsize, 2)
    solvers, cases = resolve_algorithms(algorithms), resolve_problems(problems, dim)
    counts = _runs(runs, tuple(solvers))
    first = []
    for title, problem in cases.items():
        content, function = _content(title, problem, problems)
        for label, (spec, algorithm) in solvers.items():
            check_fit(algorithm, without_fixed(problem).box, popsize, maxfev)
            called, settings = identify(algorithm, spec)
            first.append(
                Task(called, settings, label, title, content, problem.box.dim, maxfev, popsize, seed, 0, algorithm,
                     function)
            )  # fmt: skip
    tasks = (replace(t, run=run) for run in range(max(counts.values())) for t in first if run < counts[t.label])
    return Experiment(name, tuple(tasks))


def _content(title: str, problem: Problem, given: Problems) -> tuple[str, Problem | None]:
    """What decides the values of a problem ("" where its name says it all), and the problem if its name is not enough.

    Functions of files are found again by name in every worker, which need not be able to pickle them. What another
    library evaluates is known by its version, too.
    """
    by_name = not isinstance(given, Mapping) and not _is_object(title, given)
    if by_name and is_told_by_name(title):
        return "", None
    return identity(problem), None if by_name else problem


def _is_object(title: str, given: Problems) -> bool:
    items = [given] if isinstance(given, (str, Problem)) else list(given)
    return any(isinstance(item, Problem) and item.name == title for item in items)


def _runs(runs: int | Mapping[str, int], labels: tuple[str, ...]) -> dict[str, int]:
    if not isinstance(runs, Mapping):
        return dict.fromkeys(labels, whole_number("runs", runs, 1))
    if set(runs) != set(labels):
        raise InputError(f"runs: expected a number, or one for each of {', '.join(labels)}; got {dict(runs)}")
    return {label: whole_number("runs", count, 1) for label, count in runs.items()}
