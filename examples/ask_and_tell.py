"""Evaluate points yourself (in the lab, on a cluster); stop, save, and continue later with identical results."""

import tempfile
from pathlib import Path

import autov

for algorithm in ("paper-h3", "shade", "cma-es"):  # any of `autov list algorithms`, apart from other libraries'
    optimizer = autov.Optimizer([(-5, 5)] * 10, algorithm=algorithm, popsize=40, rng=1, maxfev=4000)
    with tempfile.TemporaryDirectory() as folder:
        while not optimizer.stop():
            x = optimizer.ask()  # shape (40, 10)
            optimizer.tell(x, (x**2).sum(axis=1))
            if optimizer.result.nfev == 2000:  # pretend that the machine goes down here
                optimizer.save(Path(folder) / "state.npz")
                optimizer = autov.Optimizer.load(Path(folder) / "state.npz")
    straight = autov.minimize(
        lambda x: (x**2).sum(axis=1), [(-5, 5)] * 10, vectorized=True, algorithm=algorithm, popsize=40, rng=1,
        maxfev=4000,
    )  # fmt: skip
    same = "the same" if straight.fun == optimizer.result.fun else "NOT the same"
    print(f"{algorithm}: {optimizer.result.fun:.3g} after {optimizer.result.nfev} evaluations, {same} as in one go")
