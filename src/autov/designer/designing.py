"""`design`: find an operator for your problems."""

from __future__ import annotations

import dataclasses
import datetime
import os
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from autov.algorithms.evolution import Evolution
from autov.algorithms.faults import FaultCount, FaultPolicy
from autov.core import Array, FileError, InputError, Seed, check_writable, identity, seed_of
from autov.core.locks import held
from autov.designer.aggregate import check_minima
from autov.designer.checkpoint import read_checkpoint, saved_seed, write_checkpoint
from autov.designer.genome import Genome
from autov.designer.journal import Journal, saved_settings
from autov.designer.search import HISTORY, MOVED, Search, SearchState
from autov.designer.settings import DesignSettings, design_settings
from autov.designer.trials import Trials
from autov.operators import AffineOperator
from autov.problems import Problem, ProblemFamily, resolve_problem, resolve_problems, with_family

CHECKPOINT_SECONDS = float(os.environ.get("AUTOV_CHECKPOINT_SECONDS", "5"))


@dataclass(frozen=True, eq=False, repr=False)
class Design:
    """A finished search and what it found.

    Attributes:
        operator: the result.
        fitness: the search's own figure: flattering, because the luckiest survive.
        retested: (problems, runs) best values on seeds that the search never saw: the honest figure.
        history: one row a generation, columns as in HISTORY.
        population: final candidates, the best by the search's figure first.
        evaluations: all that were made; ``spent`` says for what.
        spent: evaluations of the search, the final race and the re-test.
        seconds: of all of it.
        settings: problems, dimensions, seed and all settings.
        problems: what it was trained on, families included.
        moved: (problems, runs) re-tested on instances with the optimum elsewhere, where it was trained on a problem as
            it is: what is left when the optimum is not where the search met it; None for families.
        failed: evaluations of this session that failed and counted as worst, by what happened.
    """

    operator: AffineOperator
    fitness: float
    retested: Array
    history: Array
    population: list[AffineOperator]
    spent: dict[str, int]
    seconds: float
    settings: dict[str, Any]
    problems: tuple[Problem, ...]
    moved: Array | None = None
    failed: dict[str, int] = dataclasses.field(default_factory=dict)

    @property
    def algorithm(self) -> Evolution:
        """The algorithm around the operator, for any place that takes one."""
        return Evolution(self.operator)

    @property
    def evaluations(self) -> int:
        """All evaluations: search, race and re-test."""
        return sum(self.spent.values())

    @cached_property
    def retested_means(self) -> dict[str, float]:
        """Mean of the re-tested best values on each training problem."""
        means = self.retested.mean(axis=1)
        return {name: float(mean) for name, mean in zip(self.settings["problems"], means, strict=True)}

    @property
    def retested_fitness(self) -> float:
        """Mean of the re-tested best values on the training problem; with several, see `retested_means`."""
        if len(self.retested) > 1:
            raise InputError("retested_fitness: there are several training problems; see retested_means")
        return float(self.retested[0].mean())

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {mean:.5g}" for name, mean in self.retested_means.items())
        return f"<Design: {self.retested.shape[1]} re-tested runs, mean {means}; {self.evaluations:.3g} evaluations>"


@dataclass(frozen=True, eq=False)
class SearchProgress:
    """What a display may show after each generation."""

    state: SearchState
    generations: int
    seconds: float  # of the whole search
    rate: float  # evaluations per second in this session
    seconds_left: float
    genome: Genome


ProgressCallback = Callable[[SearchProgress], Any]


