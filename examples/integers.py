"""Numbers of teeth of four gears: all variables are integers, and autov evaluates no combination twice.

The gear train needs the ratio 6.931; the error is squared. The best of all 49^4 combinations has an error of 2.7e-12
(E. Sandgren, Journal of Mechanical Design 112, 1990).
"""

import matplotlib.pyplot as plt

import autov


def error(teeth):
    """Squared difference to the wanted ratio."""
    return (1 / 6.931 - teeth[0] * teeth[1] / (teeth[2] * teeth[3])) ** 2


runs = []
for algorithm in ("shade", "de", "paper-h3"):
    result = autov.minimize(
        error, [(12, 60)] * 4, integrality=True, algorithm=algorithm, maxfev=4000, popsize=40, rng=1, history=True
    )
    tried = {tuple(point) for point in result.history.x}
    gears = ", ".join(f"{n:.0f}" for n in result.x)
    made = f"{result.nfev} evaluations of {len(tried)} points"
    print(f"{algorithm}: error {result.fun:.2g} with {gears} teeth after {made}")
    runs.append((algorithm, result))

axes = plt.figure(figsize=(5.6, 3.4)).subplots()
for (label, result), colour, style in zip(runs, ("#0072b2", "#d55e00", "#009e73"), ("-", "--", ":"), strict=True):
    axes.step(result.trace_nfev, result.trace_best, where="post", color=colour, linestyle=style, label=label)
axes.axhline(2.700857e-12, color="#7f7f7f", linewidth=0.8)
axes.set(yscale="log", xlabel="evaluations", ylabel="best error", title="grey: the optimum")
axes.legend(frameon=False)
plt.show()
