"""One run of an algorithm on a problem: the loop that everything else repeats."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from autov.algorithms.base import (
    Algorithm,
    AnyMetaheuristic,
    Batch,
    Compiled,
    External,
    ModelsConstraints,
    Outcome,
    at_work,
    next_state,
)
from autov.algorithms.compiled import AnyRun, outcome_so_far
from autov.algorithms.population import initial_points
from autov.algorithms.warm_start import WarmStart
from autov.core import Array, Generator, InputError, generator, whole_number
from autov.core.blas import one_blas_thread
from autov.kernels.evolution import run as kernels
from autov.kernels.objective import Objective
from autov.problems import (
    FreeVariables,
    MayRaise,
    Problem,
    instance_of,
    without_fixed,
)
from autov.runs.budget import BudgetedObjective, BudgetSpent, Evaluations, NothingNew, Observe, point_cache_for
from autov.runs.constraint_rows import Constraints, modelling
from autov.runs.described import fitted
from autov.runs.experience import Experience
from autov.runs.known_points import first_points_of, leading
from autov.runs.live_run import LiveRun, Run, Watch, presented, run_so_far


def solve(
    problem: Problem, algorithm: Algorithm, *, maxfev: int = 10_000, popsize: int = 100, seed: int = 0,
    run: int = 0, x0: Array | None = None, watch: Watch | None = None, evaluate: Batch | None = None,
    check_box: bool = True, observe: Observe | None = None, live: LiveRun | None = None,
    known: Evaluations | None = None, experience: Experience | None = None, rows: bool = False,
) -> Run:  # fmt: skip
    """Run an algorithm with exactly maxfev evaluations, or until ``watch(run so far)`` is true.

    The result depends on (seed, run) and on nothing else. ``evaluate`` replaces calls of the problem (for workers).
    A compiled algorithm on a compiled problem runs as one compiled piece unless watched: identical results, faster.
    Fixed variables are taken out before and put back afterwards. A family gives the instance of the run. An algorithm
    that asks for a point outside the box is refused, unless ``check_box`` is off. ``observe(x, f)`` sees all that is
    evaluated, constrained problems in penalized values. The run of a constrained problem has the value infinity where
    its best point is not feasible; where all variables are integers no point is evaluated twice. BLAS has
    one thread while it runs, as in worker processes: its sums depend on their number. ``live`` has the run at any time,
    also after an exception. ``known`` are evaluations of the same problem (`known_points`): they are first points,
    are not evaluated again, and the best of them may be the result. ``experience`` of other problems says which points
    are tried first. ``rows`` says that ``evaluate`` gives rows (`Constrained.rows`) where there are constraints.
    """
    options: dict[str, Any] = {
        "maxfev": whole_number("maxfev", maxfev, 1), "popsize": whole_number("popsize", popsize, 2), "seed": seed,
        "run": run, "x0": x0, "watch": watch, "evaluate": evaluate, "check_box": check_box,
        "observe": observe, "live": LiveRun() if live is None else live,
        "known": None if known is None or not len(known.fun) else known, "experience": experience, "rows": rows,
    }  # fmt: skip
    with one_blas_thread():
        problem = instance_of(problem, run)
        present = presented(problem)
        options["live"].show(present)
        if watch is not None:
            options["watch"] = lambda run: watch(present(run))
        free = without_fixed(problem)
        if isinstance(free, FreeVariables) and free is not problem:
            return present(_solve_free(free, algorithm, **options))
        return present(_solve(problem, algorithm, **options))


def _solve(
    problem: Problem, algorithm: Algorithm, *, maxfev: int, popsize: int, seed: int, run: int, x0: Array | None,
    watch: Watch | None, evaluate: Batch | None, check_box: bool, observe: Observe | None, live: LiveRun,
    known: Evaluations | None, experience: Experience | None, rows: bool,
) -> Run:  # fmt: skip
    rng, noise = generator(seed, run), generator(seed, run, 1)
    if experience is not None and isinstance(algorithm, WarmStart):  # its memory is experience, too
        experience, algorithm = experience.joined(algorithm.memory), algorithm.cold
    algorithm = fitted(algorithm, problem)
    call = evaluate or (lambda x: problem(x, noise))
    spent = BudgetedObjective(call, problem.box, maxfev, point_cache_for(problem, maxfev, known), observe, known)
    spent.gives_rows = rows or evaluate is None
    limits = Constraints.of(problem) if spent.gives_rows and isinstance(algorithm, ModelsConstraints) else None
    models = None if limits is None else modelling(algorithm, limits.integrality, maxfev)
    if limits is None or models is None:
        limits = None
    else:
        algorithm = models
        if evaluate is None:
            spent.evaluate = partial(limits.rows, noise)
    planned = maxfev
    if experience is not None:
        live.follow(lambda: _without_population(spent, True) if spent.found else None)
        x0, used = _try_first(experience, spent, problem, popsize, generator(seed, run, 2), known, x0)
        if watch is not None:
            watch = partial(_watch_experienced, watch, used)
        if not spent.left or (watch is not None and watch(_without_population(spent, False))):
            ended = replace(_without_population(spent, True), improved=spent.improvements())
        elif isinstance(algorithm, External):
            ended = _run_whole(algorithm, spent, popsize, rng, x0, watch, live)
        else:
            state = algorithm.init(problem.box, popsize, maxfev, rng, x0)
            ended = _ask_and_tell(problem, algorithm, state, spent, None, rng, watch, check_box, popsize, live, limits)
        return replace(ended, experienced=used)
    if known is not None:
        x0, free = first_points_of(known, algorithm, problem.box, popsize, maxfev, x0)
        planned += free  # an algorithm counts them, the budget does not
    if isinstance(algorithm, External):
        return _run_whole(algorithm, spent, popsize, rng, x0, watch, live)
    start = time.perf_counter()
    state = algorithm.init(problem.box, popsize, planned, rng, x0)
    objective = None
    if evaluate is None and isinstance(algorithm, Compiled) and algorithm.compiles:
        objective = problem.objective()
        if objective is not None and watch is None and observe is None and known is None:
            begun: list[AnyRun] = []
            live.follow(lambda: _compiled_so_far(begun, start))
            outcome = algorithm.run_compiled(state, objective, maxfev, begun)
            raise_noted(problem, objective)
            return _compiled_run(outcome, maxfev, False, start)
    return _ask_and_tell(problem, algorithm, state, spent, objective, rng, watch, check_box, popsize, live, limits)


def _try_first(
    experience: Experience, spent: BudgetedObjective, problem: Problem, popsize: int, rng: Generator,
    known: Evaluations | None, x0: Array | None,
) -> tuple[Array | None, bool]:  # fmt: skip
    """Try what experience says; first points then, and whether they are those of experience.

    Points of x0 come before them. Known points that are better than all that was tried come in their place.
    """
    made, first = experience.begin(spent, popsize, rng)
    used = first is not None
    if known is not None and known.fun.min() <= made.fun.min():
        first, used = known.x[leading(known.fun, popsize)], False
    if spent.known is None:
        spent.known = point_cache_for(problem, spent.maxfev, made)
    else:
        spent.known.learn(*made)
    if first is None:
        return x0, used
    return np.concatenate([initial_points(problem.box, popsize, x0), first])[:popsize], used


def _watch_experienced(watch: Watch, used: bool, run: Run) -> bool | None:
    return watch(replace(run, experienced=used))


def _without_population(spent: BudgetedObjective, stopped: bool) -> Run:
    return run_so_far(spent, spent.best_x[None].copy(), np.array([spent.best]), stopped)


def _compiled_run(outcome: Outcome, nfev: int, stopped: bool, start: float) -> Run:
    return Run(
        outcome.x, outcome.fun, nfev, outcome.nit, outcome.population, outcome.values, outcome.trace_nfev,
        outcome.trace_best, outcome.nans, stopped, time.perf_counter() - start,
    )  # fmt: skip


def _compiled_so_far(begun: list[AnyRun], start: float) -> Run | None:
    found = outcome_so_far(begun)
    return None if found is None else _compiled_run(found, int(found.trace_nfev[-1]), True, start)


def _ask_and_tell(
    problem: Problem, algorithm: AnyMetaheuristic, state: Any, spent: BudgetedObjective, objective: Objective | None,
    rng: Generator, watch: Watch | None, check_box: bool, popsize: int, live: LiveRun, limits: Constraints | None,
) -> Run:  # fmt: skip
    population, values = np.empty((0, problem.box.dim)), np.empty(0)
    live.follow(lambda: run_so_far(spent, population, values, True) if spent.found else None)
    stopped = False
    while spent.left and not stopped:
        asked, state = algorithm.ask(state, rng)
        asked = np.asarray(asked, dtype=np.float64)
        if (
            asked.ndim != 2
            or not len(asked)
            or asked.shape[1:] != (problem.box.dim,)
            or (check_box and not problem.box.holds(asked))
        ):
            raise InputError(f"algorithm: {algorithm.name} asked for a point outside the box or of another dimension")
        x, before = spent.affordable(asked), spent.nfev
        f = spent.take(x, None if objective is None else partial(_take_compiled, problem, objective, state, spent))
        spent.credit(at_work(algorithm, state), spent.nfev - before)
        if len(x) == len(asked):
            if limits is not None and isinstance(algorithm, ModelsConstraints):
                state = algorithm.learn(state, limits.rounded(x), limits.known(x, spent.rows))
            state = next_state(algorithm, True, state, x, f, rng)
            population, values = algorithm.population(state)
        elif not len(values):  # even the first batch was cut
            population, values = x, f
        if spent.known is not None and spent.known.stale:
            spent.known.refresh()
            state = algorithm.init(problem.box, popsize, spent.maxfev, rng)
        if watch is not None:
            stopped = bool(watch(run_so_far(spent, population, values, False)))
    return replace(run_so_far(spent, population, values, stopped), improved=spent.improvements())


def _take_compiled(problem: Problem, objective: Objective, state: Any, spent: BudgetedObjective, x: Array) -> Array:
    """Values of points, with noise from the stream of the compiled run."""
    f = np.empty(len(x))
    nans = kernels.evaluate_blocks(state.key, state.generation, objective, np.ascontiguousarray(x), f)
    raise_noted(problem, objective)
    spent.note(x, f, nans)
    return f


def _run_whole(
    algorithm: External, spent: BudgetedObjective, popsize: int, rng: Generator, x0: Array | None, watch: Watch | None,
    live: LiveRun,
) -> Run:  # fmt: skip
    """Run it; if it ends before the budget is used up, again with another seed and what is left."""

    def result(stopped: bool) -> Run:
        return _without_population(spent, stopped)

    live.follow(lambda: result(True) if spent.found else None)
    if watch is not None:
        spent.watch = lambda: bool(watch(result(False)))
    algorithm.check_fit(spent.box, popsize, spent.maxfev, x0)
    try:
        before = -1
        while before < spent.nfev:
            before = spent.nfev
            seed = int(rng.integers(1, 2**31))
            try:
                algorithm.minimize_with(spent, spent.box, popsize, spent.left, seed, None if before else x0)
            except NothingNew:
                assert spent.known is not None
                spent.known.refresh()
                before = -1
    except BudgetSpent:
        pass
    if not spent.found:
        raise RuntimeError(f"{algorithm.name}: ended without any evaluation")
    return replace(result(spent.stopped), improved=spent.improvements())


def _solve_free(
    free: FreeVariables, algorithm: Algorithm, *, x0: Array | None, watch: Watch | None, evaluate: Batch | None,
    popsize: int, observe: Observe | None, live: LiveRun, known: Evaluations | None,
    experience: Experience | None, **options: Any,
) -> Run:  # fmt: skip
    """A run on the free variables, its points completed."""

    def completed(run: Run) -> Run:
        return replace(run, x=free.complete(run.x[None])[0], population=free.complete(run.population))

    if x0 is not None:
        x0 = initial_points(free.problem.box, popsize, x0)[:, free.free]
    live.show(completed)
    result = _solve(
        free, algorithm, x0=x0, watch=None if watch is None else lambda run: watch(completed(run)),
        evaluate=None if evaluate is None else lambda x: evaluate(free.complete(x)), popsize=popsize,
        observe=None if observe is None else lambda x, f: observe(free.complete(x), f), live=live,
        known=None if known is None else Evaluations(known.x[:, free.free], known.fun),
        experience=None if experience is None else experience.free(free.free), **options,
    )  # fmt: skip
    return completed(result)


def check_fit(algorithm: Algorithm, box: Any, popsize: int, maxfev: int) -> None:
    """Say now, before anything is run, what does not fit: a population too small, a missing library."""
    if isinstance(algorithm, External):
        algorithm.check_fit(box, popsize, maxfev)
    else:
        algorithm.init(box, popsize, maxfev, generator(0))


def raise_noted(problem: Problem, objective: Objective) -> None:
    """Raise what a function compiled by Numba raised during a compiled run, if anything."""
    if isinstance(problem, MayRaise):
        problem.raise_noted(objective.context)
