"""One process at a time in a place."""

import os
import socket
import subprocess
import sys

import pytest

from autov.core import FileError, locks
from autov.core.locks import locked


def test_the_second_is_refused_while_the_first_lives(tmp_path):
    path = tmp_path / "a.lock"
    with locked(path, "a search"):
        with pytest.raises(FileError, match=rf"a search is running here \(process {os.getpid()} on .*delete a.lock if"):
            locked(path, "a search").__enter__()
        assert [p.name for p in tmp_path.iterdir()] == ["a.lock"]
    assert not list(tmp_path.iterdir())
    with locked(path, "a search"):
        pass


def test_the_lock_of_a_process_that_is_gone_is_taken_over(tmp_path):
    path = tmp_path / "a.lock"
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom autov.core.locks import locked\n"
        f"kept = locked(Path({str(path)!r}), 'x')\nkept.__enter__()\nos._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    gone = path.read_text().split()[0]
    with locked(path, "a search"):
        assert path.read_text().split()[0] == str(os.getpid()) != gone
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["{", "x\nhere\n", "1e99\n\n", "[" * 100_000])
def test_what_is_no_lock_is_replaced(tmp_path, text):
    path = tmp_path / "a.lock"
    path.write_text(text)
    with locked(path, "a search"):
        assert path.read_text().split()[:2] == [str(os.getpid()), socket.gethostname()]


def test_of_an_empty_file_nobody_can_tell(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "REPAIR", 0.1)
    (tmp_path / "a.lock").write_text("")
    with pytest.raises(FileError, match=r"an unknown process.*delete a\.lock"):
        locked(tmp_path / "a.lock", "a search").__enter__()


def test_a_number_that_another_process_has_by_now_is_stale(tmp_path):
    path = tmp_path / "a.lock"
    with locked(path, "a search"):
        lines = path.read_text().splitlines()
    if len(lines) < 3:
        pytest.skip("this system does not say when a process began")
    path.write_text("\n".join([*lines[:2], str(int(lines[2]) - 1), *lines[3:]]) + "\n")
    with locked(path, "a search"):
        assert path.read_text().splitlines() == lines


def test_nobody_can_tell_for_another_host(tmp_path):
    path = tmp_path / "a.lock"
    path.write_text(f"{2**22 + 1}\nelsewhere.example\n")
    with pytest.raises(FileError, match=r"on elsewhere\.example"):
        locked(path, "a search").__enter__()


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match=r"a\.lock: cannot be written"):
        locked(tmp_path / "file" / "a.lock", "a search").__enter__()
