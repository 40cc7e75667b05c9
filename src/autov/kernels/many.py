"""Many runs in one call, each with its own operator, instance and stream."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from autov.kernels.jit import internal, kernel
from autov.kernels.objective import Objective
from autov.kernels.random import GOLDEN, mix
from autov.kernels.run import Plan, run
from autov.kernels.variation import Variation


class Tasks(NamedTuple):
    """Which runs to make, one entry for each; all are (r,) int64.

    A run has the stream of (base key, candidate, run), whatever its place among the tasks.
    """

    operator: np.ndarray  # its place in the stack of operators
    instance: np.ndarray  # its place in the stack of objectives
    candidate: np.ndarray
    run: np.ndarray


@kernel
def derive(base, candidate, run):
    """The key (2,) uint64 of (candidate, run) under a base key (2,) uint64."""
    first = mix(base[0] + np.uint64(candidate) * GOLDEN, base[1])
    second = mix(base[1] + np.uint64(run) * GOLDEN, first)
    key = np.empty(2, np.uint64)
    key[0] = mix(first + np.uint64(run) * GOLDEN, second)
    key[1] = second
    return key


@internal
def operator_of(stack, place):
    """One operator of a stack."""
    return Variation(
        stack.inputs, stack.thresholds[place], stack.parameters[place], stack.per_solution, stack.arity, stack.tied
    )


@internal
def objective_of(stack, place):
    """One objective of a stack."""
    return Objective(stack.address, stack.context, stack.scale[place], stack.shift[place], stack.matrix[place],
                     stack.fold_lower, stack.fold_upper)  # fmt: skip


@kernel
def run_many(base, plan, tasks, best):
    """Best values of several runs.

    Args:
        base: (2,) uint64, the key that the streams of the runs are derived from.
        plan: with a stack of operators and a stack of objectives.
        tasks: r runs.
        best: (r,) the best value that each run found, written.
    """
    d = plan.lower.size
    x = np.empty((plan.popsize, d))
    f = np.empty(plan.popsize)
    trace = np.empty(2 + plan.maxfev // plan.popsize)
    best_x = np.empty(d)
    for i in range(best.size):
        variation = operator_of(plan.variation, tasks.operator[i])
        objective = objective_of(plan.objective, tasks.instance[i])
        single = Plan(variation, objective, plan.lower, plan.upper, plan.maxfev, plan.popsize)
        key = derive(base, tasks.candidate[i], tasks.run[i])
        best[i], _ = run(key, single, x, f, 0, trace, best_x)
