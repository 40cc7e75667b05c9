"""`minimize`: the front door for people who have a function and want its minimum."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autov.algorithms.base import External
from autov.algorithms.first_step import with_first_step
from autov.algorithms.resolve import resolve_algorithm
from autov.core import Array, InputError, Seed, inferred_bounds, seed_of
from autov.problems import Problem, instance_of, space_of, space_of_bounds
from autov.runs.asynchronous import AsynchronousRun, check_schedule
from autov.runs.budget import budget_of, population_of
from autov.runs.conclusion import attach, ending, evaluations_shown, exceeded, interrupted, value_shown
from autov.runs.described import CATEGORIES, default_algorithm, shown_result, shown_run, shown_state
from autov.runs.driver import solve
from autov.runs.evaluation import (
    FaultCount,
    FaultPolicy,
    PointEvaluator,
    check_policy,
    engine_for,
    evaluating,
    fault_policy,
    sentence,
)
from autov.runs.evaluation_journal import KEPT, Journal
from autov.runs.experience import Experience
from autov.runs.going_on import counted_on, going_on, repeats_itself, seed_after, with_known
from autov.runs.known_points import known_points
from autov.runs.live_run import LiveRun, Run
from autov.runs.noise import minimize_noisy, noise_of
from autov.runs.run_start import described_known, frozen, known_of_file, learnt_from, problem_of, seed_and_saved
from autov.runs.run_state import Progress
from autov.runs.sources import context_of, described, has_files
from autov.runs.stopping import NOISY, Monitor, Stopping, as_result, stopping_of

if TYPE_CHECKING:
    from autov.runs.result import Result


def minimize(
    fun: Any, bounds: Any = None, *, args: tuple[Any, ...] = (), algorithm: Any = None, x0: Array | None = None,
    maxfev: int | None = None, target: float | None = None, stop: Stopping | None = None,
    faults: FaultPolicy | None = None, popsize: int | None = None, rng: Seed = None, workers: Any = 1,
    dim: int | None = None, vectorized: bool = False, constraints: Any = None, integrality: Any = None,
    callback: Callable[..., Any] | None = None, disp: bool = False, history: bool = False,
    store: str | os.PathLike[str] | None = None, known: Any = None, learn_from: Any = None, context: Any = None,
    noise: Any = None, schedule: str = "batches", x0_std: float | None = None,
) -> Result:  # fmt: skip
    """Minimise a function of real or integer variables in a box, under constraints if there are any.

    Args:
        fun: a function of one point (1-D array) that returns a number; with ``vectorized``, of a batch (n, d) that
            returns (n,); a function compiled by ``numba.njit``; a problem; or a problem's name such as "rastrigin".
        bounds: a (min, max) pair for each variable, equal ones for a fixed one; left out for problems and names. For an
            infinite or missing bound of a function 10 max(1, |x0|) around x0 are searched.
        args: further arguments of fun.
        algorithm: a name such as "shade", "de+F=0.7" or "cma:default" (see ``autov list algorithms``), an optimiser's
            JSON file, a design, settings, or an operator, which then runs in the paper's metaheuristic; None for
            "general", which was designed for many kinds of functions (docs/quality.md).
        x0: a first point or population.
        maxfev: number of evaluations; the run makes exactly this number unless something below ends it. None: until the
            run has converged, at most 1,000 (d + 10).
        target: end when a value as small as this is found.
        stop: `autov.Stopping` with further criteria: ftol, xtol, maxtime, patience.
        faults: `autov.FaultPolicy`: the timeout of an evaluation, and whether one that fails counts as worst.
        popsize: size of the population, for algorithms that do not have their own; None for 100.
        rng: seed (or NumPy Generator); the same seed gives identical results.
        workers: processes for a slow Python function of single points (-1 for all cores), an Executor, or a map-like
            callable.
        dim: variables of a named problem that leaves it open; 30 by default.
        vectorized: fun, and functions of constraints, take batches.
        constraints: `scipy.optimize.LinearConstraint`, `NonlinearConstraint`, a dict with type and fun, or several.
            "returned" where fun returns ``(value, g)`` or ``(value, g, h)``, each a number or an array: a point is
            feasible where g <= 0 and h = 0 (within 1e-4).
        integrality: a truth value for each variable, or one for all: whether it is an integer.
        callback: ``callback(intermediate_result)`` after each generation; returning True or raising StopIteration ends.
            ``callback(xk)`` and ``callback(xk, convergence)`` are called as SciPy does; ``callback(state)`` gets an
            `autov.RunState`: evaluations, best point, time left, busy workers, members, none of which can be changed.
        disp: print a line for each generation.
        history: keep every point: ``result.history.x`` (n, d) and ``result.history.fun`` (n,); with constraints also
            ``result.history.violation`` (n,), 0 where a point is feasible.
        store: an SQLite file to which every evaluation is written as it comes; the same call resumes from it after a
            crash with identical results and evaluates no stored point again. With a larger maxfev it continues there.
        known: evaluations of this problem that were made before: ``(x, f)``, a result with its history, a table
            (pandas; a column for each variable, and "f", "value" or the last one with the values), an optuna study, or
            the name of a CSV file or of a store. They are not evaluated again and do not count; the best of them are
            the first population, and the result if nothing better is found.
        learn_from: earlier runs on other problems of the kind, with the same bounds: a store, of which every run is a
            source, a result, or what ``known`` takes; or several of these. Their best points are tried first, with at
            most a twentieth of the budget; if they are good, the algorithm starts around them. It may be ``store``.
        context: numbers that describe this problem, if those of earlier runs were given, too: similar runs count more,
            and where the optimum lies is predicted.
        noise: None: values are taken as they are. True, or the standard deviation of the values: fun is noisy. A fifth
            of the budget then repeats candidates, x is the recommended one of them, fun the mean of its last values and
            fun_std the standard error of that mean; x_luckiest has the smallest observed value. Unless ``algorithm`` is
            given, a strategy with a large population searches. "auto": three evaluations of one point detect
            noise. See docs/noise.md.
        schedule: "batches" evaluates whole batches of the algorithm, with identical results for any workers;
            "asynchronous" gives an idle worker a point at once and tells values as they come, which keeps all
            workers busy, and is repeated to the bit from its ``store`` only (docs/scale.md).
        x0_std: the standard deviation of first steps around x0, as a part of the box, where x0 is good already; for
            "general" and other algorithms that have a first step.

    Returns:
        An `autov.Result`, which is a ``scipy.optimize.OptimizeResult``: x, fun, nfev, success, status, message and
        others, all described there. It plots itself (``result.plot()``).
        If values of fun are noisy and ``noise`` is None, ``result.fun`` is the smallest one seen: an optimistic
        estimate and not the expected value at x. The message says so where autov knows of the noise: of a named
        problem, or when a point was evaluated twice with different values.
        An exception, Ctrl-C too, has the result so far: ``error.autov_result``, with its ``history`` where fun is a
        Python function.

    Examples:
        >>> import autov
        >>> bounds = [(-5, 5)] * 3
        >>> result = autov.minimize(lambda x: ((x - 1) ** 2).sum(), bounds, rng=1)
        >>> result.success, bool(result.fun < 1e-9), result.x.round(2).tolist()
        (True, True, [1.0, 1.0, 1.0])

        A function of whole populations, another algorithm, and an end that is not the budget:

        >>> options = {"vectorized": True, "algorithm": "de", "target": 0.01, "rng": 2}
        >>> result = autov.minimize(lambda x: (x**2).sum(axis=1), bounds, **options)
        >>> result.message
        'The target 0.01 is reached.'
    """
    level, own_space = None if noise is None else noise_of(noise), space_of_bounds(bounds)
    bounds = bounds if own_space is None else own_space
    plain_bounds = own_space is None and not isinstance(fun, (str, Problem))
    if level is not None and schedule != "batches":
        raise InputError("noise: not with schedule='asynchronous' yet")
    if level is not None:
        plain = partial(
            minimize, fun, bounds, args=args, x0=x0, target=target, stop=stop, faults=faults, popsize=popsize,
            workers=workers, dim=dim, vectorized=vectorized, constraints=constraints, integrality=integrality,
            callback=callback, disp=disp, store=store, known=known, learn_from=learn_from, context=context,
            x0_std=x0_std,
        )  # fmt: skip
        if plain_bounds:
            bounds = inferred_bounds(bounds, x0)[0]
        problem = problem_of(fun, bounds, dim, vectorized, args, constraints, integrality)
        return minimize_noisy(plain, problem, level, algorithm, x0, maxfev, rng, workers, fault_policy(faults), history)
    made_up = None
    if plain_bounds:
        bounds, made_up = inferred_bounds(bounds, x0)
    problem = problem_of(fun, bounds, dim, vectorized, args, constraints, integrality)
    space = space_of(problem)
    x0 = x0 if space is None or x0 is None else space.several("x0", x0)
    given = default_algorithm(problem) if algorithm is None else algorithm
    chosen = resolve_algorithm(given)
    chosen = chosen if x0_std is None else with_first_step(chosen, x0, x0_std)
    policy, failed = fault_policy(faults), FaultCount()
    check_policy(problem, policy)
    stopping, dims = stopping_of(stop, target), problem.box.dim
    if isinstance(chosen, External) and (name := stopping.needs_population()):
        raise InputError(f"{name}: {chosen.name} runs as a whole and shows no population; use target or patience")
    until_converged, maxfev, popsize = maxfev is None, budget_of(maxfev, dims), population_of(popsize, chosen, given)
    live, asynchronous = LiveRun(), schedule != "batches" and check_schedule(schedule, problem, chosen)
    progress = Progress(maxfev, value_shown(problem), lambda: {} if live.run is None else live.run.members)
    monitor = Monitor(
        problem.box, stopping, callback, disp, lambda run: shown_state(progress.state(run), space),
        lambda x: exceeded(problem, x, journal), until_converged, lambda run: shown_run(run, space),
    )  # fmt: skip
    with ExitStack() as stack:
        before = None if known is None or isinstance(known, (str, os.PathLike)) else known_points(known, problem)
        numbers = np.empty(0) if context is None else context_of(context)
        learnt = b"" if learn_from is None or has_files(learn_from) else learnt_from(learn_from, problem, numbers)
        more = {} if known is None else described_known(known, before)
        if learn_from is not None:
            more["learn_from"] = described(learn_from, learnt)
        if context is not None:
            more["context"] = numbers.tolist()
        if asynchronous:
            more["schedule"] = schedule
            if learn_from is not None:
                raise InputError("learn_from: not with schedule='asynchronous' yet; give known or x0")
        seed, saved = (
            (seed_of(rng), None)
            if store is None
            else seed_and_saved(stack, store, rng, problem, chosen, popsize, maxfev, x0, policy, more)
        )
        if isinstance(known, (str, os.PathLike)):
            before = known_of_file(known, problem, saved)
        if learn_from is not None and has_files(learn_from):
            learnt = frozen(saved, "experience", partial(learnt_from, learn_from, problem, numbers))
        experience = Experience.from_bytes(learnt, problem.box.dim) if learnt else None
        run_with: dict[str, Any] = {"maxfev": maxfev, "popsize": popsize, "x0": x0, "seed": seed}
        run_with |= {"known": before, "experience": experience}
        watch: Callable[[Run], bool] | None = monitor if monitor.active else None
        earlier, counted = None, None
        if saved is not None:
            repeats = partial(repeats_itself, saved, problem, chosen, **run_with)
            repeats = (lambda: False) if asynchronous else repeats
            saved, earlier = going_on(saved, maxfev, instance_of(problem, 0).box, repeats)
        if earlier is not None:
            counted, experience = partial(counted_on, earlier, value_shown(problem)), None
            run_with |= {"known": with_known(before, earlier), "maxfev": maxfev - len(earlier.fun)}
            run_with |= {"experience": None, "seed": seed_after(seed, len(earlier.fun))}
            watch = None if watch is None else lambda run: monitor(counted_on(earlier, value_shown(problem), run))
            live.show(counted)
        call = None
        if not asynchronous:
            call = stack.enter_context(evaluating(instance_of(problem, 0), workers, progress.time, policy, failed))
        journal = Journal(call, dims, history or maxfev * dims <= KEPT, saved, progress, earlier)
        observe = journal.observe if call is None and (history or saved is not None) else None
        try:
            if asynchronous:
                del run_with["experience"]
                engine = stack.enter_context(engine_for(workers, policy))
                evaluator = PointEvaluator(engine, policy, failed, progress.time)
                begun = AsynchronousRun(problem, chosen, journal=journal, saved=saved, **run_with)  # type: ignore[arg-type]
                run = begun.solve(evaluator, watch, live)
            else:
                run = solve(
                    problem, chosen, evaluate=None if call is None else journal, rows=call is not None, watch=watch,
                    observe=observe, live=live, **run_with,
                )  # fmt: skip
        except BaseException as error:  # Ctrl-C, too
            attach(error, interrupted(live.run, evaluations_shown(journal, problem), space), saved)
            raise
        if saved is not None:
            saved.finish(maxfev, run.leader)
    if counted is not None:
        run = counted(run)
    result = as_result(run)
    result.update(ending(run, monitor, problem, maxfev, made_up, journal))
    made = evaluations_shown(journal, problem)
    if np.isfinite(run.fun) and (getattr(problem, "noisy", None) or made.noisy):
        result.message += f" {NOISY}"
    if before is not None and np.isfinite(run.fun) and not run.fun < before.fun.min():
        result.message += " The best point was known before."
    if experience is not None:
        result.message += f" {experience.sentence(bool(run.experienced))}"
    if context is not None:
        result.context = numbers
    if failed.counts:
        result.message += f" {sentence(failed.counts, failed.first)}"
    if algorithm is None and chosen.name == CATEGORIES:
        result.message += f" {chosen.name} searched, because there are categories."
    if not asynchronous and learn_from is None and not isinstance(chosen, External):
        result.message += progress.time.advice
    result.failed = dict(failed.counts)
    result.update(trace_nfev=run.trace_nfev.copy(), trace_best=run.trace_best.copy())
    if history:
        result.history = made
    progress.end(result.message)
    return shown_result(result, space)
