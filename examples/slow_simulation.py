"""A slow simulation on two processes, interrupted in the middle; the same call resumes and repeats nothing.

The store, a file, gets every evaluation as it arrives. With the same seed, the next start asks for the same points and
takes known values from the file. A script needs no main guard, and the function may be a lambda.
"""

import math
import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt

import autov


def simulate(x):
    """A ball is thrown with speed x[0] and angle x[1] from height x[2]; the target is at 30 m, with little effort."""
    time.sleep(0.002)  # instead of hours
    vx, vy, px, py = x[0] * math.cos(x[1]), x[0] * math.sin(x[1]), 0.0, x[2]
    while py > 0:
        vx, vy = vx - 0.01 * 0.05 * vx * abs(vx), vy - 0.01 * (9.81 + 0.05 * vy * abs(vy))
        px, py = px + 0.01 * vx, py + 0.01 * vy
    return abs(px - 30) + 0.01 * x[0] ** 2


def power_cut(intermediate_result):
    """End the first attempt after 200 evaluations, as a power cut would."""
    if intermediate_result.nfev >= 200:
        raise KeyboardInterrupt


with tempfile.TemporaryDirectory() as folder:
    bounds = [(10, 40), (0.2, 1.3), (1, 2.2)]
    run = {"maxfev": 600, "popsize": 40, "algorithm": "de", "rng": 1, "workers": 2, "store": Path(folder) / "runs.db"}
    try:
        autov.minimize(simulate, bounds, callback=power_cut, **run)
    except KeyboardInterrupt as error:
        print(f"interrupted; {len(error.autov_result.history.fun)} evaluations are in the file")
    result = autov.minimize(simulate, bounds, **run)
    speed, angle, height = result.x
    print(f"{speed:.2f} m/s, {angle:.3f} rad, {height:.2f} m: {result.fun:.4g} after {result.nfev} evaluations")

straight = autov.minimize(simulate, bounds, **run | {"store": None})
print("identical to a run without interruption:", straight.fun == result.fun)

axes = result.plot(ax=plt.figure(figsize=(5.6, 3.4)).subplots())
axes.axvline(200, color="#d55e00", linestyle="--", label="interrupted here")
axes.legend(frameon=False)
plt.show()
