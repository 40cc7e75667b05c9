"""Algorithms in files: loading one never runs code, and nothing is lost on the way."""

import json

import pytest

from autov.algorithms.files import algorithm_to_dict, load_algorithm, save_algorithm
from autov.algorithms.resolve import find_algorithm, resolve_algorithm
from autov.core import FileError, InputError
from autov.peers.scipy import resolve


def written(path, algorithm):
    path.write_text(json.dumps({"format": "autov-optimizer", "version": 1, "algorithm": algorithm}))
    return path


def test_a_file_runs_no_code(tmp_path):
    (tmp_path / "code_of_a_file.py").write_text("raise SystemExit('it ran')\n")
    for name in (f"{tmp_path / 'code_of_a_file.py'}:thing", "portfolio+members=x.py:y", "de", 5):
        with pytest.raises(FileError):
            load_algorithm(written(tmp_path / "o.json", {"peer": name}))


def test_a_peer_comes_back(tmp_path):
    save_algorithm(resolve("de"), tmp_path / "o.json")
    assert load_algorithm(tmp_path / "o.json") == resolve("de")


def test_settings_that_a_name_does_not_say_are_not_lost():
    cma = pytest.importorskip("autov.peers.pycma")
    pytest.importorskip("cma")
    with pytest.raises(InputError, match="settings of cma:default cannot be written"):
        algorithm_to_dict(cma.PyCMA(sigma=0.1))


def test_other_names_and_labels_are_found():
    assert find_algorithm("evolution")[0] == resolve_algorithm("paper-h3")
    assert find_algorithm("mine=de+F=0.7")[0] == resolve_algorithm("de+F=0.7")
    assert find_algorithm("paper-h3") == (None, {})
