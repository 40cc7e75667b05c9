"""Evaluate points yourself (in the lab, on a cluster); stop, save, and go on later with the same bits."""

import tempfile
from pathlib import Path

import autov

optimizer = autov.Optimizer([(-5, 5)] * 10, operator="paper-h3", popsize=40, rng=1, maxfev=4000)
with tempfile.TemporaryDirectory() as folder:
    while not optimizer.stop():
        x = optimizer.ask()  # shape (40, 10)
        optimizer.tell(x, (x**2).sum(axis=1))
        if optimizer.result.nfev == 2000:  # pretend that the machine goes down here
            optimizer.save(Path(folder) / "state.npz")
            optimizer = autov.Optimizer.load(Path(folder) / "state.npz")
print(f"best value {optimizer.result.fun:.3g} after {optimizer.result.nfev} evaluations")
