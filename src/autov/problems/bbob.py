"""The 24 noiseless functions of the BBOB suite, as the package ioh has them.

Hansen, Finck, Ros, Auger: Real-parameter black-box optimization benchmarking 2009: noiseless functions definitions.
INRIA research report 6829, 2009. de Nobel, Ye, Vermetten, Wang, Doerr, Baeck: IOHexperimenter. Evolutionary Computation
32(3), 2024. An instance fixes shifts, rotations and the value at the optimum. The library is imported when a function
is used first; objects of it are made anew, by number, in every process.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, cast

import numpy as np

from autov.core import Array, Box, Generator, InputError, whole_number
from autov.core.optional import library, release

NUMBERS = range(1, 25)
BBOB_NAMES = tuple(f"bbob-f{number}" for number in NUMBERS)
MANY_AFFINE = "ma-bbob"  # see many_affine.py
INSTANCED = (*BBOB_NAMES, MANY_AFFINE)  # problems that have numbered instances
BBOB_DIM = 20  # variables unless told otherwise
LARGEST_INSTANCE = 10**6


@functools.lru_cache(maxsize=128)
def _function(number: int, dim: int, instance: int) -> Any:
    ioh = library("ioh", "problem", "ioh")
    return ioh.get_problem(number, instance=instance, dimension=dim, problem_class=ioh.ProblemClass.BBOB)


class LibraryFunction:
    """What instances of all suites of the library have in common: the box [-5, 5]^dim and a known minimum."""

    dim: int
    relative: bool
    minimum_is_global: ClassVar[bool] = True  # the functions are defined everywhere, and nowhere smaller
    noisy: ClassVar[bool] = False

    @property
    def _made(self) -> Any:
        """The object of the library."""
        raise NotImplementedError

    @property
    def box(self) -> Box:
        """[-5, 5]^dim."""
        return Box.cube(-5.0, 5.0, self.dim)

    @property
    def optimum(self) -> Array:
        """Where the minimum is."""
        return np.array(self._made.optimum.x, dtype=np.float64)

    @property
    def minimum(self) -> float:
        """The value at the optimum; zero where values are relative to it."""
        return 0.0 if self.relative else self.offset

    @property
    def offset(self) -> float:
        """The library's value at the optimum."""
        return float(self._made.optimum.y)

    def __call__(self, x: Array, rng: Generator | None = None) -> Array:  # noqa: ARG002
        """Values of the rows of x. The library takes lists of lists faster than arrays, and keeps double precision."""
        values = np.array(self._made(np.atleast_2d(np.asarray(x, dtype=np.float64)).tolist()), dtype=np.float64)
        return values - self.offset if self.relative else values

    def objective(self) -> None:
        """The library has no function that a compiled run could call."""
        return


@dataclass(frozen=True)
class BBOB(LibraryFunction):
    """One instance of one function on [-5, 5]^dim; the version of the library decides results, too."""

    number: int
    dim: int = BBOB_DIM
    iid: int = 1  # number of the instance; a method `instance` would make it a family
    version: str = field(default_factory=partial(release, "ioh", "problem", "ioh"))
    relative: bool = False  # values minus that at the optimum: instances differ in it, and could not be compared

    def __post_init__(self) -> None:
        if isinstance(self.number, bool) or self.number not in NUMBERS:
            raise InputError(f"problem: bbob-f1 to bbob-f24, got number {self.number!r}")
        whole_number("instance", self.iid, 1)
        if whole_number("dim", self.dim, 1) < 2:
            raise InputError(f"dim: bbob-f{self.number} needs at least 2 variables, got {self.dim}")

    @property
    def name(self) -> str:
        """bbob-f<number>, with the instance unless it is the first."""
        return f"bbob-f{self.number}" + (f"+instance={self.iid}" if self.iid != 1 else "")

    @property
    def title(self) -> str:
        """The library's name of the function, such as Rastrigin."""
        return str(self._made.meta_data.name)

    @property
    def _made(self) -> Any:
        return _function(int(self.number), int(self.dim), int(self.iid))


def parse_instances(text: str) -> tuple[int, ...]:
    """Instances as people write them: ``2``, ``1..5``, ``1..5_71..80``; commas will do as well."""
    found: list[int] = []
    for part in re.split("[,_]", text):
        match = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", part.strip())
        if match is None:
            raise InputError(
                f"instance: expected a number, a range such as 1..5, or several (1..5_71..80), got {text!r}"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= LARGEST_INSTANCE or last - first > 999:
            raise InputError(f"instance: instances count from 1, and ranges rise by at most 999, got {part!r}")
        found += range(first, last + 1)
    if len(set(found)) < len(found):
        raise InputError(f"instance: an instance occurs twice in {text!r}")
    return tuple(found)


def of_run(problem: Any, instances: str | float, run: int) -> Any:
    """The problem with the instance of a run: the list is gone through again and again.

    Where there are several, values are relative to the minimum, so that runs on different ones can be compared.
    """
    if not isinstance(problem, LibraryFunction):
        raise InputError(
            f"instance: only for bbob-f1..bbob-f24 and ma-bbob, before other transformations; got {problem.name}"
        )
    numbers = parse_instances(instances) if isinstance(instances, str) else (int(instances),)
    return dataclasses.replace(cast(Any, problem), iid=numbers[run % len(numbers)], relative=len(numbers) > 1)


def with_instances(names: Iterable[str], instances: str | None) -> list[str]:
    """Names in which every problem with instances that does not say them has these, as ``+instance=``."""
    given = list(names)
    if instances is None:
        return given
    text = "_".join(part.strip() for part in instances.split(","))
    parse_instances(text)
    heads = [name.partition("+")[0] for name in given]
    if not any(head in INSTANCED for head in heads):
        raise InputError(f"instances: only bbob-f1..bbob-f24 and ma-bbob have them, got {', '.join(given)}")
    return [
        name.replace(head, f"{head}+instance={text}", 1) if head in INSTANCED and "+instance=" not in name else name
        for name, head in zip(given, heads, strict=True)
    ]
