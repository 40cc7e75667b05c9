"""The bits of a run do not depend on whether its kernels were compiled in this process or loaded from the cache."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
from autov.runs import solve
from autov.algorithms.evolution import Evolution
from autov.problems import resolve_problem

algorithm = Evolution("uniform-crossover", popsize=12, frame="learned")
for name in ("rastrigin+translate=1.3", "rosenbrock+rotate=1"):
    print(solve(resolve_problem(name, dim=8), algorithm, maxfev=3000, seed=1).fun.hex())
"""


@pytest.mark.slow
def test_code_that_was_just_compiled_gives_the_bits_of_code_from_the_cache(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}
    said = [
        subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert list(tmp_path.rglob("*.nbc"))
    assert said[0].stdout == said[1].stdout
    assert len(said[0].stdout.split()) == 2
