"""One run to be made: which algorithm, which problem, which budget, which stream of random numbers."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from autov.algorithms import Evolution
from autov.algorithms.base import AnyMetaheuristic
from autov.core import InputError
from autov.experiments.describe import canonical, describe, digest, settings
from autov.operators import from_dict, load_operator
from autov.problems import Problem, parse

Resolver = Callable[[str], AnyMetaheuristic]
RESOLVERS: dict[str, Resolver] = {}  # prefix of "prefix:name" -> what makes an algorithm of the name


@dataclass(frozen=True)
class Task:
    """A run. Two tasks are equal, and have the same key, if they must give the same result; labels do not matter."""

    algorithm: str
    settings: str  # canonical JSON of all settings, defaults included
    label: str = field(compare=False)  # what tables call the algorithm
    problem: str  # a name for `autov.problems.parse`, or of the object below
    content: str  # digest of a problem that is not autov's own, else empty
    dim: int
    maxfev: int
    popsize: int
    seed: int
    run: int
    solver: AnyMetaheuristic | None = field(default=None, compare=False, repr=False)  # if it has no name
    function: Problem | None = field(default=None, compare=False, repr=False)  # if it has no name

    @cached_property
    def key(self) -> str:
        """What the store knows the task by."""
        names = ("algorithm", "settings", "problem", "content", "dim", "maxfev", "popsize", "seed", "run")
        return digest(canonical({name: getattr(self, name) for name in names}))

    def make_algorithm(self) -> AnyMetaheuristic:
        """The algorithm with its settings."""
        if self.solver is not None:
            return self.solver
        values = json.loads(self.settings)
        if self.algorithm == Evolution.name:
            return Evolution(**{**values, "operator": from_dict(values["operator"])})
        from autov.algorithms.registry import make

        return make(self.algorithm, **values)

    def make_problem(self) -> Problem:
        """The problem, with the random matrix of this run if it has one."""
        return self.function if self.function is not None else parse(self.problem, self.dim, run=self.run)


def split_label(spec: str) -> tuple[str, str]:
    """Label and rest of ``label=spec``; a spec without a label is its own. The label has no ``= : +``."""
    match = re.fullmatch(r"([^=:+]+)=(.+)", spec.strip())
    return (match[1].strip(), match[2].strip()) if match else (spec.strip(), spec.strip())


def resolve_algorithm(spec: str | AnyMetaheuristic) -> AnyMetaheuristic:
    """The algorithm of a spec.

    ``shade``, ``de+F=0.7+CR=0.5`` (settings), ``autov`` (the paper's operator), ``autov:NAME_OR_FILE`` (another
    operator), ``prefix:name`` (whatever is registered in RESOLVERS), or an algorithm itself.
    """
    if not isinstance(spec, str):
        steps = ("run_whole",) if hasattr(spec, "run_whole") else ("ask", "tell", "population")
        if isinstance(spec, type) or not all(hasattr(spec, step) for step in ("init", *steps)):
            raise InputError(f"algorithm: expected a name or an object with init, ask, tell, population, got {spec!r}")
        return spec
    prefix, colon, rest = spec.partition(":")
    if colon and prefix == Evolution.name:
        return Evolution(load_operator(rest))
    if colon:
        if prefix not in RESOLVERS:
            known = ", ".join(f"{name}:" for name in (Evolution.name, *sorted(RESOLVERS)))
            raise InputError(f"algorithm: unknown prefix in {spec!r}; known are {known}")
        return RESOLVERS[prefix](rest)
    name, *pairs = spec.split("+")
    values = dict(_setting(spec, pair) for pair in pairs)
    if name == Evolution.name and not values:
        return Evolution()
    from autov.algorithms.registry import ALGORITHMS, make

    if name not in ALGORITHMS or name == Evolution.name:
        names = ", ".join(sorted({*ALGORITHMS, Evolution.name}))
        raise InputError(f"algorithm: unknown {spec!r}; one of {names}, autov:OPERATOR, or label=one of these")
    return make(name, **values)


def _setting(spec: str, pair: str) -> tuple[str, Any]:
    key, equals, text = pair.partition("=")
    if not equals or not key.isidentifier():
        raise InputError(f"algorithm: expected +setting=value in {spec!r}, got {pair!r}")
    try:
        return key, ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return key, text


def identify(algorithm: AnyMetaheuristic, spec: str | None = None) -> tuple[str, str, AnyMetaheuristic | None]:
    """Name, canonical settings, and the object itself where name and settings are not enough to make it again."""
    from autov.algorithms.registry import ALGORITHMS

    name = getattr(algorithm, "name", type(algorithm).__name__)
    if not isinstance(name, str) or not name:
        raise InputError(f"algorithm: the name of {type(algorithm).__name__} must be a text, got {name!r}")
    if type(algorithm) is Evolution or type(algorithm) is ALGORITHMS.get(name):
        return name, canonical(describe(settings(algorithm))), None
    return spec or name, canonical(describe(algorithm)), algorithm
