"""The paper's simple metaheuristic (Algorithm 2, lines 3-14): its steps, and a whole run made of them.

`evolution_start`, then `evolution_ask` and `evolution_tell` in turns; `evolve` repeats what these two do on a compiled
objective until a budget is used up, and goes on from there when it is called again with a larger one. What the settings
say is a `Plan`, what changes is a `Work`.
"""

from __future__ import annotations

import numpy as np

from autov.compiler.functions import allocating, internal, kernel, noinline
from autov.kernels.evolution.frame import RELEARN, learn_basis, reset_basis, turn_back, turn_pool
from autov.kernels.evolution.selection import BINARY, TOURNAMENTS, fill_extra, select_differences, select_parents
from autov.kernels.evolution.survival import replace_all, replace_worst
from autov.kernels.evolution.variation import Draws, vary
from autov.kernels.evolution.workspace import (
    AXES,
    BOUNDS,
    CHOICES,
    COMMA,
    FRAME,
    LEARNED,
    MIDPOINT,
    PLUS,
    SURVIVAL,
    Frame,
    Plan,
    Work,
    batch_rows,
    block_rows,
    evolution_work,
)
from autov.kernels.objective import evaluate
from autov.kernels.random import NOISE, POPULATION, fill_uniforms, subkey

__all__ = [  # with what a caller needs to make and read a Work
    "AXES",
    "CHOICES",
    "COMMA",
    "FRAME",
    "LEARNED",
    "PLUS",
    "SURVIVAL",
    "Frame",
    "Plan",
    "Work",
    "evaluate_blocks",
    "evolution_ask",
    "evolution_start",
    "evolution_tell",
    "evolution_work",
    "evolve",
    "initial",
    "learn",
    "plain_plan",
    "propose",
    "run",
]


def plain_plan(variation):
    """What the paper has: binary tournaments, the better half survives, draws along the axes."""
    return Plan(variation, np.full(TOURNAMENTS, BINARY), np.zeros(CHOICES, np.int64))


# Functions of the loop are given single arrays, not a Work: Numba counts the references of every array of a tuple that
# a function gets, which took a tenth of a run.
@internal
def note_best(points, values, count, state, best):
    """Keep the best of the first points, if it is better than all before; of equals the first."""
    place = 0 if state.nfev == 0 else -1
    smallest = values[0] if state.nfev == 0 else state.best
    for i in range(count):
        if values[i] < smallest:
            smallest = values[i]
            place = i
    state.best = smallest
    if place >= 0:
        for k in range(best.size):
            best[k] = points[place, k]


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


@allocating
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
def evolution_start(plan, work, lower, upper, given):  # noqa: ARG001
    """Begin a run: random points behind the first ``given`` rows of the pool, which the caller has filled."""
    n = work.f.size
    state = work.scalars[0]
    state.generation = state.nfev = state.nans = state.learned_at = 0
    state.best = np.inf
    for i in range(n):
        work.f[i] = np.inf
    reset_frame(work.frame)
    initial(work.key, lower, upper, work.pool[:n], given)


@noinline
def prepare(key, generation, numbers, inputs, pool, f, picks, bits, order, centre, lower, upper):
    """All that the offspring of a generation have in common: parents and other inputs."""
    fill_extra(pool, f, inputs, lower, upper, centre)
    select_parents(key, generation, numbers, inputs, f, picks, bits, order)
    select_differences(key, generation, inputs, pool, f.size, picks.shape[0], bits)


@kernel
def evolution_ask(plan, work, lower, upper):
    """Fill work.offspring with the next generation; the first population, generation 0, is in the pool already."""
    ask(plan, work, work.frame, lower, upper)


