"""`explain`: runs of an algorithm without each part, and genes that the candidates of a search depend on."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from autov.algorithms import resolve_algorithm
from autov.algorithms.components import NO_DEFAULT, Component, components_of
from autov.algorithms.resolve import find_algorithm
from autov.core import InputError, Seed, counted, seed_of, whole_number
from autov.designer import Design
from autov.designer.candidates import Candidates, read_candidates
from autov.designer.durations import evaluations as in_words
from autov.designer.search_files import candidates_of
from autov.experiments.after_design import SEED_SHIFT, JudgedCase, cases_of, cases_of_file
from autov.experiments.comparison import compare
from autov.experiments.explanation import LEVEL, Change, Explanation
from autov.problems import ProblemFamily, resolve_problems
from autov.stats import Versus, one_with_many, versus
from autov.stats.forest import LEAST_DATA, main_effects

RUNS = 30
MOST_CASES = 3  # problems of a design that it is explained on
OPTIMIZER, SEARCH = "optimizer.json", "search.npz"  # in the folder of a design
OWN = "as it is"


def explain(
    what: Any, problems: Any = None, *, dim: int | None = None, maxfev: int = 10_000, popsize: int = 100,
    runs: int = RUNS, rng: Seed = None, workers: Any = 1, evaluations: float | None = None,
    log: Callable[[str], Any] | None = None,
) -> Explanation:  # fmt: skip
    """Find out which parts of an algorithm matter: run it without each part, and with each setting back at its default.

    Args:
        what: a `Design`, the folder that `autov design` wrote (``runs/mine+own=file.py:Name`` with members of your
            own), or an algorithm or its name.
        problems: as for `compare`; None for those of the design, on held-out instances.
        dim: of problems that leave it open.
        maxfev: evaluations of a run, for ``problems``; a design has its own.
        popsize: likewise.
        runs: of each variant on each problem; fewer if the evaluations do not suffice.
        rng: seed; None derives one from that of the design.
        workers: as for `compare`.
        evaluations: the largest number; leaves out parts that need more, members and local searches last.
        log: called with one line that tells the cost before it is spent.

    Returns:
        An `Explanation`: ``print`` shows words and tables, ``plot()`` draws it, ``to_dict()`` is for machines.

    Examples:
        >>> import autov
        >>> found = autov.explain("de", "sphere+family=translate", dim=3, maxfev=300, popsize=20, runs=8, rng=1)
        >>> found  # DE has its defaults: nothing to change
        <Explanation of de: 0 changes, 0 candidates>
    """
    runs = whole_number("runs", runs, 2)
    algorithm, label, own, candidates, known = _subject(what)
    if problems is not None:
        cases = [JudgedCase(name, p, maxfev) for name, p in resolve_problems(problems, dim).items()]
    elif own is not None:
        cases = own()[:MOST_CASES]
        popsize = known["trial"]["popsize"]
    else:
        raise InputError("problems: needed, unless a design or its folder is explained")
    seed = known["seed"] + SEED_SHIFT if rng is None and known else seed_of(rng)
    wanted = list(_changes(algorithm))
    each = sum(case.maxfev for case in cases)
    kept, runs = _affordable(len(wanted), runs, each, math.inf if evaluations is None else evaluations)
    chosen, spent = wanted[:kept], (kept + 1) * runs * each if kept else 0
    if log is not None:
        where = f"on {'' if len(cases) == 1 else 'each of '}{counted(len(cases), 'problem')}"
        made = f"{counted(kept, 'variant')}, {counted(runs, 'run')} of each {where}: {in_words(spent)}"
        log(made if kept else "no variants to run")
    changes = _ablated(algorithm, chosen, cases, runs, popsize, seed, workers) if kept else []
    importance, explained = _importance(candidates, seed)
    return Explanation(
        label, tuple(case.label for case in cases), runs, all(_is_paired(case) for case in cases), tuple(changes),
        len(wanted) - kept, spent, importance, explained, 0 if candidates is None else len(candidates.vectors),
    )  # fmt: skip


Cases = Callable[[], list[JudgedCase]]


def _subject(what: Any) -> tuple[Any, str, Cases | None, Candidates | None, dict[str, Any]]:
    """The algorithm, its label, the problems of its design, the candidates and the settings of that."""
    if isinstance(what, Design):
        return what.algorithm, what.baseline or "designed", lambda: cases_of(what), what.candidates, what.settings
    if not isinstance(what, (str, PathLike)):
        algorithm = resolve_algorithm(what)
        return algorithm, algorithm.name, None, None, {}
    text = os.fspath(what)
    folder, behind = design_folder(text)
    if folder is None:
        if "/" in text and not any(sign in text for sign in ":+=") and not Path(text).exists():
            raise InputError(f"explain: no folder or file {text!r}")
        return resolve_algorithm(text), text, None, None, {}
    if not (folder / OPTIMIZER).is_file():
        raise InputError(f"explain: {folder} is no folder of a design; there is no {OPTIMIZER} in it")
    algorithm, provenance = find_algorithm(f"{folder / OPTIMIZER}{behind}")
    settings, kept = provenance.get("settings", {}), candidates_of(folder / SEARCH)
    own = (lambda: cases_of_file(settings)) if "problems" in settings else None
    return algorithm, text, own, read_candidates(kept) if kept.is_file() else None, settings


def design_folder(name: str) -> tuple[Path | None, str]:
    """A folder, and what is behind it or its optimizer.json, as in ``runs/mine+own=file.py:Name``; else None."""
    if Path(name).is_dir():
        return Path(name), ""
    head, plus, rest = name.partition("+")
    folder = Path(head).parent if Path(head).name == OPTIMIZER else Path(head)
    return (folder, plus + rest) if (folder / OPTIMIZER).is_file() else (None, "")


Wanted = tuple[str, str, str, Callable[[], Any]]  # name, in words, what to write for it, the changed algorithm


def _changes(algorithm: Any) -> Iterable[Wanted]:
    """Members and local searches first, then settings, rows and weights."""
    parts = components_of(algorithm)
    rank = {name: _rank(name, part) for name, part in parts.items()}
    for name in sorted(parts, key=lambda name: rank[name]):
        part = parts[name]
        if part.away is not None:
            yield name, f"without {name}", f"without={name}", part.away
        elif part.changed is not None and part.default is not NO_DEFAULT and part.value != part.default:
            text = f"{name} {_change(part.value, part.default)}"
            yield name, text, f"{name}={part.default}", _back(part)


def _back(part: Component) -> Callable[[], Any]:
    change = part.changed
    assert change is not None
    return lambda: change(part.default)


def _rank(name: str, part: Component) -> int:
    """The order in which changes are tried where not all of them can be afforded."""
    if part.away is None:
        return 1
    return 0 if ".row" not in f".{name}" else 2 if name.rpartition(".")[2].startswith("row") else 3


def _change(value: Any, default: Any) -> str:
    """Both in few digits, or in more where they would look equal."""
    for digits in (3, 6, 9):
        one, other = (f"{each:.{digits}g}" if isinstance(each, float) else str(each) for each in (value, default))
        if one != other:
            break
    return f"{one} -> {other}"


def _affordable(wanted: int, runs: int, each: int, limit: float) -> tuple[int, int]:
    """How many changes can be tried, and with how many runs: enough for a significant difference of all."""
    for kept in range(wanted, 0, -1):
        least = min(runs, math.ceil(1 + math.log2(kept / LEVEL) + 1e-9))
        if (kept + 1) * least * each <= limit:
            return kept, int(min(runs, limit // ((kept + 1) * each)))
    return 0, runs


def _is_paired(case: JudgedCase) -> bool:
    return isinstance(case.problem, ProblemFamily)


def _ablated(
    algorithm: Any, chosen: Sequence[Wanted], cases: Sequence[JudgedCase], runs: int, popsize: int, seed: int,
    workers: Any,
) -> list[Change]:  # fmt: skip
    """Runs of all variants, and the tests; those that make it worse first."""
    variants = {OWN: algorithm} | {what: make() for _, what, _, make in chosen}
    found: dict[tuple[str, str], Versus] = {}
    for case in cases:
        made = compare(
            variants, {case.label: case.problem}, runs=runs, maxfev=case.maxfev, popsize=popsize, rng=seed,
            workers=workers, reference=OWN,
        )  # fmt: skip
        own = made.gaps(case.label, OWN)
        for _, what, _, _ in chosen:
            found[what, case.label] = versus(made.gaps(case.label, what), own, _is_paired(case))
    names = {" on ".join(key): key for key in found}
    corrected = one_with_many({name: found[key] for name, key in names.items()}, LEVEL)
    fair = {key: corrected[name] for name, key in names.items()}
    changes = [
        Change(name, what, spec, {case.label: fair[what, case.label] for case in cases})
        for name, what, spec, _ in chosen
    ]
    return sorted(changes, key=lambda change: ("-=?+".index(change.mark), change.smaller))


def _importance(candidates: Candidates | None, seed: int) -> tuple[dict[str, float], float]:
    """Shares of genes, the largest first, and how much of the variance they are shares of."""
    if candidates is None or len(candidates.vectors) < LEAST_DATA or len(candidates.genes) < 2:
        return {}, math.nan
    found = main_effects(candidates.vectors, candidates.merit(), seed)
    order = np.argsort(-found.shares, kind="stable")
    return {candidates.genes[i]: float(found.shares[i]) for i in order}, found.explained
