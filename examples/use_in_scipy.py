"""autov as a method of scipy.optimize.minimize, and an operator as a strategy of SciPy's differential evolution."""

import numpy as np
from scipy.optimize import differential_evolution, minimize

import autov
from autov.adapters.scipy import scipy_strategy


def rastrigin(x):
    """Many local minima; the best is 0 at the origin."""
    return float(10 * x.size + (x**2 - 10 * np.cos(2 * np.pi * x)).sum())


bounds = [(-5.12, 5.12)] * 10
found = minimize(
    rastrigin, x0=np.full(10, 3.0), method=autov.scipy_method, bounds=bounds, options={"maxfev": 5000, "rng": 1}
)
print(f"scipy.optimize.minimize with autov: {found.fun:.3g} after {found.nfev} evaluations")

options = {"maxiter": 100, "popsize": 5, "polish": False, "rng": 1, "tol": 0}
for name, strategy in (("best1bin", "best1bin"), ("paper-h3", scipy_strategy("paper-h3", rng=1))):
    found = differential_evolution(rastrigin, bounds, strategy=strategy, **options)
    print(f"differential evolution with {name}: {found.fun:.3g} after {found.nfev} evaluations")
