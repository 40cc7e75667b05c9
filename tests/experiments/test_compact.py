"""Results packed for a repository: what comes back, and what is refused."""

import errno
import json
import os

import numpy as np
import pytest

from autov.core import FileError
from autov.experiments.compact import pack, read_compact, unpack, write_compact
from tests.reports.made import made_comparison


def test_packed_values_come_back(tmp_path):
    made = made_comparison()
    write_compact(made, tmp_path / "deep" / "made.json")
    back = read_compact(tmp_path / "deep" / "made.json")
    assert (back.name, back.algorithms, back.problems, back.reference) == (
        made.name, made.algorithms, made.problems, made.reference,
    )  # fmt: skip
    for problem in made.problems:
        for label in made.algorithms:
            assert np.array_equal(back.values(problem, label), made.values(problem, label))
    marks = [{key: cell.mark for key, cell in found.scores().cells.items()} for found in (made, back)]
    assert marks[0] == marks[1]
    row = back.rows[0]
    assert (row.maxfev, row.popsize, row.seed, row.dim, row.versions) == (300, 10, 1, 3, made.rows[0].versions)


def test_packed_results_say_what_was_run():
    packed = pack(made_comparison())
    assert packed["seconds"] == round(45 * 0.5)
    assert packed["seconds_per_run"] == dict.fromkeys(made_comparison().algorithms, 0.5)
    assert packed["settings"]["ga"] == "{}"
    assert packed["values"]["f_1"]["ga"] == [3.0, 4.0, 5.0, 6.0, 7.0]
    assert json.loads(json.dumps(packed)) == packed


@pytest.mark.parametrize("change", [{"format": "other"}, {"version": 99}, {"values": None}, {"dims": {}}])
def test_other_files_are_refused(change):
    with pytest.raises(FileError, match=r"file of results|incomplete results"):
        unpack({**pack(made_comparison()), **change}, "made.json")


@pytest.mark.parametrize("version", [{}, None, ["1"], 2.0])
def test_versions_are_texts(version):
    with pytest.raises(FileError, match="versions: must be texts, that of autov among them"):
        unpack({**pack(made_comparison()), "versions": {"autov": "1", "numpy": version}}, "made.json")


def test_a_broken_file_is_refused(tmp_path):
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(FileError, match="cannot be read"):
        read_compact(tmp_path / "broken.json")


def test_a_full_disk_leaves_the_old_results(tmp_path, monkeypatch):
    path = tmp_path / "made.json"
    path.write_text("old results")

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="No space left"):
        write_compact(made_comparison(), path)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("made.json", "old results")]
    monkeypatch.undo()
    write_compact(made_comparison(), path)
    assert [file.name for file in tmp_path.iterdir()] == ["made.json"]
    assert read_compact(path).algorithms == made_comparison().algorithms
