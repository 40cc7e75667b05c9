"""The surrogate of the matrix adaptation strategy: the points it is fitted to, the fit, and how well it ranks.

With values of the function the model is fitted to these, scaled. With ranks it is fitted to numbers that have the order
of the values and are as near to a model as they can be: a fit and the nearest numbers of the right order to its values
(`make_monotone`) take turns (J. B. Kruskal, Analysis of factorial experiments by estimating monotone transformations of
the data, Journal of the Royal Statistical Society B 27, 1965). The turns begin with the values of the last model, for a
first model with (rank / n)^(2 / d): the values of |x|^2 for points that are uniform in a ball.
"""

from __future__ import annotations

import numpy as np

from autov.compiler.functions import internal, noinline
from autov.kernels.matrix_adaptation.surrogate_work import COMPARED, OF_RANKS, unit
from autov.kernels.matrix_adaptation.work import TINY, note_best
from autov.kernels.models.model_fit import fitted_values, prepare_fit, solve_fit
from autov.kernels.models.model_order import kendall, make_monotone
from autov.kernels.models.quadratic_model import FULL, LINEAR, NONE, ROUND, count_terms, largest_kind, predict
from autov.kernels.models.search_batch import keep_told
from autov.kernels.order import sort_order

USED = 0.75  # the part of the archive, best first, that a model is fitted to
SPARE = 1.1  # points for each term before a model becomes more complex
FEWEST = 4  # points before there is a model
TURNS = 10  # fits to ranks after the first


@noinline
def archive(work, lower, upper):
    """The values of the batch join those of the generation, and its points the archive."""
    state = work.scalars[0]
    note_best(work.x, work.f, state.batch, state, work.best)
    keep_told(work, state.batch)
    limit = work.archive_f.size
    for i in range(state.batch):
        work.known_f[state.known + i] = work.f[i]
        unit(work.x[i], lower, upper, work.archive_x[state.place])
        work.archive_f[state.place] = work.f[i]
        state.place = (state.place + 1) % limit
        state.archived = min(state.archived + 1, limit)
    state.known += state.batch
    state.nfev += state.batch
    state.generation += 1


@noinline
def correlation(work):
    """Kendall's tau between the model and the function for the most recent points."""
    state = work.scalars[0]
    if state.kind == NONE:
        return 0.0
    n, limit = work.strategy.scalars[0].batch, work.archive_f.size
    number = np.int64(max(COMPARED, min(1.2 * state.known, 0.75 * n)))
    number = min(number, state.archived)
    for i in range(number):
        j = (state.place - 1 - i + limit) % limit
        work.target[i] = work.archive_f[j]
        work.predicted[i] = predict(work.archive_x[j], state.kind, work.model, work.vectors[0], work.vectors[1])
    return kendall(work.target, work.predicted, number)


@noinline
def fit(plan, work):
    """Fit a model to the archive, as complex as the number of points allows."""
    state = work.scalars[0]
    d, size = work.best.size, state.archived
    state.fitted = state.nfev
    state.kind = NONE
    most = largest_kind(d, plan.middle)
    if most == NONE or size < FEWEST - 1:
        return
    kind = LINEAR
    for more in (plan.middle, FULL):
        if more <= most and USED * size >= SPARE * count_terms(more, d):
            kind = more
    m = count_terms(kind, d)
    used = min(size, max(m + 2, np.int64(USED * (size + 1))))
    sort_order(work.archive_f, size, work.order)
    order = work.order[0]
    best = work.archive_f[order[0]]
    while used > 1 and not work.archive_f[order[used - 1]] < np.inf:
        used -= 1
    width = work.archive_f[order[used - 1]] - best
    if not 0 < width < np.inf:
        return
    target = work.target
    if plan.values == OF_RANKS:
        first_target(work, used)
    else:
        for rank in range(used):
            target[rank] = (work.archive_f[order[rank]] - best) / width
    if kind == ROUND and not invert(work.strategy.matrix, work.model.frame, work.square):
        return
    if not prepare_fit(work.archive_x, order, used, kind, work.model, work.fitting):
        return
    if not solve_fit(target, used, m, work.model, work.fitting):
        return
    if plan.values == OF_RANKS:
        for _ in range(TURNS):
            fitted_values(used, m, work.model, work.fitting, target)
            if not ordered(work, used):
                break
            if not solve_fit(target, used, m, work.model, work.fitting):
                return
    state.kind = kind


@internal
def ordered(work, used):
    """Replace values by the nearest ones in the order of the function, scaled to [0, 1]; whether these differ."""
    target = work.target
    make_monotone(target, used, work.pools[0], work.pools[1], work.order[1])
    low, width = target[0], target[used - 1] - target[0]
    if not (width > TINY and width < np.inf):
        return False
    for rank in range(used):
        target[rank] = (target[rank] - low) / width
    return True


@internal
def first_target(work, used):
    """What a model is first fitted to where only ranks count; equal values share a rank."""
    order, target = work.order[0], work.target
    power = 2 / work.best.size
    for rank in range(used):
        target[rank] = ((rank + 1) / used) ** power
        if rank > 0 and work.archive_f[order[rank]] == work.archive_f[order[rank - 1]]:
            target[rank] = target[rank - 1]


@internal
def invert(matrix, out, a):
    """The inverse of M, whose columns are the first rows of the matrix; whether there is one. Gauss-Jordan."""
    d = out.shape[0]
    for k in range(d):
        for j in range(d):
            a[k, j] = matrix[j, k]
            out[k, j] = 1.0 if j == k else 0.0
    for k in range(d):
        pivot = k
        for i in range(k + 1, d):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if not abs(a[pivot, k]) > TINY:
            return False
        if pivot != k:
            for j in range(d):
                a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
                out[k, j], out[pivot, j] = out[pivot, j], out[k, j]
        scale = 1 / a[k, k]
        for j in range(d):
            a[k, j] *= scale
            out[k, j] *= scale
        for i in range(d):
            if i != k:
                factor = a[i, k]
                for j in range(d):
                    a[i, j] -= factor * a[k, j]
                    out[i, j] -= factor * out[k, j]
    return True
