"""An optimiser designed for rotated Rastrigin functions, on held-out instances.

The design is stored in this repository; `python -m benchmarks families` repeats it. A minus behind a value means: the
baseline is significantly worse than the design.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import autov

STORED = Path(__file__).parents[1] / "results" / "families" / "rastrigin-translate-rotate" / "optimizer.json"
FAMILY = "rastrigin+family=translate-rotate"

quick = "--quick" in sys.argv
algorithms = {"designed": str(STORED), "general": "general", "ma-es": "ma-es", "ga": "ga"}
dim, maxfev, runs = (5, 500, 3) if quick else (30, 10_000, 20)
compared = autov.compare(
    algorithms, [FAMILY], dim=dim, maxfev=maxfev, runs=runs, rng=11, reference="designed", workers=1, store=None
)
print(f"{runs} runs of {maxfev:,} evaluations in {dim} variables, each on its own held-out instance")
print(compared.table("median"))

axes = plt.figure(figsize=(5.6, 3.2)).subplots()
for row, (label, colour) in enumerate(zip(algorithms, ("#0072b2", "#d55e00", "#009e73", "#e69f00"), strict=True)):
    values = compared.values(FAMILY, label)
    axes.plot(values, row + np.linspace(-0.2, 0.2, len(values)), "o", color=colour, markersize=4, alpha=0.7)
    axes.plot([np.median(values)] * 2, [row - 0.35, row + 0.35], color="#22262b")
axes.set_yticks(range(len(algorithms)), algorithms)
axes.invert_yaxis()
axes.set(xscale="log", xlabel="best value of each run (line: median)")
plt.show()
