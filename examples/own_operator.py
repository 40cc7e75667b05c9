"""Write an operator of your own, find out what it is invariant to, and use it.

The same from the command line:
    autov check examples/own_operator.py:swap_and_step
    autov minimize rastrigin --operator examples/own_operator.py:swap_and_step --runs 10
"""

import numpy as np

import autov


def swap_and_step(parents, lower, upper, rng):
    """Each variable comes from one of two parents; about one variable of an offspring makes a small step."""
    x1, x2 = parents  # each (n, d): the parents of n offspring
    mixed = np.where(rng.random(x1.shape) < 0.5, x1, x2)
    steps = rng.random(x1.shape) < 1 / x1.shape[1]
    return mixed + steps * 0.05 * (upper - lower) * rng.standard_normal(x1.shape)


swap_and_step.n_parents = 2  # three if nothing is said

if __name__ == "__main__":
    print("invariant to:", autov.check(swap_and_step).holds)
    runs = 10
    for problem in ("rastrigin", "rastrigin+translate=2.5", "rastrigin+rotate=1"):
        print(f"{problem}, mean best value of {runs} runs of 5000 evaluations:")
        for operator in (swap_and_step, "paper-h3", "sbx"):
            best = [autov.minimize(problem, operator=operator, maxfev=5000, rng=seed).fun for seed in range(runs)]
            print(f"    {getattr(operator, '__name__', operator):14} {np.mean(best):8.2f}")
