"""A slow function on joblib's workers: no main guard, and a lambda will do.

Needs `pip install ".[joblib]"` in a copy of the repository. With ``joblib.parallel_config(backend="dask")`` the same
runs on a cluster.
"""

import time

import autov
from autov.adapters.joblib import JoblibEngine

weights = [1.0, 10.0, 100.0]
slow = lambda x: (time.sleep(0.002), float((weights * x**2).sum()))[1]  # noqa: E731 - a lambda on purpose

options = {"maxfev": 600, "rng": 1}
for workers in (1, JoblibEngine(n_jobs=2)):
    start = time.perf_counter()
    found = autov.minimize(slow, [(-5, 5)] * 3, workers=workers, **options)
    seconds = time.perf_counter() - start
    print(f"{type(workers).__name__}: {found.fun:.6g} after {found.nfev} evaluations, {seconds:.1f} s")
