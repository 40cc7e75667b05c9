"""An optimiser for problems of one kind: fits of the same model to data that differ from day to day.

The same problem comes again and again with other numbers in it, so it is worth while to design an optimiser for it. It
is designed on three days and judged on three others.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from numba import njit

import autov

BOUNDS = [(0, 4), (0, 10), (0.2, 2)] * 3  # height, place and width of three peaks


@njit
def spectrum(x, place):
    """Three peaks at a place of the spectrum."""
    return sum([x[3 * i] * np.exp(-(((place - x[3 * i + 1]) / x[3 * i + 2]) ** 2)) for i in range(3)])


def day(number):
    """The problem of one day: find the peaks that made the data."""
    rng = np.random.default_rng(number)
    low, high = np.array(BOUNDS).T
    truth = low + rng.random(9) * (high - low)
    data = np.array([spectrum(truth, 0.2 * i) for i in range(50)])

    @njit
    def misfit(x):
        return sum([(spectrum(x, 0.2 * i) - data[i]) ** 2 for i in range(50)])

    return autov.function_problem(misfit, BOUNDS, name=f"day {number}", minimum=0.0)


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    size = {"generations": 12, "population": 12, "race_size": 4, "race_runs": 4, "retest_runs": 6, "panel_runs": 4}
    if quick:
        size = {"generations": 1, "population": 4, "race_size": 1, "race_runs": 1, "retest_runs": 2, "panel_runs": 1}
    budget = 300 if quick else 2000
    found = autov.design(
        [day(number) for number in (1, 2, 3)], space="evolution", family=(), rng=1,
        trial=autov.TrialBudget(popsize=20, runs=2, evaluations=budget), **size,
    )  # fmt: skip
    print(f"{found.evaluations:,} evaluations for the design")

    runs = 3 if quick else 15
    algorithms = {"designed": found.algorithm, "paper": "autov", "de": "de", "ma-es": "ma-es"}
    compared = autov.compare(
        algorithms, {f"day {n}": day(n) for n in (101, 102, 103)}, maxfev=budget, popsize=20, runs=runs, rng=2,
        store=None, reference="designed",
    )  # fmt: skip
    print(compared.table("median"))

    axes = plt.figure(figsize=(5.6, 3.6)).subplots()
    colours = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
    for i, (label, colour) in enumerate(zip(algorithms, colours, strict=True)):
        values = [compared.values(problem, label) for problem in compared.problems]
        places = np.arange(len(values)) + 0.2 * i
        boxes = axes.boxplot(values, positions=places, widths=0.15, patch_artist=True, manage_ticks=False)
        for box in boxes["boxes"]:
            box.set(facecolor=colour, label=label if box is boxes["boxes"][0] else None)
    axes.set_xticks(np.arange(3) + 0.3, compared.problems)
    axes.set(yscale="log", ylabel=f"misfit after {budget} evaluations")
    axes.legend(frameon=False)
    plt.show()
