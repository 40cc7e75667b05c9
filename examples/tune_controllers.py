"""An optimiser for one kind of problem that comes again and again: tuning three control loops of a plant.

Three coupled tanks are filled by three pumps. Twelve numbers are tuned: gain, integral time and derivative time of each
loop, the time constant of a filter, the weight of the setpoint, and an integer, how many steps of simulation lie
between two samples. Overflow and pumps that never rest are punished. Plants differ in their pipes; the optimiser is
designed on eight of them and judged on four others, with 1,000 simulations for each tuning.

The simulation is written once. Compiled by Numba it is the cheap model that the search needs; in plain Python it takes
some ten milliseconds, as simulations do.

    python examples/tune_controllers.py            # a small search, for a first look
    python examples/tune_controllers.py --full     # a quarter of an hour: the stored figures
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
from numba import njit

import autov

STEPS, DT = 600, 0.5
BOUNDS = [(0.05, 20.0), (1.0, 100.0), (0.0, 10.0)] * 3 + [(0.1, 5.0), (0.0, 1.0), (1.0, 8.0)]


def simulate(x, plant):
    """The integrated error of three level controllers on a plant, with penalties."""
    every = math.floor(x[11] + 0.5)  # the integer
    level, integral, last, pump = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    filtered, area, drain = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(3):
        area[i] = 1.0 + 0.5 * math.sin(1.7 * plant + i)
        drain[i] = 0.8 + 0.3 * math.cos(2.3 * plant + 2 * i)
    link, smooth = 0.25 * (1 + math.sin(plant)), 1.0 - math.exp(-every * DT / x[9])
    error_sum, wear, spill = 0.0, 0.0, 0.0
    for step in range(STEPS):
        time = step * DT
        if step % every == 0:
            for i in range(3):
                goal = 1.0 + 0.5 * i if time < 150 else 1.6 - 0.3 * i
                filtered[i] += smooth * (level[i] - filtered[i])
                error = goal - filtered[i]
                slope = (x[10] * goal - filtered[i] - last[i]) / (every * DT)
                last[i] = x[10] * goal - filtered[i]
                wanted = x[3 * i] * (error + integral[i] + x[3 * i + 2] * slope * 0.1)
                moved = min(max(wanted, 0.0), 4.0)
                if wanted == moved:  # the integral waits while the pump is at its limit
                    integral[i] += error * every * DT / x[3 * i + 1]
                wear += abs(moved - pump[i])
                pump[i] = moved
        for i in range(3):
            out = drain[i] * math.sqrt(max(level[i], 0.0))
            across = link * (level[(i + 1) % 3] - level[i])
            gust = 0.2 * math.sin(0.05 * time * (1 + 0.1 * i) + plant)
            level[i] = max(level[i] + DT * 0.3 * (pump[i] - out + across + gust) / area[i], 0.0)
            goal = 1.0 + 0.5 * i if time < 150 else 1.6 - 0.3 * i
            error_sum += abs(goal - level[i]) * DT
            spill += max(level[i] - 1.25 * goal, 0.0) * DT
    return error_sum / 100 + 0.02 * wear + 2.0 * spill


compiled = njit(simulate)


def plant(number):
    """The problem of one plant, compiled."""

    @njit
    def cost(x):
        return compiled(x, number)

    return autov.function_problem(cost, BOUNDS, name=f"plant-{number}")


def design(path=None):
    """An optimiser for eight plants, saved; without a path a small search on two of them."""
    training = [plant(number) for number in (range(1, 9) if path else (1, 2))]
    size = {"generations": 60, "population": 24, "race_size": 6, "race_runs": 6, "retest_runs": 10, "panel_runs": 10}
    if not path:
        size = {"generations": 2, "population": 6, "race_size": 2, "race_runs": 2, "retest_runs": 3, "panel_runs": 2}
    found = autov.design(
        training, space="portfolio", family=(), aggregate="panel", panel="scipy:de,minion:arrde" if path else None,
        trial=autov.TrialBudget(popsize=20, runs=1, evaluations=1000 if path else 200), memory=4, rng=1,
        workers=-1, **size,
    )  # fmt: skip
    print(found)
    if path:
        found.save(path)
    return found.algorithm


def main(full=False, out="results/controllers"):
    """Design on plants 1 to 8, unless that was done before; compare on plants 101 to 104."""
    path = Path(out) / "optimizer.json"
    designed = str(path) if full and path.exists() else design(path if full else None)
    judged = {f"plant-{number}": plant(number) for number in ((101, 102, 103, 104) if full else (101,))}
    algorithms = {"designed": designed, "general": "general", "ga": "ga"}
    if full:
        algorithms |= {name: name for name in ("ma-es", "cma:default", "scipy:de", "minion:arrde")}
    compared = autov.compare(
        algorithms, judged, maxfev=1000 if full else 200, popsize=20, runs=30 if full else 3, rng=2, store=None,
        reference="designed", workers=-1,
    )  # fmt: skip
    for problem in compared.problems:
        print(problem, *(f"{label} {compared.values(problem, label).mean():.4f}" for label in algorithms), sep="  ")
    if full:
        from autov.experiments.compact import write_compact

        write_compact(compared, Path(out) / "comparison.json")
        marks = {f"{p}, {a}": cell.mark for (p, a), cell in compared.scores().cells.items()}
        (Path(out) / "marks.json").write_text(json.dumps(marks, indent=2) + "\n")


if __name__ == "__main__":
    main(full="--full" in sys.argv)
