"""`minimize`: the front door for people who have a function and want its minimum."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autov.algorithms.driver import Run, solve
from autov.algorithms.evaluation import check_policy, evaluation_of
from autov.algorithms.faults import FaultCount, FaultPolicy, sentence
from autov.algorithms.resolve import resolve_algorithm
from autov.core import Array, InputError, Seed, seed_of
from autov.problems import resolve_problem

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult


def as_result(run: Run) -> OptimizeResult:
    """A run in SciPy's form; its arrays are copies."""
    from scipy.optimize import OptimizeResult  # imported late: it takes longer than many a run

    return OptimizeResult(
        x=run.x.copy(), fun=run.fun, nfev=run.nfev, nit=run.nit, population=run.population.copy(),
        population_energies=run.values.copy(),
    )  # fmt: skip


def _watcher(callback: Callable[[OptimizeResult], Any] | None, disp: bool) -> Callable[[Run], bool] | None:
    if callback is None and not disp:
        return None

    def watch(run: Run) -> bool:
        if disp:
            sys.stdout.write(f"generation {run.nit}: {run.nfev} evaluations, best {run.fun:.6g}\n")
        if callback is None:
            return False
        try:
            return bool(callback(as_result(run)))
        except StopIteration:
            return True

    return watch


def minimize(
    fun: Any, bounds: Any = None, *, args: tuple[Any, ...] = (), operator: Any = None, algorithm: Any = None,
    x0: Array | None = None, maxfev: int = 10_000, popsize: int = 100, rng: Seed = None, workers: Any = 1,
    dim: int | None = None, vectorized: bool = False, callback: Callable[[OptimizeResult], Any] | None = None,
    disp: bool = False, timeout: float | None = None, on_error: str = "raise",
) -> OptimizeResult:  # fmt: skip
    """Minimise a function of real variables in a box.

    Args:
        fun: a function of one point (1-D array) that returns a number; with ``vectorized``, of a batch (n, d) that
            returns (n,); a function compiled by ``numba.njit``; a problem; or a problem's name such as "rastrigin".
        bounds: a (min, max) pair for each variable, equal ones for a fixed one; left out for problems and names.
        args: further arguments of fun.
        operator: an affine operator, its library name or its JSON file, the result of ``design``, or any
            ``h(parents, lower, upper, rng)``; the paper's by default.
        algorithm: another algorithm: a name such as "shade", "de+F=0.7" or "cma:default" (see ``autov list
            algorithms``) or settings; None for the paper's metaheuristic around the operator.
        x0: a first point or population.
        maxfev: how many evaluations; exactly that many are made unless a callback stops the run.
        popsize: size of the population.
        rng: seed (or NumPy Generator); the same seed gives the same bits.
        workers: processes for a slow Python function of single points (-1 for all cores), an Executor, or a map-like
            callable.
        dim: variables of a named problem that leaves it open; 30 by default.
        vectorized: fun takes batches.
        callback: ``callback(intermediate_result)`` after each generation; returning True or raising StopIteration ends.
        disp: print a line for each generation.
        timeout: seconds that an evaluation of a Python function of single points may take, in worker processes or on
            Dask; then its worker is replaced and the point counts as infinitely bad.
        on_error: what an exception of such a function, or the death of its worker, does: "raise", or "worst": the
            point counts as infinitely bad.

    Returns:
        ``scipy.optimize.OptimizeResult`` with x, fun, nfev, nit, success, status (0 budget used up, 1 stopped by the
        callback, 2 no finite value found), message, population, population_energies, and failed: how many evaluations
        failed and counted as worst, by what happened ("raised", "timed out", "worker lost").
    """
    if callback is not None and not callable(callback):
        raise InputError(f"callback: must be callable, got {callback!r}")
    problem = resolve_problem(fun, bounds, dim=dim, vectorized=vectorized, args=args)
    chosen = resolve_algorithm(algorithm, operator)
    policy, faults = FaultPolicy(timeout, on_error), FaultCount()
    check_policy(problem, policy)
    with evaluation_of(problem, workers, 0, policy, faults) as evaluate:
        run = solve(
            problem, chosen, maxfev=maxfev, popsize=popsize, seed=seed_of(rng), x0=x0, evaluate=evaluate,
            watch=_watcher(callback, disp),
        )  # fmt: skip

    status, message = 0, f"The budget of {run.nfev} evaluations is used up."
    if run.nfev < maxfev:
        message = f"The algorithm ended by itself after {run.nfev} of {maxfev} evaluations."
    if run.stopped:
        status, message = 1, "Stopped by the callback."
    if run.fun == np.inf:
        status, message = 2, "No finite value was found."
    if run.nans:
        message += f" {run.nans} evaluations returned NaN and counted as worst."
    if faults.counts:
        message += f" {sentence(faults.counts, faults.first)}"
    result = as_result(run)
    result.update(success=status != 2, status=status, message=message, failed=dict(faults.counts))
    return result
