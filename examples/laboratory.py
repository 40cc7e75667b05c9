"""Three experiments a day for two weeks: one fails, one is lost, one is done twice, and two people share the file.

The yield of a reaction is to be as large as possible. A measurement is off by about one percent point. `lab.json` has
all experiments, in a form that people can read; a lock keeps the two from writing it at the same time.
"""

import tempfile
from pathlib import Path

import numpy as np

import autov

BOUNDS = [(20, 90), (5, 60), (1, 9), (0, 50), (0, 50)]  # °C, minutes, pH, percent, percent
error = np.random.default_rng(5)


def measured_yield(x):
    """What people measure, here made up: 90 percent at the best, and an error of one percent point."""
    best = np.array([65, 35, 6, 40, 15])
    return 90 - (((x - best) / [25, 20, 3, 25, 25]) ** 2).sum() * 10 + error.normal()


with tempfile.TemporaryDirectory() as folder:
    lab = Path(folder) / "lab.json"
    for day in range(14):
        with autov.Optimizer.open(lab, BOUNDS, maxfev=42, rng=1) as optimizer:  # in the morning
            today = optimizer.ask(3)
        for place in (2, 0, 1):  # in the order in which they are done, each with its value when it is done
            x = today[place]
            with autov.Optimizer.open(lab) as optimizer:
                if day == 2 and place == 0:
                    optimizer.tell(x, [np.nan])  # the mixture became solid: it failed because of what was tried
                elif day == 4 and place == 1:
                    optimizer.forget(x)  # the glass broke: nothing is known of it
                else:
                    optimizer.tell(x, [-measured_yield(x)])  # autov minimises
        if day == 9:  # the best one is done again: from now on the mean of both counts
            with autov.Optimizer.open(lab) as optimizer:
                before, x = -optimizer.result.fun, optimizer.result.x
                optimizer.tell(x, [-measured_yield(x)])
                after = -optimizer.result.fun
                print(f"the best of day {day + 1}: {before:.1f} %, the best after it was done again: {after:.1f} %")
    result = autov.Optimizer.load(lab).result

print(result.message)
print(f"{-result.fun:.1f} % at {result.x.round(1)} after {result.nfev} evaluations")
