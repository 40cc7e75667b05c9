"""A list of tasks: algorithms times problems times runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autov.algorithms.base import AnyMetaheuristic
from autov.algorithms.solve import whole
from autov.core import InputError, generator
from autov.experiments.describe import canonical, describe, digest
from autov.experiments.task import Task, identify, resolve_algorithm, split_label
from autov.problems import Problem, parse

Algorithms = str | Sequence[str] | Mapping[str, str | AnyMetaheuristic]
Problems = str | Problem | Sequence[str | Problem] | Mapping[str, Problem]
_RANGE = re.compile(r"(?P<stem>[A-Za-z_-]*)(?P<first>\d+)\.\.(?P<other>[A-Za-z_-]*)(?P<last>\d+)(?P<rest>\+.*)?")


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


def expand_problems(problems: str | Iterable[str]) -> list[str]:
    """Names from names, ranges and commas: ``paper-f1..paper-f13+rotate=run`` are thirteen, ``f1..f3,f9`` four."""
    items = [problems] if isinstance(problems, str) else list(problems)
    names: list[str] = []
    for item in (part.strip() for text in items for part in text.split(",")):
        match = _RANGE.fullmatch(item)
        if match is None:
            if not item:
                raise InputError(f"problems: an empty name in {', '.join(items)!r}")
            names.append(item)
            continue
        first, last = int(match["first"]), int(match["last"])
        if match["other"] not in ("", match["stem"]) or first > last or last - first > 999:
            raise InputError(f"problems: {item!r} is not a range such as paper-f1..paper-f13")
        names += [f"{match['stem']}{i}{match['rest'] or ''}" for i in range(first, last + 1)]
    return names


def named_algorithms(algorithms: Algorithms) -> dict[str, tuple[str | None, AnyMetaheuristic]]:
    """Label -> (spec, algorithm)."""
    if isinstance(algorithms, Mapping):
        pairs: list[tuple[str, Any]] = list(algorithms.items())
    else:
        specs = [algorithms] if isinstance(algorithms, str) else list(algorithms)
        for spec in specs:
            if not isinstance(spec, str):
                raise InputError(f"algorithms: give objects a name, as in {{'mine': {type(spec).__name__}(...)}}")
        pairs = [split_label(spec) for spec in specs]
    found: dict[str, tuple[str | None, AnyMetaheuristic]] = {}
    for label, spec in pairs:
        if label in found:
            raise InputError(f"algorithms: {label!r} is there twice; tell them apart with label=spec")
        found[label] = (spec if isinstance(spec, str) else None, resolve_algorithm(spec))
    if not found:
        raise InputError("algorithms: none given")
    return found


def named_problems(problems: Problems, dim: int | None) -> dict[str, tuple[Problem, str, bool]]:
    """Name -> (problem, digest of its content or "", whether the name alone makes it again)."""
    if isinstance(problems, Mapping):
        pairs: list[tuple[str, Any]] = list(problems.items())
    else:
        if not isinstance(problems, (str, Problem, Sequence)):
            raise InputError(f"problems: expected names or problems (see autov.function_problem), got {problems!r}")
        items: list[Any] = [problems] if isinstance(problems, (str, Problem)) else list(problems)
        listed = [name for item in items for name in (expand_problems(item) if isinstance(item, str) else [item])]
        pairs = [(item if isinstance(item, str) else item.name, item) for item in listed]
    found: dict[str, tuple[Problem, str, bool]] = {}
    for name, item in pairs:
        if name in found:
            raise InputError(f"problems: {name!r} is there twice")
        by_name = isinstance(item, str)
        if not isinstance(item, (str, Problem)) or (by_name and isinstance(problems, Mapping)):
            raise InputError(f"problems: expected names, problems or a dict of problems, got {item!r}")
        problem = parse(item, dim) if isinstance(item, str) else item
        own = by_name and ":" not in name
        found[name] = (problem, "" if own else digest(canonical(describe(problem))), by_name)
    if not found:
        raise InputError("problems: none given")
    return found


def experiment(
    algorithms: Algorithms, problems: Problems, *, dim: int | None = None, maxfev: int = 10_000, popsize: int = 100,
    runs: int | Mapping[str, int] = 30, seed: int = 1, name: str = "comparison",
) -> Experiment:  # fmt: skip
    """Every algorithm on every problem, runs 0 to runs - 1; all first runs come first.

    Args:
        algorithms: specs (see `resolve_algorithm`), ``label=spec``, or a dict of label -> spec or algorithm.
        problems: names and ranges (see `expand_problems`), problems, or a dict of name -> problem.
        dim: variables of the problems that leave it open; None for their own (30 for the classic ones).
        maxfev: evaluations of a run.
        popsize: population size.
        runs: how many, or a dict of label -> how many; run i owns the random stream (seed, i).
        seed: of the experiment.
        name: for reports.
    """
    maxfev, popsize = whole("maxfev", maxfev, 1), whole("popsize", popsize, 2)
    if dim is not None:
        dim = whole("dim", dim, 1)
    solvers, cases = named_algorithms(algorithms), named_problems(problems, dim)
    counts = _runs(runs, tuple(solvers))
    first = []
    for title, (problem, content, by_name) in cases.items():
        for label, (spec, algorithm) in solvers.items():
            algorithm.init(problem.box, popsize, maxfev, generator(seed))  # says now what does not fit
            identity, settings, solver = identify(algorithm, spec)
            first.append(
                Task(identity, settings, label, title, content, problem.box.dim, maxfev, popsize, seed, 0,
                     solver, None if by_name else problem)
            )  # fmt: skip
    tasks = (replace(t, run=run) for run in range(max(counts.values())) for t in first if run < counts[t.label])
    return Experiment(name, tuple(tasks))


def _runs(runs: int | Mapping[str, int], labels: tuple[str, ...]) -> dict[str, int]:
    if not isinstance(runs, Mapping):
        return dict.fromkeys(labels, whole("runs", runs, 1))
    if set(runs) != set(labels):
        raise InputError(f"runs: expected a number, or one for each of {', '.join(labels)}; got {dict(runs)}")
    return {label: whole("runs", count, 1) for label, count in runs.items()}
