"""A designed algorithm and others on the instances of the re-test: runs that its report shows."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from autov.algorithms import resolve_algorithm
from autov.algorithms.portfolio import Portfolio, evaluating_members
from autov.core import identity
from autov.designer import Design, TrialBudget
from autov.designer.design_run import COLD
from autov.designer.trial_instances import Instances
from autov.designer.trial_runs import RETEST, Stream
from autov.designer.trials import Trials
from autov.experiments.ablation import explain
from autov.experiments.after_design import SEED_SHIFT
from autov.experiments.comparison import Comparison, compare_experiment
from autov.experiments.explanation import Explanation
from autov.experiments.generalisation import Generalisation, generalise
from autov.experiments.plan import experiment
from autov.experiments.store import Store
from autov.experiments.trace import grid, improvements, sample
from autov.problems import Problem, ProblemFamily, family, instance_of

RUNS, USE_RUNS, LEAST_RUNS, MOST_PROBLEMS = 15, 5, 3, 6
INSIGHT = 0.02, 0.05  # of the evaluations of a design: what runs elsewhere may take, and runs without its parts
PART = 0.1  # of the evaluations of a design that its comparison may take where evaluations are not cheap
# In the forms in which people use them; `de` and `cma-es` have the settings of the paper, which are not the best.
WELL_KNOWN = {"GA": "ga", "DE (SciPy)": "scipy:de", "SHADE": "shade", "ma-es": "ma-es", "general": "general"}
QUICK = 100, 50_000  # variables and evaluations up to which these, most of them in Python, take seconds
DESIGNED = "designed"  # label of the result
LEAST_POPSIZE = 5  # of which all of these are capable


@dataclass(frozen=True, eq=False)
class DesignComparison:
    """Runs of a designed algorithm and of others on the instances of the re-test of one problem."""

    comparison: Comparison
    use: tuple[np.ndarray, ...] = ()  # for each run of a portfolio, who made each of its evaluations


def compare_design(design: Design, workers: Any = None, safe: bool = True) -> list[DesignComparison]:
    """The first runs of the re-test again, with their courses, and well-known algorithms on the same instances.

    The design, the best baseline and well-known baselines run with the streams of the re-test, and reach its values.
    On a Python function, which may be slow, most well-known algorithms are left out. All runs are left out if not even
    three of each fit into a tenth of the evaluations that the design took, if evaluations failed or may fail, or if the
    validation refused the design. Problems whose runs are cut off have none.

    Args:
        design: the finished design.
        workers: as for `compare`.
        safe: no evaluation is expected to fail or to hang.
    """
    spare = 0 if design.failed or not safe else int(PART * design.evaluations)
    refused = design.validation is not None and not design.validation.passed
    whole = [place for place, stop in enumerate(design.settings["stops"]) if stop == 1 and not refused]
    found = []
    for place in whole:
        shown = _algorithms(design, place)
        runs = most = min(RUNS, design.retested.shape[1])
        if not _is_compiled(design, place):  # one more run tells the budget share per member
            runs = min(runs, spare // ((len(shown) + 1) * sum(design.budgets)))
        if runs >= min(LEAST_RUNS, most):
            found.append(_compared(design, place, shown, runs, workers))
        if len(found) == MOST_PROBLEMS:
            break
    return found


def insight_of(design: Design, workers: Any = None) -> tuple[Generalisation, Explanation]:
    """How good a design is elsewhere and which of its parts matter, at a small part of the evaluations it took."""
    elsewhere, parts = (int(part * design.evaluations) for part in INSIGHT)
    return generalise(design, workers, elsewhere), explain(design, workers=workers, evaluations=parts)


def _is_compiled(design: Design, place: int) -> bool:
    return instance_of(design.judged[place], 0).objective() is not None


def shown_result(design: Design) -> Any:
    """The result without its memory, which has the ends of runs on these very problems."""
    return design.rivals.get(COLD, design.algorithm)


def _algorithms(design: Design, place: int) -> dict[str, Any]:
    """Label -> algorithm: the result, and others that are shown on a training problem."""
    result, others = shown_result(design), []
    if (best := design.best_baseline(place)) not in (None, COLD):
        others.append((best, best))
    quick = design.judged[place].box.dim <= QUICK[0] and design.budgets[place] <= QUICK[1]
    if _is_compiled(design, place) and quick and design.settings["trial"]["popsize"] >= LEAST_POPSIZE:
        others += [(spec if spec in design.rivals else label, spec) for label, spec in WELL_KNOWN.items()]
    found = {label: design.rivals.get(spec) or resolve_algorithm(spec) for label, spec in dict(others).items()}
    return {DESIGNED: result} | {label: one for label, one in found.items() if one != result}


def _compared(design: Design, place: int, shown: dict[str, Any], runs: int, workers: Any) -> DesignComparison:
    name, problem, maxfev = design.settings["problems"][place], design.judged[place], design.budgets[place]
    popsize, seed = design.settings["trial"]["popsize"], design.settings["seed"] + SEED_SHIFT
    stream = Stream(design.settings["seed"], RETEST, place)
    tried = {DESIGNED: shown[DESIGNED]} | {label: one for label, one in design.rivals.items() if label != COLD}
    again = [label for label in shown if label in tried]
    with closing(Trials(problem, TrialBudget(popsize, evaluations=maxfev), workers)) as trials:
        places = [list(tried).index(label) for label in again]
        courses = dict(zip(again, trials.courses(stream, list(tried.values()), places, runs), strict=True))
        if isinstance(problem, ProblemFamily):
            problem = _as_in_the_retest(problem, Retested(trials.instances, stream))
    planned = experiment(shown, {name: problem}, runs=runs, maxfev=maxfev, popsize=popsize, seed=seed)
    with Store(None) as store:
        for task in planned.tasks:
            if task.label in courses:
                fun, nfev, best = courses[task.label][task.run]
                if not len(nfev):  # no finite value
                    nfev, best = np.array([maxfev]), np.array([fun])
                store.add(task, fun, sample(nfev, best, grid(maxfev)), 0.0, improvements(nfev, best))
        made = compare_experiment(planned, store, workers=workers, reference=DESIGNED)
    if not isinstance(shown[DESIGNED], Portfolio):
        return DesignComparison(made)
    few = range(min(USE_RUNS, runs))
    return DesignComparison(
        made, tuple(evaluating_members(shown[DESIGNED], problem, maxfev, popsize, seed, run) for run in few)
    )


@dataclass(frozen=True)
class Retested:
    """Makes the instance that a run has in the re-test."""

    instances: Instances
    stream: Stream

    def __call__(self, run: int) -> Problem:
        """The problem of a run."""
        return self.stream.met(self.instances, run).problem


def _as_in_the_retest(problem: Problem, instances: Retested) -> Problem:
    """A family of which run r gets the instance of run r of the re-test."""
    key = f"{identity(problem)} {instances.stream}"
    return family(instances, instances.instances.traits.box, minimum=problem.minimum, name=problem.name, key=key)
