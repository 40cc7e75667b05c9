"""A whole run of the paper's simple metaheuristic (Algorithm 2, lines 3-14), and its steps one by one."""

from __future__ import annotations

import numpy as np

from autov.kernels.jit import internal, kernel
from autov.kernels.objective import evaluate
from autov.kernels.random import GOLDEN, NOISE, POPULATION, fill_uniforms, mix, subkey
from autov.kernels.variation import (
    EXTRA,
    Variation,
    batch_rows,
    block_rows,
    copy_rows,
    fill_extra,
    select_parents,
    survive,
    vary,
    workspace,
)


@internal
def smallest(values):
    """The minimum."""
    low = values[0]
    for i in range(1, values.size):
        low = min(low, values[i])
    return low


@kernel
def initial(key, lower, upper, x, given):
    """Uniform points in the rows of x from row ``given`` on."""
    d = lower.size
    first, second = subkey(key, 0, POPULATION)
    for i in range(given, x.shape[0]):
        fill_uniforms(first, second, i * d, x[i])
        for k in range(d):
            x[i, k] = min(lower[k] + x[i, k] * (upper[k] - lower[k]), upper[k])


@kernel
def propose(key, generation, variation, lower, upper, x, f, out):
    """The offspring of a generation from the population x with values f."""
    n, d = x.shape
    m = out.shape[0]
    work = workspace(m, variation.inputs.size, d)
    pool = np.empty((n + EXTRA, d))
    copy_rows(x, pool, n)
    fill_extra(pool, f, variation.inputs, lower, upper)
    select_parents(key, generation, variation.inputs, f, work.picks, work.bits)
    rows = block_rows(d)
    for begin in range(0, m, rows):
        end = min(begin + rows, m)
        vary(key, generation, begin, work.picks[begin:end], pool, variation, lower, upper, out[begin:end], work)


@kernel
def evaluate_blocks(key, generation, objective, x, out):
    """Write the values of the rows of x, noise from the stream of that generation; return the number of NaN."""
    n, d = x.shape
    bad = 0
    first, second = subkey(key, generation, NOISE)
    batch = batch_rows(d)
    moved = np.empty((batch, d))
    for begin in range(0, n, batch):
        end = min(begin + batch, n)
        bad += evaluate(objective, x[begin:end], out[begin:end], moved[: end - begin], first + np.uint64(begin), second)
    return bad


@kernel
def run(key, variation, objective, lower, upper, maxfev, x, f, given, trace):
    """Fill x and f with the final population, trace with the best value after each generation; return the NaN count.

    Exactly maxfev evaluations are made (at least the population size); the last generation is cut short if need be.
    """
    n, d = x.shape
    rows = block_rows(d)
    batch = batch_rows(d)
    pool = np.empty((n + EXTRA, d))
    copy_rows(x, pool, n)
    initial(key, lower, upper, pool[:n], given)
    bad = evaluate_blocks(key, 0, objective, pool[:n], f)
    trace[0] = smallest(f)
    work = workspace(n, variation.inputs.size, d)
    offspring = np.empty((n, d))
    values = np.empty(n)
    used = n
    generation = 1
    while used < maxfev:
        m = min(n, maxfev - used)
        fill_extra(pool, f, variation.inputs, lower, upper)
        select_parents(key, generation, variation.inputs, f, work.picks, work.bits)
        first, second = subkey(key, generation, NOISE)
        # A last generation that is cut short starts with the same offspring as a whole one.
        for begin in range(0, m, batch):
            for block in range(begin, min(begin + batch, m), rows):
                end = min(block + rows, n)
                target = offspring[block:end]
                vary(key, generation, block, work.picks[block:end], pool, variation, lower, upper, target, work)
            end = min(begin + batch, m)
            shifted = first + np.uint64(begin)
            moved = work.moved[: end - begin]
            bad += evaluate(objective, offspring[begin:end], values[begin:end], moved, shifted, second)
        survive(pool, f, offspring[:m], values[:m], work.union, work.leaving, work.entering)
        trace[generation] = smallest(f)
        used += m
        generation += 1
    copy_rows(pool, x, n)
    return bad


@internal
def derive(base, candidate, run):
    """The key of (candidate, run) under a base key."""
    first = mix(base[0] + np.uint64(candidate) * GOLDEN, base[1])
    second = mix(base[1] + np.uint64(run) * GOLDEN, first)
    key = np.empty(2, np.uint64)
    key[0] = mix(first + np.uint64(run) * GOLDEN, second)
    key[1] = second
    return key


@kernel
def run_many(base, candidates, runs, which, stack, objective, lower, upper, maxfev, popsize, best):
    """Best values of several runs: run i belongs to (candidates[i], runs[i]) and uses operator which[i]."""
    d = lower.size
    x = np.empty((popsize, d))
    f = np.empty(popsize)
    trace = np.empty(2 + maxfev // popsize)
    for i in range(best.size):
        c = which[i]
        variation = Variation(stack.inputs, stack.thresholds[c], stack.parameters[c], stack.per_solution, stack.arity,
                              stack.tied)  # fmt: skip
        key = derive(base, candidates[i], runs[i])
        run(key, variation, objective, lower, upper, maxfev, x, f, 0, trace)
        best[i] = smallest(f)


@kernel
def start_many(base, candidates, runs, lower, upper, x):
    """Initial populations x (r, n, d) of several runs that are evaluated together."""
    for i in range(x.shape[0]):
        initial(derive(base, candidates[i], runs[i]), lower, upper, x[i], 0)


@kernel
def propose_many(base, candidates, runs, which, generation, stack, lower, upper, x, f, out):
    """Offspring (r, n, d) of one generation of several runs."""
    for i in range(x.shape[0]):
        c = which[i]
        variation = Variation(stack.inputs, stack.thresholds[c], stack.parameters[c], stack.per_solution, stack.arity,
                              stack.tied)  # fmt: skip
        propose(derive(base, candidates[i], runs[i]), generation, variation, lower, upper, x[i], f[i], out[i])


@kernel
def survive_many(x, f, offspring, values):
    """Survivors of one generation of several runs, in place."""
    n = f.shape[1]
    m = values.shape[1]
    union = np.empty(n + m + 1)
    leaving = np.empty(n + 1, np.int64)
    entering = np.empty(m + 1, np.int64)
    for i in range(x.shape[0]):
        survive(x[i], f[i], offspring[i], values[i], union, leaving, entering)
