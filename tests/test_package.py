"""What is published: built from the tree and from its own source archive, and used where nothing else is installed."""

import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import autov
from autov.engines.dask import worker
from autov.experiments.row import versions

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

TINY = """
import autov, json
from autov.paper import PAPER_TABLES
result = autov.minimize(lambda x: ((x - 1) ** 2).sum(), [(-5, 5)] * 3, algorithm="de", popsize=20, maxfev=3000, rng=1)
print(json.dumps({
    "file": autov.__file__, "version": autov.__version__, "found": result.fun, "tables": len(PAPER_TABLES),
    "operators": list(autov.operator_names()), "large": autov.problem("lsgo-f1").box.dim,
    "matlab": "function" in autov.export("paper-h3", "matlab"),
}))
"""


def built(tree, folder, kind):
    """The archive that the build back end makes of a tree, as pip would call it."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = folder.iterdir()
    return found


def contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """The wheel of the tree, the source archive, and the wheel of what is in that."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("built")
    wheel, source = (built(ROOT, folder / kind, kind) for kind in ("wheel", "sdist"))
    with tarfile.open(source) as archive:
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # from 3.11.4 on
        archive.extractall(folder / "tree", **safely)
    (tree,) = (folder / "tree").iterdir()
    return wheel, tree, built(tree, folder / "again", "wheel")


def needed(requirements):
    """Installed distributions that requirements lead to, those of extras left out."""
    found, waiting = {}, list(requirements)
    while waiting:
        one = Requirement(waiting.pop())
        if one.name in found or (one.marker and not one.marker.evaluate({"extra": ""})):
            continue
        found[one.name] = metadata.distribution(one.name)
        waiting += metadata.requires(one.name) or []
    return found


@pytest.fixture(scope="module")
def environment(archives, tmp_path_factory):
    """Bin folder of an environment with the wheel and links to what it says it depends on: nothing is downloaded."""
    folder = tmp_path_factory.mktemp("empty") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    install = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--quiet"]
    subprocess.run([*install, "--no-index", "--no-deps", "--no-compile", str(archives[2])], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for distribution in needed(PROJECT["dependencies"]).values():
        for part in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            if not (packages / part).exists():
                (packages / part).symlink_to(distribution.locate_file(part))
    return folder / "bin"


def run(command, folder):
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA"))}
    done = subprocess.run(command, cwd=folder, env=bare, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.cold
def test_the_source_archive_makes_the_same_wheel(archives):
    wheel, tree, again = archives
    assert contents(again) == contents(wheel)
    for name in ("tests/conftest.py", "benchmarks/__main__.py", "docs/index.md", "results/README.md", "CHANGELOG.md",
                 "CITATION.cff", "Makefile"):  # fmt: skip
        assert (tree / name).is_file()


@pytest.mark.cold
def test_the_wheel_has_all_files_of_the_package_and_no_others(archives):
    source = ROOT / "src"
    files = {path.relative_to(source).as_posix() for path in (source / "autov").rglob("*") if path.is_file()}
    expected = {name for name in files if "__pycache__" not in name}
    assert {"autov/py.typed", "autov/problems/data/README.md", "autov/paper/data/paper_tables.json"} <= expected
    assert {name for name in contents(archives[0]) if ".dist-info/" not in name} == expected


@pytest.mark.cold
def test_the_command_works_where_only_the_dependencies_are(environment, tmp_path):
    assert "minimize" in run([str(environment / "autov"), "--help"], tmp_path)
    assert run([str(environment / "autov"), "--version"], tmp_path).split()[1] == autov.__version__
    shown = run([str(environment / "autov"), "show", "general"], tmp_path)
    assert "portfolio" in shown


@pytest.mark.cold
def test_a_minimization_works_where_only_the_dependencies_are(environment, tmp_path):
    said = json.loads(run([str(environment / "python"), "-c", TINY], tmp_path).splitlines()[-1])
    assert Path(said.pop("file")).is_relative_to(environment.parent)
    assert said.pop("found") < 1e-6
    assert "paper-h3" in said.pop("operators")
    assert said == {"version": autov.__version__, "tables": 12, "large": 1000, "matlab": True}


def test_nothing_needs_the_metadata_of_an_installed_package(monkeypatch, tmp_path):
    """A source tree on the path has none."""

    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    versions.cache_clear()
    small = {"population": 4, "generations": 1, "rows": 2, "retest_runs": 2, "final_race": False}
    found = autov.design("sphere", dim=2, rng=1, workers=1, trial=autov.TrialBudget(10, 3, 1), **small)
    assert found.provenance["autov"] == autov.__version__
    autov.compare("de", "sphere", dim=2, maxfev=40, runs=1, workers=1, store=tmp_path / "results.db")
    assert autov.__version__ in autov.export("paper-h3", "numpy")
    assert worker.versions()["autov"] == autov.__version__


def test_the_version_is_in_one_place():
    assert "version" in PROJECT["dynamic"]
    assert not re.search(r"^version:", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert autov.__version__ not in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_licence_of_the_data_is_named():
    place = "src/autov/problems/data/README.md"
    assert re.search(r"\nLicence: .*not these numbers", (ROOT / place).read_text(encoding="utf-8"))
    assert f"]({place})" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_names_of_the_package_are_the_public_ones():
    assert dir(autov) == sorted([*autov.__all__, "__version__"])
    assert not {"runs", "core", "Any", "importlib", "annotations"} & set(dir(autov))
    for name in dir(autov):
        assert getattr(autov, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = autov.nothing
    assert {autov.Stopping.__module__, autov.FaultPolicy.__module__} == {"autov.runs.stopping", "autov.runs.evaluation"}
