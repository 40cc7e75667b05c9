"""`design`: find an algorithm for your problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from autov.algorithms import resolve_algorithm
from autov.algorithms.evolution import Evolution
from autov.algorithms.files import DEFAULT, shipped_algorithm
from autov.core import Array, InputError, Seed, new_folder
from autov.designer.cases import Case, DesignCases, brings_bounds, design_cases, training_cases
from autov.designer.checkpoint import MEASURED, Checkpoint
from autov.designer.cost import FITTED, Limits, affordable
from autov.designer.design_result import Design, provenance_of
from autov.designer.design_run import DesignRun, ProgressCallback, Rivals, SearchProgress
from autov.designer.fitness import check_minima, needs_minima
from autov.designer.genome import Given, OperatorGenome
from autov.designer.history_check import History
from autov.designer.presets import design_settings
from autov.designer.search import Search
from autov.designer.search_files import search_files
from autov.designer.settings import DesignSettings
from autov.designer.space import Space
from autov.designer.trials import DesignTrials, Trials
from autov.problems import Problem, resolve_problem, resolve_problems
from autov.runs.described import CATEGORIES
from autov.runs.evaluation import FaultPolicy, fault_policy

REFUSED = "refused design"  # the label of one that the problem itself refuses
REAL_RUNS = "real-runs.db"  # beside the checkpoint: runs on the problem itself, for a design that learns from others


def known_designs(settings: DesignSettings) -> dict[str, Any]:
    """Label -> algorithm: the default of `minimize`, the paper's, and those of the space."""
    found: dict[str, Any] = {DEFAULT: shipped_algorithm(DEFAULT), "paper-h3": Evolution()}
    genome = settings.designed.genome
    if isinstance(genome, OperatorGenome):
        for vector in genome.known()[:1]:  # the other one is the paper's
            found["uniform crossover"] = genome.decode(vector)
    elif isinstance(genome, Space):
        found |= {label: genome.decode(genome.encode(values)) for label, values in genome.seeds}
    return found


