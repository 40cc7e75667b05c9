"""Operators in NSGA-II of pymoo: hypervolume on ZDT1-4 and DTLZ2 against SBX with polynomial mutation.

The optima of ZDT1-3 lie on the border of the box, which favours operators that are clipped to it; so all are compared
on translated problems, too, whose optima lie inside.

Needs `pip install 'autov[pymoo]'`. Without --quick it takes about three minutes of one core
and writes results/pymoo/*.json.
"""

import argparse
from pathlib import Path

import numpy as np
import pymoo
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem
from pymoo.operators.mutation.nom import NoMutation
from pymoo.optimize import minimize
from pymoo.problems import get_problem
from scipy.stats import mannwhitneyu

import autov
from autov.adapters.pymoo import HypervolumeTrial, OperatorCrossover, design_crossover
from autov.core import to_json, write_text

PROBLEMS = ("zdt1", "zdt2", "zdt3", "zdt4", "dtlz2")
TRAINING = ("zdt1", "zdt2", "dtlz2")  # zdt3 and zdt4 are new to the designed operator


class TranslatedZDT(Problem):
    """ZDT1, 2 or 3 with the optimum of every variable but the first at 0.3 instead of 0: same front, same box."""

    centre = 0.3

    def __init__(self, name):
        self.inner = get_problem(name)
        super().__init__(n_var=self.inner.n_var, n_obj=2, xl=0.0, xu=1.0)

    def _evaluate(self, x, out, *args, **kwargs):  # noqa: ARG002
        z = np.abs(x - self.centre) / (1 - self.centre)
        z[:, 0] = x[:, 0]  # the place on the front
        out["F"] = self.inner.evaluate(z)

    def _calc_pareto_front(self):
        return self.inner.pareto_front()


TRANSLATED = {f"{name}, optimum at 0.3": TranslatedZDT(name) for name in ("zdt1", "zdt2", "zdt3")}


def compare(algorithms, popsize, generations, runs):
    """Parts of the front's hypervolume, problem -> algorithm -> one for each run."""
    found = {}
    for name, problem in {**{name: name for name in PROBLEMS}, **TRANSLATED}.items():
        trial = HypervolumeTrial(problem, popsize, generations)
        found[name] = {label: [trial((one, seed)) for seed in range(runs)] for label, one in algorithms.items()}
    return found


def table(found, baseline):
    """Medians; + and - mark a rank-sum test at 0.05 against the baseline."""
    labels = list(next(iter(found.values())))
    lines = [f"{'problem':22}" + "".join(f"{label:>16}" for label in labels)]
    for name, columns in found.items():
        cells = []
        for label, values in columns.items():
            other = columns[baseline]
            differs = label != baseline and values != other and mannwhitneyu(values, other).pvalue < 0.05
            mark = " " if not differs else "+" if np.median(values) > np.median(other) else "-"
            cells.append(f"{np.median(values):>14.4f} {mark}")
        lines.append(f"{name:22}" + "".join(cells))
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    budgets = [(20, 5)] if quick else [(50, 60), (100, 100)]  # population and generations of NSGA-II
    (popsize, generations), runs = budgets[0], 2 if quick else 7

    # One run, written out: this is all that using an operator in pymoo takes.
    algorithm = NSGA2(pop_size=popsize, crossover=OperatorCrossover("paper-h3"), mutation=NoMutation())
    result = minimize(get_problem("zdt1"), algorithm, ("n_gen", generations), seed=1)
    print(f"{len(result.F)} points of the front of zdt1 after {popsize * generations} evaluations")

    search = {"popsize": popsize, "generations": generations, "runs": 1}
    search |= {"candidates": 4, "trials": 8} if quick else {"trials": 40}
    designed = design_crossover(TRAINING, metric="hypervolume", rng=1, **search)
    print(f"designed on {', '.join(TRAINING)} with {designed.evaluations} evaluations: misses {designed.fitness:.4f}, "
          f"known designs {', '.join(f'{value:.4f}' for value in designed.known)}")  # fmt: skip

    operators = {"SBX + PM": None, "paper-h3": autov.load_operator("paper-h3"), "designed": designed.operator}
    stored = []
    for popsize, generations in budgets:
        found = compare(operators, popsize, generations, runs)
        print(f"part of the front's hypervolume, median of {runs} runs of {popsize * generations} evaluations:")
        print(table(found, "SBX + PM"))
        stored.append({"popsize": popsize, "generations": generations, "runs": runs, "hypervolume": found})
    if not quick:
        folder = Path(__file__).parents[1] / "results" / "pymoo"
        versions = {"autov": autov.__version__, "pymoo": pymoo.__version__, "numpy": np.__version__}
        result = {"training": TRAINING, "versions": versions, "budgets": stored}
        write_text(folder / "hypervolume.json", to_json(result, indent=1) + "\n")
        designed.operator.save(folder / "designed-operator.json")