@internal
def ask(plan, work, frame, lower, upper):
    """The same; the frame is an argument because the compiler leaves out what is for one, if there is none."""
    m, d = work.offspring.shape
    n = work.f.size
    generation = work.scalars[0].generation
    inputs = plan.variation.inputs
    draws = Draws(work.bits, work.words, work.row, work.normal)
    pool, low, high = work.pool, lower, upper
    prepare(work.key, generation, plan.numbers, inputs, pool, work.f, work.picks, work.bits, work.order, work.centre,
            lower, upper)  # fmt: skip
    if frame is not None:
        turn_pool(pool, n, m, inputs, lower, upper, work.centre, frame.basis, frame.turned, frame.scratch)
        pool, low, high = frame.turned, frame.lower, frame.upper
    rows = block_rows(d)
    for begin in range(0, m, rows):
        end = min(begin + rows, m)
        target = work.offspring[begin:end]
        vary(work.key, generation, begin, work.picks[begin:end], pool, plan.variation, low, high, target, draws)
        if frame is not None:
            turn_back(target, work.centre, frame.basis, lower, upper, frame.scratch)
        if plan.choices[BOUNDS] == MIDPOINT:
            to_midpoint(target, work.picks[begin:end], work.pool, work.f.size, lower, upper)


@internal
def to_midpoint(offspring, picks, pool, n, lower, upper):
    """Move variables that were clipped to half way between the bound and the first parent, unless a parent is there."""
    for i in range(offspring.shape[0]):
        for k in range(lower.size):
            y = offspring[i, k]
            if lower[k] < y < upper[k]:
                continue
            inherited = False
            for j in range(picks.shape[1]):  # behind the population are bounds, means and the like
                inherited = inherited or (picks[i, j] < n and pool[picks[i, j], k] == y)
            if not inherited:
                offspring[i, k] = 0.5 * (y + pool[picks[i, 0], k])


@internal
def reset_frame(frame):
    """At the start of a run."""
    if frame is not None:
        reset_basis(frame.basis)


@kernel
def learn(work):
    """Learn the frame from the population, if it never was or if enough evaluations were made since."""
    learn_frame(work, work.frame)


@internal
def learn_frame(work, frame):
    """The same, and nothing without a frame."""
    if frame is not None:
        state = work.scalars[0]
        if state.learned_at == 0 or state.nfev - state.learned_at >= RELEARN * work.best.size:
            learn_basis(work.pool, work.f, work.centre, frame.basis, frame.matrix, frame.turned, frame.scratch,
                        work.order)  # fmt: skip
            state.learned_at = state.nfev


@kernel
def evolution_tell(plan, work):
    """Take the values of the offspring, or work.f for the first population: the state of the next generation."""
    n, m = work.f.size, work.values.size
    state = work.scalars[0]
    if state.generation == 0:
        note_best(work.pool, work.f, n, state, work.best)
        state.nfev += n
    else:
        note_best(work.offspring, work.values, m, state, work.best)
        if plan.choices[SURVIVAL] == COMMA:
            replace_all(work.pool, work.f, work.offspring, work.values, work.order)
        else:
            replace_worst(work.pool, work.f, work.offspring, work.values, work.ranking)
        state.nfev += m
    state.generation += 1
    learn_frame(work, work.frame)


@kernel
def evolve(plan, work, objective, lower, upper, budget, final, trace_nfev, trace_best, traced):
    """Generations until ``budget`` evaluations are made since the start; return the number of traced generations.

    Of a generation that does not fit into the budget, what fits is evaluated if this is the ``final`` call, and counts
    for the best point, but is not told; otherwise nothing, and a later call with a larger budget goes on as if there
    had been no break. After each generation the evaluations made and the best value are written behind the first
    ``traced`` ones, as far as there is space.
    """
    return generations(plan, work, work.frame, objective, lower, upper, budget, final, trace_nfev, trace_best, traced)