def design(
    problem: Any = None, bounds: Any = None, *, dim: int | None = None, vectorized: bool = False,
    preset: str | DesignSettings | None = None, rng: Seed = None, workers: Any = 1,
    checkpoint: str | PathLike[str] | None = None, resume: bool = False, progress: ProgressCallback | None = None,
    evaluations: float | None = None, time: str | float | None = None, surrogate: Any = None,
    learn_from: Any = None, real_runs: int | None = None, validate: Any = None,
    log: Callable[[str], Any] | None = None, faults: FaultPolicy | None = None, **settings: Any,
) -> Design:  # fmt: skip
    """Design an algorithm for a problem, or for several (Algorithm 1 of the paper).

    Args:
        problem: a problem or its name, ``file.py:object``, a function with bounds, or a list of problems and names;
            with ``learn_from`` it may be left out, and is called for ``real_runs`` and ``validate`` only.
        bounds: of a function: a (min, max) pair for each variable.
        dim: variables of problems that leave it open; 30 for the classic ones.
        vectorized: the function takes batches (n, d).
        preset: "quick" (also if None), "standard", "paper", or a `DesignSettings`.
        rng: seed; the same seed gives the same operator for any number of workers. None takes the seed of the
            checkpoint that is resumed, else a fresh one.
        workers: threads (compiled problems) or processes (slow Python functions), -1 for all cores; an Executor; or
            a map-like callable.
        checkpoint: a file to write the search to every few seconds.
        resume: continue from the checkpoint, if there is one.
        progress: called with a `SearchProgress` after each generation; the display of the command is ``display`` in
            ``with autov.ProgressDisplay() as display``.
        evaluations: the limit; autov chooses the largest search that fits. Sizes that are given as arguments stay.
        time: the same in seconds, or as "10m" or "2h", at the measured speed of the problem.
        log: called with one line that tells the cost beforehand.
        surrogate: a cheap model of the problem, or several with its bounds (eight known plants for a new one), to train
            on; the result is tested on the problem.
        learn_from: earlier runs on problems of the kind, as `minimize` takes them: the search trains on functions that
            are learnt from them, without a call of the problem (docs/experience.md). It first checks itself, and
            refuses where learned functions do not order points and optimisers as the problem does.
        real_runs: runs on the problem for this check, where too few optimisers are recorded; 0 to continue without.
        validate: held-out problems, on which the result is re-tested as on the training problems; () for none. None
            leaves every fourth of a list of four or more problems out of the training, and the re-test has all. With
            ``learn_from``, runs of the result and of the default on each problem after the search, in ``validation``;
            a design that is worse in most of them is refused, and the result is the default.
        faults: `autov.FaultPolicy`: the timeout of an evaluation, and whether one that fails counts as worst.
        **settings: any field of `DesignSettings` instead of the preset's: space, members, fix, dims, budgets, family,
            population, generations, trial, panel, form, rows, ...

    Returns:
        A `Design`: ``algorithm`` goes wherever an algorithm does, ``retested`` has its best values on held-out
        instances, and ``baselines`` those of the baselines there. ``save`` writes a file that commands and
        ``algorithm=`` take. Ctrl-C ends the search early: if there is a checkpoint, KeyboardInterrupt goes on to the
        caller after it is written.

    Examples:
        A search of seconds, for a first look; leave ``small`` out for one of minutes that finds something:

        >>> import autov
        >>> small = {"generations": 2, "population": 6, "race_size": 2, "race_runs": 2, "retest_runs": 5}
        >>> found = autov.design("rastrigin", dim=5, trial={"evaluations": 500}, rng=1, workers=1, **small)
        >>> found.retested.shape, "ma-es" in found.baselines  # one problem, five fresh runs
        ((1, 5), True)
        >>> result = autov.minimize("rastrigin", dim=5, algorithm=found, maxfev=500, rng=2)
        >>> result.nfev
        500
    """
    chosen = design_settings(preset, **settings)
    progress = _checked(progress)
    given = {"bounds": bounds, "dim": dim, "vectorized": vectorized}
    if learn_from is None and problem is None:
        raise InputError("problem: needed, or learn_from with earlier runs")
    if learn_from is None and real_runs is not None:
        raise InputError("real_runs: only with learn_from; other designs are re-tested on the problem itself")
    if learn_from is None and isinstance(validate, (int, float)) and validate is not False:
        raise InputError("validate: a number of runs only with learn_from; else held-out problems")
    if learn_from is not None:
        if surrogate is not None:
            raise InputError("surrogate: a design learns from earlier runs or from a model, not from both")
        with ExitStack() as opened:
            if checkpoint is not None:
                opened.enter_context(new_folder(Path(checkpoint).parent))
            with search_files(checkpoint, resume) as files:
                seed = files.seed(rng)
            again = {"checkpoint": checkpoint, "resume": resume, "progress": progress, "evaluations": evaluations,
                     "time": time, "log": log, "faults": faults}  # fmt: skip
            source = History(learn_from, _real_problems(problem, given), bounds, real_runs, validate or 0)
            return _from_history(source, chosen, settings, preset, seed, workers, again)
    explicit = bool(settings.get("family"))
    cases = design_cases(problem, chosen, surrogate, explicit, validate, **given)
    check_minima(chosen.fitness.aggregate, [case.problem for case in cases.trained], chosen.fitness.over_runs)
    kept = [name for name, value in settings.items() if value is not None]
    rivals, limits = _rivals(chosen, cases.categories), Limits(evaluations, time, log, kept)
    policy = fault_policy(faults)
    with search_files(checkpoint, resume) as files, ExitStack() as opened:
        seed = files.seed(rng)
        files.identify([case.problem for case in cases.trained], [case.problem for case in cases.judged])
        trials = _open_trials(cases, chosen, workers, policy, opened)
        chosen, measured = _sized(chosen, trials, rivals, limits, files.saved)
        search = Search(chosen.designed.genome, trials.search, chosen, seed, list(rivals.all.values()))
        described = _described(cases, chosen, seed)
        return DesignRun(search, trials, rivals, files, described, measured).run(_preset_name(preset), progress)


def _real_problems(problem: Any, given: dict[str, Any]) -> list[Problem]:
    """The problems themselves; none where earlier runs are all there is."""
    if problem is None:
        return []
    own = [problem] if not isinstance(problem, (list, tuple, Mapping)) else list(problem)
    if len(own) == 1 and not brings_bounds(own[0]):
        return [resolve_problem(own[0], given["bounds"], dim=given["dim"], vectorized=given["vectorized"])]
    return list(resolve_problems(problem, given["dim"]).values())


