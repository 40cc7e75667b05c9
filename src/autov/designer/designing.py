"""`design`: find an operator for your problems."""

from __future__ import annotations

import datetime
import os
import time as clock
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from autov.algorithms import resolve_algorithm
from autov.algorithms.evolution import Evolution
from autov.algorithms.files import DEFAULT, shipped_algorithm
from autov.core import FileError, InputError, Seed, check_writable, identity, new_folder, seed_of
from autov.core.locks import held
from autov.designer.cases import Case, brings_bounds, training_cases
from autov.designer.checkpoint import (
    MEASURED,
    is_plan,
    read_checkpoint,
    saved_faults,
    saved_plan,
    saved_seed,
    write_checkpoint,
)
from autov.designer.design_result import Design
from autov.designer.genome import Genome, Given, OperatorGenome
from autov.designer.journal import PLAN, Journal, saved_settings
from autov.designer.search import MOVED, Search, SearchState, check_minima, needs_minima
from autov.designer.settings import FITTED, DesignSettings, affordable, design_settings
from autov.designer.space import Space
from autov.designer.trials import Trials
from autov.operators import AffineOperator
from autov.problems import ProblemFamily, with_family
from autov.runs.faults import FaultCount, FaultPolicy
from autov.version import VERSION


def known_designs(settings: DesignSettings) -> dict[str, Any]:
    """Label -> algorithm: the default of `minimize`, the paper's, and those of the space."""
    found: dict[str, Any] = {DEFAULT: shipped_algorithm(DEFAULT), "paper-h3": Evolution()}
    genome = settings.genome
    if isinstance(genome, OperatorGenome):
        for vector in genome.known()[:1]:  # the other one is the paper's
            found["exchange"] = genome.decode(vector)
    elif isinstance(genome, Space):
        found |= {label: genome.decode(genome.encode(values)) for label, values in genome.seeds}
    return found


CHECKPOINT_SECONDS = float(os.environ.get("AUTOV_CHECKPOINT_SECONDS", "5"))


@dataclass(frozen=True, eq=False)
class SearchProgress:
    """What a display may show after each generation."""

    state: SearchState
    generations: int
    seconds: float  # of the whole search
    rate: float  # evaluations per second in this session
    seconds_left: float
    genome: Genome
    aggregate: str = ""  # what fitness is of several problems; else it is a best value


ProgressCallback = Callable[[SearchProgress], Any]


