"""Families of problems: every run gets its own instance, so that nothing can be learnt from where an optimum lies."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from autov.core import Array, Box, Generator, InputError, generator
from autov.kernels.objective import Objective
from autov.problems.bbob import of_run, parse_instances
from autov.problems.classics import Classic
from autov.problems.instances import Folded, Instance
from autov.problems.problem import Problem, ProblemFamily
from autov.problems.transforms import Rotated, Scaled, Translated, without_fixed

TRANSFORMS = ("translate", "scale", "rotate", "bound", "family", "instance")
KINDS = ("translate", "rotate", "scale")  # what an instance of a family may differ in
LARGEST_ZOOM = 2.0  # a drawn scale lies between its inverse and this
PER_RUN = "run"  # the value of a transformation that is drawn anew for every run
INNER = 0.8  # a drawn translation puts the optimum anywhere in this part of the box
Step = tuple[str, str | float]  # a transformation and its value


def checked_step(key: str, value: str) -> Step:
    """A transformation as people write it, ``key=value``."""
    if key not in TRANSFORMS:
        raise InputError(f"problem: unknown transformation {f'{key}={value}'!r}; allowed are {', '.join(TRANSFORMS)}")
    if key == "family":
        return key, "-".join(checked_kinds(value.replace("-", ",").split(",")))
    if key == "instance":
        numbers = parse_instances(value)
        return key, value if len(numbers) > 1 else min(numbers)
    if key in ("translate", "rotate") and value == PER_RUN:
        return key, value
    if key == "rotate":
        if not value.isdecimal():
            raise InputError(f"rotate: expected a seed (0, 1, 2, ...) or run, got {value!r}")
        return key, int(value)
    try:
        return key, float(value)
    except ValueError:
        raise InputError(f"{key}: expected a number, got {value!r}") from None


def is_per_run(step: Step) -> bool:
    """Whether the transformation differs from run to run."""
    key, value = step
    return value == PER_RUN or key == "family" or (key == "instance" and isinstance(value, str))


def transformed(problem: Problem, steps: tuple[Step, ...], run: int = 0) -> Problem:
    """The problem under transformations, in the order of their application; those per run are drawn from run."""
    for key, value in steps:
        if key == "translate":
            b = drawn_translation(problem, run) if value == PER_RUN else float(value)
            problem = Translated(problem, b)
        elif key == "scale":
            problem = Scaled(problem, float(value))
        elif key == "rotate":
            problem = Rotated(problem, run if value == PER_RUN else int(value))
        elif key == "family":
            problem = drawn_instance(problem, str(value).split("-"), run)
        elif key == "instance":
            problem = of_run(problem, value, run)
        elif isinstance(problem, Classic):
            problem = dataclasses.replace(problem, bound=float(value))
        else:
            raise InputError(f"bound: only for a classic problem that is not transformed yet, got {problem.name}")
    return problem


def checked_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """Some of KINDS, each once, in their order; text such as "translate-rotate" is several."""
    names = [kinds] if isinstance(kinds, str) or not isinstance(kinds, Iterable) else list(kinds)
    given = [part for name in names for part in (name.split("-") if isinstance(name, str) else [name])]
    for kind in given:
        if kind not in KINDS:
            raise InputError(f"family: must be some of {', '.join(KINDS)}, got {kind!r}")
    return tuple(kind for kind in KINDS if kind in given)


def with_family(problem: Problem, kinds: tuple[str, ...]) -> Problem:
    """The family of random instances of a problem, in its free variables; for no kinds, or if it is one, itself."""
    if not kinds or isinstance(problem, ProblemFamily):
        return problem
    return Family(without_fixed(problem), (("family", "-".join(kinds)),))


def drawn_instance(problem: Problem, kinds: Sequence[str], run: int) -> Problem:
    """An instance of a family: its optimum anywhere in the inner part of the box, rotated and scaled about it.

    A problem whose values outside its box are unknown, or smaller, is mirrored at the bounds.
    """
    if not (problem.box.width > 0).all():
        raise InputError(f"family: {problem.name} has fixed variables (lower equals upper); leave them out")
    if not getattr(problem, "minimum_is_global", False):
        problem = Folded(problem)
    box, rng = problem.box, generator(run, 2, problem.box.dim)
    centre = (box.lower + box.upper) / 2
    place = centre if problem.optimum is None else problem.optimum
    drawn = centre + INNER * (rng.random(box.dim) - 0.5) * box.width
    zoom = LARGEST_ZOOM ** (2 * rng.random() - 1)
    rotation = int(rng.integers(0, 2**62))
    return Instance(
        problem, drawn if "translate" in kinds else place, zoom if "scale" in kinds else 1.0,
        rotation if "rotate" in kinds else None,
    )  # fmt: skip


def drawn_translation(problem: Problem, run: int) -> Array:
    """The shift that takes the optimum (where it is unknown, the centre of the box) to a uniform inner point."""
    box = problem.box
    centre = (box.lower + box.upper) / 2
    place = centre + INNER * (generator(run, 1, box.dim).random(box.dim) - 0.5) * box.width
    return (centre if problem.optimum is None else problem.optimum) - place


@dataclass(frozen=True)
class Family:
    """A problem under transformations of which some are drawn for every run, such as ``f9+translate=run+rotate=run``.

    Called itself it is the instance of run 0.
    """

    base: Problem
    steps: tuple[Step, ...]

    def instance(self, run: int) -> Problem:
        """The problem of a run."""
        return transformed(self.base, self.steps, run)

    @cached_property
    def _first(self) -> Problem:
        return self.instance(0)

    @property
    def name(self) -> str:
        """The name of the base with its transformations."""
        return self.base.name + "".join(f"+{key}={value if isinstance(value, str) else f'{value:g}'}"
                                        for key, value in self.steps)  # fmt: skip

    @property
    def box(self) -> Box:
        """The same for all instances."""
        return self._first.box

    @property
    def minimum(self) -> float | None:
        """That of the first instance."""
        return self._first.minimum

    @property
    def optimum(self) -> Array | None:
        """That of the first instance."""
        return self._first.optimum

    @property
    def noisy(self) -> bool | None:
        """Whether values are random; None where it is unknown."""
        return getattr(self.base, "noisy", None)

    def __call__(self, x: Array, rng: Generator) -> Array:
        """Values of the rows of x on the first instance."""
        return self._first(x, rng)

    def objective(self) -> Objective | None:
        """The compiled form of the first instance."""
        return self._first.objective()
