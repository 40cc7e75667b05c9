"""check_bias: where an algorithm ends if values are random.

On a function of random values, independent of the point and of each other, no point is better than another. The best
point of a run should then be anywhere in the box with the same chance: an algorithm without structural bias gives final
points that are uniform (A. V. Kononova, D. W. Corne, P. De Wilde, V. Shneer and F. Caraffini, "Structural bias in
population-based algorithms", Information Sciences 298 (2015) 468-490; D. Vermetten, B. van Stein, F. Caraffini, L. L.
Minku and A. V. Kononova, "BIAS: a toolbox for benchmarking structural bias in the continuous domain", IEEE Transactions
on Evolutionary Computation 26 (2022) 1380-1393). The final points of many independent runs are tested for uniformity,
variable by variable, by three tests, and all variables together by two that ask for a pull to the centre or the border,
and to lower or upper bounds. p-values are corrected for all of them by Holm's method, which holds however the tests
depend on each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import chi2, kstest, norm

from autov.algorithms import resolve_algorithm
from autov.core import Array, Box, Generator, InputError, Seed, generator, seed_of, whole_number
from autov.core.display import Displayable
from autov.runs import solve

ALPHA = 0.01  # chance of finding a bias where there is none
TESTS = ("kolmogorov-smirnov", "anderson-darling", "spacings")  # of each variable
POOLED = ("centre or border", "lower or upper")  # of all variables together
BINS = 20  # of the stored histogram
EULER = 0.5772156649015329


@dataclass(frozen=True)
class RandomValues:
    """A function of random values: the point does not matter, and the same point has another value each time."""

    box: Box
    name: str = "random values"
    minimum: None = None
    optimum: None = None

    def __call__(self, x: Array, rng: Generator) -> Array:
        """Uniform numbers."""
        return rng.random(len(x))

    def objective(self) -> None:
        """It is called from Python."""
        return


@dataclass(frozen=True, eq=False, repr=False)
class BiasReport(Displayable):
    """The verdict on structural bias: whether final points are uniform in the box, and their places.

    Attributes:
        algorithm: its name.
        dim: number of variables.
        maxfev: evaluations of a run.
        popsize: population size.
        seed: of the runs.
        points: best points of the runs, shape (runs, d), in units of the box.
        corrected: p-values of each test in each variable, shape (tests, d), corrected by Holm's method.
        pooled: p-values of the two tests of all variables together, corrected with them.
        alpha: the level at which a bias is found.
        drawn_to: where points are drawn to: centre, border, lower bounds, upper bounds; empty if that is not clear.
    """

    algorithm: str
    dim: int
    maxfev: int
    popsize: int
    seed: int
    points: Array = field(repr=False)
    corrected: Array
    pooled: Array
    alpha: float
    drawn_to: tuple[str, ...]

    @property
    def biased(self) -> bool:
        """Whether some test refuses uniformity."""
        return bool((self.corrected < self.alpha).any() or (self.pooled < self.alpha).any())

    @property
    def share(self) -> float:
        """Of the variables, those that some test refuses."""
        return float((self.corrected < self.alpha).any(axis=0).mean())

    @property
    def on_the_border(self) -> float:
        """The share of all variables of final points that lie on a bound exactly, as clipped points do."""
        return float(((self.points <= 0) | (self.points >= 1)).mean())

    @property
    def detectable(self) -> float:
        """The Kolmogorov-Smirnov distance from uniform that is found in any one variable with a chance of 90 % or more.

        By the inequality of Dvoretzky, Kiefer and Wolfowitz; for a bias of all variables it is smaller.
        """
        runs, tests = self.points.shape[0], self.corrected.size + len(POOLED)
        return math.sqrt(math.log(2 * tests / self.alpha) / (2 * runs)) + 1.2815515655446004 / (2 * math.sqrt(runs))

    def __repr__(self) -> str:
        return f"<BiasReport of {self.algorithm}: {'biased' if self.biased else 'no bias found'}>"

    def __str__(self) -> str:
        runs = len(self.points)
        size = f"{runs} runs of {self.maxfev:,} evaluations, {self.dim} variables, population {self.popsize}"
        lines = [f"Structural bias of {self.algorithm} on random values, {size}, seed {self.seed}"]
        lines.append(f"  {'test':<20} {'variables refused':<18} smallest p-value, corrected")
        for name, row in zip(TESTS, self.corrected, strict=True):
            lines.append(f"  {name:<20} {int((row < self.alpha).sum()):<18} {row.min():.2g}")
        lines += [f"  {name:<20} {'all together':<18} {p:.2g}" for name, p in zip(POOLED, self.pooled, strict=True)]
        return "\n".join([*lines, f"  {self.note()}"])

    def note(self) -> str:
        """The verdict in words."""
        if not self.biased:
            return (
                f"no bias found; evidence, not a proof: the test detects a Kolmogorov-Smirnov distance of "
                f"{self.detectable:.2f} in one variable with a power of 90%"
            )
        text = f"biased, in {self.share:.0%} of the variables by themselves (false alarm at most {self.alpha:g})"
        if self.drawn_to:
            text += f": final points are drawn to the {' and the '.join(self.drawn_to)}"
        if self.on_the_border:
            text += (
                f"; {self.on_the_border:.2g} of their variables lie on a bound exactly, which has chance 0 without bias"
            )
        return text

    def to_dict(self, points: bool = True) -> dict[str, Any]:
        """JSON-able; without the points if they are not wanted."""
        data = {
            "algorithm": self.algorithm, "dim": self.dim, "runs": len(self.points), "maxfev": self.maxfev,
            "popsize": self.popsize, "seed": self.seed, "alpha": self.alpha, "biased": self.biased, "share": self.share,
            "drawn_to": list(self.drawn_to), "detectable": self.detectable, "tests": list(TESTS),
            "smallest_p_values": self.corrected.min(axis=1).tolist(), "corrected": self.corrected.tolist(),
            "pooled_tests": list(POOLED), "pooled": self.pooled.tolist(),
            "inner_half": float((np.abs(self.points - 0.5) < 0.25).mean()),
            "on_the_border": self.on_the_border,
            "counts": np.histogram(self.points, BINS, (0.0, 1.0))[0].tolist(),
        }  # fmt: skip
        return {**data, "points": self.points.tolist()} if points else data


def check_bias(
    algorithm: Any, *, dim: int = 10, runs: int = 100, maxfev: int = 10_000, popsize: int = 100, alpha: float = ALPHA,
    rng: Seed = None,
) -> BiasReport:  # fmt: skip
    """Test an algorithm for structural bias: does it prefer some part of the box if values are random?

    It runs many times on a function of random values, in the box from 0 to 1; the best points must be uniform.

    Args:
        algorithm: a name such as "de", "general" or "cma:default", or settings with init, ask and tell; an operator as
            "evolution:NAME", or as ``Evolution(operator)``, in the paper's metaheuristic.
        dim: number of variables.
        runs: at least 20; more find weaker biases.
        maxfev: evaluations of each run.
        popsize: population size, for algorithms that have none of their own.
        alpha: the chance of finding a bias where there is none.
        rng: seed of the runs.

    Returns:
        A report; ``print`` shows it, ``biased`` is the verdict, ``plot()`` shows where the points are.

    Examples:
        >>> import autov
        >>> autov.check_bias("de", dim=2, runs=20, maxfev=200, popsize=20, rng=1).biased
        False
    """
    dim, runs = whole_number("dim", dim, 1), whole_number("runs", runs, 20)
    maxfev, popsize = whole_number("maxfev", maxfev, 1), whole_number("popsize", popsize, 2)
    if not isinstance(alpha, (int, float)) or not 0 < alpha < 1:
        raise InputError(f"alpha: must be between 0 and 1, got {alpha!r}")
    settings, seed = resolve_algorithm(algorithm), seed_of(rng)
    problem = RandomValues(Box.cube(0.0, 1.0, dim))
    ends = [solve(problem, settings, maxfev=maxfev, popsize=popsize, seed=seed, run=run).x for run in range(runs)]
    points = np.array(ends)
    each, (pooled, signs) = uniformity(points, generator(seed, 7)), directions(points)
    corrected = holm(np.concatenate([each.ravel(), pooled]))
    together = corrected[each.size :]
    drawn_to = tuple(sign for sign, p in zip(signs, together, strict=True) if p < alpha)
    name = algorithm if isinstance(algorithm, str) else settings.name
    corrected = corrected[: each.size].reshape(each.shape)
    return BiasReport(name, dim, maxfev, popsize, seed, points, corrected, together, float(alpha), drawn_to)


def uniformity(points: Array, rng: Generator) -> Array:
    """p-values (tests, d) of the hypothesis that each column is a sample of the uniform distribution on [0, 1].

    Final points may be numbers of few digits, so that equal ones say little: they are spread over their last bit.
    """
    spread = np.clip(points + (rng.random(points.shape) - 0.5) * 2.0**-52, 0.0, 1.0)
    columns = np.sort(spread, axis=0).T
    ks = [float(kstest(column, "uniform").pvalue) for column in columns]
    return np.array([ks, [anderson_darling(u) for u in columns], [spacings(u) for u in columns]])


def anderson_darling(u: Array) -> float:
    """p-value of the Anderson-Darling test of a sorted sample against the uniform distribution.

    The distribution of the statistic for large samples, in the approximation of G. Marsaglia and J. Marsaglia,
    "Evaluating the Anderson-Darling distribution", Journal of Statistical Software 9 (2004), accurate to six digits; it
    is good to three from 20 points on.
    """
    n = len(u)
    low, high = np.clip(u, 1e-300, 1.0), np.clip(1.0 - u[::-1], 1e-300, 1.0)
    z = -n - float(((2 * np.arange(1, n + 1) - 1) * (np.log(low) + np.log(high))).sum()) / n
    if z < 2.0:
        inner = 2.00012 + (0.247105 - (0.0649821 - (0.0347962 - (0.011672 - 0.00168691 * z) * z) * z) * z) * z
        return 1.0 - math.exp(-1.2337141 / z) / math.sqrt(z) * inner
    inner = 1.0776 - (2.30695 - (0.43424 - (0.082433 - (0.008056 - 0.0003146 * z) * z) * z) * z) * z
    if z > 8.0:  # the tail is exponential; the approximation ends here
        edge = 1.0776 - (2.30695 - (0.43424 - (0.082433 - (0.008056 - 0.0003146 * 8) * 8) * 8) * 8) * 8
        return -math.expm1(-math.exp(edge)) * math.exp(-(z - 8.0))
    return -math.expm1(-math.exp(inner))


def spacings(u: Array) -> float:
    """p-value, two-sided, of Moran's test: minus the sum of the logarithms of the spacings of a sorted sample.

    Large where points crowd, small where they keep apart. The distribution is a shifted chi-square, as in R. C. H.
    Cheng and M. A. Stephens, "A goodness-of-fit test using Moran's statistic with estimated parameters", Biometrika 76
    (1989).
    """
    n, m = len(u), len(u) + 1
    gaps = np.diff(np.concatenate([[0.0], u, [1.0]]))
    statistic = -float(np.log(np.maximum(gaps, 1e-300)).sum())
    mean = m * (math.log(m) + EULER) - 0.5 - 1 / (12 * m)
    deviation = math.sqrt(m * (math.pi**2 / 6 - 1) - 0.5 - 1 / (6 * m))
    x = (statistic - mean + math.sqrt(n / 2) * deviation) / (deviation / math.sqrt(2 * n))
    return float(min(1.0, 2 * min(chi2.cdf(x, n), chi2.sf(x, n))))


def holm(p_values: Array) -> Array:
    """p-values corrected so that the chance of any false alarm is at most the level (S. Holm, 1979)."""
    order = np.argsort(p_values)
    factors = np.arange(len(p_values), 0, -1)
    corrected = np.empty_like(p_values)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p_values[order] * factors))
    return corrected


def directions(points: Array) -> tuple[Array, tuple[str, str]]:
    """p-values of the two tests of all variables together, and where points would be drawn to.

    If points are uniform in the box, distances from the centre and places of all their variables are independent
    uniform numbers, and the mean of this many is normal.
    """
    z = math.sqrt(12 * points.size) * np.array([np.abs(2 * points - 1).mean() - 0.5, points.mean() - 0.5])
    signs = ("border" if z[0] > 0 else "centre", "upper bounds" if z[1] > 0 else "lower bounds")
    return 2 * norm.sf(np.abs(z)), signs
