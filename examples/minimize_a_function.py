"""Minimise your own function."""

import matplotlib.pyplot as plt
import numpy as np

import autov


def cost(x):
    """A curved valley with ripples."""
    return float(100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2 + 0.1 * np.sin(20 * x).sum() ** 2)


result = autov.minimize(cost, bounds=[(-2, 2)] * 2, maxfev=5000, rng=1)
print(f"f({result.x.round(3)}) = {result.fun:.3g} after {result.nfev} evaluations")

result.plot(ax=plt.figure(figsize=(5.6, 3.4)).subplots())
plt.show()
