"""`minimize`: the front door for people who have a function and want its minimum."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from autov.algorithms.base import External
from autov.algorithms.resolve import resolve_algorithm
from autov.core import Array, InputError, Seed, canonical, describe, digest, identity, inferred_bounds, seed_of
from autov.problems import Constrained, Problem, constrained, instance_of, resolve_problem, to_base, unpenalized
from autov.runs.budget import Evaluations, budget_of, population_of
from autov.runs.driver import LiveRun, Run, solve
from autov.runs.evaluation import DEFAULT, FaultCount, FaultPolicy, check_policy, evaluating, fault_policy, sentence
from autov.runs.experience import Experience, learn
from autov.runs.known_points import from_bytes, known_points, to_bytes, variable_names
from autov.runs.run_store import KEPT, Journal, RunStore, SavedRun
from autov.runs.sources import context_of, described, has_files, sources_of
from autov.runs.stopping import (
    BUDGET,
    NOISY,
    Monitor,
    Stopping,
    as_result,
    has_converged,
    largest,
    stopping_of,
    verdict,
)

if TYPE_CHECKING:
    from autov.runs.result import Result


def minimize(
    fun: Any, bounds: Any = None, *, args: tuple[Any, ...] = (), algorithm: Any = None, x0: Array | None = None,
    maxfev: int | None = None, target: float | None = None, stop: Stopping | None = None,
    faults: FaultPolicy | None = None, popsize: int | None = None, rng: Seed = None, workers: Any = 1,
    dim: int | None = None, vectorized: bool = False, constraints: Any = None, integrality: Any = None,
    callback: Callable[..., Any] | None = None, disp: bool = False, history: bool = False,
    store: str | os.PathLike[str] | None = None, known: Any = None, learn_from: Any = None, context: Any = None,
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
        maxfev: how many evaluations; exactly that many are made unless something below ends the run. None: until the
            run has converged, at most 1,000 (d + 10).
        target: end when a value as small as this is found.
        stop: `autov.Stopping` with further criteria: ftol, xtol, maxtime, patience.
        faults: `autov.FaultPolicy`: the timeout of an evaluation, and whether one that fails counts as worst.
        popsize: size of the population, for algorithms that do not have their own; None for 100.
        rng: seed (or NumPy Generator); the same seed gives the same bits.
        workers: processes for a slow Python function of single points (-1 for all cores), an Executor, or a map-like
            callable.
        dim: variables of a named problem that leaves it open; 30 by default.
        vectorized: fun, and functions of constraints, take batches.
        constraints: `scipy.optimize.LinearConstraint`, `NonlinearConstraint`, a dict with type and fun, or several.
        integrality: a truth value for each variable, or one for all: whether it is an integer.
        callback: ``callback(intermediate_result)`` after each generation; returning True or raising StopIteration ends.
            ``callback(xk)`` and ``callback(xk, convergence)`` are called as SciPy does.
        disp: print a line for each generation.
        history: keep every point: ``result.history.x`` (n, d) and ``result.history.fun`` (n,).
        store: an SQLite file to which every evaluation is written as it comes; the same call goes on from it after a
            crash with the same bits, and evaluates nothing that is there.
        known: evaluations of this problem that were made before: ``(x, f)``, a result with its history, a table
            (pandas; a column for each variable, and "f", "value" or the last one with the values), an optuna study, or
            the name of a CSV file or of a store. They are not evaluated again and do not count; the best of them are
            the first population, and the result if nothing better is found.
        learn_from: earlier runs on other problems of the kind, with the same bounds: a store, of which every run is a
            source, a result, or what ``known`` takes; or several of these. Their best points are tried first, with at
            most a twentieth of the budget; if they are good, the algorithm starts around them. It may be ``store``.
        context: numbers that describe this problem, if those of earlier runs were given, too: similar runs count more,
            and where the optimum lies is predicted.

    Returns:
        ``scipy.optimize.OptimizeResult`` with x, fun, nfev, nit, success, status (0 budget used up, 1 stopped by the
        callback, 2 no finite value found, 3 target, 4 ftol, 5 xtol, 6 maxtime, 7 patience, 8 no feasible point found,
        9 converged), message, population, population_energies, trace_nfev, trace_best, and failed: how many evaluations
        failed and counted as worst, by what happened ("raised", "timed out", "worker lost"); with constraints also
        constr, constr_violation and maxcv as SciPy's differential evolution has them. It plots itself
        (``result.plot()``). ``success`` is False where the budget, maxtime or the callback ended a run that had not
        converged, and where no finite value or no feasible point was found.
        If values of fun are noisy, ``result.fun`` is the smallest one seen: an optimistic estimate and not the
        expected value at x. The message says so where autov knows of the noise: of a named problem, or when a point
        was evaluated twice with different values. Evaluate x again to estimate its value.
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
    made_up = None
    if not isinstance(fun, (str, Problem)):
        bounds, made_up = inferred_bounds(bounds, x0)
    problem = resolve_problem(fun, bounds, dim=dim, vectorized=vectorized, args=args)
    if constraints is not None or integrality is not None:
        problem = constrained(problem, constraints, integrality, vectorized)
    chosen = resolve_algorithm(algorithm)
    policy, failed = fault_policy(faults), FaultCount()
    check_policy(problem, policy)
    stopping, dims = stopping_of(stop, target), problem.box.dim
    monitor = Monitor(problem.box, stopping, callback, disp, partial(_exceeded, problem), maxfev is None)
    if isinstance(chosen, External) and (name := stopping.needs_population()):
        raise InputError(f"{name}: {chosen.name} runs as a whole and shows no population; use target or patience")
    maxfev, popsize = budget_of(maxfev, dims), population_of(popsize, chosen)
    live = LiveRun()
    with ExitStack() as stack:
        before = None if isinstance(known, (str, os.PathLike)) else known_points(known, problem)
        numbers = context_of(context)
        learnt = b"" if learn_from is None or has_files(learn_from) else _learnt(learn_from, problem, numbers)
        more = _described(known, before) | ({} if learn_from is None else {"learn_from": described(learn_from, learnt)})
        if context is not None:
            more["context"] = numbers.tolist()
        seed, saved = _seed_and_saved(stack, store, rng, problem, chosen, popsize, maxfev, x0, policy, more)
        if isinstance(known, (str, os.PathLike)):
            before = _from_file(known, problem, saved)
        if learn_from is not None and has_files(learn_from):
            learnt = _frozen(saved, "experience", partial(_learnt, learn_from, problem, numbers))
        experience = Experience.from_bytes(learnt, problem.box.dim)
        call = stack.enter_context(evaluating(instance_of(problem, 0), workers, policy, failed))
        journal = Journal(call, dims, history or maxfev * dims <= KEPT, saved)
        observe = journal.observe if call is None and (history or saved is not None) else None
        try:
            run = solve(
                problem, chosen, maxfev=maxfev, popsize=popsize, x0=x0, seed=seed,
                evaluate=None if call is None else journal, watch=monitor if monitor.active else None, observe=observe,
                live=live, known=before, experience=experience,
            )  # fmt: skip
        except BaseException as error:  # Ctrl-C, too
            _attach(error, _interrupted(live.run, _shown(journal.evaluations(), problem)), saved)
            raise
        if saved is not None:
            saved.finish()
    result = as_result(run)
    result.update(_ending(run, monitor, problem, maxfev, made_up))
    made = _shown(journal.evaluations(), problem)
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
    result.failed = dict(failed.counts)
    result.update(trace_nfev=run.trace_nfev.copy(), trace_best=run.trace_best.copy())
    if history:
        result.history = made
    return result


def _interrupted(run: Run | None, made: Evaluations) -> Result | None:
    """What an interrupted run has found, the points of a batch that was not finished included."""
    from autov.runs.result import Result

    if not len(made.fun) and run is None:
        return None
    found = {} if run is None else dict(as_result(run))
    if len(made.fun):
        values = np.where(np.isnan(made.fun), np.inf, made.fun)
        i = int(np.argmin(values))
        if run is None or values[i] < run.fun:
            found.update(x=made.x[i].copy(), fun=float(values[i]))
        found.update(nfev=len(values), history=made)
    message = f"Interrupted after {found['nfev']} evaluations."
    return Result(**found | {"success": False, "status": -1, "message": message})


def _attach(error: BaseException, result: Result | None, saved: SavedRun | None) -> None:
    """Let an exception carry the result so far."""
    if result is None:
        return
    with suppress(AttributeError, TypeError):
        error.autov_result = result  # type: ignore[attr-defined]
        place = "" if saved is None else f"; {saved.path} has them: the same call goes on from there"
        error.add_note(f"{result.nfev} evaluations were made, see error.autov_result{place}")


def _seed_and_saved(
    stack: ExitStack, path: str | os.PathLike[str] | None, rng: Seed, problem: Problem, algorithm: Any, popsize: int,
    maxfev: int, x0: Any, policy: FaultPolicy, more: dict[str, Any],
) -> tuple[int, SavedRun | None]:  # fmt: skip
    """The seed, and where the run is kept: without rng an interrupted run is taken up again.

    Points that failed count as worst or not as the policy says, so it belongs to the key. Under the default one nothing
    that failed is ever written: what such a run has is true under every policy, and a run with another goes on from it.
    ``more`` is what else decides the run.
    """
    if path is None:
        return seed_of(rng), None
    decided = identity(problem)
    decides = {"problem": decided, "algorithm": describe(algorithm), "popsize": popsize, "x0": describe(x0), **more}
    strict = key = digest(canonical(decides))
    if policy != DEFAULT:
        key = digest(canonical(decides | {"timeout": policy.timeout, "on_error": policy.on_error}))
    opened = stack.enter_context(RunStore(path))
    seed = opened.unfinished_seed(key, strict) if rng is None else None
    seed = seed_of(rng) if seed is None else seed
    box, names = problem.box, variable_names(problem)
    about = {"problem": problem.name, "dim": box.dim, "algorithm": algorithm.name, "popsize": popsize,
             "maxfev": maxfev, "identity": digest(canonical(decided)), "lower": box.lower.tolist(),
             "upper": box.upper.tolist(), **({"names": list(names)} if names else {}),
             **{name: more[name] for name in ("context",) if name in more}}  # fmt: skip
    return seed, opened.open(key, seed, about, strict)


def _described(known: Any, before: Evaluations | None) -> dict[str, Any]:
    """What tells runs with known evaluations from others: the name of the file, or a digest of all numbers."""
    if known is None:
        return {}
    if isinstance(known, (str, os.PathLike)):
        return {"known": str(Path(known).resolve())}
    return {"known": "" if before is None else digest(to_bytes(before, before.x.shape[1]))}


def _from_file(path: str | os.PathLike[str], problem: Problem, saved: SavedRun | None) -> Evaluations | None:
    """Known evaluations of a file; those that the stored run began with, because the file may have grown."""

    def read() -> Evaluations | None:
        return known_points(path, problem, digest(canonical(identity(problem))))

    box = instance_of(problem, 0).box
    return from_bytes(_frozen(saved, "known", lambda: to_bytes(read(), box.dim)), box)


def _frozen(saved: SavedRun | None, name: str, make: Callable[[], bytes]) -> bytes:
    """What a run begins with; of a stored run what it began with."""
    return make() if saved is None else saved.frozen(name, make)


def _learnt(learn_from: Any, problem: Problem, context: Array) -> bytes:
    found = learn(sources_of(learn_from, problem), problem.box, context if len(context) else None)
    return b"" if found is None else found.to_bytes()


def _shown(made: Evaluations, problem: Problem) -> Evaluations:
    """Evaluations as people see them: whole numbers, infinity where a point is not feasible."""
    problem = instance_of(problem, 0)
    base, _ = to_base(problem, np.empty((0, problem.box.dim)))
    if not isinstance(base, Constrained):
        return made
    x = problem.rounded(made.x) if isinstance(problem, Constrained) else made.x
    return Evaluations(x, unpenalized(made.fun))


def _excess(problem: Problem, x: Array) -> list[Array] | None:
    """What is outside each constraint at a point; None where there are none."""
    base, at = to_base(instance_of(problem, 0), x[None])
    return base.excess(at[0]) if isinstance(base, Constrained) and base.constraints else None


def _exceeded(problem: Problem, x: Array) -> float:
    """The largest of these."""
    return largest(_excess(problem, x) or [])


def _ending(
    run: Run, monitor: Monitor, problem: Problem, maxfev: int, made_up: np.ndarray | None
) -> dict[str, Any]:  # fmt: skip
    """Success, status, message, and how far the constraints are met."""
    converged = run.nfev < maxfev or has_converged(run.trace_nfev, run.trace_best, problem.box.dim)
    when = "; the run had converged" if converged else " before the run converged"
    reason = BUDGET, f"The budget of {run.nfev} evaluations is used up{when}."
    if run.nfev < maxfev:
        reason = BUDGET, f"The algorithm ended by itself after {run.nfev} of {maxfev} evaluations."
        if isinstance(problem, Constrained) and problem.whole.all():
            reason = BUDGET, f"No new points were asked for after {run.nfev} of {maxfev} evaluations."
    if monitor.reason is not None:  # also of the last batch, with which the budget is used up
        reason, converged = monitor.reason, has_converged(run.trace_nfev, run.trace_best, problem.box.dim)
    ended = verdict(reason, run.fun, _excess(problem, run.x), converged=converged)
    if run.nans:
        ended["message"] += f" {run.nans} evaluations returned NaN and counted as worst."
    if made_up is not None:
        ends = np.stack([problem.box.lower, problem.box.upper])
        lower, upper = problem.rounded(ends) if isinstance(problem, Constrained) else ends
        at = np.flatnonzero((made_up[:, 0] & (run.x <= lower)) | (made_up[:, 1] & (run.x >= upper)))
        if len(at):
            ended["message"] += f" x[{at[0]}] lies at a border that was made up around x0: give bounds."
    return ended