def design(
    problem: Any, bounds: Any = None, *, dim: int | None = None, vectorized: bool = False,
    preset: str | DesignSettings | None = None, rng: Seed = None, workers: Any = None,
    checkpoint: str | PathLike[str] | None = None, resume: bool = False, progress: ProgressCallback | None = None,
    timeout: float | None = None, on_error: str = "raise", **settings: Any,
) -> Design:  # fmt: skip
    """Design an affine operator for a problem, or for several (Algorithm 1 of the paper).

    Args:
        problem: a problem or its name, ``file.py:object``, a function with bounds, or a list of problems and names.
        bounds: of a function: a (min, max) pair for each variable.
        dim: variables of problems that leave it open; 30 for the classic ones.
        vectorized: the function takes batches (n, d).
        preset: "quick" (also if None), "standard", "paper", or a `DesignSettings`.
        rng: seed; the same seed gives the same operator for any number of workers. None takes the seed of the
            checkpoint that is resumed, else a fresh one.
        workers: threads (compiled problems) or processes (slow Python functions), all cores by default; an Executor; or
            a map-like callable.
        checkpoint: a file to write the search to every few seconds.
        resume: go on from the checkpoint if it is there.
        progress: called with a `SearchProgress` after each generation; the display of the command is ``display`` in
            ``with autov.ProgressDisplay() as display``.
        timeout: seconds that an evaluation of a Python function of single points may take; then its worker is replaced
            and the point counts as infinitely bad. None for any time.
        on_error: what an exception of such a function, or the death of its worker, does: "raise", or "worst": the
            point counts as infinitely bad.
        **settings: any field of `DesignSettings` instead of the preset's: form, rows, draw, tie_bounds, population,
            generations, trial, aggregate, reevaluate, early_stop, final_race, race_runs, retest_runs, ...

    Returns:
        A `Design`. Ctrl-C ends the search early: if there is a checkpoint, KeyboardInterrupt goes on to the caller
        after it is written.
    """
    if "inner" in settings:
        warnings.warn("design: inner is called trial now", DeprecationWarning, stacklevel=2)
        settings["trial"] = settings.pop("inner")
    chosen = design_settings(preset, **settings)
    progress = None if progress is False else progress
    if progress is not None and not callable(progress):
        raise InputError(f"progress: must be callable, such as autov.ProgressDisplay(), or None, got {progress!r}")
    found = _problems(problem, bounds, dim, vectorized)
    for name, p in found.items():
        if settings.get("family") and isinstance(p, ProblemFamily):
            raise InputError(f"family: {name} is a family already; give one or the other")
    problems = [with_family(p, chosen.family) for p in found.values()]
    check_minima(chosen.aggregate, problems)
    path = None if checkpoint is None else _place(checkpoint)
    seed = _seed(path, rng, resume)
    policy = FaultPolicy(timeout, on_error)
    described = {
        "problems": [_label(name, p, chosen.family) for name, p in found.items()],
        "dims": [p.box.dim for p in problems], "seed": seed,
        **chosen.described(),
    }  # fmt: skip
    families = any(isinstance(p, ProblemFamily) for p in problems)
    elsewhere = [] if families else [with_family(p, ("translate",)) for p in problems]
    with ExitStack() as opened:
        if path is not None:
            opened.enter_context(held(path.with_name(f"{path.name}.lock"), "a search"))
        trials, moved = (
            [opened.enter_context(closing(Trials(p, chosen.trial, workers, policy))) for p in some]
            for some in (problems, elsewhere)
        )
        search = Search(chosen.genome, trials, chosen, seed)
        journal = opened.enter_context(closing(_journal(search, described, path, resume)))
        for each in (*trials, *moved):
            each.journal = journal
        state, seconds = _go(search, described, path, resume, progress, journal)
        found = _finish(
            search,
            state,
            described,
            seconds,
            "quick" if preset is None else preset if isinstance(preset, str) else "own settings",
            moved,
        )
        journal.remove()
        return found


def _decides(search: Search, described: dict[str, Any]) -> dict[str, Any]:
    """What must be the same when a search goes on: all but what comes after it, and its length."""
    free = ("generations", "final_race", "race_size", "race_runs", "retest_runs")
    decides = {name: value for name, value in described.items() if name not in free}
    return decides | {"identities": [identity(trials.problem) for trials in search.trials]}


def _journal(search: Search, described: dict[str, Any], path: Path | None, resume: bool) -> Journal:
    """The values beside a checkpoint."""
    if path is None:
        return Journal(None, {})
    place = path.with_name(f"{path.name}.values")
    if place.exists() and not path.exists() and not resume:
        raise InputError(f"checkpoint: {place} holds values of a search; resume it or choose another place")
    return Journal(place, _decides(search, described))


def _seed(path: Path | None, rng: Seed, resume: bool) -> int:
    """The seed, that of the search that goes on if none is given."""
    if rng is None and resume and path is not None:
        if path.exists():
            return saved_seed(path)
        saved = (saved_settings(path.with_name(f"{path.name}.values")) or {}).get("seed")
        if type(saved) is int and saved >= 0:
            return saved
    return seed_of(rng)


def _place(checkpoint: Any) -> Path:
    """The file of a checkpoint; what cannot be written is found before hours are spent."""
    try:
        path = Path(checkpoint)
        path.parent.mkdir(parents=True, exist_ok=True)
        check_writable(path)
    except FileError as error:
        raise FileError(f"checkpoint: {error}") from None
    except (TypeError, OSError) as error:
        raise FileError(f"checkpoint: {checkpoint!r} cannot be written: {error}") from None
    return path


