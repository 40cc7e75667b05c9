"""Test functions of mixed variables, 12 to 20 of them: numbers, logarithms, integers, steps, levels, categories.

An instance is drawn by its number: where the optimum lies, which categories are best, how parts are rotated. Seven are
reported (`REPORTED`), the others served to choose settings (`DEVELOPMENT`). The smallest value is 0 unless noted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.core import Array, generator
from autov.problems import Space, ordered, space

Values = dict[str, Any]
Made = tuple[dict[str, Any], Callable[[Values], float]]  # descriptions by name, and the function


@dataclass(frozen=True)
class Mixed:
    """An instance of a test function."""

    name: str
    space: Space
    fun: Callable[[Values], float]


def _numbers(count: int, prefix: str = "x", low: float = -5.0, high: float = 5.0) -> dict[str, Any]:
    return {f"{prefix}{i}": (low, high) for i in range(count)}


def _kinds(count: int, size: int, prefix: str = "c") -> dict[str, Any]:
    return {f"{prefix}{i}": [f"{'abcdefgh'[k]}" for k in range(size)] for i in range(count)}


def _column(v: Values, prefix: str, count: int) -> Array:
    return np.array([v[f"{prefix}{i}"] for i in range(count)], dtype=np.float64)


def _codes(v: Values, prefix: str, count: int) -> list[int]:
    return ["abcdefgh".index(v[f"{prefix}{i}"]) for i in range(count)]


def _rotation(rng: np.random.Generator, d: int) -> Array:
    q, r = np.linalg.qr(rng.standard_normal((d, d)))
    return q * np.sign(np.diag(r))


def _costs(rng: np.random.Generator, count: int, size: int) -> Array:
    """A table (count, size) of what categories cost, the best of each 0."""
    table = rng.random((count, size))
    return (table - table.min(axis=1, keepdims=True)) / np.ptp(table, axis=1, keepdims=True)


def sphere_onemax(rng: np.random.Generator) -> Made:
    """Development: a sphere next to the number of wrong categories (SphereCOM of the paper on CatCMA)."""
    at, best = rng.uniform(-3, 3, 6), rng.integers(0, 4, 6)
    return {**_numbers(6), **_kinds(6, 4)}, lambda v: float(
        ((_column(v, "x", 6) - at) ** 2).sum() + np.sum(_codes(v, "c", 6) != best)
    )


def ellipsoid_leading(rng: np.random.Generator) -> Made:
    """Development: an ellipsoid next to leading right categories (EllipsoidCLO of the same paper)."""
    at, best, scale = rng.uniform(-3, 3, 6), rng.integers(0, 3, 6), 10.0 ** np.linspace(0, 3, 6)

    def fun(v: Values) -> float:
        right = np.cumprod(np.array(_codes(v, "c", 6)) == best).sum()
        return float((scale * (_column(v, "x", 6) - at) ** 2).sum() / 100 + 6 - right)

    return {**_numbers(6), **_kinds(6, 3)}, fun


def sphere_integers(rng: np.random.Generator) -> Made:
    """Development: numbers, integers, levels and categories, all apart from one another."""
    at, whole, best = rng.uniform(-3, 3, 4), rng.integers(2, 19, 4), rng.integers(0, 5, 5)
    table = _costs(rng, 5, 5)
    table[np.arange(5), table.argmin(axis=1)] = 0.0
    level = int(rng.integers(1, 7))

    def fun(v: Values) -> float:
        x, z, c = _column(v, "x", 4), _column(v, "z", 4), _codes(v, "c", 5)
        return float(
            ((x - at) ** 2).sum() + 0.2 * ((z - whole) ** 2).sum() + 2 * table[np.arange(5), c].sum()
            + (v["level"] - level) ** 2
        )  # fmt: skip

    del best
    return {**_numbers(4), **{f"z{i}": range(21) for i in range(4)}, **_kinds(5, 5), "level": ordered(range(8))}, fun


def shifted_by_category(rng: np.random.Generator) -> Made:
    """Development: each category moves the optimum of its number; one is best."""
    at, table = rng.uniform(-3, 3, (7, 4)), _costs(rng, 7, 4)

    def fun(v: Values) -> float:
        x, c = _column(v, "x", 7), _codes(v, "c", 7)
        return float(((x - at[np.arange(7), c]) ** 2).sum() + 3 * table[np.arange(7), c].sum())

    return {**_numbers(7), **_kinds(7, 4)}, fun


def waves(rng: np.random.Generator) -> Made:
    """Development: a bowl with waves, integers, and categories that matter in pairs."""
    at, whole = rng.uniform(-3, 3, 5), rng.integers(2, 10, 3)
    pairs = rng.random((3, 4, 4)) + 0.3
    pairs[np.arange(3), rng.integers(0, 4, 3), rng.integers(0, 4, 3)] = 0.0

    def fun(v: Values) -> float:
        x, z, c = _column(v, "x", 5) - at, _column(v, "z", 3) - whole, _codes(v, "c", 6)
        rugged = (x**2 + 2 * np.sin(3 * x) ** 2).sum() + 0.5 * np.abs(z).sum() + 0.3 * z.sum() ** 2
        return float(rugged + 4 * sum(pairs[i, c[2 * i], c[2 * i + 1]] for i in range(3)))

    return {**_numbers(5), **{f"z{i}": range(13) for i in range(3)}, **_kinds(6, 4)}, fun


def rosenbrock_mixed(rng: np.random.Generator) -> Made:
    """Rosenbrock of six numbers, four coupled integers, four categories with costs (14)."""
    shift, whole, table = rng.uniform(-2, 2, 6), rng.integers(3, 18, 4), _costs(rng, 4, 4)

    def fun(v: Values) -> float:
        x, z = _column(v, "x", 6) - shift + 1, (_column(v, "z", 4) - whole) / 4
        banana = (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
        return float(banana / 10 + (z**2).sum() + z.sum() ** 2 + 5 * table[np.arange(4), _codes(v, "c", 4)].sum())

    return {**_numbers(6), **{f"z{i}": range(21) for i in range(4)}, **_kinds(4, 4)}, fun


def rotated_pairs(rng: np.random.Generator) -> Made:
    """A rotated ellipsoid of eight numbers and two in steps, four categories that cost by pairs of neighbours (14)."""
    at = np.concatenate([rng.uniform(-3, 3, 8), rng.integers(-8, 9, 2) * 0.25])
    rotation, scale = _rotation(rng, 10), 10.0 ** np.linspace(0, 3, 10)
    best, pairs = rng.integers(0, 3, 4), rng.random((4, 3, 3)) + 0.2
    for i in range(4):
        pairs[i, best[i], best[(i + 1) % 4]] = 0.0

    def fun(v: Values) -> float:
        x, c = np.concatenate([_column(v, "x", 8), _column(v, "s", 2)]) - at, _codes(v, "c", 4)
        quadratic = (scale * (x @ rotation) ** 2).sum() / 100
        return float(quadratic + 4 * sum(pairs[i, c[i], c[(i + 1) % 4]] for i in range(4)))

    return {**_numbers(8), **{f"s{i}": (-5, 5, "step", 0.25) for i in range(2)}, **_kinds(4, 3)}, fun


def rastrigin_mixed(rng: np.random.Generator) -> Made:
    """Rastrigin of five numbers and five integers, five categories that move the numbers and cost (15)."""
    at, whole = rng.uniform(-2, 2, (5, 4)), rng.integers(-6, 7, 5)
    table = _costs(rng, 5, 4)

    def fun(v: Values) -> float:
        c = _codes(v, "c", 5)
        x, z = _column(v, "x", 5) - at[np.arange(5), c], _column(v, "z", 5) - whole
        rugged = (x**2 - 3 * np.cos(2 * math.pi * x) + 3).sum() + 0.3 * (z**2 - 4 * np.cos(math.pi * z) + 4).sum()
        return float(rugged + 8 * table[np.arange(5), c].sum())

    return {**_numbers(5), **{f"z{i}": range(-10, 11) for i in range(5)}, **_kinds(5, 4)}, fun


def training(rng: np.random.Generator) -> Made:
    """Like settings of a training: logarithmic rates and sizes, levels, categories that move rates (12)."""
    rates = {"rate": (1e-6, 1.0, "log"), "decay": (1e-8, 1e-2, "log"), "warm": (1e-3, 1.0, "log")}
    sizes = {"width": (8, 2048, "int", "log"), "layers": range(1, 13), "heads": ordered([1, 2, 4, 8, 16])}
    more = {"dropout": (0.0, 0.9, "step", 0.05), "momentum": (0.5, 1.0), "batch": ordered([16, 32, 64, 128, 256, 512])}
    kinds = {"method": ["sgd", "adam", "rms", "lion"], "unit": ["relu", "gelu", "tanh", "silu", "elu"],
             "norm": ["none", "batch", "layer"]}  # fmt: skip
    best_rate = rng.uniform(-5, -1, 4)
    cost = {name: dict(zip(values, _costs(rng, 1, len(values))[0], strict=True)) for name, values in kinds.items()}
    offset = {"none": 0.0, "batch": 0.5, "layer": -0.5}
    decay, warm, width = rng.uniform(-7, -3), rng.uniform(-2.5, -0.5), rng.uniform(1.5, 3)
    layers, heads, drop, momentum, batch = rng.integers(3, 11), rng.integers(0, 5), rng.uniform(0.1, 0.6), 0.9, 5.5

    def fun(v: Values) -> float:
        rate = math.log10(v["rate"]) - best_rate[kinds["method"].index(v["method"])] - offset[v["norm"]]
        rate -= 0.4 * (math.log2(v["batch"]) - batch)
        size = math.log10(v["width"]) - width + 0.08 * (v["layers"] - layers)
        loss = min(rate**2, 4) + 0.3 * (math.log10(v["decay"]) - decay) ** 2 * (1 + (v["norm"] == "none"))
        loss += 0.3 * (math.log10(v["warm"]) - warm) ** 2 + 2 * size**2 + 0.05 * (v["layers"] - layers) ** 2
        loss += 0.2 * abs(math.log2(v["heads"]) - heads) + 4 * (v["dropout"] - drop) ** 2
        loss += 8 * (v["momentum"] - momentum) ** 2 + 0.1 * abs(math.log2(v["batch"]) - batch)
        return float(loss + sum(cost[name][v[name]] for name in kinds))

    return {**rates, **sizes, **more, **kinds}, fun


def beams(rng: np.random.Generator) -> Made:
    """A frame of three beams: width, height and material of each, profile, bolts; weight and penalties (16).

    Its smallest value is not known.
    """
    materials = {"steel": (210.0, 7.85, 250.0, 1.0), "aluminium": (70.0, 2.7, 160.0, 2.5),
                 "titanium": (110.0, 4.5, 600.0, 9.0), "oak": (11.0, 0.7, 40.0, 0.8),
                 "carbon": (150.0, 1.6, 700.0, 14.0)}  # fmt: skip
    profiles = {"box": (0.75, 0.6, 1.2), "solid": (1.0, 1.0, 1.0), "i": (0.85, 0.5, 1.1), "tube": (0.6, 0.45, 1.3)}
    load, length = rng.uniform(4, 12, 3), rng.uniform(1.5, 4, 3)

    def fun(v: Values) -> float:
        total = 0.0
        for i in range(3):
            stiff, dense, strong, price = materials[v[f"material{i}"]]
            inertia_part, area_part, work = profiles[v[f"profile{i}"]]
            b, h = v[f"width{i}"], v[f"height{i}"]
            inertia, area = inertia_part * b * h**3 / 12, area_part * b * h
            stress = load[i] * 1e3 * length[i] * h / 2 / inertia / 1e6
            sag = load[i] * 1e3 * length[i] ** 3 / (3 * stiff * 1e9 * inertia)
            shear = load[i] * 1e3 / (v[f"bolts{i}"] * v["bolt"] ** 2 * 1e-6) / 1e6
            total += area * length[i] * dense * 1e3 * price * work / 10 + 0.6 * v[f"bolts{i}"] * (v["bolt"] / 8) ** 2
            total += 30 * (max(0.0, stress / strong - 1) + max(0.0, sag / (length[i] / 300) - 1))
            total += 10 * max(0.0, shear / 200 - 1)
        return total

    parts: dict[str, Any] = {"bolt": ordered([4, 5, 6, 8, 10, 12, 16])}
    for i in range(3):
        parts |= {f"width{i}": (0.02, 0.3), f"height{i}": (0.02, 0.5), f"bolts{i}": range(2, 25),
                  f"material{i}": list(materials), f"profile{i}": list(profiles)}  # fmt: skip
    return parts, fun


def linked_categories(rng: np.random.Generator) -> Made:
    """Eight categories of four, each worth what its two neighbours allow, and an Ackley function of six numbers (14).

    An NK landscape (K = 2); the value of its best point, found by trying all of them, is taken off.
    """
    tables, at = rng.random((8, 4, 4, 4)), rng.uniform(-3, 3, 6)
    grid = np.stack(np.meshgrid(*[np.arange(4)] * 8, indexing="ij"), axis=-1).reshape(-1, 8)
    all_values = sum(tables[i, grid[:, i], grid[:, (i + 1) % 8], grid[:, (i + 2) % 8]] for i in range(8))
    lowest = float(np.min(all_values))

    def fun(v: Values) -> float:
        c, x = _codes(v, "c", 8), _column(v, "x", 6) - at
        linked = sum(tables[i, c[i], c[(i + 1) % 8], c[(i + 2) % 8]] for i in range(8)) - lowest
        ackley = (
            -20 * math.exp(-0.2 * math.sqrt((x**2).mean())) - math.exp(np.cos(2 * math.pi * x).mean()) + 20 + math.e
        )
        return float(2 * linked + ackley / 2)

    return {**_numbers(6), **_kinds(8, 4)}, fun


def twenty(rng: np.random.Generator) -> Made:
    """Eight numbers on logarithmic scales, four integers, three levels, five categories, coupled by products (20)."""
    at, whole, level = rng.uniform(-3, 1, 8), rng.integers(2, 11, 4), rng.integers(0, 6, 3)
    table, mixing = _costs(rng, 5, 3), _rotation(rng, 15)

    def fun(v: Values) -> float:
        logs = np.log10(_column(v, "r", 8)) - at
        z, q = (_column(v, "z", 4) - whole) / 3, (_column(v, "q", 3) - level) / 2
        y = np.concatenate([logs, z, q]) @ mixing
        c = _codes(v, "c", 5)
        return float((np.linspace(0.3, 6, 15) * y**2).sum() * (1 + table[np.arange(5), c].sum()) +
                     4 * table[np.arange(5), c].sum())  # fmt: skip

    parts: dict[str, Any] = {f"r{i}": (1e-4, 100.0, "log") for i in range(8)}
    parts |= {f"z{i}": range(1, 13) for i in range(4)} | {f"q{i}": ordered(range(6)) for i in range(3)}
    return {**parts, **_kinds(5, 3)}, fun


DEVELOPMENT = (sphere_onemax, ellipsoid_leading, sphere_integers, shifted_by_category, waves)
REPORTED = (rosenbrock_mixed, rotated_pairs, rastrigin_mixed, training, beams, linked_categories, twenty)


def instance(make: Callable[[np.random.Generator], Made], number: int) -> Mixed:
    """An instance of a function."""
    name = make.__name__
    rng = generator(sum(ord(letter) * 31**i for i, letter in enumerate(name)) % 2**31, number)
    parts, fun = make(rng)
    return Mixed(name.replace("_", " "), space(parts), fun)
