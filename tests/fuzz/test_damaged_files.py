"""Damaged and crafted files are refused in one line or load; nothing else ever comes out. More of it: ``make fuzz``."""

import io
import json
import random
import zipfile

import numpy as np
import pytest

from autov.core import FileError, read_arrays, read_json, write_arrays
from autov.core.atomic_files import DEEPEST
from tests.fuzz.subjects import SUBJECTS, outcome

COUNTS = {"operators": 1500, "checkpoints": 80, "optimizers": 150, "compact": 200, "stores": 100}


@pytest.mark.parametrize("kind", SUBJECTS)
def test_damaged_files_are_refused_in_one_line_or_load(kind, tmp_path):
    subject = SUBJECTS[kind](tmp_path)
    found = []
    for i in range(COUNTS[kind]):
        path = tmp_path / f"{i}{subject.suffix}"
        subject.damage(path, random.Random(f"{kind} 1 {i}"))
        found.append(outcome(subject, path))
    loads = found.count("loads")
    assert 0 < loads < 0.7 * len(found)  # the damage is neither always fatal nor never
    assert len({text.partition(":")[2][:40] for text in found}) > 5


def test_saved_optimizers_load_as_they_are(tmp_path):
    subject = SUBJECTS["optimizers"](tmp_path)
    for i, data in enumerate(subject.data):
        path = tmp_path / f"{i}.npz"
        path.write_bytes(data)
        assert outcome(subject, path) == "loads"


def _npz(path, **members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)


def _npy(array, allow_pickle=False):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, allow_pickle=allow_pickle)
    return file.getvalue()


HEAD = _npy(np.array(json.dumps({"format": "f", "version": 1})))


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("head.npy", HEAD)
        archive.writestr("x.npy", bytes(50_000_000))
    assert path.stat().st_size < 100_000
    with pytest.raises(FileError, match="compressed"):
        read_arrays(path, "f", 1)


def test_members_that_share_their_bytes_are_refused(tmp_path):
    path = tmp_path / "overlap.npz"
    _npz(path, head=HEAD, x=_npy(np.zeros(1000)), y=_npy(np.zeros(3)))
    data = bytearray(path.read_bytes())
    central = data.rindex(b"PK\x01\x02")  # of y: it points to x and declares its size
    first = data.index(b"PK\x03\x04", 10)
    data[central + 20 : central + 28] = 2 * (8128).to_bytes(4, "little")
    data[central + 42 : central + 46] = first.to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(FileError, match="declare more bytes"):
        read_arrays(path, "f", 1)


@pytest.mark.parametrize("shape", ["(2305843009213693951,)", "(5, 1)", "(-3, -1)", "(3, 0)"])
def test_arrays_must_have_the_size_that_they_declare(tmp_path, shape):
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    member = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(24)
    _npz(tmp_path / "a.npz", head=HEAD, x=member)
    with pytest.raises(FileError, match="which its bytes do not have"):
        read_arrays(tmp_path / "a.npz", "f", 1)


def test_object_arrays_are_refused(tmp_path):
    _npz(tmp_path / "a.npz", head=HEAD, x=_npy(np.array([{}], dtype=object), allow_pickle=True))
    with pytest.raises(FileError, match="type object is not allowed"):
        read_arrays(tmp_path / "a.npz", "f", 1)


def test_all_orders_and_kinds_come_back(tmp_path):
    given = {
        "a": np.asfortranarray(np.arange(6.0).reshape(2, 3)), "b": np.array(3, np.int64), "c": np.empty((0, 4)),
        "d": np.array([1, 2], ">i4"), "e": np.array("text"), "f": np.array([True]),
        "g": np.array([2**64 - 1], np.uint64),
    }  # fmt: skip
    write_arrays(tmp_path / "a.npz", {"format": "f", "version": 1}, given)
    _, found = read_arrays(tmp_path / "a.npz", "f", 1)
    for name, array in given.items():
        assert np.array_equal(found[name], array)
        assert found[name].shape == array.shape
        assert found[name].dtype == array.dtype.newbyteorder("=")
        assert found[name].flags.c_contiguous
        assert found[name].flags.writeable


def test_json_is_limited_in_depth_and_size(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text("[" * DEEPEST + "]" * DEEPEST)
    assert read_json(path, "a test") is not None
    path.write_text("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1))
    with pytest.raises(FileError, match=f"nested more than {DEEPEST} levels deep"):
        read_json(path, "a test")
    monkeypatch.setattr("autov.core.atomic_files.LARGEST_JSON", 10)
    with pytest.raises(FileError, match="it has 130 bytes, at most 10 are read as a test"):
        read_json(path, "a test")
