"""Many runs in one call, each with its own operator, instance and stream."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from autov.compiler.functions import internal, kernel
from autov.kernels.evolution.run import Plan, evolution_work, run
from autov.kernels.evolution.variation import Variation
from autov.kernels.objective import Objective, Objectives
from autov.kernels.random import GOLDEN, hashed


class Common(NamedTuple):
    """What the runs of one call have in common."""

    plan: Plan  # with a stack of operators
    objective: Objectives
    lower: np.ndarray  # (d,)
    upper: np.ndarray  # (d,)
    maxfev: int  # evaluations of a run, exactly
    popsize: int
    offspring: int


class Tasks(NamedTuple):
    """Which runs to make, one entry for each; all are (r,) int64.

    A run has the stream of (base key, candidate, run), whatever its place among the tasks.
    """

    operator: np.ndarray  # its place in the stack of operators
    instance: np.ndarray  # its place in the stack of objectives
    candidate: np.ndarray
    run: np.ndarray


def derive(base, candidate, run):
    """The key (2,) uint64 of (candidate, run) under a base key (2,) uint64; of r of them, (r, 2)."""
    shape = np.broadcast_shapes(np.shape(candidate), np.shape(run))
    candidate, run = (np.atleast_1d(number).astype(np.uint64) * GOLDEN for number in (candidate, run))
    first = hashed(base[:1] + candidate, base[1:])  # of arrays, since NumPy warns of overflow in single numbers
    second = hashed(base[1:] + run, first)
    return np.stack([hashed(first + run, second), second], axis=-1).reshape(*shape, 2)


@internal
def plan_of(stack, place):
    """The plan of one operator of a stack."""
    many = stack.variation
    variation = Variation(
        many.inputs, many.thresholds[place], many.solution_thresholds[place], many.rows[place],
        many.parameters[place], many.arity, many.tied,
    )  # fmt: skip
    return Plan(variation, stack.numbers, stack.choices)


@internal
def objective_of(stack, place):
    """One objective of a stack."""
    return Objective(stack.address, stack.context, stack.scale[place], stack.shift[place], stack.matrix[place],
                     stack.fold_lower, stack.fold_upper)  # fmt: skip


def run_many(base, common, tasks, best):
    """Best values of several runs.

    Args:
        base: (2,) uint64, the key that the streams of the runs are derived from.
        common: what they have in common.
        tasks: r runs.
        best: (r,) the best value that each run found, written.
    """
    work = evolution_work(np.empty(2, np.uint64), common.plan, common.popsize, common.offspring, common.lower.size)
    none = np.empty(0, np.int64), np.empty(0)
    keys = derive(base, tasks.candidate, tasks.run)
    run_each(common, tasks.operator, tasks.instance, keys, work, *none, best)


@kernel
def run_each(common, operator, instance, keys, work, trace_nfev, trace_best, best):
    """Runs with the keys (r, 2), one after the other, in the same arrays."""
    for i in range(best.size):
        plan = plan_of(common.plan, operator[i])
        objective = objective_of(common.objective, instance[i])
        work.key[0], work.key[1] = keys[i, 0], keys[i, 1]
        run(plan, work, objective, common.lower, common.upper, common.maxfev, trace_nfev, trace_best)
        best[i] = work.scalars[0].best
