"""A laboratory: autov proposes the experiments of today, you type in the results, and tomorrow it continues.

The aim is a bright dye. The variables are temperature, time, the number of washings (an integer) and the shares of two
agents, together at most 60 percent. Each day has four experiments. Overnight a file keeps the state.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import LinearConstraint

import autov

BOUNDS = [(20, 90), (5, 60), (0, 4), (0, 50), (0, 50)]  # °C, minutes, washings, percent, percent
WHOLE = [False, False, True, False, False]
AGENTS = LinearConstraint([[0, 0, 0, 1, 1]], -np.inf, 60)


def laboratory(x):
    """Your measurements: here the simulated brightness of each experiment."""
    best = np.array([65, 35, 2, 40, 15])
    return 100 - (((x - best) / [20, 15, 1.5, 20, 20]) ** 2).sum(axis=1)


with tempfile.TemporaryDirectory() as folder:
    state = Path(folder) / "dye.npz"
    optimizer = autov.Optimizer(
        BOUNDS, algorithm="de", popsize=12, maxfev=120, integrality=WHOLE, constraints=AGENTS, rng=1
    )
    brightest = []
    for day in range(30):
        x = optimizer.ask(4)  # at most four: the experiments of today
        if day == 0:
            print("the first day:\n", x.round(1))
        optimizer.tell(x, -laboratory(x))  # autov minimises; points that break the constraint need not be made
        optimizer.save(state)
        optimizer = autov.Optimizer.load(state, constraints=AGENTS)  # the next morning
        brightest.append(-optimizer.result.fun)

result = optimizer.result
print(f"brightness {-result.fun:.2f} with {result.x.round(1)} after {result.nfev} evaluations in {day + 1} days")

axes = plt.figure(figsize=(5.6, 3.4)).subplots()
axes.step(range(1, 31), [100 - each for each in brightest], where="post", color="#0072b2")
axes.set(xlabel="day", ylabel="missing to brightness 100", yscale="log")
plt.show()
