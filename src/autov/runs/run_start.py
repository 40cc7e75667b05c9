"""What a run begins with: its problem, its seed, known evaluations, experience; of a stored one what it began with."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from autov.core import Array, InputError, Seed, canonical, describe, digest, identity, seed_of
from autov.problems import (
    Problem,
    constrained,
    function_problem,
    instance_of,
    is_returned,
    resolve_problem,
    space_of,
)
from autov.runs.budget import Evaluations
from autov.runs.evaluation import DEFAULT, FaultPolicy
from autov.runs.experience import learn
from autov.runs.known_points import from_bytes, known_points, to_bytes, variable_names
from autov.runs.run_store import RunStore, SavedRun
from autov.runs.sources import sources_of


def problem_of(
    fun: Any, bounds: Any, dim: int | None, vectorized: bool, args: tuple[Any, ...], constraints: Any, integrality: Any
) -> Problem:  # fmt: skip
    """The problem of a call, with its constraints and integers."""
    if is_returned(constraints):
        if isinstance(fun, (str, Problem)):
            raise InputError(
                'constraints: "returned" is for a function; give it to autov.function_problem for a problem'
            )
        return function_problem(fun, bounds, vectorized, args, constraints=constraints, integrality=integrality)
    problem = resolve_problem(fun, bounds, dim=dim, vectorized=vectorized, args=args)
    if constraints is None and integrality is None:
        return problem
    return constrained(problem, constraints, integrality, vectorized)


def seed_and_saved(
    stack: ExitStack, path: str | os.PathLike[str], rng: Seed, problem: Problem, algorithm: Any, popsize: int,
    maxfev: int, x0: Any, policy: FaultPolicy, more: dict[str, Any],
) -> tuple[int, SavedRun]:  # fmt: skip
    """The seed, and where the run is kept: without rng an interrupted run is taken up again.

    Points that failed count as worst or not as the policy says, so it belongs to the key. Under the default one nothing
    that failed is ever written: what such a run has is true under every policy, and a run with another goes on from it.
    ``more`` is what else decides the run.
    """
    decided = identity(problem)
    decides = {"problem": decided, "algorithm": describe(algorithm), "popsize": popsize, "x0": describe(x0), **more}
    strict = key = digest(canonical(decides))
    if policy != DEFAULT:
        key = digest(canonical(decides | {"timeout": policy.timeout, "on_error": policy.on_error}))
    opened = stack.enter_context(RunStore(path))
    seed = opened.unfinished_seed(key, strict) if rng is None else None
    if seed is None and rng is None:
        seed = opened.shorter_seed(key, maxfev)
    seed = seed_of(rng) if seed is None else seed
    box, names, integrality = problem.box, variable_names(problem), getattr(problem, "integrality", ())
    about = {"problem": problem.name, "dim": box.dim, "algorithm": algorithm.name, "popsize": popsize,
             "maxfev": maxfev, "identity": digest(canonical(decided)), "lower": box.lower.tolist(),
             "upper": box.upper.tolist(), **({"names": list(names)} if names else {}), **_variables(problem),
             **({"cold": identity(algorithm)} if x0 is None and not more.keys() & {"known", "learn_from"} else {}),
             **({"integrality": list(integrality)} if integrality else {}),
             **{name: more[name] for name in ("context",) if name in more}}  # fmt: skip
    return seed, opened.open(key, seed, about, strict)


def _variables(problem: Problem) -> dict[str, Any]:
    """What a store says of described variables; nothing where they cannot be written down."""
    if (space := space_of(problem)) is None:
        return {}
    with suppress(InputError):
        return {"variables": space.to_dict()}
    return {}


def described_known(known: Any, before: Evaluations | None) -> dict[str, Any]:
    """What tells runs with known evaluations from others: the name of the file, or a digest of all numbers."""
    if isinstance(known, (str, os.PathLike)):
        return {"known": str(Path(known).resolve())}
    return {"known": "" if before is None else digest(to_bytes(before, before.x.shape[1]))}


def known_of_file(path: str | os.PathLike[str], problem: Problem, saved: SavedRun | None) -> Evaluations | None:
    """Known evaluations of a file; those that the stored run began with, because the file may have grown."""

    def read() -> Evaluations | None:
        return known_points(path, problem, digest(canonical(identity(problem))))

    box = instance_of(problem, 0).box
    return from_bytes(frozen(saved, "known", lambda: to_bytes(read(), box.dim)), box)


def frozen(saved: SavedRun | None, name: str, make: Callable[[], bytes]) -> bytes:
    """What a run begins with; of a stored run what it began with."""
    return make() if saved is None else saved.frozen(name, make)


def learnt_from(learn_from: Any, problem: Problem, context: Array) -> bytes:
    """What runs on other problems teach for this one, as it is stored."""
    found = learn(sources_of(learn_from, problem), problem.box, context if len(context) else None)
    return b"" if found is None else found.to_bytes()
