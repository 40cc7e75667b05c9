"""Design of an operator for NSGA-II of pymoo: candidates are judged by the hypervolume that NSGA-II reaches with them.

The search is the paper's metaheuristic on the vectors of an `OperatorGenome`, which begins with the baselines. A
candidate's fitness is the mean, over problems and runs, of the part of the hypervolume of the Pareto front that NSGA-II
misses; all candidates meet the same seeds in a generation, and the best ones are run again on fresh seeds at the end.
Problems of ZDT, DTLZ and WFG have their optima at another place in each run (see `autov.adapters.pymoo.shifted`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from autov.adapters import missing
from autov.adapters.pymoo.crossover import OperatorCrossover
from autov.adapters.pymoo.shifted import Shifted, front_of, named_problem, optimum_of
from autov.core import (
    Array,
    FileError,
    InputError,
    Seed,
    read_json,
    seed_of,
    to_json,
    whole_number,
    write_text,
)  # fmt: skip
from autov.designer.genome import OperatorGenome
from autov.engines import Workers, engine_of, in_order
from autov.operators import AffineOperator, from_dict, to_dict
from autov.runs import Optimizer

try:
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.indicators.hv import HV
    from pymoo.operators.mutation.nom import NoMutation
    from pymoo.optimize import minimize
except ImportError as error:
    raise missing("pymoo", error) from None

FORMAT, VERSION = "autov-crossover-design", 1
MARGIN = 0.1  # the reference point lies this part of the front's extent beyond its worst corner
BASELINE = "SBX + PM"  # NSGA-II as pymoo has it
TESTED = 3  # candidates that are run again at the end


@dataclass(frozen=True, eq=False)
class CrossoverDesign:
    """The result of `design_crossover`.

    Attributes:
        operator: the design, with its provenance; save it with ``operator.save``.
        fitness: the missed part of the front's hypervolume on fresh seeds, mean over problems and runs.
        baselines: the same for pymoo's own operators ("SBX + PM") and for the baselines of the first batch, by name.
        budget: evaluations of a run, its population, and the runs on each problem, in words.
        history: best fitness after each batch, on the seeds of the search.
        evaluations: of the problems, all together.
    """

    operator: AffineOperator
    fitness: float
    baselines: dict[str, float]
    history: tuple[float, ...]
    evaluations: int
    budget: str

    @property
    def verdict(self) -> str:
        """Whether it is better than pymoo's own operators."""
        theirs = self.baselines[BASELINE]
        if self.fitness < theirs:
            return f"it misses {self.fitness:.4f}, {BASELINE} {theirs:.4f}, on fresh seeds of the training problems"
        return f"it misses {self.fitness:.4f} and is not better than {BASELINE} with {theirs:.4f}: stay with {BASELINE}"


@dataclass(frozen=True)
class HypervolumeTrial:
    """NSGA-II with an operator on a problem of pymoo, called as ``trial((operator or None, seed))``.

    Without an operator NSGA-II has its own SBX and polynomial mutation.

    Attributes:
        problem: its name in pymoo, or a problem object of pymoo.
        popsize: of NSGA-II.
        generations: of NSGA-II.
        n_var: variables; None for pymoo's default.
        shifted: translate the optimum to another place for each seed; only for ZDT, DTLZ and WFG.
    """

    problem: Any
    popsize: int
    generations: int
    n_var: int | None = None
    shifted: bool = False

    @property
    def label(self) -> str:
        """The name of the problem, with "shifted" if each seed translates its optimum."""
        name = self.problem if isinstance(self.problem, str) else type(self.problem).__name__
        return f"{name}, shifted" if self.shifted and optimum_of(self._made[0]) else name

    @cached_property
    def _made(self) -> tuple[Any, HV, float]:
        try:
            problem = self.problem
            if isinstance(problem, str):
                problem = named_problem(problem, self.n_var)
            front: Any = front_of(problem)
        except Exception as error:  # pymoo raises no other kind for names that it does not know
            raise InputError(f"problems: pymoo cannot make {self.problem!r}: {error}") from None
        if front is None:
            raise InputError(f"problems: the Pareto front of {self.problem} is not known to pymoo")
        low, high = front.min(axis=0), front.max(axis=0)
        volume = HV(ref_point=high + MARGIN * (high - low))
        return problem, volume, float(volume.do(front) or 0.0)

    def check(self) -> None:
        """Say now what is wrong with the problem; nothing is kept, so that workers are sent the settings alone."""
        _ = replace(self)._made

    def __call__(self, item: tuple[AffineOperator | None, int]) -> float:
        """Hypervolume of the final population as a part of the front's; more than 1 is possible by rounding only."""
        operator, seed = item
        problem, volume, most = self._made
        if self.shifted and optimum_of(problem):
            problem = Shifted(problem, seed)
        parts: dict[str, Any] = {}
        if operator is not None:
            parts = {"crossover": OperatorCrossover(operator), "mutation": NoMutation()}
        found = minimize(problem, NSGA2(pop_size=self.popsize, **parts), ("n_gen", self.generations), seed=seed)
        return 0.0 if found.F is None else float(volume.do(found.F) or 0.0) / most


