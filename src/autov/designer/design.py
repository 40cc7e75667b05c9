"""`design`: find an operator for your problems."""

from __future__ import annotations

import dataclasses
import datetime
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from autov.algorithms.solve import whole
from autov.core import Array, InputError, Seed, plain, seed_of
from autov.designer import aggregate as aggregates
from autov.designer import checkpoint as checkpoints
from autov.designer.encoding import Encoding
from autov.designer.fitness import Inner, InnerRuns
from autov.designer.presets import preset as preset_settings
from autov.designer.search import HISTORY, Search, SearchSettings, SearchState
from autov.operators import AffineOperator
from autov.operators.affine import Draw
from autov.operators.forms import form_name
from autov.problems import LSGO, parse
from autov.problems.fingerprint import fingerprint

RETEST_RUNS = 30
CHECKPOINT_SECONDS = float(os.environ.get("AUTOV_CHECKPOINT_SECONDS", "5"))


@dataclass(frozen=True, eq=False)
class Design:
    """A finished search and what it found."""

    operator: AffineOperator
    fitness: float  # the search's own figure: flattering, because the luckiest survive
    retested: Array  # (problems, 30) best values on seeds that the search never saw: the honest figure
    history: Array  # one row a generation, columns as in HISTORY
    population: list[AffineOperator]  # final candidates, the best by the search's figure first
    evaluations: int
    seconds: float
    settings: dict[str, Any]

    @property
    def retested_fitness(self) -> float:
        """Mean of the re-tested best values on the (first) training problem."""
        return float(self.retested[0].mean())


@dataclass(frozen=True, eq=False)
class Progress:
    """What a progress display may show after each generation."""

    state: SearchState
    generations: int
    seconds: float  # of the whole search
    rate: float  # evaluations per second in this session
    seconds_left: float
    encoding: Encoding


def _problems(given: Any, dim: int) -> list[Any]:
    items = list(given) if isinstance(given, (list, tuple)) else [given]
    if not items:
        raise InputError("problem: at least one is needed")
    problems = [parse(item, None if item in LSGO else dim) if isinstance(item, str) else item for item in items]
    for problem in problems:
        if not (hasattr(problem, "box") and hasattr(problem, "objective")):
            raise InputError(f"problem: expected a name or a problem (see autov.function_problem), got {problem!r}")
    return problems


def design(
    problem: Any, *, form: str | Sequence[str] = "h3", rows: int = 10, draw: Draw = "variable",
    tie_bounds: bool | None = None, dim: int = 30, population: int | None = None, generations: int | None = None,
    inner: Inner | None = None, preset: str | None = None, rng: Seed = None, workers: int | None = None,
    checkpoint: str | PathLike[str] | None = None, resume: bool = False, progress: Any = True,
    aggregate: str = "rank", reevaluate: bool | int | None = None, final_race: bool | None = None,
    early_stop: bool | None = None,
) -> Design:  # fmt: skip
    """Design an affine operator for a problem, or for several (Algorithm 1 of the paper).

    Args:
        problem: a problem or its name, or a list of them; functions of yours become problems by
            ``autov.function_problem(fun, bounds, vectorized=...)``.
        form: h1..h5 or a tuple of inputs such as ("x1", "x2", "best", "lower", "upper").
        rows: number of parameter sets, the paper's k.
        draw: row and weights for every "variable" (the paper's) or once for every "solution".
        tie_bounds: one weight for upper - lower instead of two for the bounds; half the numbers to design there.
        dim: variables of problems given by name.
        population: number of candidate operators.
        generations: generations of the search after the first population.
        inner: population, generations and runs of the metaheuristic that tries a candidate (Algorithm 2).
        preset: "quick" (also if None), "standard" or "paper": settings for what is left out above and below.
        rng: seed; the same seed gives the same operator for any number of workers.
        workers: threads (compiled problems) or processes (slow Python functions); all cores by default.
        checkpoint: a file to write the search to every few seconds.
        resume: go on from the checkpoint if it is there.
        progress: a display in the terminal (nothing elsewhere), or a callable that takes a `Progress`.
        aggregate: for several problems, "rank" or "log-gap" (see `autov.designer.aggregate`).
        reevaluate: fresh runs that every survivor gets each generation (True: 1); cures the winner's curse.
        final_race: choose the operator among the best survivors by a race on fresh seeds.
        early_stop: stop candidates that cannot survive any more; the result is the same, bit for bit.

    Returns:
        A `Design`. Ctrl-C ends the search early: if there is a checkpoint, KeyboardInterrupt goes on to the caller
        after it is written.
    """
    chosen = preset_settings(preset or "quick")
    given = {
        "population": population, "generations": generations, "inner": inner, "tie_bounds": tie_bounds,
        "reevaluate": None if reevaluate is None else int(reevaluate), "final_race": final_race,
        "early_stop": early_stop,
    }  # fmt: skip
    chosen.update({name: value for name, value in given.items() if value is not None})
    if tie_bounds is None and not {"lower", "upper"} <= set(Encoding.of(form, rows, draw, False).inputs):
        chosen["tie_bounds"] = False
    problems = _problems(problem, dim)
    aggregates.check(aggregate, problems)
    encoding = Encoding.of(form, rows, draw, chosen["tie_bounds"])
    settings = SearchSettings(
        population=whole("population", chosen["population"], 2),
        generations=whole("generations", chosen["generations"], 0), seed=seed_of(rng),
        aggregate=aggregate, early_stop=bool(chosen["early_stop"]),
        reevaluate=whole("reevaluate", chosen["reevaluate"], 0),
    )  # fmt: skip
    described = {
        "problems": [p.name for p in problems], "dims": [p.box.dim for p in problems],
        "form": form_name(encoding.inputs), "rows": encoding.rows, "draw": encoding.draw,
        "tie_bounds": encoding.tie_bounds, "inner": dataclasses.asdict(chosen["inner"]),
        "final_race": bool(chosen["final_race"]), **dataclasses.asdict(settings),
    }  # fmt: skip
    runs = [InnerRuns(p, chosen["inner"], workers) for p in problems]
    try:
        search = Search(encoding, runs, settings)
        path = None if checkpoint is None else Path(checkpoint)
        state, seconds = _go(search, described, path, resume, progress)
        return _finish(search, state, described, seconds, preset)
    finally:
        for r in runs:
            r.close()


