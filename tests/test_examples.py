"""Every example runs as it stands and says something."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.cold
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path):
    for library in re.findall(r'pip install "\.\[(\w+)\]"', path.read_text(encoding="utf-8")):
        if find_spec(library) is None:
            pytest.skip(f"{library} is not installed")
    command, unseen = [sys.executable, str(path), "--quick"], {**os.environ, "MPLBACKEND": "agg"}
    done = subprocess.run(command, env=unseen, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "evaluations" in done.stdout


def gallery():
    spec = spec_from_file_location("make_gallery", ROOT / "docs" / "make_gallery.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_gallery_shows_examples_as_they_are():
    made = gallery()
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    outputs = made.outputs(page)
    assert len(made.GALLERY) == 13
    assert list(outputs) == list(made.GALLERY)
    assert "the result is general" in outputs["design_for_a_family"], "its text says so"
    assert page == "\n".join([made.HEAD, *(made.section(name, outputs[name]) for name in made.GALLERY)])
    for name, output in outputs.items():
        assert "evaluations" in output, name
        picture = ROOT / "docs" / "gallery" / f"{name}.svg"
        assert 0 < picture.stat().st_size <= made.LARGEST, name
    assert {path.stem for path in (ROOT / "docs" / "gallery").iterdir()} == set(made.GALLERY)