def _label(name: str, problem: Problem, kinds: tuple[str, ...]) -> str:
    """What reports call a problem: its label, with the family that is added to it."""
    return f"{name}+family={'-'.join(kinds)}" if kinds and not isinstance(problem, ProblemFamily) else name


def _problems(given: Any, bounds: Any, dim: int | None, vectorized: bool) -> dict[str, Problem]:
    """Label -> problem: what `compare` takes, and functions with bounds."""
    if not isinstance(given, (str, Problem, Mapping, list, tuple)):
        return resolve_problems([resolve_problem(given, bounds, dim=dim, vectorized=vectorized)])
    if bounds is not None or vectorized:
        raise InputError("bounds, vectorized: only for one function; see autov.function_problem for several")
    if isinstance(given, Problem):
        resolve_problem(given, dim=dim)  # says if dim does not fit
    return resolve_problems(given, dim)


def _go(
    search: Search, described: dict[str, Any], path: Path | None, resume: bool, progress: ProgressCallback | None,
    journal: Journal,
) -> tuple[SearchState, float]:  # fmt: skip
    """Run the generations, with checkpoints and progress."""
    spent, state = 0.0, None
    decides = {} if path is None else _decides(search, described)
    if path is not None and path.exists():
        if not resume:
            raise InputError(f"checkpoint: {path} is there already; resume it or choose another place")
        state, spent = read_checkpoint(path, decides, search)
        if state.generation > search.settings.generations:
            raise InputError(
                f"generations: {path} has made {state.generation} already, got {search.settings.generations}"
            )
    journal.resume(-1 if state is None else state.generation)
    journal.begin(-1 if state is None else state.generation, fresh=True)
    begun = written = time.perf_counter()
    first = 0 if state is None else state.evaluations
    try:
        while True:
            if state is None:
                state = search.start()
            elif state.generation < search.settings.generations:
                state = search.step(state)
            now = time.perf_counter()
            seconds = spent + now - begun
            last = state.generation >= search.settings.generations
            due = path is not None and (last or now - written > CHECKPOINT_SECONDS)
            if path is not None and due:
                write_checkpoint(path, state, decides, seconds)
                written = now
            journal.begin(state.generation, fresh=due)
            if progress:
                share = (state.generation + 1) / (search.settings.generations + 1)
                rate = (state.evaluations - first) / max(now - begun, 1e-9)
                left = seconds / share - seconds
                progress(SearchProgress(state, search.settings.generations, seconds, rate, left, search.genome))
            if last:
                return state, seconds
    except KeyboardInterrupt:
        if path is not None and state is not None:
            write_checkpoint(path, state, decides, spent + time.perf_counter() - begun)
        raise


def _failed(trials: list[Trials]) -> dict[str, int]:
    found = FaultCount()
    for each in trials:
        found.add(each.evaluator.faults.counts)
    return found.counts


def _finish(
    search: Search, state: SearchState, described: dict[str, Any], seconds: float, preset: str,
    elsewhere: list[Trials],
) -> Design:  # fmt: skip
    """Choose the operator, re-test it, also with moved optima, and write down where it comes from."""
    start, before = time.perf_counter(), search.evaluations
    winner = search.race(state) if search.settings.final_race else 0
    raced = search.evaluations - before
    retested = search.retest(state.vectors[winner])
    moved = search.retest(state.vectors[winner], elsewhere, MOVED) if elsewhere else None
    spent = {"search": state.evaluations, "race": raced, "retest": search.evaluations - before - raced}
    spent["retest"] += sum(trials.evaluations for trials in elsewhere)
    seconds += time.perf_counter() - start
    means = [float(mean) for mean in retested.mean(axis=1)]
    provenance = {
        "problem": ", ".join(described["problems"]), "dim": described["dims"][0], "seed": described["seed"],
        "preset": preset, "evaluations": sum(spent.values()), "fitness": state.fitness[winner],
        "retested_fitness": means[0] if len(means) == 1 else dict(zip(described["problems"], means, strict=True)),
        "moved_retest": None if moved is None else [float(mean) for mean in moved.mean(axis=1)],
        "retest_runs": search.settings.retest_runs, "settings": described, "autov": metadata.version("autov"),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }  # fmt: skip
    operators = [search.genome.operator(vector) for vector in state.vectors]
    operator = dataclasses.replace(operators[winner], provenance=provenance)
    return Design(
        operator, float(state.fitness[winner]), retested, np.array(state.history), operators, spent, seconds, described,
        tuple(trials.problem for trials in search.trials), moved, _failed([*search.trials, *elsewhere]),
    )  # fmt: skip


__all__ = ["HISTORY", "Design", "ProgressCallback", "SearchProgress", "design"]