def design(
    problem: Any, bounds: Any = None, *, dim: int | None = None, vectorized: bool = False,
    preset: str | DesignSettings | None = None, rng: Seed = None, workers: Any = None,
    checkpoint: str | PathLike[str] | None = None, resume: bool = False, progress: ProgressCallback | None = None,
    evaluations: float | None = None, time: str | float | None = None, surrogate: Any = None,
    log: Callable[[str], Any] | None = None, timeout: float | None = None, on_error: str = "raise", **settings: Any,
) -> Design:  # fmt: skip
    """Design an algorithm for a problem, or for several (Algorithm 1 of the paper).

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
        evaluations: how many there are; the search is made as large as they allow.
        time: the same in seconds, or as "10m" or "2h", at the measured speed of the problem.
        log: called with one line that tells the cost before it is spent.
        surrogate: a cheap model of the problem (or a list of them) to train on; the result is judged on the problem.
        timeout: seconds that an evaluation of a Python function of single points may take; then its worker is replaced
            and the point counts as infinitely bad. None for any time.
        on_error: what an exception of such a function, or the death of its worker, does: "raise", or "worst": the
            point counts as infinitely bad.
        **settings: any field of `DesignSettings` instead of the preset's: space, members, fix, dims, budgets, family,
            population, generations, trial, panel, form, rows, ...

    Returns:
        A `Design`: ``algorithm`` goes wherever an algorithm does, ``retested`` has its best values on instances that
        the search never saw, and ``beside`` those of known designs there. ``save`` writes a file that commands and
        ``algorithm=`` take. Ctrl-C ends the search early: if there is a checkpoint, KeyboardInterrupt goes on to the
        caller after it is written.

    Examples:
        A search of seconds, for a first look; leave ``small`` out for one of minutes that finds something:

        >>> import autov
        >>> small = {"generations": 2, "population": 6, "race_size": 2, "race_runs": 2, "retest_runs": 5}
        >>> found = autov.design("rastrigin", dim=5, trial={"evaluations": 500}, rng=1, workers=1, **small)
        >>> found.retested.shape, "ma-es" in found.beside  # one problem, five fresh runs
        ((1, 5), True)
        >>> result = autov.minimize("rastrigin", dim=5, algorithm=found, maxfev=500, rng=2)
        >>> result.nfev
        500
    """
    chosen = design_settings(preset, **settings)
    progress = None if progress is False else progress
    if progress is not None and not callable(progress):
        raise InputError(f"progress: must be callable, such as autov.ProgressDisplay(), or None, got {progress!r}")
    explicit = bool(settings.get("family"))
    cases = training_cases(problem, chosen, explicit, bounds=bounds, dim=dim, vectorized=vectorized)
    twins = cases
    if surrogate is not None:
        own = None if brings_bounds(surrogate) else bounds
        twins = training_cases(surrogate, chosen, explicit, bounds=own, dim=dim)
    if [case.problem.box for case in cases] != [case.problem.box for case in twins]:
        raise InputError("surrogate: must have the same bounds as the problem, one model for each problem")
    check_minima(chosen.aggregate, [case.problem for case in twins])
    known, peers = known_designs(chosen), {spec: resolve_algorithm(spec) for spec in chosen.panel}
    for label in peers:
        if label in known:
            raise InputError(f"panel: {label!r} is the label of a known design; give it another one: mine={label}")
    policy = FaultPolicy(timeout, on_error)
    families = any(isinstance(case.problem, ProblemFamily) for case in cases)
    elsewhere = [] if families else [replace(case, problem=with_family(case.problem, ("translate",))) for case in cases]
    with ExitStack() as opened:
        path = None if checkpoint is None else _place(checkpoint, opened)
        seed = _seed(path, rng, resume)
        if path is not None:
            opened.enter_context(held(path.with_name(f"{path.name}.lock"), "a search"))

        def opening(some: list[Case]) -> list[Trials]:
            one = needs_minima(chosen.aggregate, len(some))
            made = (Trials(case.problem, case.budget, workers, policy, one) for case in some)
            return [opened.enter_context(closing(trials)) for trials in made]

        trials = opening(twins)
        held_out = trials if surrogate is None else opening(cases)
        plan = _plan(path) if resume and path is not None else None
        if plan is None:
            rivals = Given((*known.values(), *peers.values()))
            chosen = affordable(chosen, trials, held_out, rivals, evaluations, time, log, bool(elsewhere))
            measured = sum(each.evaluations for each in {id(t): t for t in (*trials, *held_out)}.values())
        else:
            measured = plan.pop(MEASURED, 0)
            if evaluations is not None or time is not None:  # it was made to fit when it began
                chosen = replace(chosen, **plan)
        described = {
            "problems": [case.label for case in cases], "dims": [case.problem.box.dim for case in cases], "seed": seed,
            "budgets": [case.budget.maxfev for case in cases], "stops": [case.budget.stop for case in cases],
            **chosen.described(),
        }  # fmt: skip
        search = Search(chosen.genome, trials, chosen, seed, [*known.values(), *peers.values()])
        plan = _sizes(search) | {MEASURED: measured}
        journal = opened.enter_context(closing(_journal(search, described, path, resume, held_out, plan)))
        moved = opening(elsewhere)
        for each in (*trials, *held_out, *moved):
            each.journal = journal
        before = FaultCount() if path is None else saved_faults(path)
        state, seconds = _go(search, described, path, resume, progress, journal, plan, before)
        preset_name = "quick" if preset is None else preset if isinstance(preset, str) else "own settings"
        found = _finish(search, state, described, seconds, preset_name, held_out, moved, known, peers, measured, before)
        journal.remove()
        return found


