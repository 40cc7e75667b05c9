"""`design`: find an algorithm for your problems."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from os import PathLike
from typing import Any

from autov.algorithms import resolve_algorithm
from autov.algorithms.evolution import Evolution
from autov.algorithms.files import DEFAULT, shipped_algorithm
from autov.core import InputError, Seed
from autov.designer.cases import Case, DesignCases, design_cases
from autov.designer.checkpoint import MEASURED, Checkpoint
from autov.designer.cost import Limits, affordable
from autov.designer.design_result import Design
from autov.designer.design_run import DesignRun, ProgressCallback, Rivals, SearchProgress
from autov.designer.genome import Given, OperatorGenome
from autov.designer.search import Search, check_minima, needs_minima
from autov.designer.search_files import search_files
from autov.designer.settings import DesignSettings, design_settings
from autov.designer.space import Space
from autov.designer.trials import DesignTrials, Trials
from autov.runs.evaluation import FaultPolicy, fault_policy


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


def design(
    problem: Any, bounds: Any = None, *, dim: int | None = None, vectorized: bool = False,
    preset: str | DesignSettings | None = None, rng: Seed = None, workers: Any = 1,
    checkpoint: str | PathLike[str] | None = None, resume: bool = False, progress: ProgressCallback | None = None,
    evaluations: float | None = None, time: str | float | None = None, surrogate: Any = None,
    log: Callable[[str], Any] | None = None, faults: FaultPolicy | None = None, **settings: Any,
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
        workers: threads (compiled problems) or processes (slow Python functions), -1 for all cores; an Executor; or
            a map-like callable.
        checkpoint: a file to write the search to every few seconds.
        resume: go on from the checkpoint if it is there.
        progress: called with a `SearchProgress` after each generation; the display of the command is ``display`` in
            ``with autov.ProgressDisplay() as display``.
        evaluations: how many there are; the search is made as large as they allow.
        time: the same in seconds, or as "10m" or "2h", at the measured speed of the problem.
        log: called with one line that tells the cost before it is spent.
        surrogate: a cheap model of the problem (or a list of them) to train on; the result is judged on the problem.
        faults: `autov.FaultPolicy`: the timeout of an evaluation, and whether one that fails counts as worst.
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
    progress = _checked(progress)
    explicit = bool(settings.get("family"))
    cases = design_cases(problem, chosen, surrogate, explicit, bounds=bounds, dim=dim, vectorized=vectorized)
    check_minima(chosen.aggregate, [case.problem for case in cases.trained])
    rivals, limits = _rivals(chosen), Limits(evaluations, time, log)
    policy = fault_policy(faults)
    with search_files(checkpoint, resume) as files, ExitStack() as opened:
        seed = files.seed(rng)
        files.identify([case.problem for case in cases.trained], [case.problem for case in cases.judged])
        trials = _open_trials(cases, chosen.aggregate, workers, policy, opened)
        chosen, measured = _sized(chosen, trials, rivals, limits, files.saved)
        search = Search(chosen.genome, trials.search, chosen, seed, list(rivals.all.values()))
        described = _described(cases.judged, chosen, seed)
        return DesignRun(search, trials, rivals, files, described, measured).run(_preset_name(preset), progress)


def _checked(progress: Any) -> ProgressCallback | None:
    if progress is None or progress is False:
        return None
    if not callable(progress):
        raise InputError(f"progress: must be callable, such as autov.ProgressDisplay(), or None, got {progress!r}")
    return progress


def _rivals(settings: DesignSettings) -> Rivals:
    """Known designs and the peers of the panel."""
    known, peers = known_designs(settings), {spec: resolve_algorithm(spec) for spec in settings.panel}
    for label in peers:
        if label in known:
            raise InputError(f"panel: {label!r} is the label of a known design; give it another one: mine={label}")
    return Rivals(known, peers)


def _open_trials(
    cases: DesignCases, aggregate: str, workers: Any, policy: FaultPolicy, opened: ExitStack
) -> DesignTrials:  # fmt: skip
    """Trials of all cases, whose workers end with the block of ``opened``."""

    def trials_of(some: list[Case]) -> list[Trials]:
        one = needs_minima(aggregate, len(some))
        made = (Trials(case.problem, case.budget, workers, policy, one) for case in some)
        return [opened.enter_context(closing(trials)) for trials in made]

    search = trials_of(cases.trained)
    held_out = search if cases.judged is cases.trained else trials_of(cases.judged)
    return DesignTrials(search, held_out, trials_of(cases.moved))


def _sized(
    chosen: DesignSettings, trials: DesignTrials, rivals: Rivals, limits: Limits, saved: Checkpoint | None
) -> tuple[DesignSettings, int]:  # fmt: skip
    """Settings that fit into the limits, as they did when the search began, and the evaluations that this took."""
    if saved is None:
        return affordable(chosen, trials, Given(tuple(rivals.all.values())), limits), trials.evaluations
    plan = dict(saved.plan)
    measured = plan.pop(MEASURED, 0)
    fits = limits.evaluations is None and limits.time is None
    return chosen if fits else replace(chosen, **plan), measured


def _described(cases: list[Case], chosen: DesignSettings, seed: int) -> dict[str, Any]:
    """Problems, seed and settings, as files have them."""
    return {
        "problems": [case.label for case in cases], "dims": [case.problem.box.dim for case in cases], "seed": seed,
        "budgets": [case.budget.maxfev for case in cases], "stops": [case.budget.stop for case in cases],
        **chosen.described(),
    }  # fmt: skip


def _preset_name(preset: str | DesignSettings | None) -> str:
    return "quick" if preset is None else preset if isinstance(preset, str) else "own settings"


__all__ = ["Design", "ProgressCallback", "SearchProgress", "design", "known_designs"]
