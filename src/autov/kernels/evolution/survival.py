"""Who survives: the better half of parents and offspring (Algorithm 2, lines 11-13), or the best offspring alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from autov.compiler.functions import internal, kernel, noinline
from autov.kernels.order import sort_order


class Ranking(NamedTuple):
    """Buffers for choosing the survivors of n parents and m offspring."""

    union: np.ndarray  # (n + m + 1,)
    leaving: np.ndarray  # (n + 1,) int64
    entering: np.ndarray  # (m + 1,) int64


def ranking(n, m):
    """Fresh buffers."""
    return Ranking(np.empty(n + m + 1), np.empty(n + 1, np.int64), np.empty(m + 1, np.int64))


@internal
def partition(values, low, high, pivot, equal):
    """Bring values below the pivot, or equal ones too, to the front of low .. high; return where the others begin.

    There is no branch to mispredict: every element is moved, and a counter decides where the next one goes. It is
    unsigned, because an index that might be negative has to be looked at first.
    """
    middle = np.uint64(low)
    for i in range(low, high + 1):
        v = values[i]
        values[i] = values[middle]
        values[middle] = v
        middle += np.uint64((v < pivot) | (equal & (v == pivot)))
    return np.int64(middle)


@kernel
def kth_smallest(values, size, k):
    """The k-th smallest (from 0) of the first ``size`` values, without NaN, by quickselect; they are reordered."""
    low = 0
    high = size - 1
    while low < high:
        a = values[low]
        b = values[(low + high) // 2]
        c = values[high]
        pivot = max(min(a, b), min(max(a, b), c))
        middle = partition(values, low, high, pivot, False)
        if k < middle:
            high = middle - 1
            continue
        low = middle
        middle = partition(values, low, high, pivot, True)
        if k < middle:
            return pivot
        low = middle
    return values[k]


@internal
def mark(values, limit, places, want, chosen):
    """Indices of values below the limit, and of the first ``places`` that equal it; those not so if want is False."""
    count = np.uint64(0)
    for i in range(values.size):
        below = values[i] < limit
        equal = (values[i] == limit) & (places > 0)
        places -= np.int64(equal)
        chosen[count] = i
        count += np.uint64((below | equal) == want)
    return np.int64(count), places


@noinline
def replace_worst(pool, f, offspring, values, ranking):
    """Put the offspring that survive in the places of the parents that do not."""
    union, leaving, entering = ranking.union, ranking.leaving, ranking.entering
    n = f.size
    m, d = offspring.shape
    worst = f[0]
    for i in range(n):
        union[i] = f[i]
        worst = max(worst, f[i])
    size = np.uint64(n)
    for i in range(m):  # of the offspring, only those better than the worst parent can enter
        union[size] = values[i]
        size += np.uint64(values[i] < worst)
    limit = kth_smallest(union, np.int64(size), n - 1)
    below = 0
    for i in range(n):
        below += np.int64(f[i] < limit)
    for i in range(m):
        below += np.int64(values[i] < limit)
    _, places = mark(f, limit, n - below, False, leaving)
    count, _ = mark(values, limit, places, True, entering)
    for c in range(count):
        i = entering[c]
        slot = leaving[c]
        f[slot] = values[i]
        for k in range(d):
            pool[slot, k] = offspring[i, k]


@internal
def replace_all(pool, f, offspring, values, order):
    """Put the best offspring in the places of all parents, best first; of equals the earlier. Order is scratch."""
    sort_order(values, values.size, order)
    for rank in range(f.size):
        i = order[0, rank]
        f[rank] = values[i]
        for k in range(offspring.shape[1]):
            pool[rank, k] = offspring[i, k]


def survive(x, f, offspring, values):
    """Keep the better half of parents and offspring in place; of equals, parents stay and earlier offspring enter.

    Args:
        x: (n, d) the parents; survivors keep their rows, offspring enter the rows of those that leave.
        f: (n,) their values, without NaN.
        offspring: (m, d) the points just evaluated.
        values: (m,) their values, without NaN.
    """
    replace_worst(x, f, offspring, values, ranking(f.size, values.size))