def design_crossover(
    problems: str | Sequence[Any] = ("zdt1", "zdt3", "dtlz2"), *, shifted: bool = True, form: Any = "h3",
    rows: int = 10,
    tie_bounds: bool = True, metric: str = "hypervolume", popsize: int = 40, generations: int = 40, runs: int = 2,
    n_var: int | None = None, candidates: int = 10, trials: int = 60, rng: Seed = None, workers: Workers = 1,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int, float], Any] | None = None,
) -> CrossoverDesign:  # fmt: skip
    """Search an operator with which NSGA-II reaches a large hypervolume.

    Args:
        problems: problems of pymoo whose Pareto front is known, or their names ("zdt1", "dtlz2", "wfg4", ...).
        shifted: whether each run of a problem of ZDT, DTLZ or WFG has its optimum at another place inside the box. As
            they are, their optima lie on the border or in the centre, and the search learns just that.
        form: inputs of the operator, h1 .. h5 or a tuple of parents and bounds.
        rows: of the operator.
        tie_bounds: lower and upper share one weight.
        metric: "hypervolume", the only one.
        popsize: of NSGA-II.
        generations: of NSGA-II.
        runs: of each candidate on each problem.
        n_var: variables of the problems; None for pymoo's default.
        candidates: population of the search.
        trials: operators that are tried, all together.
        rng: seed; the same one gives the same design for any number of workers.
        workers: processes, an Executor, or an engine.
        checkpoint: a file to write after each batch; if it is there, the search resumes from it with identical results.
        progress: called after each batch with (operators tried, trials, best fitness).
    """
    if metric != "hypervolume":
        raise InputError(f"metric: must be 'hypervolume', got {metric!r}")
    names = (problems,) if isinstance(problems, str) or not isinstance(problems, Sequence) else tuple(problems)
    if not names:
        raise InputError("problems: at least one is needed")
    n_var = None if n_var is None else whole_number("n_var", n_var, 1)
    genome = OperatorGenome.of(form, rows, "variable", tie_bounds)
    options = [HypervolumeTrial(n, whole_number("popsize", popsize, 4), whole_number("generations", generations, 1),
                                n_var, shifted) for n in names]  # fmt: skip
    for option in options:
        option.check()
    whole_number("runs", runs, 1)
    seed, trials = seed_of(rng), whole_number("trials", trials, 1)
    search = _Search(genome, options, runs, seed, candidates, trials, checkpoint)
    with engine_of(workers, "processes") as engine:
        while not search.optimizer.stop():
            search.step(engine)
            if progress is not None:
                progress(search.tried, trials, search.history[-1])
        return search.finish(engine)


