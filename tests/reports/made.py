"""A comparison made by hand: no run, known values."""

import numpy as np

from autov.experiments import Comparison, Failure, Row
from autov.experiments.trace import grid


def made_row(problem, label, run, best, start=1000.0):
    counts = grid(300)
    samples = best + (start - best) * (1 - np.arange(len(counts)) / (len(counts) - 1))
    samples[:3] = np.nan
    versions = {"autov": "0.1.0", "numpy": "2.0"}
    return Row(label, "{}", label, problem, "", 3, 300, 10, 1, run, key=f"{problem}{label}{run}", created="2020-01-01",
               versions=versions, best=best, seconds=0.5, samples=samples)  # fmt: skip


def made_comparison(failures=()):
    values = {
        ("f_1", "ga"): [3.0, 4.0, 5.0, 6.0, 7.0], ("f_1", "<b>|&"): [30.0, 40.0, 50.0, 60.0, 70.0],
        ("f_1", "paper-h3"): [10.0, 11.0, 12.0, 13.0, 14.0],
        ("step", "ga"): [0.0, 1.0, 0.0, 1.0, 0.0], ("step", "<b>|&"): [9.0, 8.0, 9.0, 8.0, 9.0],
        ("step", "paper-h3"): [0.0, 0.0, 0.0, 0.0, 0.0],
        ("f8", "ga"): [-100.0, -90.0, -80.0, -70.0, -60.0], ("f8", "<b>|&"): [-10.0, -9.0, -8.0, -7.0, -6.0],
        ("f8", "paper-h3"): [-100.0, -90.0, -80.0, -70.0, -60.0],
    }  # fmt: skip
    rows = [made_row(*key, run, best) for key, bests in values.items() for run, best in enumerate(bests)]
    return Comparison(
        "made", ("ga", "<b>|&", "paper-h3"), ("f_1", "step", "f8"), "paper-h3", tuple(rows), tuple(failures)
    )


FAILURE = Failure("ga", "{}", "ga", "f_1", "", 3, 300, 10, 1, 5, key="k", error="ValueError: <no>", traceback="trace")
