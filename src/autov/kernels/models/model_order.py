"""What a model and a function say about the order of points."""

from __future__ import annotations

import math

from autov.compiler.functions import kernel
from autov.kernels.models.model_fit import weight_of


@kernel
def kendall(a, b, n):
    """Kendall's rank correlation (tau-b) of the first n numbers of two arrays; 0 if one of them is constant."""
    agree, ties_a, ties_b = 0, 0, 0
    for i in range(n):
        for j in range(i):
            one = (a[i] > a[j]) - (a[i] < a[j])
            other = (b[i] > b[j]) - (b[i] < b[j])
            agree += one * other
            ties_a += one == 0
            ties_b += other == 0
    pairs = n * (n - 1) // 2
    if ties_a == pairs or ties_b == pairs:
        return 0.0
    return agree / math.sqrt(float(pairs - ties_a) * float(pairs - ties_b))


@kernel
def make_monotone(values, n, level, weight, count):
    """The nearest non-decreasing numbers, in weighted least squares (pool adjacent violators), in place.

    The weights are those of a fit. The other arrays, of at least n numbers, are scratch: pools, from the first to the
    last, with their means, weights and sizes.
    """
    pools = 0
    for i in range(n):
        w = weight_of(i, n)
        level[pools], weight[pools], count[pools] = values[i], w * w, 1
        pools += 1
        while pools > 1 and level[pools - 2] > level[pools - 1]:
            a, b = pools - 2, pools - 1
            total = weight[a] + weight[b]
            level[a] = (weight[a] * level[a] + weight[b] * level[b]) / total
            weight[a] = total
            count[a] += count[b]
            pools -= 1
    place = 0
    for pool in range(pools):
        for _ in range(count[pool]):
            values[place] = level[pool]
            place += 1
