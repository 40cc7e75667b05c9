"""The order of values."""

from __future__ import annotations

from autov.compiler.functions import kernel


@kernel
def sort_order(f, n, order):
    """Write the places of f's values, smallest first, equal ones in their order, into order[0]; order[1] is scratch."""
    block = 16
    for begin in range(0, n, block):
        for i in range(begin, min(begin + block, n)):
            j = i
            while j > begin and f[order[0, j - 1]] > f[i]:
                order[0, j] = order[0, j - 1]
                j -= 1
            order[0, j] = i
    while block < n:
        for begin in range(0, n, 2 * block):
            a, middle = begin, min(begin + block, n)
            b, end = middle, min(begin + 2 * block, n)
            for k in range(begin, end):
                if b >= end or (a < middle and f[order[0, a]] <= f[order[0, b]]):
                    order[1, k] = order[0, a]
                    a += 1
                else:
                    order[1, k] = order[0, b]
                    b += 1
        for k in range(n):
            order[0, k] = order[1, k]
        block *= 2
