"""Noisy functions: the true value at the recommended point, with pycma's noise handling and nevergrad.

BBOB functions (package ioh) that are not of the kinds on which the algorithm of noisy runs was chosen: sphere,
Rosenbrock, Rastrigin, Ackley, Schwefel 1.2 and Griewank. Values are divided by their standard deviation over the box,
and normal noise of 1 % and 10 % of that is added. A gap is the true value at the recommended point less the minimum.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata, wilcoxon

from autov.core import Array, generator
from autov.core.atomic_files import read_json, to_json, write_text
from autov.experiments.row import versions
from autov.peers.nevergrad import _nevergrad as _library
from autov.problems import instance_of, resolve_problem
from autov.runs import minimize
from benchmarks.kernel import machine

FUNCTIONS = (2, 5, 6, 7, 10, 11, 12, 13, 14, 16, 17, 18, 20, 21, 22, 23, 24)
INSTANCES, NOISE, DIM, MAXFEV = (1, 2), (0.01, 0.1), 5, 500
LEAST = 1e-8  # gaps below are equal
FILE = Path(__file__).parents[1] / "results" / "noise.json"
OURS = "autov, noise=True"
HEADING = "## Comparison with other libraries"
INTRODUCTION = """{count} BBOB functions with {dim} variables, {maxfev} evaluations, instances 1 and 2, one run on each.
Values are divided by their standard deviation over the box, and normal noise of 1 % or 10 % of that is added. The gap
is the true value at the recommended point less the minimum. The algorithm of noisy runs was chosen on other functions,
kinds of which are left out here. The p-values are those of signed-rank tests of the {pairs} pairs of gaps, with Holm's
correction for all rows of a table. `python -m benchmarks noise` repeats it (results/noise.json), and `make quality`
writes this section."""


class _Spent(Exception):  # noqa: N818
    pass


class Noisy:
    """A function with noise that counts its evaluations."""

    def __init__(self, number: int, instance: int, part: float, seed: int) -> None:
        self._problem = instance_of(resolve_problem(f"bbob-f{number}+instance={instance}", dim=DIM), 0)
        self.box, self.rng, self.part = self._problem.box, generator(seed), part
        self.scale = float(np.std(self._values(self.box.sample(2000, generator(number, instance)))))
        self.minimum, self.nfev = float(self._problem.minimum), 0  # type: ignore[arg-type]

    def _values(self, x: Array) -> Array:
        return np.asarray(self._problem(np.atleast_2d(x), generator(0)), dtype=np.float64)

    def gap(self, x: Array) -> float:
        """Of the true value."""
        return (float(self._values(x)[0]) - self.minimum) / self.scale

    def __call__(self, x: Array) -> float:
        """A noisy value."""
        if self.nfev >= MAXFEV:
            raise _Spent
        self.nfev += 1
        return float(self._values(x)[0]) / self.scale + self.part * float(self.rng.standard_normal())

    def unit(self, u: Any) -> float:
        """The same in the unit box."""
        return self(self.box.lower + np.clip(u, 0, 1) * self.box.width)


def _autov(fun: Noisy, seed: int, **options: Any) -> Array:
    return minimize(fun, list(zip(fun.box.lower, fun.box.upper, strict=True)), maxfev=MAXFEV, rng=seed, **options).x


def _pycma(fun: Noisy, seed: int) -> Array:
    """CMA-ES with its noise handler; the mean is recommended, as its documentation says."""
    import cma

    rng, mean = generator(seed), np.full(DIM, 0.5)
    try:
        while True:
            options = {"bounds": [0, 1], "verbose": -9, "verb_log": 0, "seed": np.nan,
                       "randn": lambda *shape: rng.standard_normal(shape)}  # fmt: skip
            strategy = cma.CMAEvolutionStrategy(rng.random(DIM), 0.3, options)
            handler = cma.NoiseHandler(DIM, maxevals=[1, 1, 30])
            while not strategy.stop():
                x, f = strategy.ask_and_eval(fun.unit, evaluations=int(handler.evaluations))
                strategy.tell(x, f)
                mean = np.asarray(strategy.result.xfavorite, dtype=np.float64)
                strategy.sigma *= handler(x, f, fun.unit, strategy.ask)
    except _Spent:
        pass
    return fun.box.lower + np.clip(mean, 0, 1) * fun.box.width


def _nevergrad(fun: Noisy, seed: int, name: str) -> Array:
    nevergrad = _library()
    state = np.random.get_state()  # noqa: NPY002 - parts of nevergrad draw from the global stream
    np.random.seed(seed)  # noqa: NPY002
    try:
        start = fun.box.sample(1, generator(seed))[0]
        space = nevergrad.p.Array(init=start, lower=fun.box.lower, upper=fun.box.upper)
        space.random_state = np.random.RandomState(seed)
        optimizer = nevergrad.optimizers.registry[name](parametrization=space, budget=MAXFEV, num_workers=1)
        for _ in range(MAXFEV):
            candidate = optimizer.ask()
            optimizer.tell(candidate, fun(candidate.value))
        return optimizer.provide_recommendation().value
    finally:
        np.random.set_state(state)  # noqa: NPY002


ALGORITHMS: dict[str, Callable[[Noisy, int], Array]] = {
    OURS: partial(_autov, noise=True),
    "autov, noise=None": _autov,
    "pycma, luckiest": partial(_autov, algorithm="cma:default"),
    "pycma, noise handler": _pycma,
    "nevergrad TBPSA": partial(_nevergrad, name="TBPSA"),
    "nevergrad NGOpt": partial(_nevergrad, name="NGOpt"),
}
SHOWN = {"pycma, luckiest": "pycma, smallest observed value"}  # by the page


def bench_noise() -> dict[str, Any]:
    """Run all and keep the gaps in results/noise.json."""
    found: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part in NOISE:
            found[f"{part:g}"] = {
                label: [[run(label, number, instance, part) for instance in INSTANCES] for number in FUNCTIONS]
                for label in ALGORITHMS
            }
    about = {"functions": FUNCTIONS, "instances": INSTANCES, "dim": DIM, "maxfev": MAXFEV, "machine": machine(),
             "versions": versions()}  # fmt: skip
    write_text(FILE, to_json({**about, "gaps": found}, indent=1) + "\n")
    return {"gaps": {part: {k: float(np.median(v)) for k, v in one.items()} for part, one in found.items()}}


def run(label: str, number: int, instance: int, part: float) -> float:
    """The gap at the recommended point of an algorithm."""
    seed = 1000 * number + instance
    fun = Noisy(number, instance, part, seed)
    return max(fun.gap(ALGORITHMS[label](fun, seed)), LEAST)


def table(gaps: dict[str, Any]) -> str:
    """Markdown: median gap, mean rank, and whether the first row is better (signed-rank, Holm, 5 %)."""
    lines = []
    for part, by_label in gaps.items():
        values = {label: np.ravel(rows) for label, rows in by_label.items()}
        ranks = rankdata(np.array(list(values.values())), axis=0).mean(axis=1)
        others = [label for label in values if label != OURS]
        p = [_signed_rank(values[OURS], values[label]) for label in others]
        order = np.argsort(p)
        steps = np.minimum(np.maximum.accumulate(np.sort(p) * np.arange(len(p), 0, -1)), 1)
        holm = dict(zip([others[i] for i in order], steps, strict=True))
        lines += [f"Noise of {float(part):.0%}:", "", "| | median gap | mean rank | wins of the first row | p (Holm) |",
                  "| --- | --- | --- | --- | --- |"]  # fmt: skip
        for label, rank in sorted(zip(values, ranks, strict=True), key=lambda item: item[0] != OURS):
            wins = "" if label == OURS else f"{np.mean(values[OURS] < values[label]):.0%}"
            tested = "" if label == OURS else f"{holm[label]:.2g}"
            cells = (SHOWN.get(label, label), f"{np.median(values[label]):.2g}", f"{rank:.2f}", wins, tested)
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def noise_page(stored: str | Path = FILE, page: str | Path = "docs/noise.md") -> None:
    """Write the last section of the page anew."""
    about = read_json(Path(stored), "results of noisy runs")
    before = Path(page).read_text().partition(HEADING)[0]
    shown = INTRODUCTION.format(
        **about, count=len(about["functions"]), pairs=len(about["functions"]) * len(about["instances"])
    )
    write_text(Path(page), f"{before}{HEADING}\n\n{shown}\n\n{table(about['gaps'])}\n{_losses(about)}\n")


def _losses(about: dict[str, Any]) -> str:
    """The functions on which another library has a smaller mean of the log gaps at both levels of noise."""
    means = {
        label: np.sum([np.log(by_label[label]).mean(axis=1) for by_label in about["gaps"].values()], axis=0)
        for label in ALGORITHMS
    }
    rivals = np.array([means[label] for label in ALGORITHMS if not label.startswith("autov")])
    lost = [
        f"f{n}" for n, own, best in zip(about["functions"], means[OURS], rivals.min(axis=0), strict=True) if best < own
    ]
    return (
        f"On {len(lost)} of {len(about['functions'])} functions the best of the four others, chosen for each function, "
        f"has a smaller mean of the\nlogarithms of the gaps: {', '.join(lost)}."
    )


def _signed_rank(a: Array, b: Array) -> float:
    tested: Any = wilcoxon(np.log(a), np.log(b))
    return float(tested.pvalue)
