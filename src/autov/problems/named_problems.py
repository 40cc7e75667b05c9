"""Problems as people name them: ``rastrigin``, ``paper-f8``, ``f9+rotate=3``, ``file.py:cost``, or objects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from autov.core import Box, InputError, import_object, unknown, whole_number
from autov.problems.bbob import BBOB, BBOB_DIM, BBOB_NAMES, INSTANCED, MANY_AFFINE
from autov.problems.classics import NAMES, TABLE, Classic
from autov.problems.constrained import CONSTRAINED_NAMES, constrained_problem
from autov.problems.families import Family, checked_step, is_per_run, transformed
from autov.problems.function import function_problem
from autov.problems.many_affine import ManyAffine
from autov.problems.more_functions import ALIASES, MORE_NAMES, NOISY_NAMES
from autov.problems.problem import Problem, space_of
from autov.problems.transforms import Translated
from autov.problems.variable_space import space_of_bounds

PAPER_NAMES = tuple(f"paper-f{i}" for i in range(1, 14))
LARGE_SCALE_NAMES = tuple(f"lsgo-f{i}" for i in range(1, 16)) + tuple(f"lsgo-paper-f{i}" for i in range(1, 16))
# Names of several problems at once, where several are taken; transformations may follow them, too.
GROUPS = {
    "classic": NAMES, "added": MORE_NAMES, "all": NAMES + MORE_NAMES, "paper": PAPER_NAMES,
    "noisy": NOISY_NAMES, "lsgo": LARGE_SCALE_NAMES[:15], "bbob": BBOB_NAMES,
}  # fmt: skip
DIM = 30  # variables of a classic problem unless told otherwise
Problems = str | Problem | Sequence[str | Problem] | Mapping[str, str | Problem]
_BBOB = (
    (5, "BBOB, separable"), (9, "BBOB, low or moderate conditioning"), (14, "BBOB, high conditioning, unimodal"),
    (19, "BBOB, multimodal, adequate structure"), (24, "BBOB, multimodal, weak structure"),
)  # fmt: skip
_ONE_MODE = (*NAMES[:7], "ellipsoid", "discus", "bent_cigar", "different_powers", "sharp_ridge", "zakharov")
_RANGE = re.compile(r"(?P<stem>[A-Za-z_-]*)(?P<first>\d+)\.\.(?P<other>[A-Za-z_-]*)(?P<last>\d+)(?P<rest>\+.*)?")


def resolve_problem(
    spec: Any, bounds: Any = None, *, dim: int | None = None, vectorized: bool = False, args: tuple[Any, ...] = (),
    lower: float | None = None, upper: float | None = None, name: str | None = None, default_dim: int = DIM,
) -> Problem:  # fmt: skip
    """The problem of a name, a function or an object.

    Args:
        spec: a name; ``module:object`` or ``file.py:object`` (a function or a problem); a problem; or a function. A
            name may be followed by transformations in the order of their application: ``+translate=b`` is f(x + b),
            ``+scale=a`` is f(a x) on the box divided by a, ``+rotate=seed`` is f(x M), ``+bound=b`` puts a classic
            problem on [-b, b]^d; ``+translate=run`` and ``+rotate=run`` draw a new one for every run, and
            ``+family=translate-rotate-scale`` draws an instance with its optimum anywhere in the inner 80 % of the box,
            rotated and scaled about it. ``bbob-f3+instance=2`` is an instance of a BBOB function (1 unless given), and
            with ``+instance=1..5`` or ``+instance=1..5_71..80`` run r gets number r of these, again and again;
            ``ma-bbob+instance=2`` is an affine combination of BBOB functions.
        bounds: of a function, a (min, max) pair for each variable.
        dim: number of variables where it is open; a problem that has its own number must agree.
        vectorized: a function that takes batches (n, d).
        args: further arguments of a function.
        lower: of a function, the same lower bound for all of dim variables.
        upper: likewise.
        name: the name of a function.
        default_dim: variables of a classic problem if dim is None.

    Examples:
        >>> import autov
        >>> translated = autov.problem("rastrigin+translate=1.3", dim=2)
        >>> translated.name, translated.box.dim, translated.minimum
        ('rastrigin+translate=1.3', 2, 0.0)
    """
    if dim is not None:
        dim = whole_number("dim", dim, 1)
    if isinstance(spec, Problem) and not isinstance(spec, type):
        return _with_box(spec, spec.name, bounds, dim, lower, upper)
    if not isinstance(spec, str):
        return _function(spec, bounds, dim, vectorized, args, lower, upper, name)
    place, colon, rest = spec.rpartition(":")  # a path may hold a plus sign
    first, *parts = rest.split("+")
    head = place + colon + first
    steps = tuple(checked_step(*part.partition("=")[::2]) for part in parts)
    if colon:
        found = import_object(head)
        if isinstance(found, Problem) and not isinstance(found, type):
            base = _with_box(found, head, None, dim, lower, upper)
        else:
            base = _function(found, bounds, dim, vectorized, args, lower, upper, name, head)
    else:
        if vectorized or args:
            raise InputError(f"vectorized, args: only for user functions; {head} is no function")
        described = space_of_bounds(bounds)
        width = dim if dim is not None or bounds is None else len(described) if described else Box.of(bounds).dim
        base = _with_box(_named(head, width, default_dim), head, None, dim, lower, upper)
    if any(is_per_run(step) for step in steps):
        found = Family(base, steps)
        found.instance(0)  # says now what does not fit
    else:
        found = transformed(base, steps)
    if bounds is not None and not _are_bounds_of(bounds, found):
        raise InputError(f"bounds: only for user functions; {spec} has its own box")
    return found


def is_told_by_name(name: str) -> bool:
    """Whether a name and autov's version say all about a problem: no code of users, no other library."""
    return ":" not in name and name.partition("+")[0] not in INSTANCED


