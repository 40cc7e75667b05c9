"""A space of described variables: one description for functions, results, files and adapters.

Inside autov a point is a vector of coordinates, one for each variable; outside it is what the description says: a dict
of names and values, or a list of values where variables have no names (an array if all are numbers).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from autov.core import Array, Box, InputError, read_json
from autov.problems.variable_forms import as_text, variable_from, variable_of
from autov.problems.variables import Choice, Levels, Variable, is_number

Point = Any  # a dict, a list, or an array


@dataclass(frozen=True, eq=False)
class Space:
    """Variables and their names; make it with `autov.space`.

    Attributes:
        variables: one description each.
        names: their names; empty where they have none.
    """

    variables: tuple[Variable, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.variables:
            raise InputError("space: needs at least one variable")

    @cached_property
    def box(self) -> Box:
        """The box of coordinates."""
        lower, upper = ([getattr(one, end) for one in self.variables] for end in ("lower", "upper"))
        return Box(np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64))

    @cached_property
    def search_box(self) -> Box:
        """The same half a unit beyond integers, for searches that know nothing of them and round afterwards."""
        half = np.where(self.integrality, 0.5, 0.0)
        lower, upper = (np.array([getattr(one, end) for one in self.variables]) for end in ("lower", "upper"))
        return Box(lower - half, upper + half)

    @cached_property
    def integrality(self) -> tuple[bool, ...]:
        """Which coordinates are integers."""
        return tuple(one.whole for one in self.variables)

    @cached_property
    def categories(self) -> tuple[int, ...]:
        """How many categories each variable has; 0 for ordered ones."""
        return tuple(one.categories for one in self.variables)

    @cached_property
    def is_array(self) -> bool:
        """Whether points are arrays: no names, and numbers only."""
        return not self.names and all(one.numeric for one in self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def __repr__(self) -> str:
        texts = [as_text(one) for one in self.variables]
        if not self.names:
            return f"space([{', '.join(texts)}])"
        return f"space({', '.join(f'{name}={text}' for name, text in zip(self.names, texts, strict=True))})"

    def point(self, x: Array) -> Point:
        """A point (d,) as it was described."""
        values = [one.value(u) for one, u in zip(self.variables, x.tolist(), strict=True)]
        if self.names:
            return dict(zip(self.names, values, strict=True))
        return np.array(values, dtype=np.float64) if self.is_array else values

    def points(self, x: Array) -> Any:
        """Points (n, d) as they were described: a list of them, or an array (n, d)."""
        found = [self.point(row) for row in x]
        return np.array(found, dtype=np.float64).reshape(-1, len(self)) if self.is_array else found

    def columns(self, x: Array) -> Any:
        """A batch (n, d): a dict of arrays (n,), one for each variable, or a list of them; (n, d) if points are arrays.

        Args:
            x: coordinates.
        """
        if self.is_array:
            return self.points(x)
        found = [_column([one.value(u) for u in x[:, i].tolist()]) for i, one in enumerate(self.variables)]
        return dict(zip(self.names, found, strict=True)) if self.names else found

    def coordinates(self, what: str, point: Point) -> Array:
        """The coordinates (d,) of one point; ``what`` is the argument that errors name."""
        if isinstance(point, Mapping) and self.names:
            if unknown := [name for name in point if name not in self.names]:
                raise InputError(f"{what}: no variable {unknown[0]!r}; they are {', '.join(self.names)}")
            if missing := [name for name in self.names if name not in point]:
                raise InputError(f"{what}: {missing[0]} is missing")
            values = [point[name] for name in self.names]
        elif isinstance(point, (Sequence, np.ndarray)) and not isinstance(point, (str, bytes)):
            if len(point) != len(self):
                raise InputError(f"{what}: expected {len(self)} values, got {len(point)}")
            values = [value.item() if isinstance(value, np.generic) else value for value in point]
        else:
            form = "a dict of names and values" if self.names else f"a list of {len(self)} values"
            raise InputError(f"{what}: expected {form}, got {point!r}")
        return np.array([self._coordinate(what, i, value) for i, value in enumerate(values)])

    def several(self, what: str, given: Any) -> Array:
        """Coordinates (n, d) of one point or of several."""
        if isinstance(given, Mapping):
            return self.coordinates(what, given)[None]
        if not isinstance(given, (Sequence, np.ndarray)) or isinstance(given, (str, bytes)):
            return self.coordinates(what, given)[None]  # which says what is wrong
        if not len(given):
            return np.empty((0, len(self)))
        if not _is_point(given[0]):
            return self.coordinates(what, given)[None]
        return np.stack([self.coordinates(what, point) for point in given])

    def table(self, what: str, rows: Sequence[Sequence[Any]]) -> Array:
        """Coordinates (n, d) of rows of cells, of which some may be texts of a file."""
        return np.array(
            [[self._coordinate(what, i, _read(self.variables[i], cell)) for i, cell in enumerate(row)] for row in rows],
            dtype=np.float64,
        ).reshape(-1, len(self))

    def _coordinate(self, what: str, i: int, value: Any) -> float:
        try:
            return self.variables[i].coordinate(value)
        except InputError as error:
            raise InputError(f"{what}: {self.label(i)} {error}") from None

    def label(self, i: int) -> str:
        """The name of a variable, or its number."""
        return self.names[i] if self.names else f"variable {i}"

    def key(self, x: Array) -> str:
        """A text that is equal for points (d,) whose values are equal up to rounding."""
        parts = [
            round(u) if one.whole else one.value(u) for one, u in zip(self.variables, x.tolist(), strict=True)
        ]  # fmt: skip
        return " ".join(f"{part:.12g}" for part in parts)

    def to_dict(self) -> dict[str, Any] | list[Any]:
        """For files: a description by name, or a list of descriptions."""
        parts = []
        for i, one in enumerate(self.variables):
            try:
                parts.append(one.to_dict())
            except InputError as error:
                raise InputError(f"{self.label(i)}: {error}") from None
        return dict(zip(self.names, parts, strict=True)) if self.names else parts


def space(described: Any = None, /, **variables: Any) -> Space:
    """A space of described variables, for bounds of `minimize`, `Optimizer`, `function_problem` and `design`.

    Each variable is one of these:

    - ``(0.1, 10)``: a number; ``(1e-6, 1, "log")``: one on a logarithmic scale
    - ``range(1, 9)`` or ``(1, 8, "int")``: an integer from 1 to 8; ``(1, 1000, "int", "log")``
    - ``(0, 10, "step", 0.25)``: a number in steps
    - ``["a", "b", "c"]``: a category, without an order
    - ``autov.ordered(["small", "medium", "large"])``: ordered levels

    Args:
        described: instead of keywords, a dict of name -> description, or a list of descriptions without names.
        **variables: descriptions by name.

    Returns:
        The space. A function over named variables takes a dict of names and values, or keyword arguments if its
        parameters have these names; over variables without names it takes a list of values, or an array if all of
        them are numbers (docs/variables.md).

    Examples:
        >>> import autov
        >>> plant = autov.space(gain=(0.1, 10, "log"), stages=range(1, 9), kind=["a", "b", "c", "d"])
        >>> def cost(gain, stages, kind):
        ...     return abs(gain - 2) + abs(stages - 3) + (kind != "c")
        >>> result = autov.minimize(cost, plant, maxfev=300, rng=1)
        >>> result.x["stages"], result.x["kind"]
        (3, 'c')
    """
    if described is not None and variables:
        raise InputError("space: give a dict or keyword arguments, not both")
    given = variables if described is None else described
    if isinstance(given, Space):
        return given
    if isinstance(given, Mapping):
        for name in given:
            if not isinstance(name, str) or not name:
                raise InputError(f"space: names must be texts, got {name!r}")
        return Space(tuple(variable_of(name, one) for name, one in given.items()), tuple(given))
    if isinstance(given, (list, tuple)):
        return Space(tuple(variable_of(f"variable {i}", one) for i, one in enumerate(given)))
    raise InputError(f"space: expected a dict of name -> description, or a list of descriptions, got {given!r}")


def space_of_bounds(bounds: Any) -> Space | None:
    """The space that bounds describe; None where they are plain bounds, in which a list of two numbers is a pair."""
    if isinstance(bounds, Space):
        return bounds
    if isinstance(bounds, Mapping):
        return space(bounds)
    if not isinstance(bounds, (list, tuple)) or not any(_is_described(one) for one in bounds):
        return None
    plain = (list, tuple)
    try:
        return space([tuple(one) if isinstance(one, plain) and _is_pair(one) else one for one in bounds])
    except InputError as error:
        raise InputError(f"bounds: {error}") from None


def space_from(data: Any, where: str = "variables") -> Space:
    """The space of JSON: an object of name -> description, or a list of descriptions."""
    if isinstance(data, dict) and data:
        return Space(tuple(variable_from(f"{where}: {name}", one) for name, one in data.items()), tuple(data))
    if isinstance(data, list) and data:
        return Space(tuple(variable_from(f"{where}: variable {i}", one) for i, one in enumerate(data)))
    raise InputError(f"{where}: expected an object of name -> description, or a list of descriptions")


def read_space(path: Any) -> Space:
    """The space of a JSON file."""
    return space_from(read_json(path, "variables"), str(path))


def _is_described(one: Any) -> bool:
    """Whether bounds of a variable are more than a pair of numbers."""
    if isinstance(one, range) or hasattr(one, "coordinate") or hasattr(one, "ppf"):
        return True
    if isinstance(one, (list, tuple)):
        return any(isinstance(value, str) for value in one) or (isinstance(one, list) and len(one) > 2) or (
            isinstance(one, list) and any(isinstance(value, bool) for value in one)
        )  # fmt: skip
    return False


def _is_pair(one: Sequence[Any]) -> bool:
    return len(one) == 2 and all(is_number(value) for value in one)


def _is_point(given: Any) -> bool:
    return isinstance(given, (Mapping, np.ndarray)) or (
        isinstance(given, Sequence) and not isinstance(given, (str, bytes))
    )


def _column(values: list[Any]) -> Any:
    """An array (n,), of objects unless all values are numbers or all are texts."""
    if all(is_number(value) for value in values) or all(isinstance(value, str) for value in values):
        return np.array(values)
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _read(variable: Variable, cell: Any) -> Any:
    """A cell of a table: what a text says where the variable is none of texts."""
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(variable, (Choice, Levels)):
        if not isinstance(cell, str) or cell.strip() in variable.values:
            return cell.strip() if isinstance(cell, str) else cell
        same = [value for value in variable.values if str(value) == cell.strip()]
        return same[0] if same else _number(cell)
    return _number(cell)


def _number(cell: Any) -> Any:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return cell
