"""Folders that cannot be written, as somebody who is not root, whom permission bits do not hold: one line, at once."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from autov.core import FileError
from autov.designer import design
from autov.experiments import compare
from autov.operators import load_operator
from autov.runs import minimize

NOBODY = 65534

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="Linux"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


@pytest.fixture
def locked():
    """A folder whose parents everybody may enter."""
    folder = Path(tempfile.mkdtemp(prefix="autov-locked-"))
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def told(call):
    """What a call raises in a process of somebody who is not root."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        text = "nothing"
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            call()
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    with open(reading) as file:
        text = file.read()
    os.waitpid(child, 0)
    return text


SMALL = {"dim": 2, "maxfev": 20, "popsize": 10}


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda path: compare("ga,de", "sphere", runs=2, store=path, **SMALL), "results.db"),
        (lambda path: minimize("sphere", algorithm="de", store=path, **SMALL), "runs.db"),
        (lambda path: design("sphere", dim=2, checkpoint=path), "search.npz"),
        (lambda path: design("sphere", dim=2, checkpoint=path), "new/search.npz"),
        (lambda path: load_operator("paper-h3").save(path), "operator.json"),
    ],
)
def test_permission_is_named_in_one_line(locked, call, name):
    path = locked / name
    text = told(lambda: call(path))
    assert text.startswith("FileError: ")
    assert f"{path}: cannot be written: Permission denied" in text
    assert "\n" not in text
    assert not list(locked.iterdir())


def test_somebody_else_is_told_by_the_same_words():
    """The test above would see nothing else than what an error says here."""

    def refuse():
        raise FileError("no")

    assert told(refuse) == "FileError: no"
    assert told(lambda: None) == "nothing"
