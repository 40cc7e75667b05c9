"""Every example runs as it stands and says something."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path):
    done = subprocess.run([sys.executable, str(path), "--quick"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "evaluations" in done.stdout
