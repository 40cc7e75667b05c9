"""Every example runs as it stands and says something."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path):
    for library in re.findall(r"pip install 'autov\[(\w+)\]'", path.read_text(encoding="utf-8")):
        if find_spec(library) is None:
            pytest.skip(f"{library} is not installed")
    done = subprocess.run([sys.executable, str(path), "--quick"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "evaluations" in done.stdout