def resolve_problems(problems: Problems, dim: int | None = None) -> dict[str, Problem]:
    """Label -> problem, from names, ranges such as f1..f13, problems, lists of them, or a dict of label -> either."""
    if isinstance(problems, Mapping):
        pairs: list[tuple[str, Any]] = list(problems.items())
    else:
        if not isinstance(problems, (str, Problem, Sequence)):
            raise InputError(f"problems: expected names or problems (see autov.function_problem), got {problems!r}")
        items: list[Any] = [problems] if isinstance(problems, (str, Problem)) else list(problems)
        pairs = []
        for item in items:
            if isinstance(item, str):
                pairs += [(part, part) for part in expand_names(item)]
            elif isinstance(item, Problem):
                pairs.append((item.name, item))
            else:
                raise InputError(
                    f"problems: {type(item).__name__} is neither a name nor a problem; make it one with "
                    f"autov.function_problem(f, bounds, name='...')"
                )
    found: dict[str, Problem] = {}
    for label, item in pairs:
        if not isinstance(label, str) or not label:
            raise InputError(f"problems: labels must be texts, got {label!r}")
        if label in found:
            raise InputError(f"problems: {label!r} occurs twice")
        if not isinstance(item, (str, Problem)):
            raise InputError(
                f"problems: {label!r} is neither a name nor a problem; make it one with "
                f"autov.function_problem(f, bounds, name={label!r})"
            )
        found[label] = resolve_problem(item, dim=None if isinstance(item, Problem) else dim)
    if not found:
        raise InputError("problems: none given")
    return found


def expand_names(problems: str | Iterable[str]) -> list[str]:
    """Names from names, ranges, groups and commas.

    ``paper-f1..paper-f13+rotate=run`` are thirteen, ``f1..f3,f9`` four, ``added+rotate=run`` all of that group.
    """
    items = [problems] if isinstance(problems, str) else list(problems)
    names: list[str] = []
    for item in (part.strip() for text in items for part in text.split(",")):
        match = _RANGE.fullmatch(item)
        if match is None:
            if not item:
                raise InputError(f"problems: an empty name in {', '.join(items)!r}")
            head, plus, rest = item.partition("+")
            names += [name + plus + rest for name in GROUPS[head]] if head in GROUPS else [item]
            continue
        first, last = int(match["first"]), int(match["last"])
        if match["other"] not in ("", match["stem"]) or first > last or last - first > 999:
            raise InputError(f"problems: {item!r} is not a range such as paper-f1..paper-f13")
        names += [f"{match['stem']}{i}{match['rest'] or ''}" for i in range(first, last + 1)]
    return names


def paper_problem(number: int, dim: int) -> Problem:
    """A problem in the form that fits the paper's tables: f8 with z = x - 45, f12 without its substitution."""
    if number == 8:
        return Translated(Classic("schwefel_2_26", dim), -45.0)
    if number == 12:
        return Classic("penalized_1_plain", dim)
    return Classic(NAMES[number - 1], dim)


