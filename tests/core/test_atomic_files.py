"""Files are there whole or not at all, and numbers come back from JSON."""

import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autov import Optimizer
from autov.core import FileError, check_writable, number, plain, read_json, replacing, to_json, write_bytes, write_text
from autov.designer import TrialBudget, checkpoint, design
from autov.operators import load_operator


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_with_its_folders(tmp_path):
    write_text(tmp_path / "a" / "b.txt", "é\n")
    assert (tmp_path / "a" / "b.txt").read_bytes() == "é\n".encode()
    write_bytes(tmp_path / "a" / "b.txt", b"new")
    with replacing(tmp_path / "a" / "c.txt", "w") as file:
        file.write("text")
    assert (tmp_path / "a" / "b.txt").read_bytes() == b"new"
    assert (tmp_path / "a" / "c.txt").read_text() == "text"
    assert names(tmp_path / "a") == ["b.txt", "c.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_after_an_exception_the_old_file_stays(tmp_path, error):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail():
        with replacing(path) as file:
            file.write(b"half")
            file.flush()
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("step", ["replace", "fsync"])
def test_a_failing_disk_leaves_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(FileError, match="No space left on device; what was there before is kept"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder in which nobody can make files")
def test_a_folder_in_which_no_file_can_be_made_is_named():
    for call in (lambda: write_bytes("/proc/x", b""), lambda: check_writable("/proc/x")):
        with pytest.raises(FileError, match=r"^/proc/x: cannot be written: No such file or directory"):
            call()


def test_who_reads_the_old_file_goes_on_reading_it(tmp_path):
    """Writing in place would change what is read."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        write_bytes(path, b"other")
        assert reader.read() == b"old"
    assert path.read_bytes() == b"other"


def test_content_is_on_disk_before_its_name_and_the_name_before_it_is_done(tmp_path, monkeypatch):
    steps = []
    replace, sync = os.replace, os.fsync

    def noted_sync(handle):
        steps.append("folder" if os.path.isdir(f"/proc/self/fd/{handle}") else "file")
        sync(handle)

    def noted_replace(one, other):
        steps.append(Path(one).read_bytes())
        replace(one, other)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(os, "replace", noted_replace)
    write_bytes(tmp_path / "file", b"new")
    assert steps == ["file", b"new", "folder"] or not Path("/proc/self/fd").exists()


def test_two_writers_do_not_meet(tmp_path):
    path = tmp_path / "file"
    with replacing(path) as one, replacing(path) as other:
        one.write(b"one")
        other.write(b"other")
        assert len(names(tmp_path)) == 2
        assert all(name.endswith(".partial") for name in names(tmp_path))
    assert path.read_bytes() == b"one"
    assert names(tmp_path) == ["file"]


def test_killed_in_the_middle_the_old_file_is_whole(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    script = (
        "import os, signal, sys\nfrom autov.core import replacing\nwith replacing(sys.argv[1]) as file:\n"
        "    file.write(b'half')\n    file.flush()\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"


def _half(save, error):
    def write(file, **arrays):
        save(file, **dict(list(arrays.items())[:2]))
        file.flush()
        raise error

    return write


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_checkpoint_survives_a_failure_in_the_middle_of_the_next(tmp_path, monkeypatch, error):
    path = tmp_path / "search.npz"
    tiny = {"population": 4, "trial": TrialBudget(6, 2, 1), "rng": 1, "rows": 2, "dim": 2, "progress": False}
    design("sphere", checkpoint=path, generations=1, **tiny)
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint.np, "savez", _half(np.savez, error))
        with pytest.raises(FileError if isinstance(error, OSError) else KeyboardInterrupt):
            design("sphere", checkpoint=path, generations=2, resume=True, **tiny)
    assert path.read_bytes() == before
    kept = {"search.npz", "search.npz.candidates", "search.npz.values"}  # the last has what was evaluated since
    assert set(names(tmp_path)) == kept
    resumed = design("sphere", checkpoint=path, generations=2, resume=True, **tiny)
    assert resumed.operator == design("sphere", generations=2, **tiny).operator


def test_checkpoints_and_optimizers_replace_the_file(tmp_path):
    """A reader of the old one sees the old one to its end: nothing is written in place."""
    optimizer = Optimizer([(-1, 1)] * 2, algorithm="paper-h3", popsize=4, rng=1)
    operator = load_operator("paper-h3")
    for name, save in (("a.npz", optimizer.save), ("b.json", operator.save)):
        path = tmp_path / "new folder" / name
        save(path)
        before = path.read_bytes()
        with path.open("rb") as reader:
            x = optimizer.ask()
            optimizer.tell(x, (x**2).sum(axis=1))
            save(path)
            assert reader.read() == before
            assert os.fstat(reader.fileno()).st_ino != path.stat().st_ino
    state = tmp_path / "search.npz"
    tiny = {"population": 4, "trial": TrialBudget(6, 2, 1), "rng": 1, "rows": 2, "dim": 2, "progress": False}
    design("sphere", checkpoint=state, generations=1, **tiny)
    before = state.read_bytes()
    with state.open("rb") as reader:
        design("sphere", checkpoint=state, generations=2, resume=True, **tiny)
        assert reader.read() == before
    assert state.read_bytes() != before


def test_numbers_come_back_from_json():
    values = np.array([1.5, np.nan, np.inf, -np.inf, -0.0])
    text = to_json({"a": values, 1: (np.int64(3), np.float32(0.5), np.bool_(True), np.longdouble(2)), "n": None})
    assert text == '{"a": [1.5, null, "inf", "-inf", -0.0], "1": [3, 0.5, true, 2.0], "n": null}'
    assert np.array_equal([number(value) for value in json.loads(text)["a"]], values, equal_nan=True)
    assert to_json([1], indent=2) == "[\n  1\n]"
    assert plain(math.inf) == "inf"
    assert math.isnan(number(plain(math.nan)))
    with pytest.raises(TypeError):
        to_json({"a": object()})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "cannot be read as an operator: No such file"),
        (b"\xff\xfe{", "not text in UTF-8"),
        (b'{"a": ', "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"", "not valid JSON"),
    ],
)
def test_files_that_are_not_json_are_refused_in_one_line(tmp_path, content, says):
    path = tmp_path / "a.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        read_json(path, "an operator")
    assert str(caught.value).startswith(f"{path}: ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(FileError, match="cannot be read as a table"):
        read_json(tmp_path, "a table")


def test_json_is_read(tmp_path):
    write_text(tmp_path / "a.json", to_json({"a": [1.5, None]}))
    assert read_json(tmp_path / "a.json", "settings") == {"a": [1.5, None]}


LIMITED = """
import resource, sys
from autov.core import InputError, check_writable
from autov.core.atomic_files import write_bytes
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
for call in (lambda: write_bytes(sys.argv[1], bytes(200_000)), lambda: check_writable(sys.argv[1])):
    try:
        call()
    except InputError as error:
        print(error)
"""


def test_a_disk_that_takes_no_more_is_told_and_the_old_file_stays(tmp_path):
    """The system itself refuses to write more."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    told = f"{path}: cannot be written: File too large; what was there before is kept"
    assert done.stdout.splitlines() == [told, told]
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_a_place_that_can_be_written_stays_as_it_was(tmp_path):
    check_writable(tmp_path / "new" / "file")
    assert names(tmp_path / "new") == []
    with pytest.raises(FileError, match="it is a folder"):
        check_writable(tmp_path)
