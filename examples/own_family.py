"""Design for a family of your own: mixtures of Gaussian hills, another one in each run, and none of them twice."""

import sys

import numpy as np

import autov


def hills(rng):
    """Eight hills in five dimensions; the highest one is to be found. `rng` is another one for each instance."""
    centres, heights, width = rng.uniform(-4, 4, (8, 5)), rng.uniform(0.3, 1.0, 8), rng.uniform(0.5, 2.0, 8)

    def depth(x):  # of a batch (n, 5)
        away = ((x[:, None] - centres) ** 2).sum(axis=2)
        return -(heights * np.exp(-away / (2 * width**2))).max(axis=1)

    return depth


if __name__ == "__main__":
    family = autov.family(hills, [(-5, 5)] * 5, vectorized=True)
    size = {"population": 16, "generations": 20, "race_size": 4, "race_runs": 8, "retest_runs": 30}
    if "--quick" in sys.argv:
        size |= {"population": 4, "generations": 1, "race_size": 2, "race_runs": 2, "retest_runs": 5}
    found = autov.design(family, trial={"evaluations": 500, "popsize": 20, "runs": 3}, rng=1, **size)
    print(f"{found.evaluations:,} evaluations: {found.spent}")  # search, race and re-test met other instances
    print(autov.compare({"design": found.algorithm, "ma-es": "ma-es", "general": "general"}, family, dim=5,
                        maxfev=500, runs=len(found.retested[0]), rng=2, reference="design").table())  # fmt: skip
