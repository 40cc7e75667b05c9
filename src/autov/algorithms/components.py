"""The parts of an algorithm by name: members, local searches and rows that can be taken away, settings at any depth.

Names are paths: ``polish`` of a portfolio, ``ma-es.sigma`` of its member, ``evolution.row2.x2.mean`` of the operator of
a member, ``quasi-newton.scale`` of a local search, ``portfolio.polish`` of the global search of a memetic algorithm. A
name may leave out what stands before its dots, if that is clear.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from autov.algorithms.evolution import Evolution
from autov.algorithms.memetic import Memetic
from autov.algorithms.portfolio import Portfolio
from autov.algorithms.warm_start import WarmStart
from autov.core import InputError, unknown
from autov.operators import AffineOperator

WITHOUT = "without"  # the setting that takes parts away
NO_DEFAULT = object()  # of a setting that must be given
SHOWN = 12  # names in a message, at most


@dataclass(frozen=True)
class Component:
    """A setting, or a member, local search, row or weight that can be taken away.

    Attributes:
        value: of the setting; None for what can only be taken away.
        default: of the setting; NO_DEFAULT where there is none.
        changed: the whole algorithm with another value.
        away: the whole algorithm without it; None for settings.
    """

    value: Any = None
    default: Any = NO_DEFAULT
    changed: Callable[[Any], Any] | None = None
    away: Callable[[], Any] | None = None


def components_of(algorithm: Any) -> dict[str, Component]:
    """All parts of an algorithm by their whole names; what cannot be looked into has none."""
    found: dict[str, Component] = {}
    _collect(algorithm, "", lambda whole: whole, found)
    return found


def with_settings(name: str, algorithm: Any, settings: Mapping[str, Any]) -> Any:
    """The algorithm with some settings changed, and without the parts that the setting ``without`` names.

    Args:
        name: of the algorithm, for messages.
        algorithm: a dataclass.
        settings: values by name; the own settings of the algorithm come before those of its parts.
    """
    for setting, value in settings.items():
        if is_dataclass(algorithm) and setting in (field.name for field in fields(algorithm)):
            algorithm = replace(algorithm, **{setting: value})  # type: ignore[type-var]
        elif setting == WITHOUT:
            for part in str(value).split("/"):
                algorithm = _without(name, algorithm, part)
        else:
            algorithm = _with_setting(name, algorithm, setting, value)
    return algorithm


def _with_setting(name: str, algorithm: Any, setting: str, value: Any) -> Any:
    known = {path: part.changed for path, part in components_of(algorithm).items() if part.changed is not None}
    own = [field.name for field in fields(algorithm)] if is_dataclass(algorithm) else []
    inner = [path for path in known if path not in own]
    path = _one_of(f"algorithm: {name} has no setting {setting!r}", setting, [*own, *inner])
    change = known[path]
    try:
        return change(value)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"algorithm: {setting} of {name} cannot be {value!r} ({error})") from None


def _without(name: str, algorithm: Any, part: str) -> Any:
    known = {path: found.away for path, found in components_of(algorithm).items() if found.away is not None}
    return known[_one_of(f"algorithm: {name} has no part {part!r} that can be taken away", part, list(known))]()


def _one_of(problem: str, wanted: str, names: list[str]) -> str:
    """The one name that is meant: the whole one, or the one that ends so."""
    found = [path for path in names if path == wanted] or [path for path in names if path.endswith(f".{wanted}")]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"algorithm: {wanted!r} could be {', '.join(found[:SHOWN])}")
    short = [path for path in names if ".row" not in path and not path.startswith("row")] or names
    more = f", ... ({len(short)} in all)" if len(short) > SHOWN else ""
    allowed = f"one of {', '.join(short[:SHOWN]) or 'none'}{more}"
    raise InputError(f"{problem}; {unknown(wanted, names, allowed).partition('; ')[2]}")


def _collect(algorithm: Any, prefix: str, whole: Callable[[Any], Any], found: dict[str, Component]) -> None:
    """The parts of an algorithm at a prefix; ``whole`` puts a changed one into its place."""
    if not is_dataclass(algorithm) or isinstance(algorithm, type):
        return
    for field in fields(algorithm):
        value = getattr(algorithm, field.name)
        if field.init and isinstance(value, (bool, int, float, str, type(None))):
            default = NO_DEFAULT if field.default is MISSING else field.default
            found[prefix + field.name] = Component(value, default, _setter(algorithm, field.name, whole))
    if isinstance(algorithm, WarmStart):
        _collect(algorithm.cold, prefix, lambda other: whole(replace(algorithm, cold=other)), found)
    elif isinstance(algorithm, Memetic):
        _collect_memetic(algorithm, prefix, whole, found)
    elif isinstance(algorithm, Portfolio):
        _collect_portfolio(algorithm, prefix, whole, found)
    elif isinstance(algorithm, Evolution) and isinstance(algorithm.operator, AffineOperator):
        _collect_rows(algorithm.operator, prefix, lambda operator: whole(replace(algorithm, operator=operator)), found)


def _setter(algorithm: Any, name: str, whole: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: whole(replace(algorithm, **{name: value}))


def _collect_memetic(algorithm: Memetic, prefix: str, whole: Callable[[Any], Any], found: dict[str, Component]) -> None:
    searches = algorithm.local_searches
    for i, (name, search) in enumerate(zip(_named(searches), searches, strict=True)):

        def placed(other: Any, i: int = i) -> Any:
            return whole(replace(algorithm, local_searches=(*searches[:i], other, *searches[i + 1 :])))

        def away(i: int = i) -> Any:
            if len(searches) == 1:
                return whole(algorithm.global_search)
            rest = [tuple(v for j, v in enumerate(each) if j != i) for each in (searches, algorithm.most_variables)]
            return whole(replace(algorithm, local_searches=rest[0], most_variables=rest[1]))

        found[prefix + name] = Component(away=away)
        _collect(search, f"{prefix}{name}.", placed, found)
    inner = algorithm.global_search
    _collect(inner, f"{prefix}{inner.name}.", lambda other: whole(replace(algorithm, global_search=other)), found)


def _collect_portfolio(
    algorithm: Portfolio, prefix: str, whole: Callable[[Any], Any], found: dict[str, Component]
) -> None:
    members, trial = algorithm.members, algorithm.trial
    assert isinstance(trial, tuple)
    for i, (name, member) in enumerate(zip(_named(members), members, strict=True)):

        def placed(other: Any, i: int = i) -> Any:
            return whole(replace(algorithm, members=(*members[:i], other, *members[i + 1 :])))

        def away(i: int = i) -> Any:
            rest = [tuple(v for j, v in enumerate(each) if j != i) for each in (members, trial)]
            return whole(replace(algorithm, members=rest[0], trial=rest[1]))

        def tried(value: Any, i: int = i) -> Any:
            return whole(replace(algorithm, trial=(*trial[:i], float(value), *trial[i + 1 :])))

        if len(members) > 1:
            found[prefix + name] = Component(away=away)
        found[f"{prefix}{name}.trial"] = Component(trial[i], changed=tried)
        _collect(member, f"{prefix}{name}.", placed, found)


def _collect_rows(
    operator: AffineOperator, prefix: str, whole: Callable[[Any], Any], found: dict[str, Component]
) -> None:  # fmt: skip
    """Rows, their chances, and the mean and spread of each weight; rows without a chance are not there."""
    used = np.flatnonzero(operator.probability > 0)

    def put(array: str, place: Any) -> Callable[[Any], Any]:
        def changed(value: Any) -> Any:
            numbers = np.array(getattr(operator, array))
            numbers[place] = float(value)
            return whole(replace(operator, **{array: numbers}))

        return changed

    def no_weight(j: int, w: int) -> Callable[[], Any]:
        def away() -> Any:
            mean, std = operator.mean.copy(), operator.std.copy()
            mean[j, w] = std[j, w] = 0.0
            return whole(replace(operator, mean=mean, std=std))

        return away

    for j in used.tolist():
        row = f"{prefix}row{j + 1}"
        chance = put("probability", j)
        if len(used) > 1:
            found[row] = Component(away=lambda chance=chance: chance(0.0))
        found[f"{row}.probability"] = Component(float(operator.probability[j]), changed=chance)
        for w, weight in enumerate(operator.weights):
            mean, std = float(operator.mean[j, w]), float(operator.std[j, w])
            if mean or std:
                found[f"{row}.{weight}"] = Component(away=no_weight(j, w))
            found[f"{row}.{weight}.mean"] = Component(mean, changed=put("mean", (j, w)))
            found[f"{row}.{weight}.std"] = Component(std, changed=put("std", (j, w)))


def _named(members: tuple[Any, ...]) -> list[str]:
    """The names of members; the second one of a name is ``name-2``."""
    names = [member.name for member in members]
    counts = [names[: i + 1].count(name) for i, name in enumerate(names)]
    return [name if count == 1 else f"{name}-{count}" for name, count in zip(names, counts, strict=True)]