@internal
def generations(plan, work, frame, objective, lower, upper, budget, final, trace_nfev, trace_best, traced):
    """The same; the frame is an argument because the compiler leaves out what is for one, if there is none."""
    variation, sizes, inputs = plan.variation, plan.numbers, plan.variation.inputs
    comma, midpoint = plan.choices[SURVIVAL] == COMMA, plan.choices[BOUNDS] == MIDPOINT
    key, state, best = work.key, work.scalars[0], work.best
    pool, f, offspring, values, picks = work.pool, work.f, work.offspring, work.values, work.picks
    centre, moved = work.centre, work.moved
    bits, order, ranking = work.bits, work.order, work.ranking
    draws = Draws(work.bits, work.words, work.row, work.normal)
    seen, low, high = pool, lower, upper
    if frame is not None:
        seen, low, high = frame.turned, frame.lower, frame.upper
    n, m, d = f.size, values.size, best.size
    rows = block_rows(d)
    batch = batch_rows(d)
    while state.nfev < budget:
        generation = state.generation
        size = n if generation == 0 else m
        count = min(size, budget - state.nfev)
        if count < size and not final:
            break
        first, second = subkey(key, generation, NOISE)
        if generation == 0:
            for begin in range(0, count, batch):
                end = min(begin + batch, count)
                state.nans += evaluate(
                    objective, pool[begin:end], f[begin:end], moved[: end - begin], first + np.uint64(begin), second
                )
            note_best(pool, f, count, state, best)
        else:
            prepare(key, generation, sizes, inputs, pool, f, picks, bits, order, centre, lower, upper)
            if frame is not None:
                turn_pool(pool, n, m, inputs, lower, upper, centre, frame.basis, frame.turned, frame.scratch)
            # A last generation that is cut short starts with the same offspring as a whole one.
            for begin in range(0, count, batch):
                for block in range(begin, min(begin + batch, count), rows):
                    end = min(block + rows, m)
                    target = offspring[block:end]
                    vary(key, generation, block, picks[block:end], seen, variation, low, high, target, draws)
                    if frame is not None:
                        turn_back(target, centre, frame.basis, lower, upper, frame.scratch)
                    if midpoint:
                        to_midpoint(target, picks[block:end], pool, f.size, lower, upper)
                end = min(begin + batch, count)
                state.nans += evaluate(
                    objective, offspring[begin:end], values[begin:end], moved[: end - begin],
                    first + np.uint64(begin), second,
                )  # fmt: skip
            note_best(offspring, values, count, state, best)
        state.nfev += count
        if count == size:
            if generation > 0 and comma:
                replace_all(pool, f, offspring, values, order)
            elif generation > 0:
                replace_worst(pool, f, offspring, values, ranking)
            state.generation += 1
            learn_frame(work, frame)
        if traced < trace_nfev.size:
            trace_nfev[traced] = state.nfev
            trace_best[traced] = state.best
            traced += 1
        if count < size:
            break
    return traced


@kernel
def run(plan, work, objective, lower, upper, maxfev, trace_nfev, trace_best):
    """A whole run of exactly maxfev evaluations without given points; return the number of traced generations."""
    evolution_start(plan, work, lower, upper, 0)
    return evolve(plan, work, objective, lower, upper, maxfev, True, trace_nfev, trace_best, 0)


def propose(key, generation, variation, lower, upper, x, f, out):
    """The offspring of a generation with binary tournaments, along the axes.

    Args:
        key: (2,) uint64, the stream of the run.
        generation: 1, 2, ...; it decides which part of the stream is used.
        variation: one operator.
        lower: (d,) the box; offspring are clipped to it.
        upper: (d,).
        x: (n, d) the population.
        f: (n,) its values, without NaN.
        out: (m, d) the offspring, written.
    """
    n, d = x.shape
    m = out.shape[0]
    plan = plain_plan(variation)
    work = evolution_work(key, plan, n, m, d)
    work.pool[:n], work.f[:] = x, f
    work.scalars["generation"] = generation
    evolution_ask(plan, work, lower, upper)
    out[:] = work.offspring