def _go(
    search: Search, described: dict[str, Any], path: Path | None, resume: bool, progress: Any
) -> tuple[SearchState, float]:
    """Run the generations, with checkpoints and progress."""
    spent, state = 0.0, None
    # The length of a search may change when it goes on; everything else must be the same.
    identity = {name: value for name, value in described.items() if name not in ("generations", "final_race")}
    identity["fingerprints"] = [fingerprint(runs.problem) for runs in search.inner_runs]
    if path is not None and path.exists():
        if not resume:
            raise InputError(f"checkpoint: {path} is there already; resume it or choose another place")
        state, spent = checkpoints.read(path, identity)
        if state.generation > search.settings.generations:
            raise InputError(
                f"generations: {path} has made {state.generation} already, got {search.settings.generations}"
            )
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    show = _display(progress)
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
            if path is not None and (last or now - written > CHECKPOINT_SECONDS):
                checkpoints.write(path, state, identity, seconds)
                written = now
            if show:
                share = (state.generation + 1) / (search.settings.generations + 1)
                rate = (state.evaluations - first) / max(now - begun, 1e-9)
                show(
                    Progress(
                        state, search.settings.generations, seconds, rate, seconds / share - seconds, search.encoding
                    )
                )
            if last:
                return state, seconds
    except KeyboardInterrupt:
        if path is not None and state is not None:
            checkpoints.write(path, state, identity, spent + time.perf_counter() - begun)
        raise
    finally:
        if hasattr(show, "close"):
            show.close()  # type: ignore[union-attr]


def _display(progress: Any) -> Callable[[Progress], None] | None:
    if progress is True:
        from autov.designer.display import Display

        return Display()
    return progress or None


def _finish(
    search: Search, state: SearchState, described: dict[str, Any], seconds: float, preset: str | None
) -> Design:
    """Choose the operator, re-test it and write down where it comes from."""
    start = time.perf_counter()
    winner = search.race(state) if described["final_race"] else 0
    retested = search.retest(state.vectors[winner], RETEST_RUNS)
    seconds += time.perf_counter() - start
    provenance = {
        "problem": ", ".join(described["problems"]), "dim": described["dims"][0], "seed": described["seed"],
        "preset": preset or "quick", "evaluations": state.evaluations, "fitness": plain(state.fitness[winner]),
        "retested_fitness": plain(retested[0].mean()), "retest_runs": RETEST_RUNS,
        "settings": described, "autov": metadata.version("autov"),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }  # fmt: skip
    operators = [search.encoding.decode(vector) for vector in state.vectors]
    operator = dataclasses.replace(operators[winner], provenance=provenance)
    return Design(
        operator, float(state.fitness[winner]), retested, np.array(state.history), operators, state.evaluations,
        seconds, described,
    )  # fmt: skip


__all__ = ["HISTORY", "Design", "Progress", "design"]
