"""Families of users: a function that makes the instance of every run."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Literal

from autov.core import Array, Box, Generator, InputError, generator, whole_number
from autov.kernels.objective import Objective
from autov.problems.function import function_problem
from autov.problems.problem import Problem

Split = Literal["test", "train", "validation"]
SPLITS: tuple[Split, ...] = ("test", "train", "validation")  # in the order of their numbers
BITS = 61  # numbers of one part
GENERATORS = ("rng", "generator", "random_state")  # names of a parameter that wants a generator, not a number
SHARES = {"test": (4,), "train": (0, 1, 2), "validation": (3,)}  # of five instances, where there are this many only
KEPT = 64  # instances that a family remembers


def split_of(number: int) -> Split:
    """The part that an instance with this number belongs to."""
    return SPLITS[min(number >> BITS, len(SPLITS) - 1)]


@dataclass(frozen=True, eq=False)
class GeneratedFamily:
    """A family whose instances a function makes; see `family`.

    Numbers of instances belong to one of three parts: test (0 to 2**61 - 1: what `minimize` and `compare` take), train
    and validation. No number is in two parts.
    """

    make: Callable[..., Any]
    validate: Callable[..., Any] | None = None
    bounds: Box | None = None
    vectorized: bool = False
    minimum: float | None = None
    count: int | None = None
    label: str = "family"
    key: str | None = None
    noisy: bool | None = None
    _made: OrderedDict[int, Problem] = field(default_factory=OrderedDict, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    optimum = None

    @property
    def name(self) -> str:
        """The label."""
        return self.label

    def identity_parts(self) -> Any:
        """What decides its values: the key, if there is one, instead of what the functions are made of."""
        decides = self.key or [self.make, self.validate]
        return ["GeneratedFamily", decides, self.bounds, self.vectorized, self.count]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_made", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _made=OrderedDict(), _lock=Lock())

    def numbered(self, part: Split, number: int) -> int:
        """The number of an instance of a part; ``number`` may be any integer up to 2**63."""
        return (SPLITS.index(part) << BITS) + (int(number) & ((1 << BITS) - 1))

    def instance(self, run: int) -> Problem:
        """The problem of a run, constructed once as long as it is remembered."""
        with self._lock:  # threads that need the same instance wait for the one that constructs it
            found = self._made.get(run)
            if found is None:
                found = self._made[run] = self._construct(int(run))
            self._made.move_to_end(run)
            if len(self._made) > KEPT:
                self._made.popitem(last=False)
        return found

    def _construct(self, number: int) -> Problem:
        part = split_of(number)
        make = self.make if part == "train" or self.validate is None else self.validate
        if self.count is not None:
            places = [i for i in range(self.count) if i % 5 in SHARES[part]]
            number = places[(number & ((1 << BITS) - 1)) % len(places)]
        made = make(generator(number) if _wants_generator(make) else number)
        what = f"family: the instance of run {number} of {self.label}"
        if isinstance(made, Problem) and not isinstance(made, type):
            if self.bounds is not None and made.box != self.bounds:
                raise InputError(f"{what} has other bounds than the family; give bounds here or there")
            return made
        if not callable(made):
            raise InputError(f"{what} must be a function or a problem, got {made!r}")
        if self.bounds is None:
            raise InputError(f"{what} is a function and needs bounds: autov.family(make, bounds), or return a problem")
        return function_problem(
            made, self.bounds, self.vectorized, name=self.label, minimum=self.minimum, noisy=self.noisy
        )

    @property
    def box(self) -> Box:
        """The same for all instances."""
        return self.instance(self.numbered("train", 0)).box if self.bounds is None else self.bounds

    def __call__(self, x: Array, rng: Generator) -> Array:
        """Values of the rows of x on the instance of run 0."""
        return self.instance(0)(x, rng)

    def objective(self) -> Objective | None:
        """The compiled form of the instance of run 0."""
        return self.instance(0).objective()


def _wants_generator(make: Any) -> bool:
    """Whether the first parameter has the name of a generator."""
    try:
        names = list(inspect.signature(make).parameters)
    except (TypeError, ValueError):
        return False
    return bool(names) and names[0] in GENERATORS


def family(
    make: Callable[..., Any], bounds: Any = None, *, validate: Callable[..., Any] | None = None,
    vectorized: bool = False, minimum: float | None = None, count: int | None = None, name: str | None = None,
    key: str | None = None, noisy: bool | None = None,
) -> GeneratedFamily:  # fmt: skip
    """Your own family of problems, for `minimize`, `compare` and `design`: every run gets another instance.

    Training, validation (the final race) and test instances of a design are disjoint: a number that one of them gets
    is given to no other. `minimize` takes test instance 0, `compare` the test instances 0, 1, 2, ...

    Args:
        make: ``make(rng)`` gets a NumPy generator, ``make(run)`` (any other name) the number of the run, up to 2**63,
            from which all that is random must be derived. It returns a function or a problem (`function_problem`).
            Functions may be plain, vectorized or compiled. Called once for each instance.
        bounds: a (min, max) pair for each variable, where ``make`` returns functions.
        validate: makes the validation and test instances, where these come from somewhere else than those of the
            training; ``make`` with other numbers if None.
        vectorized: functions take batches (n, d).
        minimum: the smallest value of all instances, where it is known and the same.
        count: the number of instances, 0 to count - 1, at least five: of each five in order,
            three are for training, the fourth for validation, the fifth for tests.
        name: for tables; the name of ``make`` if None.
        key: names what decides the values of all instances, for results that are stored and for searches that are
            resumed, instead of the source and the values that ``make`` is made of.
        noisy: whether values are random.

    Examples:
        >>> import autov
        >>> def bowls(rng):
        ...     centre = rng.uniform(-1, 1, 3)
        ...     return lambda x: ((x - centre) ** 2).sum(axis=1)
        >>> mine = autov.family(bowls, [(-2, 2)] * 3, vectorized=True, minimum=0.0)
        >>> autov.minimize(mine, maxfev=300, rng=1).nfev
        300
    """
    for what, one in (("make", make), ("validate", validate)):
        if one is not None and not callable(one):
            raise InputError(f"{what}: must be a function that makes an instance, got {one!r}")
    for what, text in (("name", name), ("key", key)):
        if text is not None and (not isinstance(text, str) or not text):
            raise InputError(f"{what}: must be a text, got {text!r}")
    if count is not None:
        count = whole_number("count", count, 5)
    box = None if bounds is None else Box.of(bounds)
    label = name or getattr(make, "__name__", type(make).__name__)
    least = None if minimum is None else float(minimum)
    return GeneratedFamily(make, validate, box, bool(vectorized), least, count, label, key, noisy)
