"""The lightest bracket that carries its load: constraints in SciPy's form.

The variables are width and height of a beam in millimetres. The beam may bend by 2 mm and bear a stress of 12 N/mm²;
its height may be four times its width.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import LinearConstraint, NonlinearConstraint

import autov

LOAD, LENGTH, STIFFNESS = 1500.0, 1200.0, 11_000.0  # N, mm, N/mm²


def area(x):
    """The objective: the cross section, in mm²."""
    return x[0] * x[1]


def bending(x):
    """How far the end moves, in mm."""
    return 4 * LOAD * LENGTH**3 / (STIFFNESS * x[0] * x[1] ** 3)


def stress(x):
    """The largest one, in N/mm²."""
    return 6 * LOAD * LENGTH / (x[0] * x[1] ** 2)


constraints = [
    NonlinearConstraint(bending, -np.inf, 2.0),
    NonlinearConstraint(stress, -np.inf, 12.0),
    LinearConstraint([[-4, 1]], -np.inf, 0.0),
]
bounds = [(20, 200), (50, 600)]
result = autov.minimize(area, bounds, constraints=constraints, algorithm="de", maxfev=3000, popsize=30, rng=1)
width, height = result.x
print(f"{width:.1f} x {height:.1f} mm: {result.fun:.0f} mm² after {result.nfev} evaluations")
print(f"bends by {bending(result.x):.3f} mm, stress {stress(result.x):.2f} N/mm², largest violation {result.maxcv:g}")

w, h = np.meshgrid(np.linspace(*bounds[0], 60), np.linspace(*bounds[1], 60))
grid = np.array([w, h])
slack = np.minimum(np.minimum(2 - bending(grid), 12 - stress(grid)), 4 * w - h)
axes = plt.figure(figsize=(5.6, 3.6)).subplots()
axes.contourf(w, h, slack, levels=[0, slack.max()], colors=["#cfe5f3"])
lines = axes.contour(w, h, w * h / 1000, levels=6, colors="#7f7f7f", linewidths=0.8)
axes.clabel(lines, fmt="%g")
axes.plot(*result.x, "o", color="#d55e00", label="found")
axes.set(xlabel="width, mm", ylabel="height, mm", title="feasible (blue), area in 1000 mm²")
axes.legend(frameon=False)
plt.show()