def _named(name: str, dim: int | None, default_dim: int) -> Problem:
    match = re.fullmatch(r"(paper-)?f(\d+)", name)
    if match and 1 <= int(match[2]) <= 13:
        number, size = int(match[2]), dim or default_dim
        return paper_problem(number, size) if match[1] else Classic(NAMES[number - 1], size)
    name = ALIASES.get(name, name)
    if name in TABLE:
        return Classic(name, dim or default_dim)
    if name in BBOB_NAMES:
        return BBOB(int(name.removeprefix("bbob-f")), dim or min(default_dim, BBOB_DIM))
    if name == MANY_AFFINE:
        return ManyAffine(dim or min(default_dim, BBOB_DIM))
    if name in LARGE_SCALE_NAMES:
        from autov.problems.large_scale import large_scale  # loads its data

        return large_scale(name)
    if name in CONSTRAINED_NAMES:
        return constrained_problem(name)
    if name in GROUPS:
        raise InputError(
            f"problem: {name!r} is a group of {len(GROUPS[name])}; take one of them: {', '.join(GROUPS[name])}"
        )
    allowed = (
        "try f1..f13, paper-f1..paper-f13, lsgo-f1..lsgo-f15, bbob-f1..bbob-f24, ma-bbob, a constrained one such as "
        "g01, a name such as rastrigin, or file.py:function"
    )
    known = [*TABLE, *NOISY_NAMES, *PAPER_NAMES, *LARGE_SCALE_NAMES, *CONSTRAINED_NAMES]
    raise InputError(f"problem: {unknown(name, known, allowed)}")


def _with_box(
    problem: Problem, name: str, bounds: Any, dim: int | None, lower: float | None, upper: float | None
) -> Problem:
    """A problem that brings its own box, if nothing else was asked for."""
    if dim is not None and dim != problem.box.dim:
        raise InputError(f"dim: {name} has {problem.box.dim} variables, got {dim}")
    if lower is not None or upper is not None or (bounds is not None and not _are_bounds_of(bounds, problem)):
        raise InputError(f"bounds, lower, upper: only for user functions; {name} has its own box")
    return problem


def _are_bounds_of(bounds: Any, problem: Problem) -> bool:
    described = space_of_bounds(bounds)
    return Box.of(bounds) == problem.box if described is None else repr(described) == repr(space_of(problem))


def _function(
    fun: Any, bounds: Any, dim: int | None, vectorized: bool, args: tuple[Any, ...], lower: float | None,
    upper: float | None, name: str | None, source: str = "",
) -> Problem:  # fmt: skip
    """The problem of a function with bounds, or with one lower and one upper bound for dim variables."""
    if bounds is None and callable(fun) and (source or lower is not None or upper is not None):
        if lower is None or upper is None or dim is None:
            error = InputError(f"{source or 'fun'}: needs dim, lower and upper, or bounds")
            if source:
                error.add_note("or put problem = autov.function_problem(f, bounds) into the file, and name that")
            raise error
        bounds = Box.cube(lower, upper, dim)
    found = function_problem(fun, bounds, vectorized, args, name=name)
    if dim is not None and dim != found.box.dim:
        raise InputError(f"dim: the bounds are those of {found.box.dim} variables, got {dim}")
    return found


def problem_group(name: str) -> str:
    """The group of a problem, by what its name begins with; "others" for all that autov does not know by name.

    f1 to f7 count as unimodal, f8 to f13 as multimodal, as in Yao, Liu and Lin (1999).
    """
    head = name.partition("+")[0]
    if match := re.fullmatch(r"bbob-f(\d+)", head):
        return next((title for last, title in _BBOB if int(match[1]) <= last), "others")
    if head == MANY_AFFINE:
        return "MA-BBOB"
    if head.startswith("lsgo-"):
        return "large scale"
    if (match := re.fullmatch(r"(?:paper-)?f(\d+)", head)) and 1 <= int(match[1]) <= len(NAMES):
        head = NAMES[int(match[1]) - 1]
    head = ALIASES.get(head, head)
    if head in NOISY_NAMES:
        return "noisy"
    if head not in (*NAMES, *MORE_NAMES, "penalized_1_plain"):
        return "others"
    return "unimodal" if head in _ONE_MODE else "multimodal"