def _decides(search: Search, described: dict[str, Any]) -> dict[str, Any]:
    """What must be the same when a search goes on: all but what comes after it, and its length."""
    free = ("generations", "final_race", "race_size", "race_runs", "retest_runs")
    decides = {name: value for name, value in described.items() if name not in free}
    return decides | {"identities": [identity(trials.problem) for trials in search.trials]}


def _journal(
    search: Search, described: dict[str, Any], path: Path | None, resume: bool, held_out: list[Trials],
    plan: dict[str, int],
) -> Journal:  # fmt: skip
    """The values beside a checkpoint; those of the re-test belong to what it is judged on."""
    if path is None:
        return Journal(None, {})
    place = _values_of(path)
    if place.exists() and not path.exists() and not resume:
        raise InputError(f"checkpoint: {place} holds values of a search; resume it or choose another place")
    judged = {"judged": [identity(trials.problem) for trials in held_out]}
    return Journal(place, _decides(search, described) | judged, plan)


def _sizes(search: Search) -> dict[str, int]:
    """What was made to fit into the time or the evaluations that there are."""
    return {name: getattr(search.settings, name) for name in FITTED}


def _plan(path: Path) -> dict[str, int] | None:
    """The sizes that a search was given when it began, before its first checkpoint those beside its values."""
    plan = (saved_settings(_values_of(path)) or {}).get(PLAN) if not path.exists() else saved_plan(path)
    return plan if is_plan(plan) else None


def _values_of(path: Path) -> Path:
    """The file of values beside a checkpoint."""
    return path.with_name(f"{path.name}.values")


def _seed(path: Path | None, rng: Seed, resume: bool) -> int:
    """The seed, that of the search that goes on if none is given."""
    if rng is None and resume and path is not None:
        if path.exists():
            return saved_seed(path)
        saved = (saved_settings(_values_of(path)) or {}).get("seed")
        if type(saved) is int and saved >= 0:
            return saved
    return seed_of(rng)


def _place(checkpoint: Any, opened: ExitStack) -> Path:
    """The file of a checkpoint; what cannot be written is found before hours are spent."""
    try:
        path = Path(checkpoint)
        opened.enter_context(new_folder(path.parent))
        check_writable(path)
    except FileError as error:
        raise FileError(f"checkpoint: {error}") from None
    except OSError as error:
        raise FileError(f"checkpoint: {checkpoint}: cannot be written: {error.strerror or error}") from None
    except TypeError as error:
        raise FileError(f"checkpoint: {checkpoint!r} cannot be written: {error}") from None
    return path


