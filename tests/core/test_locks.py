"""One process at a time in a place."""

import json
import os
import socket
import subprocess
import sys

import pytest

from autov.core import FileError
from autov.core.locks import held


def test_the_second_is_refused_while_the_first_lives(tmp_path):
    path = tmp_path / "a.lock"
    with held(path, "a search"):
        with pytest.raises(FileError, match=rf"a search is running here \(process {os.getpid()} on .*delete a.lock if"):
            held(path, "a search").__enter__()
        assert [p.name for p in tmp_path.iterdir()] == ["a.lock"]
    assert not list(tmp_path.iterdir())
    with held(path, "a search"):
        pass


def test_the_lock_of_a_process_that_is_gone_is_taken_over(tmp_path):
    path = tmp_path / "a.lock"
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom autov.core.locks import held\n"
        f"kept = held(Path({str(path)!r}), 'x')\nkept.__enter__()\nos._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    gone = json.loads(path.read_text())["pid"]
    with held(path, "a search"):
        assert json.loads(path.read_text())["pid"] == os.getpid() != gone
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"pid": "x", "host": ""}', "[" * 100_000, '{"pid": 1e99, "host": ""}']
)
def test_what_is_no_lock_is_replaced(tmp_path, text):
    path = tmp_path / "a.lock"
    path.write_text(text)
    with held(path, "a search"):
        assert json.loads(path.read_text())["host"] == socket.gethostname()


def test_a_number_that_another_process_has_by_now_is_stale(tmp_path):
    path = tmp_path / "a.lock"
    with held(path, "a search"):
        mine = json.loads(path.read_text())
    if mine["began"] is None:
        pytest.skip("this system does not say when a process began")
    path.write_text(json.dumps(mine | {"began": "1"}))
    with held(path, "a search"):
        assert json.loads(path.read_text())["began"] == mine["began"]


def test_nobody_can_tell_for_another_host(tmp_path):
    path = tmp_path / "a.lock"
    path.write_text(json.dumps({"pid": 2**22 + 1, "host": "elsewhere.example"}))
    with pytest.raises(FileError, match=r"on elsewhere\.example"):
        held(path, "a search").__enter__()