def _from_history(
    source: History, chosen: DesignSettings, settings: Mapping[str, Any], preset: Any, seed: int, workers: Any,
    again: dict[str, Any],
) -> Design:  # fmt: skip
    """A design on learned functions: check them, search, and run the result on the problem itself."""
    folder, log = again["checkpoint"], again["log"]
    store = None if folder is None else Path(folder).with_name(REAL_RUNS)
    learned = source.learned()
    if not settings.get("trial") and not settings.get("budgets"):
        trial = replace(chosen.training.trial, popsize=learned.popsize, evaluations=learned.maxfev)
        chosen = chosen.changed(trial=trial)
    longest = max(case.budget.maxfev for case in training_cases(learned.families, chosen.changed(family=())))
    check = source.check(learned, seed, workers, store, longest)
    if log is not None:
        log(check.line)
    if check.refusal:
        raise InputError(f"learn_from: {check.line}. Missing for a design is {check.refusal}")
    sizes = {name: settings[name] for name in FITTED if settings.get(name) is not None}  # that a limit must not change
    found = design(
        learned.families, preset=chosen.changed(family=()), rng=seed, workers=workers, validate=(), **sizes, **again
    )
    validation = source.validation(found.algorithm, learned, seed, workers, store, longest)
    if validation is not None and not validation.passed:
        found = _refused(found, _preset_name(preset))
    told = {"preset": _preset_name(preset), "learned_from": [one.label for one in learned.recordings],
            "self_check": check.line, "validation": None if validation is None else validation.line}  # fmt: skip
    return replace(found, self_check=check.line, validation=validation, provenance=found.provenance | told)


def _refused(found: Design, preset: str) -> Design:
    """The default in the place of a design, which is then one of the others."""
    if found.baseline == DEFAULT:
        return found
    baselines: dict[str, Array] = {REFUSED: found.retested, **found.baselines}
    rivals = {REFUSED: found.algorithm, **found.rivals}
    default = replace(
        found, algorithm=rivals.pop(DEFAULT), baseline=DEFAULT, fitness=float("nan"), memory=None,
        retested=baselines.pop(DEFAULT), baselines=baselines, rivals=rivals, translated=None,
    )  # fmt: skip
    return replace(default, provenance=provenance_of(default, preset, found.provenance["instances"]))


def _checked(progress: Any) -> ProgressCallback | None:
    if progress is None or progress is False:
        return None
    if not callable(progress):
        raise InputError(f"progress: must be callable, such as autov.ProgressDisplay(), or None, got {progress!r}")
    return progress


def _rivals(settings: DesignSettings, categories: bool) -> Rivals:
    """Known designs, with what `minimize` takes where there are categories, and the peers of the panel."""
    known, peers = known_designs(settings), {spec: resolve_algorithm(spec) for spec in settings.fitness.panel}
    if categories:
        known[CATEGORIES] = resolve_algorithm(CATEGORIES)
    for label in peers:
        if label in known:
            raise InputError(f"panel: {label!r} is the label of a baseline; give it another one: mine={label}")
    return Rivals(known, peers)


def _open_trials(
    cases: DesignCases, settings: DesignSettings, workers: Any, policy: FaultPolicy, opened: ExitStack
) -> DesignTrials:  # fmt: skip
    """Trials of all cases, whose workers end with the block of ``opened``."""

    def trials_of(some: list[Case]) -> list[Trials]:
        one = needs_minima(settings.fitness.aggregate, len(some), settings.fitness.over_runs)
        made = (Trials(case.problem, case.budget, workers, policy, one) for case in some)
        return [opened.enter_context(closing(trials)) for trials in made]

    search = trials_of(cases.trained)
    if all(one is other for one, other in zip(cases.judged, cases.trained, strict=False)):
        held_out = [*search, *trials_of(cases.judged[len(search) :])] if cases.left_out else search
    else:
        held_out = trials_of(cases.judged)
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
    sizes = {name: size for name, size in plan.items() if name not in limits.kept}
    return chosen if fits else chosen.changed(**sizes), measured


def _described(found: DesignCases, chosen: DesignSettings, seed: int) -> dict[str, Any]:
    """Problems, seed and settings, as files have them."""
    cases, left_out = found.judged, {"left_out": found.left_out} if found.left_out else {}
    return {
        "problems": [case.label for case in cases], "dims": [case.problem.box.dim for case in cases], "seed": seed,
        "budgets": [case.budget.maxfev for case in cases], "stops": [case.budget.stop for case in cases],
        **left_out, **chosen.described(),
    }  # fmt: skip


def _preset_name(preset: str | DesignSettings | None) -> str:
    return "quick" if preset is None else preset if isinstance(preset, str) else "own settings"


__all__ = ["Design", "ProgressCallback", "SearchProgress", "design", "known_designs"]