def _go(
    search: Search, described: dict[str, Any], path: Path | None, resume: bool, progress: ProgressCallback | None,
    journal: Journal, plan: dict[str, int], before: FaultCount,
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
    begun = written = clock.perf_counter()
    first, failed = 0 if state is None else state.evaluations, before
    try:
        while True:
            if state is None:
                state = search.start()
            elif state.generation < search.settings.generations:
                state = search.step(state)
            failed = _failed(before, search.trials)  # what fails later belongs to a generation that is made anew
            now = clock.perf_counter()
            seconds = spent + now - begun
            last = state.generation >= search.settings.generations
            due = path is not None and (last or now - written > CHECKPOINT_SECONDS)
            if path is not None and due:
                write_checkpoint(path, state, decides, seconds, plan, failed)
                written = now
            journal.begin(state.generation, fresh=due)
            if progress:
                share = (state.generation + 1) / (search.settings.generations + 1)
                rate = (state.evaluations - first) / max(now - begun, 1e-9)
                left = seconds / share - seconds
                kind = search.settings.aggregate
                measure = kind if len(search.trials) > 1 or kind == "panel" else ""
                shown = SearchProgress(state, search.settings.generations, seconds, rate, left, search.genome, measure)
                progress(shown)
            if last:
                return state, seconds
    except KeyboardInterrupt:
        if path is not None and state is not None:
            write_checkpoint(path, state, decides, spent + clock.perf_counter() - begun, plan, failed)
        raise


def _failed(before: FaultCount, trials: Sequence[Trials]) -> FaultCount:
    """Evaluations that failed, in earlier sessions and in these trials."""
    found = FaultCount()
    for each in (before, *(one.evaluator.faults for one in trials)):
        found.add(each.counts, each.first)
    return found


def _finish(
    search: Search, state: SearchState, described: dict[str, Any], seconds: float, preset: str, held_out: list[Trials],
    elsewhere: list[Trials], known: dict[str, Any], peers: dict[str, Any], measured: int, before: FaultCount,
) -> Design:  # fmt: skip
    """Choose the result, re-test it beside what is known, also with moved optima, and note where it comes from."""
    start, settings, genome = clock.perf_counter(), search.settings, search.genome
    made = search.evaluations
    rivals = {**known, **peers} if settings.known else {}
    if settings.space == "operator":  # of which the default is none; the re-test has it
        rivals.pop(DEFAULT, None)
    winner = search.race(state, list(rivals.values())) if settings.final_race else 0
    raced = search.evaluations - made
    name = None if winner < len(state.ids) else list(rivals)[winner - len(state.ids)]
    algorithm = genome.decode(state.vectors[winner]) if name is None else rivals[name]
    others = {label: one for label, one in {**known, **peers}.items() if label != name}
    judged = sum(trials.evaluations for trials in held_out)
    values = search.retest([algorithm, *others.values()], held_out)
    moved = search.retest([algorithm], elsewhere, MOVED)[0] if elsewhere else None
    spent = {"measure": measured, "search": state.evaluations, "race": raced}
    spent["retest"] = sum(trials.evaluations for trials in [*held_out, *elsewhere]) - judged
    fitness = float(state.fitness[winner]) if name is None else float("nan")
    means = [float(mean) for mean in values[0].mean(axis=1)]
    provenance = {
        "problem": ", ".join(described["problems"]), "dim": described["dims"][0], "seed": described["seed"],
        "preset": preset, "space": settings.space, "evaluations": sum(spent.values()),
        "fitness": None if np.isnan(fitness) else fitness, "known": name,
        "retested_fitness": means[0] if len(means) == 1 else dict(zip(described["problems"], means, strict=True)),
        "moved_retest": None if moved is None else [float(mean) for mean in moved.mean(axis=1)],
        "retest_runs": settings.retest_runs, "instances": _instances(search), "settings": described,
        "autov": VERSION, "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }  # fmt: skip
    failed = _failed(before, [*search.trials, *([] if held_out is search.trials else held_out), *elsewhere])
    if failed.counts:
        provenance |= {"failed": failed.counts, "first_failure": failed.first}
    if (
        settings.space == "operator"
        and isinstance(algorithm, Evolution)
        and isinstance(algorithm.operator, AffineOperator)
    ):
        algorithm = replace(algorithm, operator=replace(algorithm.operator, provenance=provenance))
    shown = genome.operator if isinstance(genome, OperatorGenome) else genome.decode
    population: list[Any] = [shown(vector) for vector in state.vectors]
    seconds += clock.perf_counter() - start
    return Design(
        algorithm, name, fitness, values[0], dict(zip(others, values[1:], strict=True)), others,
        np.array(state.history),
        population, spent, seconds, described, tuple(trials.problem for trials in search.trials),
        tuple(trials.problem for trials in held_out), tuple(trials.budget.maxfev for trials in held_out), provenance,
        moved, failed.counts, failed.first,
    )  # fmt: skip


def _instances(search: Search) -> str:
    """Which instances it has seen, in words."""
    if not any(isinstance(trials.problem, ProblemFamily) for trials in search.trials):
        return "the problem as it is, in the search as in the re-test"
    return f"drawn from (seed {search.seed}, purpose, problem, run); search, race and re-test are three purposes"
