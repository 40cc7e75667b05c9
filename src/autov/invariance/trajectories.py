"""check_algorithm: the paper's Figures 1-3, one run on a problem and one on the transformed problem, compared.

Both runs have the same seed. The second one gets the transformed problem, first population and, but for rotation, box;
for a < 0 the bounds of the box change places. A rotated box is no box. So under rotation the box stays, the
first population is drawn in the largest ball inside it, and the runs can agree only as long as no point is clipped and
the algorithm does not use the width of the box; points on the border are counted and reported. For the order of f the
points stay, and the values go through an increasing function. Points of a generation are compared as a set.

Some algorithms amplify rounding, so that paths part though nothing is wrong. Whether that is so is tried: runs on the
plain problem, whose points are shaken by a few units in the last place, are compared with one another. If they part as
early, the paths say nothing, and distributions are compared with all runs shaken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from autov.algorithms import resolve_algorithm
from autov.algorithms.text import short_name
from autov.algorithms.warm_start import WarmStart
from autov.core import Array, InputError, Seed, generator, seed_of
from autov.invariance.algorithm_report import ALPHA, AlgorithmReport, Trajectory
from autov.invariance.certify import DIMS, wanted_dims, wanted_properties
from autov.invariance.distribution import NORMAL_90, SLACK, distance, features
from autov.invariance.recorded_runs import Change, Increasing, RecordedRun, Setting, rotatable, rotates_draws
from autov.invariance.scope import RunScope
from autov.invariance.theorem import exchangeable, mirror_symmetric
from autov.invariance.transformations import PROPERTIES, Property, Transformation
from autov.problems import Problem, resolve_problem

APART = 7  # the population under permutations has this many members more than variables, if it has about as many
CONTROLS = 4  # runs that are shaken, to see whether the algorithm amplifies rounding
SHAKES = 32  # points near the best one that tell how much rounding may change its value
SUSPECTS = 2  # transformations in that test: the most general ones under which populations differ


def check_algorithm(
    algorithm: Any, problem: Any = "rosenbrock", *, dim: int | Sequence[int] | None = None, popsize: int = 10,
    generations: int = 10, runs: int = 200, tol: float = 1e-6, properties: Sequence[str] = PROPERTIES, rng: Seed = None,
) -> AlgorithmReport:  # fmt: skip
    """Compare the runs of an algorithm on a problem and on transformed forms of it.

    If populations differ, ``runs`` more runs on each form, from the same first population but with other seeds, are
    compared in distribution: an algorithm can be invariant in distribution without being so path by path.

    Args:
        algorithm: a name such as "de" or "cma:default", or settings with init, ask and tell.
        problem: a problem or its name; its objective must tell directions apart: no rotation changes a sphere.
        dim: variables of a problem that leaves it open, one number or several; 2, 10 and 50 by default.
        popsize: population size.
        generations: steps after the first population.
        runs: for the comparison in distribution.
        tol: the largest difference, as a share of the widest side of the box, that counts as rounding.
        properties: some of translation, scale, rotation, permutation, order.
        rng: seed of the compared runs and of the others.

    Returns:
        A report; ``print`` shows it, and ``holds`` is a dictionary of property -> True, False or None (open).

    Examples:
        >>> import autov
        >>> autov.check_algorithm("pso", "rosenbrock", dim=2, rng=1).holds
        {'translation': True, 'scale': True, 'rotation': False, 'permutation': True, 'order': True}
    """
    for name, value, least in (("popsize", popsize, 1), ("generations", generations, 1), ("runs", runs, 2)):
        if not isinstance(value, (int, np.integer)) or value < least:
            raise InputError(f"{name}: must be an integer, at least {least}, got {value!r}")
    wanted = wanted_properties(properties)
    settings, forms = resolve_algorithm(algorithm), _forms(problem, dim)
    if not isinstance(tol, (int, float)) or not 0 < tol < 1:
        raise InputError(f"tol: must be between 0 and 1, got {tol!r}")
    if min(form.box.dim for form in forms) < 2:
        raise InputError("problem: must have at least 2 variables, one has nothing to rotate")
    seed = seed_of(rng)
    cases = [Setting(settings, form, int(popsize), int(generations), seed) for form in forms]
    cases, remarks = _working(cases)
    rows = tuple(_with_memory(cases, property, int(runs), tol) for property in wanted)
    name = algorithm if isinstance(algorithm, str) else settings.name
    on = getattr(forms[0], "name", type(forms[0]).__name__)
    return AlgorithmReport(name, on, int(popsize), int(generations), seed, rows, remarks)


def _forms(problem: Any, dim: int | Sequence[int] | None) -> list[Problem]:
    """The problem in every number of variables asked for; in several by default where it leaves that open."""
    if isinstance(dim, Sequence):
        return [resolve_problem(problem, dim=d, default_dim=2) for d in wanted_dims(dim)]
    if dim is not None:
        return [resolve_problem(problem, dim=dim, default_dim=2)]
    found = {(form := resolve_problem(problem, default_dim=d)).box.dim: form for d in DIMS}
    return [found[d] for d in sorted(found)]


def _working(cases: list[Setting]) -> tuple[list[Setting], tuple[str, ...]]:
    """Those numbers of variables in which the algorithm runs at all, and remarks on the others."""
    working: list[Setting] = []
    failures: list[tuple[int, Exception]] = []
    for case in cases:
        try:
            case.run(None, case.first("translation"), 0)
            working.append(case)
        except Exception as error:  # whatever an algorithm of a user raises
            failures.append((case.problem.box.dim, error))
    if not working:
        raise failures[0][1]
    said = (f"warning: not certified for {dim} variables, {type(error).__name__}: {error}" for dim, error in failures)
    return working, tuple(said)


def _deviations(one: RecordedRun, two: RecordedRun, width: float, tol: float) -> Array:
    """Per generation, the largest difference of points asked for or kept; infinity if their numbers differ."""
    pairs = [zip(one.asked, two.asked, strict=False), zip(one.kept, two.kept, strict=False)]
    each = [[_apart(x, y, tol * width) / width for x, y in pair] for pair in pairs]
    found = np.full(len(one.asked), np.inf)  # batches that only one of them made differ
    count = min(len(found), *(len(row) for row in each))
    found[:count] = np.max([row[:count] for row in each], axis=0)
    return found


def _apart(x: Array, y: Array, tol: float) -> float:
    """The largest difference of two sets of points, those paired that are near; infinity if their numbers differ."""
    if x.shape != y.shape:
        return np.inf
    found = float(np.abs(x - y).max())
    if not tol < found < np.inf:
        return found
    distances = np.abs(x[:, None] - y[None]).max(axis=2)
    return min(found, float(distances[linear_sum_assignment(distances)].max()))


def _with_memory(settings: list[Setting], property: Property, runs: int, tol: float) -> Trajectory:
    """The verdict on an algorithm that may remember points of the box: such a one has no property but order."""
    algorithm = settings[0].algorithm
    if not isinstance(algorithm, WarmStart):
        return _with_members(settings, property, runs, tol)
    cold = _with_members([replace(one, algorithm=algorithm.cold) for one in settings], property, runs, tol)
    if property == "order":
        return cold
    told = {True: "yes", False: "no", None: "open"}[cold.holds]
    why = (
        f"it remembers {len(algorithm.points)} points of the box and starts there, also after a translation of the "
        "problem; that is right for problems with a fixed optimum, which it was designed for (without memory, "
        f"optimizer.json+cold: {told})"
    )
    return replace(cold, holds=False, level="theorem", memory=why)


def _with_members(settings: list[Setting], property: Property, runs: int, tol: float) -> Trajectory:
    """The verdict on an algorithm; where it is made of others, these are asked, too: some may not have run at all.

    Draws along the axes, or of one sign, may show in distribution only, so that a member must be certified by itself.
    Under translation it must not be refuted: rounding lets nearly equal points change places, which leaves many open by
    themselves.
    """
    found = _in_all_dims(settings, property, runs, tol)
    for member in getattr(settings[0].algorithm, "members", ()) if found.holds else ():
        alone = [replace(setting, algorithm=member) for setting in settings]
        holds = _in_all_dims(alone, property, runs, tol).holds
        if holds is False or (holds is None and property != "translation"):
            return replace(found, holds=None, member=short_name(member))
    return found


def _in_all_dims(settings: list[Setting], property: Property, runs: int, tol: float) -> Trajectory:
    """The worst that any number of variables shows, with the scope of all; a refusal ends the trial."""
    each: list[Trajectory] = []
    for setting in settings:
        each.append(_compare(setting, property, runs, tol, len(settings)))
        if each[-1].holds is False:
            break
    worst = max(each, key=lambda t: (t.holds is False, t.holds is None, t.level != "pathwise", t.deviation))
    scopes = [t.scope for t in each if t.scope is not None]
    return replace(worst, scope=RunScope.joined(scopes), touches=sum(t.touches for t in each))


def _compare(setting: Setting, property: Property, runs: int, tol: float, times: int) -> Trajectory:
    inside, turned = False, property in ("scale", "rotation") and rotates_draws(setting.algorithm)
    if property == "rotation" and rotatable(setting.algorithm):
        inside = True
        setting = replace(setting, algorithm=setting.algorithm.inside())
    dim = setting.problem.box.dim
    if property == "permutation" and abs(setting.popsize - dim) < APART:
        setting = replace(setting, popsize=dim + APART)  # else draws for points look like draws for variables
    x0 = setting.first(property)
    plain = setting.run(None, x0, 0)
    width = float(setting.problem.box.width.max())
    changes = list(setting.transformations(property))
    images = [setting.run(T, x0, 0) for T in changes]
    if property == "order":  # what merged two values that were seen is not increasing
        kept = [k for k, image in enumerate(images) if image.increasing]
        changes, images = [changes[k] for k in kept], [images[k] for k in kept]
    deviations = np.array([_deviations(plain, image, width, tol) for image in images])
    if property == "permutation" and deviations.max() > tol and hasattr(setting.algorithm, "ask"):
        coupled = [setting.run(T, x0, 0, permuted=True) for T in changes]
        again = np.array([_deviations(plain, image, width, tol) for image in coupled])
        if not again.max() > tol:
            turned, images, deviations = True, coupled, again
    touches = plain.touches + max(image.touches for image in images)
    first_touch = min((r.first_touch for r in [plain, *images] if r.first_touch is not None), default=None)
    worst = int(np.argmax(deviations.max(axis=1)))
    deviation = float(deviations.max())
    common: dict[str, Any] = {"touches": touches, "first_touch": first_touch, "deviation": deviation}
    common |= {"turned": turned, "inside": inside, "dim": setting.problem.box.dim}
    points = sum(len(x) for image in images for x in image.asked)
    common["scope"] = RunScope.of(setting.problem.box.dim, changes, width, len(images), points, tol)
    label = changes[worst].label
    if not deviation > tol:
        return Trajectory(property, True, "pathwise", label, diverged=None, **common)
    diverged = int(np.argmax(deviations[worst] > tol))
    suspects = [T for T, row in zip(changes, deviations, strict=True) if row.max() > tol]
    negative = property == "scale" and all(isinstance(T, Transformation) and T.a < 0 for T in suspects)
    affine = property == "order" and not any(isinstance(T, Increasing) and T.affine for T in suspects)
    parted = [int(np.argmax(row > tol)) for row in deviations if row.max() > tol]
    rounding = property != "order" and _amplifies_rounding(setting, suspects, parted, plain, x0, width, tol)
    p, detectable = _compare_laws(
        setting, suspects[-SUSPECTS:], x0, runs, times, rounding, _tolerated(setting, plain, tol)
    )
    proved = p >= ALPHA and (
        (negative and mirror_symmetric(setting.algorithm))
        or (property == "permutation" and exchangeable(setting.algorithm))
    )
    common |= {"p_value": p, "runs": runs, "detectable": detectable, "negative": negative, "affine": affine}
    common["rounding"] = rounding
    holds = False if p < ALPHA else proved or None
    return Trajectory(property, holds, "theorem" if proved else "distribution", label, diverged=diverged, **common)


def _amplifies_rounding(
    setting: Setting, suspects: list[Change], parted: list[int], plain: RecordedRun, x0: Array, width: float, tol: float
) -> bool:  # fmt: skip
    """Whether shaken runs on the plain problem part from it as early as those on each transformed problem."""
    first: dict[float, int] = {}
    for T, generation in zip(suspects, parted, strict=True):
        shake = setting.rounding(T)
        first[shake] = min(generation, first.get(shake, generation))
    for shake, generation in first.items():
        for seed in range(CONTROLS):
            control = replace(setting, shaken=seed).run(None, x0, 0, shake=shake)
            if _deviations(plain, control, width, tol)[: generation + 1].max() > tol:
                break
        else:
            return False
    return True


class Tolerated(NamedTuple):
    """What differences of points that count as rounding may change in the numbers of a summary."""

    place: float  # means and spreads along any direction
    value: float  # the best value

    def of(self, count: int) -> Array:
        """For each of this many numbers, the best value last."""
        return np.append(np.full(count - 1, self.place), self.value)


def _tolerated(setting: Setting, plain: RecordedRun, tol: float) -> Tolerated:
    box, problem, rng = setting.problem.box, setting.problem, generator(setting.seed, 8)
    points, length = np.concatenate(plain.asked), tol * float(box.width.max())
    values = problem(points, rng)
    near = points[np.argmin(values)] + length * rng.uniform(-1, 1, (SHAKES, box.dim))
    change = np.abs(problem(box.clip(near), rng) - values.min()).max()
    return Tolerated(math.sqrt(box.dim) * length, float(change) if np.isfinite(change) else 0.0)


def _compare_laws(
    setting: Setting, suspects: list[Change], x0: Array, runs: int, times: int, shaken: bool, tolerated: Tolerated
) -> tuple[float, float]:  # fmt: skip
    """The corrected p-value and the distance found with a chance of 90%; e exp(-N D^2) bounds the p-value for all N.

    The correction counts as many such tests as there are ``times``. With ``shaken``, points of all runs are. What
    counts as rounding where paths are compared does so here: runs that are deterministic for a while would else be told
    apart by their last digits.
    """
    directions = features(setting.problem.box.dim, generator(setting.seed, 6))
    shake = max(setting.rounding(T) for T in suspects) if shaken else 0.0

    def table(T: Change | None, block: int) -> Array:
        paths = range(block * runs + 1, (block + 1) * runs + 1)
        return np.sort([setting.run(T, x0, path, shake=shake).summary(directions) for path in paths], axis=0)

    plain = table(None, 0)
    slack = SLACK * (np.median(np.abs(plain), axis=0) + np.abs(x0).max()) + tolerated.of(plain.shape[1])
    comparisons = plain.shape[1] * len(suspects) * times
    largest = 0.0
    for block, T in enumerate(suspects, start=1):
        moved, more = table(T, block), SLACK * (np.abs(T.b).max() if isinstance(T, Transformation) else 0.0)
        largest = max(largest, *(distance(plain[:, k], moved[:, k], slack[k] + more) for k in range(plain.shape[1])))
    p = min(1.0, comparisons * math.exp(1 - runs * largest**2))
    return p, math.sqrt(math.log(comparisons * math.e / ALPHA) / runs) + NORMAL_90 / math.sqrt(2 * runs)
