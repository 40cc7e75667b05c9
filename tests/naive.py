"""Slow, obvious twins of the kernels: NumPy and plain loops, written from the definitions."""

from __future__ import annotations

import math

import numpy as np

from autov.kernels import random as stream
from autov.kernels.evolution.variation import BEST, DIFFERENCE, LOWER, MEAN, SPREAD, UPPER, WIDTH
from autov.kernels.evolution.workspace import block_rows

MASK = (1 << 64) - 1


def mix(z: int, key: int) -> int:
    """The keyed finaliser of splitmix64 with Python's integers."""
    z &= MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = (z + key) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def bits(first: int, second: int, start: int, count: int) -> list[int]:
    return [mix(first + (start + i) * 0x9E3779B97F4A7C15, second) for i in range(count)]


def derived(base: np.ndarray, candidate: int, run: int) -> tuple[int, int]:
    """The key of (candidate, run) under a base key."""
    golden = 0x9E3779B97F4A7C15
    first = mix(int(base[0]) + candidate * golden, int(base[1]))
    second = mix(int(base[1]) + run * golden, first)
    return mix(first + run * golden, second), second


def normals(first: int, second: int, start: int, count: int) -> np.ndarray:
    """Box-Muller in double precision from the same words: first half sines, second half cosines."""
    words = np.array(bits(first, second, start, count // 2), dtype=np.uint64).view(np.int32)
    radius, angle = words[: count // 2], words[count // 2 :]
    u = ((radius & 0x7FFFFFFF).astype(np.float64) + 0.5) * 2.0**-31
    r = np.sqrt(-2.0 * np.log(u))
    turn = angle.astype(np.float64) * (math.pi * 2.0**-31)
    return np.concatenate([r * np.sin(turn), r * np.cos(turn)])


def classic(name: str, x: np.ndarray) -> np.ndarray:
    """The compiled functions, one point and one formula at a time (quartic without noise)."""
    return np.array([FUNCTIONS[name](p) for p in x])


def _u(x: np.ndarray, a: float, k: float, m: int) -> float:
    return sum(k * (abs(v) - a) ** m if abs(v) > a else 0.0 for v in x)


def _penalized_1(x: np.ndarray, y: np.ndarray) -> float:
    d = len(x)
    middle = sum((y[i] - 1) ** 2 * (1 + 10 * math.sin(math.pi * y[i + 1]) ** 2) for i in range(d - 1))
    return math.pi / d * (10 * math.sin(math.pi * y[0]) ** 2 + middle + (y[-1] - 1) ** 2) + _u(x, 10, 100, 4)


def _penalized_2(x: np.ndarray) -> float:
    d = len(x)
    middle = sum((x[i] - 1) ** 2 * (1 + math.sin(3 * math.pi * x[i + 1]) ** 2) for i in range(d - 1))
    last = (x[-1] - 1) ** 2 * (1 + math.sin(2 * math.pi * x[-1]) ** 2)
    return 0.1 * (math.sin(3 * math.pi * x[0]) ** 2 + middle + last) + _u(x, 5, 100, 4)


def _ramp(x: np.ndarray) -> list[float]:
    return [i / (len(x) - 1) if len(x) > 1 else 0.0 for i in range(len(x))]


def _schaffer_f6(a: float, b: float) -> float:
    s = a**2 + b**2
    return 0.5 + (math.sin(math.sqrt(s)) ** 2 - 0.5) / (1 + 0.001 * s) ** 2


def _weierstrass(x: np.ndarray) -> float:
    at = sum(0.5**k * math.cos(2 * math.pi * 3**k * (v + 0.5)) for v in x for k in range(21))
    return at - len(x) * sum(0.5**k * math.cos(math.pi * 3**k) for k in range(21))


def _katsuura(x: np.ndarray) -> float:
    d = len(x)
    sums = [sum(abs(2**j * v - round(2**j * v)) / 2**j for j in range(1, 33)) for v in x]
    return 10 / d**2 * math.prod((1 + (i + 1) * s) ** (10 / d**1.2) for i, s in enumerate(sums)) - 10 / d**2


def _lunacek(x: np.ndarray) -> float:
    d, mu = len(x), 2.5
    s = 1 - 1 / (2 * math.sqrt(d + 20) - 8.2)
    other = -math.sqrt((mu**2 - 1) / s)
    funnels = min(sum((v - mu) ** 2 for v in x), d + s * sum((v - other) ** 2 for v in x))
    return funnels + 10 * sum(1 - math.cos(2 * math.pi * (v - mu)) for v in x)


def _levy(x: np.ndarray) -> float:
    w = 1 + (x - 1) / 4
    middle = sum((v - 1) ** 2 * (1 + 10 * math.sin(math.pi * v + 1) ** 2) for v in w[:-1])
    last = (w[-1] - 1) ** 2 * (1 + math.sin(2 * math.pi * w[-1]) ** 2)
    return math.sin(math.pi * w[0]) ** 2 + middle + last


def _zakharov(x: np.ndarray) -> float:
    slope = sum(0.5 * (i + 1) * v for i, v in enumerate(x))
    return sum(v**2 for v in x) + slope**2 + slope**4


FUNCTIONS = {
    "ellipsoid": lambda x: sum(10 ** (6 * t) * v**2 for t, v in zip(_ramp(x), x, strict=True)),
    "discus": lambda x: 1e6 * x[0] ** 2 + sum(v**2 for v in x[1:]),
    "bent_cigar": lambda x: x[0] ** 2 + 1e6 * sum(v**2 for v in x[1:]),
    "different_powers": lambda x: math.sqrt(sum(abs(v) ** (2 + 4 * t) for t, v in zip(_ramp(x), x, strict=True))),
    "sharp_ridge": lambda x: x[0] ** 2 + 100 * math.sqrt(sum(v**2 for v in x[1:])),
    "expanded_schaffer_f6": lambda x: sum(_schaffer_f6(x[i], x[(i + 1) % len(x)]) for i in range(len(x))),
    "weierstrass": _weierstrass,
    "katsuura": _katsuura,
    "lunacek": _lunacek,
    "levy": _levy,
    "zakharov": _zakharov,
    "michalewicz": lambda x: (
        -sum(math.sin(v) * math.sin((i + 1) * v**2 / math.pi) ** 20 for i, v in enumerate(x))
    ),
    "styblinski_tang": lambda x: 0.5 * sum(v**4 - 16 * v**2 + 5 * v for v in x),
    "sphere": lambda x: sum(v**2 for v in x),
    "schwefel_2_22": lambda x: sum(abs(v) for v in x) + math.prod(abs(v) for v in x),
    "schwefel_1_2": lambda x: sum(sum(x[: i + 1]) ** 2 for i in range(len(x))),
    "schwefel_2_21": lambda x: max(abs(v) for v in x),
    "rosenbrock": lambda x: sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (x[i] - 1) ** 2 for i in range(len(x) - 1)),
    "step": lambda x: sum(math.floor(v + 0.5) ** 2 for v in x),
    "quartic": lambda x: sum((i + 1) * v**4 for i, v in enumerate(x)),
    "schwefel_2_26": lambda x: sum(-v * math.sin(math.sqrt(abs(v))) for v in x),
    "rastrigin": lambda x: sum(v**2 - 10 * math.cos(2 * math.pi * v) + 10 for v in x),
    "ackley": lambda x: (
        -20 * math.exp(-0.2 * math.sqrt(sum(v**2 for v in x) / len(x)))
        - math.exp(sum(math.cos(2 * math.pi * v) for v in x) / len(x)) + 20 + math.e
    ),
    "griewank": lambda x: (
        sum(v**2 for v in x) / 4000 - math.prod(math.cos(v / math.sqrt(i + 1)) for i, v in enumerate(x)) + 1
    ),
    "penalized_1": lambda x: _penalized_1(x, 1 + (x + 1) / 4),
    "penalized_1_plain": lambda x: _penalized_1(x, x),
    "penalized_2": _penalized_2,
}  # fmt: skip


def parents(key, generation, inputs, f, m, sizes=(2.0, 2.0)):
    """Tournaments, one at a time; those of other sizes than two by rank."""
    first, second = stream.subkey(key, generation, stream.PARENTS)
    n, t = len(f), len(inputs)
    words = bits(int(first), int(second), 0, m * t)
    ranked = sorted(range(n), key=lambda i: f[i])
    index = np.empty((m, t), int)
    for i in range(m):
        for j in range(t):
            word, size = words[j * m + i], sizes[0 if inputs[j] == 1 else 1]
            if inputs[j] < 0:
                index[i, j] = n - inputs[j] - 1 + (i if inputs[j] == DIFFERENCE else 0)
            elif size == 2:
                a, b = ((word >> 32) * n) >> 32, ((word & 0xFFFFFFFF) * n) >> 32
                index[i, j] = a if f[a] <= f[b] else b
            else:
                u = (word >> 11) / 2**53
                index[i, j] = ranked[min(math.floor(n * (1 - (1 - u) ** (1 / size))), n - 1)]
    return index


def differences(key: np.ndarray, generation: int, inputs: np.ndarray, x: np.ndarray, m: int) -> np.ndarray:
    """x_a - x_b of two different members for each offspring; empty if the operator has no such input."""
    if DIFFERENCE not in inputs:
        return x[:0]
    first, second = stream.subkey(key, generation, stream.PARENTS)
    n, found = len(x), []
    for word in bits(int(first), int(second), list(inputs).index(DIFFERENCE) * m, m):
        a, b = ((word >> 32) * n) >> 32, ((word & 0xFFFFFFFF) * (n - 1)) >> 32
        found.append(x[a] - np.delete(x, a, axis=0)[b])
    return np.array(found)


def pool(x: np.ndarray, f: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The population and, behind it, best, mean, lower, upper, width and spread."""
    order = sorted([BEST, MEAN, LOWER, UPPER, WIDTH, SPREAD], reverse=True)
    rows = {BEST: x[np.argmin(f)], MEAN: x.mean(axis=0), LOWER: lower, UPPER: upper, WIDTH: upper - lower,
            SPREAD: x.std(axis=0)}  # fmt: skip
    return np.vstack([x, *(rows[code] for code in order)])


def basis(x: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Eigenvectors of the covariance in rows, the longest axis first, each turned towards the best point."""
    _, vectors = np.linalg.eigh(np.cov(x.T, bias=True).reshape(x.shape[1], x.shape[1]))
    axes = vectors.T[::-1]
    side = axes @ (x[np.argmin(f)] - x.mean(axis=0))
    return np.where(side < 0, -1.0, 1.0)[:, None] * axes


def offspring(key, generation, variation, lower, upper, x, f, m, sizes=(2.0, 2.0), axes=None):
    """Offspring of a generation, one variable at a time; normals and words are the stream's own.

    With axes, everything is drawn in their coordinates and turned back.
    """
    everything = np.vstack([pool(x, f, lower, upper), differences(key, generation, variation.inputs, x, m)])
    index = parents(key, generation, variation.inputs, f, m, sizes)
    n, d = x.shape
    if axes is not None:
        points = np.ones(len(everything), bool)
        points[n - WIDTH - 1 :] = False
        everything = np.where(points[:, None], everything - x.mean(axis=0), everything) @ axes.T
        everything[n - WIDTH - 1] = np.sqrt(np.mean((upper - lower) ** 2))
        everything[n - SPREAD - 1] = everything[:n].std(axis=0)
    out = np.empty((m, d))
    variable_rows, whole_rows = variation.rows
    row_key = np.array(stream.subkey(key, generation, stream.ROWS), dtype=np.uint64)
    normal_key = np.array(stream.subkey(key, generation, stream.NORMALS), dtype=np.uint64)

    def draw_words(keys, start, count):
        buffer = np.empty((count + 1) // 2, np.uint64)
        stream.fill_bits(keys[0], keys[1], start, len(buffer), buffer)
        return buffer.view(np.int32)[:count]

    def draw_normals(keys, start, count):
        even = count + count % 2
        z = np.empty(even, np.float32)
        scratch = np.empty(even, np.uint64)
        stream.fill_normals(keys[0], keys[1], start, even // 2, scratch, scratch.view(np.int32), z)
        return z[:count].astype(float)

    weights = len(variation.arity)
    step = block_rows(d)
    for begin in range(0, m, step):
        rows = range(begin, min(begin + step, m))
        start, size = begin * (d + weights), len(rows)
        whole = bool(whole_rows)
        first_words, first_z = draw_words(row_key, start, size), draw_normals(normal_key, start, size * weights)
        words = draw_words(row_key, start + whole * ((size + 1) // 2), size * d)
        z = draw_normals(normal_key, start + whole * ((size * weights + 1) // 2), size * d)
        for i in rows:
            sources = [everything[index[i, s + 1]] for s in range(weights)]
            x1 = everything[index[i, 0]]
            tied = [s >= weights - len(variation.tied) for s in range(weights)]
            r = int((first_words[i - begin] > variation.solution_thresholds).sum())
            if r < whole_rows:
                out[i] = x1
                for s in range(weights):
                    mean, variance = variation.parameters[variable_rows + r, 2 * s : 2 * s + 2]
                    weight = mean + math.sqrt(variance) * first_z[(i - begin) * weights + s]
                    out[i] += weight * (sources[s] if tied[s] else sources[s] - x1)
                continue
            for k in range(d):
                place = (i - begin) * d + k
                r = int((words[place] > variation.thresholds).sum())
                mean, variance = x1[k], 0.0
                for s in range(weights):
                    difference = sources[s][k] if tied[s] else sources[s][k] - x1[k]
                    mean += variation.parameters[r, 2 * s] * difference
                    variance += variation.parameters[r, 2 * s + 1] * difference**2
                out[i, k] = mean + math.sqrt(variance) * z[place]
    if axes is not None:
        out = x.mean(axis=0) + out @ axes
    return np.clip(out, lower, upper)


def survivors(x, f, offspring_x, offspring_f):
    """The better half of the union as a set of (value, point), by a stable sort: parents first among equals."""
    union_x, union_f = np.vstack([x, offspring_x]), np.concatenate([f, offspring_f])
    order = np.argsort(union_f, kind="stable")[: len(f)]
    return union_x[order], union_f[order]
