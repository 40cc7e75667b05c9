"""Design in your own space: any algorithm, with genes that you choose; some are active for some values only.

`known=False` leaves `general` out of the race, which wins here; the re-test has it in any case.
"""

import sys

import autov
from autov.algorithms.de import DE
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.designer import Gene, Space


def made_of(values):
    """An algorithm of the values of the genes that count."""
    if values["kind"] == "de":
        return DE(F=values["F"], CR=values["CR"])
    return MatrixAdaptation(sigma=values["sigma"])


KIND = Gene("kind", scale="choice", choices=("de", "ma-es"))
DIFFERENTIAL = (Gene("F", 0.1, 1.0, when=("kind", ("de",))), Gene("CR", 0.0, 1.0, when=("kind", ("de",))))
STEP = Gene("sigma", 0.02, 0.6, "log", when=("kind", ("ma-es",)))
SPACE = Space("de or ma-es", (KIND, *DIFFERENTIAL, STEP), made_of)

if __name__ == "__main__":
    size = {"population": 8, "generations": 10, "race_size": 2, "race_runs": 3, "retest_runs": 10}
    if "--quick" in sys.argv:
        size |= {"population": 4, "generations": 1, "retest_runs": 2}
    trial = {"popsize": 20, "evaluations": 500, "runs": 3}
    found = autov.design("rastrigin", dim=5, space=SPACE, known=False, trial=trial, rng=1, **size)
    print(f"{found.algorithm.name} won ({found.evaluations:,} evaluations):", found.retested_means)
    print(autov.explain(found, runs=12))