class _Search:
    """The state of a search, and how it is kept in a file."""

    def __init__(
        self, genome: OperatorGenome, options: list[HypervolumeTrial], runs: int, seed: int, candidates: int,
        trials: int, checkpoint: str | os.PathLike[str] | None,
    ) -> None:  # fmt: skip
        self.genome, self.options, self.runs, self.seed = genome, options, runs, seed
        self.path = None if checkpoint is None else Path(checkpoint)
        self.start, self.labels = _baselines(genome, candidates)
        self.optimizer = Optimizer(
            genome.box, popsize=candidates, rng=seed, algorithm="paper-h3", x0=self.start if len(self.start) else None,
            maxfev=trials,
        )  # fmt: skip
        self.tried, self.batches = 0, 0
        self.history: list[float] = []
        self.best: list[tuple[float, list[float]]] = []  # the best few: fitness, vector
        described = [f"{o.label},{o.popsize},{o.generations},{o.n_var}" for o in options]
        self.identity = {
            "problems": described, "inputs": list(genome.inputs), "rows": genome.rows, "tie_bounds": genome.tie_bounds,
            "runs": runs, "seed": seed, "candidates": candidates, "trials": trials,
        }  # fmt: skip
        if self.path is not None and self.path.is_file():
            self._read(self.path)

    def fitness(self, engine: Any, vectors: Array, stream: int) -> Array:
        """That of the operators of vectors."""
        return self.missing(engine, [self.genome.operator(vector) for vector in vectors], stream)

    def missing(self, engine: Any, operators: Sequence[AffineOperator | None], stream: int) -> Array:
        """Missing part of the hypervolume, mean over problems and runs; every operator meets the same seeds."""
        items = []
        for operator in operators:
            for p in range(len(self.options)):
                for r in range(self.runs):
                    entropy = np.random.SeedSequence(self.seed, spawn_key=(stream, p, r))
                    items.append((p, operator, int(entropy.generate_state(1)[0])))
        reached = in_order(engine, _Trials(tuple(self.options)), items)
        return 1.0 - np.array(reached).reshape(len(operators), -1).mean(axis=1)

    def step(self, engine: Any) -> None:
        """One batch of candidates."""
        x = self.optimizer.ask()
        f = self.fitness(engine, x, 0)
        self.optimizer.tell(x, f)
        self.tried += len(x)
        self.batches += 1
        found = [*self.best, *zip(f.tolist(), x.tolist(), strict=True)]
        self.best = sorted(found)[:TESTED]
        self.history.append(self.best[0][0])
        if self.path is not None:
            self._write(self.path)

    def finish(self, engine: Any) -> CrossoverDesign:
        """Run the best few and the baselines again on fresh seeds."""
        vectors = np.array([vector for _, vector in self.best])
        fresh = self.fitness(engine, np.concatenate([vectors, self.start]), 1)
        last = int(np.argmin(fresh[: len(vectors)]))
        final = float(self.fitness(engine, vectors[[last]], 2)[0])  # the choice among the few must not flatter it
        others = [None, *map(self.genome.operator, self.start)]
        baselines = dict(zip((BASELINE, *self.labels), self.missing(engine, others, 2).tolist(), strict=True))
        each = sum(o.popsize * o.generations for o in self.options) * self.runs
        evaluations = (self.tried + len(fresh) + 1 + len(others)) * each
        one = self.options[0]
        budget = (
            f"{one.popsize * one.generations:,} evaluations a run (population {one.popsize}), {self.runs} runs on each "
            f"of {len(self.options)} problems"
        )
        provenance = {
            "problem": "; ".join(o.label for o in self.options), "algorithm": "NSGA-II of pymoo",
            "metric": "hypervolume", **{key: value for key, value in self.identity.items() if key != "problems"},
            "missing hypervolume": final, "evaluations": evaluations,
        }  # fmt: skip
        operator = from_dict({**to_dict(self.genome.operator(vectors[last])), "provenance": provenance})
        return CrossoverDesign(operator, final, baselines, tuple(self.history), evaluations, budget)

    def _write(self, path: Path) -> None:
        """Two files: the state of the optimizer, then what belongs to it; the second names the batch of the first."""
        self.optimizer.save(_state_path(path, self.batches))
        head = {"format": FORMAT, "version": VERSION, "identity": self.identity, "tried": self.tried,
                "batches": self.batches, "history": self.history, "best": self.best}  # fmt: skip
        write_text(path, to_json(head, indent=1) + "\n")
        _state_path(path, self.batches - 1).unlink(missing_ok=True)

    def _read(self, path: Path) -> None:
        head = read_json(path, "a design in progress")
        if not isinstance(head, dict) or (head.get("format"), head.get("version")) != (FORMAT, VERSION):
            raise FileError(f"{path}: not a design in progress")
        if head.get("identity") != self.identity:
            raise InputError(f"checkpoint: {path} belongs to a design with other settings")
        self.optimizer = Optimizer.load(_state_path(path, head["batches"]))
        self.tried, self.batches, self.history = head["tried"], head["batches"], list(head["history"])
        self.best = [(fitness, vector) for fitness, vector in head["best"]]


def _baselines(genome: OperatorGenome, most: int) -> tuple[Array, list[str]]:
    """The baselines of a genome and their names: uniform crossover, and the paper's operator."""
    vectors = genome.known()
    return vectors[:most], ["uniform crossover", "paper-h3"][: len(vectors)][:most]  # the paper's has more rows


def _state_path(path: Path, batch: int) -> Path:
    return path.with_name(f"{path.name}.{batch}.npz")


@dataclass(frozen=True)
class _Trials:
    """All problems as one call, so that worker processes receive them once."""

    options: tuple[HypervolumeTrial, ...]

    def __call__(self, item: tuple[int, AffineOperator | None, int]) -> float:
        number, operator, seed = item
        return self.options[number]((operator, seed))
