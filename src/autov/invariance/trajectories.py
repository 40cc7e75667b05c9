"""check_algorithm: the paper's Figures 1-3, one run on a problem and one on the transformed problem, compared.

Both runs have the same seed. The second one gets the transformed problem, first population and, for translation and
scale, box; for a < 0 the bounds of the box change places. A turned box is no box. So under rotation the box stays, the
first population is drawn in the largest ball inside it, and the runs can agree only as long as no point is clipped and
the algorithm does not use the width of the box; points on the border are counted and reported.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autov.algorithms import resolve_algorithm
from autov.algorithms.text import short_name
from autov.core import Array, InputError, Seed, generator, seed_of
from autov.invariance.certificate import Level
from autov.invariance.distribution import NORMAL_90, SLACK, distance, features
from autov.invariance.recorded_runs import RecordedRun, Setting, rotatable, rotates_draws
from autov.invariance.theorem import mirror_symmetric
from autov.invariance.transformations import PROPERTIES, Property, Transformation
from autov.problems import resolve_problem

ALPHA = 1e-3  # chance of a false refusal by the test on many runs, per property
SUSPECTS = 2  # transformations in that test: the most general ones under which populations differ


@dataclass(frozen=True)
class Trajectory:
    """Whether an algorithm does the same on a transformed problem.

    Attributes:
        property: translation, scale or rotation.
        holds: True if the populations agree, or agree for every a > 0 and a theorem says that laws agree for a < 0;
            False if they do not and many runs differ in law, None if they do not agree but the laws could not be told
            apart: the question is open.
        level: pathwise, distribution if many runs were compared, theorem if that decides about a < 0.
        transformation: the one with the largest deviation.
        deviation: largest difference of two populations, as a share of the widest side of the box.
        diverged: first generation with a deviation above tol (0 is the first population), None if there is none.
        touches: number of variables of points asked for that lie on the border of the box, both runs together.
        first_touch: first generation with such a point.
        p_value: of the test on many runs, corrected for the number of comparisons; None if populations agree.
        runs: size of each sample of that test.
        detectable: the Kolmogorov-Smirnov distance that it finds with a chance of 90%.
        turned: whether its random draws were turned with the problem (see `Rotatable`).
        inside: whether its first steps were made small, to stay away from the border.
        negative: whether populations differ for a < 0 only.
        member: of an algorithm made of others, one that is not certified by itself, though it may not show in these
            runs.
    """

    property: str
    holds: bool | None
    level: Level
    transformation: str
    deviation: float
    diverged: int | None
    touches: int
    first_touch: int | None
    p_value: float | None = None
    runs: int = 0
    detectable: float | None = None
    turned: bool = False
    inside: bool = False
    negative: bool = False
    member: str = ""

    def note(self) -> str:
        """In words."""
        if self.diverged is None:
            text = f"populations agree up to {self.deviation:.2g} of the box under every transformation"
            if self.member:
                return f"{text}, but its member {self.member}, which may run later, is not certified"
            if self.turned and self.property == "scale":
                text += "; for a < 0 its draws were mirrored with the problem, which does not change their law"
            elif self.turned:
                text += (
                    "; its draws were turned with the problem, which does not change their law, and its steps kept "
                    "away from the border: it is rotation invariant in law"
                )
            elif self.inside:
                text += "; its first points were put near the centre, away from the border"
            return text
        text = f"populations differ from generation {self.diverged} under {self.transformation}"
        if self.negative:
            text = f"populations agree for every a > 0; {text}"
        if self.level == "theorem":
            text += "; by theorem (its draws are symmetric in law) they agree in law for a < 0"
            return f"{text}, but its member {self.member} is not certified" if self.member else text
        if self.first_touch is not None and self.first_touch <= self.diverged:
            text += f"; points lay on the border from generation {self.first_touch}, so clipping may be the cause"
        if self.holds is False:
            return f"{text}; {self.runs} runs of each differ in law, p = {self.p_value:.2g}"
        open_ = f"{self.runs} runs of each cannot be told apart, p = {self.p_value:.2g}"
        return f"{text}; {open_}; a Kolmogorov-Smirnov distance of {self.detectable:.2f} would have been found"


@dataclass(frozen=True)
class AlgorithmReport:
    """Trajectories of an algorithm, one per property."""

    algorithm: str
    problem: str
    popsize: int
    generations: int
    seed: int
    trajectories: tuple[Trajectory, ...]

    @property
    def holds(self) -> dict[str, bool | None]:
        """Verdict by property; None is open."""
        return {t.property: t.holds for t in self.trajectories}

    def __getitem__(self, property: str) -> Trajectory:
        return next(t for t in self.trajectories if t.property == property)

    def __str__(self) -> str:
        size = f"population {self.popsize}, {self.generations} generations, seed {self.seed}"
        lines = [f"Trajectories of {self.algorithm} on {self.problem}, {size}"]
        lines.append(f"  {'property':<12} {'holds':<6} {'level':<13} {'deviation':<10} touches")
        for t in self.trajectories:
            holds = {True: "yes", False: "no", None: "open"}[t.holds]
            lines.append(f"  {t.property:<12} {holds:<6} {t.level:<13} {t.deviation:<10.2g} {t.touches}")
        return "\n".join([*lines, *(f"  {t.property}: {t.note()}" for t in self.trajectories)])

    def to_dict(self) -> dict[str, Any]:
        """JSON-able; a deviation that is not finite becomes None."""
        rows = [{**vars(t), "deviation": t.deviation if np.isfinite(t.deviation) else None} for t in self.trajectories]
        return {**vars(self), "holds": self.holds, "trajectories": rows}


def check_algorithm(
    algorithm: Any, problem: Any = "rosenbrock", *, dim: int | None = None, popsize: int = 10, generations: int = 10,
    runs: int = 200, tol: float = 1e-6, rng: Seed = 1,
) -> AlgorithmReport:  # fmt: skip
    """Compare the runs of an algorithm on a problem and on translated, scaled and rotated forms of it.

    If populations differ, ``runs`` more runs on each form, from the same first population but with other seeds, are
    compared in law: an algorithm can be invariant in distribution without being so path by path.

    Args:
        algorithm: a name such as "de" or "cma:default", or settings with init, ask and tell.
        problem: a problem or its name; its objective must tell directions apart: no rotation changes a sphere.
        dim: variables of a problem that leaves it open; 2 by default.
        popsize: population size.
        generations: steps after the first population.
        runs: for the comparison in law.
        tol: the largest difference, as a share of the widest side of the box, that counts as rounding.
        rng: seed of the compared runs and of the others.

    Returns:
        A report; ``print`` shows it, and ``holds`` is a dictionary of property -> True, False or None (open).

    Examples:
        >>> import autov
        >>> autov.check_algorithm("pso", "rosenbrock").holds
        {'translation': True, 'scale': True, 'rotation': False}
    """
    for name, value, least in (("popsize", popsize, 1), ("generations", generations, 1), ("runs", runs, 2)):
        if not isinstance(value, (int, np.integer)) or value < least:
            raise InputError(f"{name}: must be an integer, at least {least}, got {value!r}")
    algorithm, problem = resolve_algorithm(algorithm), resolve_problem(problem, dim=dim, default_dim=2)
    if not isinstance(tol, (int, float)) or not 0 < tol < 1:
        raise InputError(f"tol: must be between 0 and 1, got {tol!r}")
    if problem.box.dim < 2:
        raise InputError("problem: must have at least 2 variables, one has nothing to rotate")
    seed = seed_of(rng)
    setting = Setting(algorithm, problem, int(popsize), int(generations), seed)
    rows = tuple(_with_members(setting, property, int(runs), tol) for property in PROPERTIES)
    name = getattr(problem, "name", type(problem).__name__)
    return AlgorithmReport(algorithm.name, name, int(popsize), int(generations), seed, rows)


def _deviations(one: RecordedRun, two: RecordedRun, width: float) -> Array:
    """Per generation, the largest difference of points asked for or kept; infinity if their numbers differ."""
    pairs = [zip(one.asked, two.asked, strict=False), zip(one.kept, two.kept, strict=False)]
    each = [[np.abs(x - y).max() / width if x.shape == y.shape else np.inf for x, y in pair] for pair in pairs]
    found = np.full(len(one.asked), np.inf)  # batches that only one of them made differ
    count = min(len(found), *(len(row) for row in each))
    found[:count] = np.max([row[:count] for row in each], axis=0)
    return found


def _with_members(setting: Setting, property: Property, runs: int, tol: float) -> Trajectory:
    """The verdict on an algorithm; where it is made of others, these are asked, too: some may not have run at all.

    Draws along the axes, or of one sign, may show in law only, so that a member must be certified under rotation and
    scale. Under translation it must not be refuted: rounding lets nearly equal points change places, which leaves many
    open by themselves.
    """
    found = _compare(setting, property, runs, tol)
    for member in getattr(setting.algorithm, "members", ()) if found.holds else ():
        holds = _compare(replace(setting, algorithm=member), property, runs, tol).holds
        if holds is False or (holds is None and property != "translation"):
            return replace(found, holds=None, member=short_name(member))
    return found


def _compare(setting: Setting, property: Property, runs: int, tol: float) -> Trajectory:
    inside, turned = False, property != "translation" and rotates_draws(setting.algorithm)
    if property == "rotation" and rotatable(setting.algorithm):
        inside = True
        setting = replace(setting, algorithm=setting.algorithm.inside())
    x0 = setting.first(property)
    plain = setting.run(None, x0, 0)
    width = float(setting.problem.box.width.max())
    transformations = list(setting.transformations(property))
    images = [setting.run(T, x0, 0) for T in transformations]
    deviations = np.array([_deviations(plain, image, width) for image in images])
    touches = plain.touches + max(image.touches for image in images)
    first_touch = min((r.first_touch for r in [plain, *images] if r.first_touch is not None), default=None)
    worst = int(np.argmax(deviations.max(axis=1)))
    deviation = float(deviations.max())
    common = {"touches": touches, "first_touch": first_touch, "deviation": deviation}
    common |= {"turned": turned, "inside": inside}
    label = transformations[worst].label
    if not deviation > tol:
        return Trajectory(property, True, "pathwise", label, diverged=None, **common)
    diverged = int(np.argmax(deviations[worst] > tol))
    suspects = [T for T, row in zip(transformations, deviations, strict=True) if row.max() > tol]
    negative = property == "scale" and all(T.a < 0 for T in suspects)
    p, detectable = _compare_laws(setting, suspects[-SUSPECTS:], x0, runs)
    proved = negative and p >= ALPHA and mirror_symmetric(setting.algorithm)
    common |= {"p_value": p, "runs": runs, "detectable": detectable, "negative": negative}
    holds = False if p < ALPHA else proved or None
    return Trajectory(property, holds, "theorem" if proved else "distribution", label, diverged=diverged, **common)


def _compare_laws(setting: Setting, suspects: list[Transformation], x0: Array, runs: int) -> tuple[float, float]:
    """The corrected p-value and the distance found with a chance of 90%; e exp(-N D^2) bounds the p-value for all N."""
    directions = features(setting.problem.box.dim, generator(setting.seed, 6))

    def table(T: Transformation | None, block: int) -> Array:
        paths = range(block * runs + 1, (block + 1) * runs + 1)
        return np.sort([setting.run(T, x0, path).summary(directions) for path in paths], axis=0)

    plain = table(None, 0)
    slack = SLACK * (np.median(np.abs(plain), axis=0) + np.abs(x0).max())
    comparisons = plain.shape[1] * len(suspects)
    largest = 0.0
    for block, T in enumerate(suspects, start=1):
        moved, more = table(T, block), SLACK * np.abs(T.b).max()
        largest = max(largest, *(distance(plain[:, k], moved[:, k], slack[k] + more) for k in range(plain.shape[1])))
    p = min(1.0, comparisons * math.exp(1 - runs * largest**2))
    return p, math.sqrt(math.log(comparisons * math.e / ALPHA) / runs) + NORMAL_90 / math.sqrt(2 * runs)
