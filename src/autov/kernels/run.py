"""A whole run of the paper's simple metaheuristic (Algorithm 2, lines 3-14), and its steps one by one."""

from __future__ import annotations

import numpy as np

from autov.kernels.jit import kernel
from autov.kernels.objective import evaluate
from autov.kernels.random import NOISE, POPULATION, fill_uniforms, subkey
from autov.kernels.variation import EXTRA, Variation, block_rows, fill_extra, select_parents, survive, vary, workspace


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
    pool[:n] = x
    fill_extra(pool, f, variation.inputs, lower, upper)
    select_parents(key, generation, variation.inputs, f, work.index, work.bits)
    rows = block_rows(d)
    for begin in range(0, m, rows):
        end = min(begin + rows, m)
        vary(key, generation, begin, work.index[begin:end], pool, variation, lower, upper, out[begin:end], work)


@kernel
def evaluate_blocks(key, generation, objective, x, out):
    """Values of the rows of x, noise drawn from the stream of that generation."""
    n, d = x.shape
    first, second = subkey(key, generation, NOISE)
    rows = block_rows(d)
    moved = np.empty((rows, d))
    for begin in range(0, n, rows):
        end = min(begin + rows, n)
        evaluate(objective, x[begin:end], out[begin:end], moved[: end - begin], first + np.uint64(begin), second)


@kernel
def run(key, variation, objective, lower, upper, maxfev, x, f, given, trace):
    """Fill x and f with the final population; trace gets the best value after each generation.

    Exactly maxfev evaluations are made (at least the population size); the last generation is cut short if need be.
    """
    n, d = x.shape
    rows = block_rows(d)
    pool = np.empty((n + EXTRA, d))
    pool[:n] = x
    initial(key, lower, upper, pool[:n], given)
    evaluate_blocks(key, 0, objective, pool[:n], f)
    trace[0] = f.min()
    work = workspace(n, variation.inputs.size, d)
    offspring = np.empty((n, d))
    values = np.empty(n)
    used = n
    generation = 1
    while used < maxfev:
        m = min(n, maxfev - used)
        fill_extra(pool, f, variation.inputs, lower, upper)
        index = work.index[:m]
        select_parents(key, generation, variation.inputs, f, index, work.bits)
        first, second = subkey(key, generation, NOISE)
        for begin in range(0, m, rows):
            end = min(begin + rows, m)
            block = offspring[begin:end]
            vary(key, generation, begin, index[begin:end], pool, variation, lower, upper, block, work)
            evaluate(objective, block, values[begin:end], work.moved[: end - begin], first + np.uint64(begin), second)
        survive(pool, f, offspring[:m], values[:m], work.union, work.leaving, work.entering)
        trace[generation] = f.min()
        used += m
        generation += 1
    x[:] = pool[:n]


@kernel
def run_many(keys, which, inputs, thresholds, parameters, per_solution, arity, objective, lower, upper, maxfev, popsize,
             best):  # fmt: skip
    """Best values of several runs: run i has key keys[i] and the operator which[i] of a stack of equal form."""
    d = lower.size
    x = np.empty((popsize, d))
    f = np.empty(popsize)
    trace = np.empty(2 + maxfev // popsize)
    for i in range(keys.shape[0]):
        c = which[i]
        variation = Variation(inputs, thresholds[c], parameters[c], per_solution, arity)
        run(keys[i], variation, objective, lower, upper, maxfev, x, f, 0, trace)
        best[i] = f.min()
