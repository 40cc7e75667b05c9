"""Any algorithm that autov knows on problems of IOHexperimenter, with files for IOHanalyzer.

Needs `pip install ".[ioh]"` in a copy of the repository.
"""

import tempfile
from pathlib import Path

import ioh

from autov.adapters.ioh import IOHAlgorithm

with tempfile.TemporaryDirectory() as folder:
    for name in ("paper-h3", "shade", "ma-es"):
        logger = ioh.logger.Analyzer(root=folder, folder_name=name, algorithm_name=name)
        algorithm = IOHAlgorithm(name, maxfev=2000, popsize=40, seed=1)
        for function in (1, 8, 15):  # sphere, Rosenbrock, Rastrigin of BBOB
            problem = ioh.get_problem(function, instance=1, dimension=5)
            problem.attach_logger(logger)
            algorithm(problem)
            left = problem.state.current_best.y - problem.optimum.y
            print(f"{name} on {problem.meta_data.name}: {left:.3g} above the best after {problem.state.evaluations} "
                  f"evaluations")  # fmt: skip
            problem.reset()
            problem.detach_logger()
        logger.close()
    print("files for IOHanalyzer:", ", ".join(sorted(path.name for path in Path(folder).rglob("*.json"))[:1]), "...")
