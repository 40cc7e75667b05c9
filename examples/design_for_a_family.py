"""When a design does not help: fits of the same model to data that differ from day to day.

The same problem comes again and again with other data, so a design for it could pay. Here it does not: the default
`general` wins the final race against the candidates of the search, and the result of the design is `general` itself.

The search is small, and it designs an evolution only. The misfit is smooth, and `general` has local searches with
models. A design says this before you use it: the result has the name of the baseline that won.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import autov

BOUNDS = [(0, 4), (0, 10), (0.2, 2)] * 3  # height, place and width of three peaks
PLACES = np.linspace(0, 10, 50)


def spectra(x):
    """Three peaks at each of 50 places, (n, 50), for each row of x."""
    height, place, width = (x[:, i::3, None] for i in range(3))
    return (height * np.exp(-(((PLACES - place) / width) ** 2))).sum(axis=1)


def day(number):
    """The problem of one day: find the peaks that made the data."""
    low, high = np.array(BOUNDS).T
    data = spectra(low + np.random.default_rng(number).random((1, 9)) * (high - low))

    def misfit(x):
        return ((spectra(x) - data) ** 2).sum(axis=1)

    return autov.function_problem(misfit, BOUNDS, vectorized=True, name=f"day {number}", minimum=0.0)


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    size = {"generations": 5, "population": 8, "race_size": 2, "race_runs": 3, "retest_runs": 4, "panel_runs": 2}
    if quick:
        size = {"generations": 1, "population": 4, "race_size": 1, "race_runs": 1, "retest_runs": 2, "panel_runs": 1}
    budget = 300 if quick else 1000
    found = autov.design(
        [day(number) for number in (1, 2, 3)], space="evolution", family=(), rng=1,
        trial=autov.TrialBudget(popsize=20, runs=2, evaluations=budget), **size,
    )  # fmt: skip
    print(f"{found.evaluations:,} evaluations for the design; the result is {found.baseline or 'a new algorithm'}")

    runs = 3 if quick else 10
    algorithms = {"result": found.algorithm, "paper-h3": "paper-h3", "de": "de", "ma-es": "ma-es"}
    compared = autov.compare(
        algorithms, {f"day {n}": day(n) for n in (101, 102, 103)}, maxfev=budget, popsize=20, runs=runs, rng=2,
        store=None, reference="result", workers=1,
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
