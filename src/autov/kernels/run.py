"""A whole run of the paper's simple metaheuristic (Algorithm 2, lines 3-14), and its steps one by one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autov.kernels.jit import internal, kernel
from autov.kernels.objective import evaluate
from autov.kernels.random import NOISE, POPULATION, fill_uniforms, subkey
from autov.kernels.selection import fill_extra, select_parents
from autov.kernels.survival import replace_worst
from autov.kernels.variation import EXTRA, Variation, vary
from autov.kernels.workspace import batch_rows, block_rows, copy_rows, workspace


class Plan(NamedTuple):
    """What the runs of one call have in common.

    `run` takes one operator and one objective, `run_many` a stack of each.
    """

    variation: Variation
    objective: Any  # Objective or Objectives
    lower: np.ndarray  # (d,)
    upper: np.ndarray  # (d,)
    maxfev: int  # evaluations of a run, exactly; at least popsize
    popsize: int


@internal
def note_best(points, values, count, best, best_x):
    """The best value so far; where one of the first values is better than ``best``, its point goes to best_x."""
    place = -1
    for i in range(count):
        if values[i] < best:
            best = values[i]
            place = i
    if place >= 0:
        for k in range(best_x.size):
            best_x[k] = points[place, k]
    return best


@kernel
def initial(key, lower, upper, x, given):
    """Uniform points in the rows of x from row ``given`` on.

    Args:
        key: (2,) uint64, the stream of the run.
        lower: (d,) the box.
        upper: (d,).
        x: (n, d) the population, written.
        given: how many of its first rows stay as they are.
    """
    d = lower.size
    first, second = subkey(key, 0, POPULATION)
    for i in range(given, x.shape[0]):
        fill_uniforms(first, second, i * d, x[i])
        for k in range(d):
            x[i, k] = min(lower[k] + x[i, k] * (upper[k] - lower[k]), upper[k])


@kernel
def propose(key, generation, variation, lower, upper, x, f, out):
    """The offspring of a generation.

    Args:
        key: (2,) uint64, the stream of the run.
        generation: 1, 2, ...; it decides which part of the stream is used.
        variation: one operator.
        lower: (d,) the box; offspring are clipped to it.
        upper: (d,).
        x: (n, d) the population.
        f: (n,) its values, without NaN.
        out: (m, d) the offspring, written; fewer than n are the first ones of n.
    """
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
    """Values of points, infinity for NaN; return the number of NaN.

    Args:
        key: (2,) uint64, the stream of the run; noise comes from it.
        generation: which part of the stream is used, 0 for the initial population.
        objective: one objective.
        x: (n, d) the points.
        out: (n,) their values, written.
    """
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
def run(key, plan, x, f, given, trace, best_x):
    """One run; return the best value found and the number of NaN.

    Exactly plan.maxfev evaluations are made. A last generation that the budget cuts short is evaluated and counts for
    the best point found, but the population stays as it was before.

    Args:
        key: (2,) uint64, the stream of the run.
        plan: with one operator and one objective.
        x: (popsize, d) the final population, written; its first rows may hold given points.
        f: (popsize,) the values of the final population, written.
        given: how many of the first rows of x are given.
        trace: (generations,) or longer, the best value so far after each generation, written; the initial population
            is the first of them, and one that is cut short counts.
        best_x: (d,) the best point found, of equals the first, written.
    """
    variation, objective, lower, upper = plan.variation, plan.objective, plan.lower, plan.upper
    n, d = x.shape
    rows = block_rows(d)
    batch = batch_rows(d)
    pool = np.empty((n + EXTRA, d))
    copy_rows(x, pool, n)
    initial(key, lower, upper, pool[:n], given)
    bad = evaluate_blocks(key, 0, objective, pool[:n], f)
    for k in range(d):
        best_x[k] = pool[0, k]
    best = note_best(pool, f, n, f[0], best_x)
    trace[0] = best
    work = workspace(n, variation.inputs.size, d)
    offspring = np.empty((n, d))
    values = np.empty(n)
    used = n
    generation = 1
    while used < plan.maxfev:
        m = min(n, plan.maxfev - used)
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
        best = note_best(offspring, values, m, best, best_x)
        trace[generation] = best
        if m == n:
            replace_worst(pool, f, offspring, values, work.ranking)
        used += m
        generation += 1
    copy_rows(pool, x, n)
    return best, bad
