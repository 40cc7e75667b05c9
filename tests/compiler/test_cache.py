"""Compiled code is kept for the text of all kernels, and a place that cannot be written costs time only."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import autov
from autov.compiler import cache
from autov.compiler.backend import has_own_cache
from autov.kernels.order import sort_order

pytestmark = [pytest.mark.cold, pytest.mark.skipif(not has_own_cache(), reason="Numba's own cache is used")]

PACKAGE = Path(autov.__file__).parent
DRAW = """
import numpy as np
from autov.kernels.random import fill_uniforms, subkey
key = np.array([1, 2], np.uint64)
out = np.empty(3)
fill_uniforms(*subkey(key, 0, 0), 0, out)
print(out.tolist())
"""
PLACE = "from autov.compiler.cache import cache_folder; print(cache_folder())"


def run(source, package, **environment):
    """A new process with the package in that folder; warnings are shown once each."""
    kept = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "PYTHONWARNINGS")}
    done = subprocess.run(
        [sys.executable, "-B", "-c", source], capture_output=True, text=True,
        env={**kept, "PYTHONPATH": str(package), **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def copy_package(target):
    shutil.copytree(PACKAGE, target / "autov", ignore=shutil.ignore_patterns("__pycache__", "data", "library"))
    return target


def caches(base):
    return sorted(base.glob("autov-*-*"))


def test_a_change_of_a_kernel_that_others_call_is_seen(tmp_path):
    package = copy_package(tmp_path)
    place = package / "autov" / "kernels" / "__pycache__"
    before, noise = run(DRAW, package)
    assert noise == ""
    first = caches(place)
    assert len(first) == 1
    kept = {path.name: path.stat().st_mtime_ns for path in first[0].rglob("*.nbc")}
    assert any("fill_uniforms" in name for name in kept)
    assert run(DRAW, package)[0] == before
    assert {path.name: path.stat().st_mtime_ns for path in first[0].rglob("*.nbc")} == kept  # nothing compiled anew

    text = (package / "autov" / "kernels" / "random.py").read_text(encoding="utf-8")
    (package / "autov" / "kernels" / "random.py").write_text(
        text.replace("0x9E3779B97F4A7C15", "0x9E3779B97F4A7C17"), encoding="utf-8"
    )
    assert run(DRAW, package)[0] != before
    second = caches(place)
    assert len(second) == 1
    assert second != first  # what the old text left is gone


def test_a_change_of_another_kernel_file_or_of_the_version_is_seen(tmp_path):
    package = copy_package(tmp_path)
    found = {run(PLACE, package)[0]}
    for name, old, new in (
        ("kernels/functions/elementary.py", '"""', '"""A change. '),
        ("version.py", f'VERSION = "{autov.__version__}"', 'VERSION = "99.0"'),
    ):
        path = package / "autov" / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        found.add(run(PLACE, package)[0])
    assert len(found) == 3


def test_another_kernel_for_an_objective_is_seen(tmp_path):
    """The table of objectives lies outside of the kernels; the suite must not go on with an old one."""
    package = copy_package(tmp_path)
    source = (
        "import numpy as np\nfrom autov.problems import Classic\n"
        "print(Classic('sphere', 2)(np.ones((1, 2)), np.random.default_rng(0))[0])\n"
    )
    assert run(source, package)[0] == "2.0"
    path = package / "autov" / "problems" / "classics.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("zero, kernels.sphere)", "zero, kernels.schwefel_2_22)"), encoding="utf-8")
    assert run(source, package)[0] == "3.0"


def test_numbas_setting_is_the_base_and_other_packages_keep_their_caches(tmp_path):
    one, two = copy_package(tmp_path / "one"), copy_package(tmp_path / "two")
    base = tmp_path / "base"
    places = {run(PLACE, package, NUMBA_CACHE_DIR=str(base))[0] for package in (one, two)}
    assert {str(path) for path in caches(base)} == places
    assert len(places) == 2


def blocked(package):
    """A package next to which nothing can be written, whoever asks: a regular file stands where the folder would."""
    (package / "autov" / "kernels" / "__pycache__").write_text("")
    return package


def test_the_users_cache_folder_is_next(tmp_path):
    package = blocked(copy_package(tmp_path / "package"))
    place, noise = run(PLACE, package, XDG_CACHE_HOME=str(tmp_path / "user"), HOME=str(tmp_path / "user"))
    assert Path(place).is_relative_to(tmp_path / "user")
    assert noise == ""


def test_then_a_temporary_folder_with_one_warning(tmp_path):
    package = blocked(copy_package(tmp_path / "package"))
    (tmp_path / "file").write_text("")
    (tmp_path / "temporary").mkdir()
    nowhere = {name: str(tmp_path / "file" / "home") for name in ("HOME", "XDG_CACHE_HOME")}
    values, noise = run(DRAW, package, **nowhere, TMPDIR=str(tmp_path / "temporary"))
    assert values == run(DRAW, PACKAGE.parent)[0]
    assert noise.count("RuntimeWarning") == 1
    assert "temporary folder" in noise
    assert "NUMBA_CACHE_DIR" in noise
    assert list((tmp_path / "temporary").rglob("*.nbc"))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of folders on this system")
def test_a_temporary_folder_that_others_can_write_is_not_used(tmp_path):
    package = blocked(copy_package(tmp_path / "package"))
    (tmp_path / "file").write_text("")
    folder = tmp_path / "temporary" / f"autov-{os.getuid()}"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    nowhere = {name: str(tmp_path / "file" / "home") for name in ("HOME", "XDG_CACHE_HOME")}
    values, noise = run(DRAW, package, **nowhere, TMPDIR=str(tmp_path / "temporary"))
    assert values == run(DRAW, PACKAGE.parent)[0]
    assert noise.count("RuntimeWarning") == 1
    assert "every process compiles anew" in noise
    assert not list(folder.rglob("*.nb?"))


def test_two_processes_that_keep_a_kernel_for_other_arguments_do_not_mix_them_up(tmp_path):
    one, two = (cache._Files(str(tmp_path), "kernel", "stamp") for _ in range(2))
    one._load_index = two._load_index = dict  # neither knew of the other when it began to write
    write = one._save_data

    def in_between(name, data):
        two.save("second", "code for the second")
        write(name, data)

    one._save_data = in_between
    one.save("first", "code for the first")
    later = cache._Files(str(tmp_path), "kernel", "stamp")
    assert later.load("first") in (None, "code for the first")
    assert later.load("second") in (None, "code for the second")
    assert later._load_index()


def test_kernels_are_kept_in_such_files():
    assert isinstance(sort_order.dispatcher._cache._cache_file, cache._Files)
