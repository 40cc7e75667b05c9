"""Design of an operator for NSGA-II of pymoo: candidates are judged by the hypervolume that NSGA-II reaches with them.

The search is the paper's metaheuristic on the vectors of an `OperatorGenome`, which begins with the known designs. A
candidate's fitness is the mean, over problems and runs, of the part of the hypervolume of the Pareto front that NSGA-II
misses; all candidates meet the same seeds in a generation, and the best ones are run again on fresh seeds at the end.
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
    from pymoo.problems import get_problem
except ImportError as error:
    raise missing("pymoo", error) from None

FORMAT, VERSION = "autov-crossover-design", 1
MARGIN = 0.1  # the reference point lies this part of the front's extent beyond its worst corner
TESTED = 3  # candidates that are run again at the end


@dataclass(frozen=True, eq=False)
class CrossoverDesign:
    """What `design_crossover` found.

    Attributes:
        operator: the design, with its provenance; save it with ``operator.save``.
        fitness: part of the hypervolume that it missed on fresh seeds, mean over problems and runs.
        known: the same for the known designs that the search began with.
        history: best fitness after each batch, on the seeds of the search.
        evaluations: of the problems, all together.
    """

    operator: AffineOperator
    fitness: float
    known: tuple[float, ...]
    history: tuple[float, ...]
    evaluations: int


@dataclass(frozen=True)
class HypervolumeTrial:
    """NSGA-II with an operator on a problem of pymoo, called as ``trial((operator or None, seed))``.

    Without an operator NSGA-II has its own SBX and polynomial mutation.
    """

    problem: Any  # its name in pymoo, or a problem object of pymoo
    popsize: int
    generations: int
    n_var: int | None = None

    @cached_property
    def _made(self) -> tuple[Any, HV, float]:
        try:
            problem = self.problem
            if isinstance(problem, str):
                problem = get_problem(problem, **({} if self.n_var is None else {"n_var": self.n_var}))
            front: Any = problem.pareto_front()
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
        parts: dict[str, Any] = {}
        if operator is not None:
            parts = {"crossover": OperatorCrossover(operator), "mutation": NoMutation()}
        found = minimize(problem, NSGA2(pop_size=self.popsize, **parts), ("n_gen", self.generations), seed=seed)
        return float(volume.do(found.F) or 0.0) / most


def design_crossover(
    problems: str | Sequence[str] = ("zdt1", "zdt2", "zdt3"), *, form: Any = "h3", rows: int = 10,
    tie_bounds: bool = True, metric: str = "hypervolume", popsize: int = 40, generations: int = 40, runs: int = 2,
    n_var: int | None = None, candidates: int = 10, trials: int = 60, rng: Seed = None, workers: Workers = 1,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int, float], Any] | None = None,
) -> CrossoverDesign:  # fmt: skip
    """Search an operator with which NSGA-II reaches a large hypervolume.

    Args:
        problems: names of pymoo's problems whose Pareto front is known ("zdt1", "dtlz2", ...).
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
        checkpoint: a file to write after each batch; if it is there, the search goes on from it with the same bits.
        progress: called after each batch with (operators tried, trials, best fitness).
    """
    if metric != "hypervolume":
        raise InputError(f"metric: must be 'hypervolume', got {metric!r}")
    names = (problems,) if isinstance(problems, str) else tuple(problems)
    if not names:
        raise InputError("problems: at least one is needed")
    n_var = None if n_var is None else whole_number("n_var", n_var, 1)
    genome = OperatorGenome.of(form, rows, "variable", tie_bounds)
    options = [HypervolumeTrial(n, whole_number("popsize", popsize, 4), whole_number("generations", generations, 1),
                                n_var) for n in names]  # fmt: skip
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
        self.start = genome.known()[:candidates]
        self.optimizer = Optimizer(
            genome.box, popsize=candidates, rng=seed, algorithm="paper-h3", x0=self.start if len(self.start) else None,
            maxfev=trials,
        )  # fmt: skip
        self.tried, self.batches = 0, 0
        self.history: list[float] = []
        self.best: list[tuple[float, list[float]]] = []  # the best few: fitness, vector
        described = [f"{o.problem},{o.popsize},{o.generations},{o.n_var}" for o in options]
        self.identity = {
            "problems": described, "inputs": list(genome.inputs), "rows": genome.rows, "tie_bounds": genome.tie_bounds,
            "runs": runs, "seed": seed, "candidates": candidates, "trials": trials,
        }  # fmt: skip
        if self.path is not None and self.path.is_file():
            self._read(self.path)

    def fitness(self, engine: Any, vectors: Array, stream: int) -> Array:
        """Missing part of the hypervolume, mean over problems and runs; every vector meets the same seeds."""
        items, operators = [], [self.genome.operator(vector) for vector in vectors]
        for operator in operators:
            for p in range(len(self.options)):
                for r in range(self.runs):
                    entropy = np.random.SeedSequence(self.seed, spawn_key=(stream, p, r))
                    items.append((p, operator, int(entropy.generate_state(1)[0])))
        reached = in_order(engine, _Trials(tuple(self.options)), items)
        return 1.0 - np.array(reached).reshape(len(vectors), -1).mean(axis=1)

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
        """Run the best few and the known ones again on fresh seeds."""
        vectors = np.array([vector for _, vector in self.best])
        fresh = self.fitness(engine, np.concatenate([vectors, self.start]), 1)
        last = int(np.argmin(fresh[: len(vectors)]))
        final = float(self.fitness(engine, vectors[[last]], 2)[0])  # the choice among the few must not flatter it
        known = tuple(self.fitness(engine, self.start, 2).tolist()) if len(self.start) else ()
        each = sum(o.popsize * o.generations for o in self.options) * self.runs
        evaluations = (self.tried + len(fresh) + 1 + len(self.start)) * each
        provenance = {
            "problem": ", ".join(o.problem for o in self.options), "algorithm": "NSGA-II of pymoo",
            "metric": "hypervolume", **{key: value for key, value in self.identity.items() if key != "problems"},
            "missing hypervolume": final, "evaluations": evaluations,
        }  # fmt: skip
        operator = from_dict({**to_dict(self.genome.operator(vectors[last])), "provenance": provenance})
        return CrossoverDesign(operator, final, known, tuple(self.history), evaluations)

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


def _state_path(path: Path, batch: int) -> Path:
    return path.with_name(f"{path.name}.{batch}.npz")


@dataclass(frozen=True)
class _Trials:
    """All problems as one call, so that worker processes receive them once."""

    options: tuple[HypervolumeTrial, ...]

    def __call__(self, item: tuple[int, AffineOperator | None, int]) -> float:
        number, operator, seed = item
        return self.options[number]((operator, seed))
