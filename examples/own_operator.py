"""Write your own operator, check its invariance, and use it.

The same from the command line:
    autov check examples/own_operator.py:swap_and_step
    autov minimize rastrigin --algorithm examples/own_operator.py:swap_and_step --runs 10
"""

import matplotlib.pyplot as plt
import numpy as np

import autov


def swap_and_step(parents, lower, upper, rng):
    """Each variable comes from one of two parents; about one variable of an offspring makes a small step."""
    x1, x2 = parents  # each (n, d): the parents of n offspring
    mixed = np.where(rng.random(x1.shape) < 0.5, x1, x2)
    steps = rng.random(x1.shape) < 1 / x1.shape[1]
    return mixed + steps * 0.05 * (upper - lower) * rng.standard_normal(x1.shape)


swap_and_step.n_parents = 2  # three by default

if __name__ == "__main__":
    print("invariant to:", autov.check(swap_and_step).holds)
    runs = 10
    algorithms = {"swap_and_step": swap_and_step, "paper-h3": "paper-h3", "sbx": "evolution:sbx"}
    problems = {"plain": "rastrigin", "translated": "rastrigin+translate=2.5", "rotated": "rastrigin+rotate=1"}
    axes = plt.figure(figsize=(5.6, 3.4)).subplots()
    for i, name in enumerate(problems.values()):
        print(f"{name}, mean best value of {runs} runs of 5000 evaluations:")
        for j, (label, algorithm) in enumerate(algorithms.items()):
            best = [autov.minimize(name, algorithm=algorithm, maxfev=5000, rng=seed).fun for seed in range(runs)]
            print(f"    {label:14} {np.mean(best):8.2f}")
            shown = {"label": label} if i == 0 else {}
            axes.bar(i + 0.25 * j, np.mean(best), 0.22, color=("#0072b2", "#d55e00", "#009e73")[j], **shown)
    axes.set_xticks([0.25, 1.25, 2.25], [f"Rastrigin,\n{problem}" for problem in problems])
    axes.set(ylabel="mean best value")
    axes.legend(frameon=False)
    plt.show()
