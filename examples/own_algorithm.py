"""Write your own algorithm, minimise with it, and compare it with others.

The same from the command line:
    autov minimize rosenbrock --dim 10 --algorithm examples/own_algorithm.py:StepSearch --runs 10
    autov compare --algorithms mine=examples/own_algorithm.py:StepSearch,de,paper-h3 --problems f1..f5 --dim 10 --runs 5
"""

from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import numpy as np

import autov


@dataclass(frozen=True)
class State:
    """The state of a run."""

    box: autov.Box
    x: np.ndarray  # the last batch, (n, d)
    f: np.ndarray  # its values, empty before the first tell
    step: float
    best: np.ndarray | None = None
    best_f: float = np.inf


@dataclass(frozen=True)
class StepSearch:
    """Normal steps around the best point; longer ones while more than a fifth succeeds, else shorter ones."""

    name = "step-search"  # not annotated: no setting
    first_step: float = 0.2  # as a share of the box

    def init(self, box, popsize, maxfev, rng, x0=None):  # noqa: ARG002
        """The state before the first evaluation."""
        x = box.lower + rng.random((popsize, box.dim)) * box.width
        if x0 is not None:
            x[: len(np.atleast_2d(x0))] = x0
        return State(box, x, np.empty(0), self.first_step)

    def ask(self, state, rng):
        """Points to evaluate; the first batch is the initial population."""
        if state.best is None:
            return state.x, state
        noise = rng.standard_normal(state.x.shape)
        return state.box.clip(state.best + state.step * state.box.width * noise), state

    def tell(self, state, x, f, rng):  # noqa: ARG002
        """Take their values."""
        successes = np.mean(f < state.best_f)
        step = state.step if state.best is None else state.step * (1.5 if successes > 0.2 else 0.8)
        i = np.argmin(f)
        found = {"best": x[i], "best_f": f[i]} if f[i] < state.best_f else {}
        return replace(state, x=x, f=f, step=step, **found)

    def population(self, state):
        """Points and values to show."""
        return state.x, state.f


if __name__ == "__main__":
    result = autov.minimize("rosenbrock+translate=3", algorithm=StepSearch(), maxfev=5000, popsize=20, rng=1)
    print(f"Rosenbrock, 30 variables: {result.fun:.4g} after {result.nfev} evaluations")
    print("invariant to:", autov.check_algorithm(StepSearch(), runs=50, rng=1).holds, "(None: left open)")
    own = {"step-search": StepSearch(), "shorter": StepSearch(first_step=0.02)}
    algorithms = {**own, "de": "de", "paper-h3": "paper-h3"}
    compared = autov.compare(algorithms, "f1,f5,f9", dim=10, maxfev=5000, popsize=20, runs=5, rng=1, store=None)
    print(compared.table())

    axes = plt.figure(figsize=(5.6, 3.4)).subplots()
    colours, styles = ("#0072b2", "#56b4e9", "#d55e00", "#009e73"), ("-", ":", "--", "-.")
    for label, colour, style in zip(algorithms, colours, styles, strict=True):
        nfev, best = compared.curves("f9", label)
        axes.plot(nfev, np.median(best, axis=0), color=colour, linestyle=style, label=label)
    axes.set(yscale="log", xlabel="evaluations", ylabel="median best value", title="Rastrigin, 10 variables")
    axes.legend(frameon=False)
    plt.show()
