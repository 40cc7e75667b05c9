"""Arrays in NPZ files that may come from anywhere: what a file declares is checked before memory is spent on it."""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from autov.core.atomic_files import check_depth, replacing, to_json
from autov.core.errors import FileError

LARGEST = 2**31  # bytes of a file that is read
KINDS = "biufU"  # numbers and text; objects would run code
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def write_arrays(path: str | os.PathLike[str], head: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write an NPZ file, all or nothing: arrays, and what describes them as JSON."""
    with replacing(path) as file:
        np.savez(file, **{"head": np.array(to_json(head)), **arrays})  # type: ignore[arg-type]


def read_arrays(path: str | os.PathLike[str], form: str, version: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Head and arrays of such a file, whose head must name this format and version.

    Loading it runs no code, and needs at most about three times the size of the file in memory: compressed members are
    refused, and so are arrays that declare another size than they have.
    """
    try:
        arrays = _members(Path(path))
        head = json.loads(str(arrays["head"]))
        check_depth(head)
        found = (head["format"], head["version"])
    except FileNotFoundError:
        raise FileError("no such file") from None
    except FileError:
        raise
    except Exception as error:  # whatever a damaged file makes the readers of zip, NumPy and JSON raise
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise FileError(f"{error!r} is missing" if isinstance(error, KeyError) else reason) from None
    if found != (form, version):
        raise FileError(
            f"it has format {found[0]!r:.80} and version {found[1]!r:.20}, this autov reads {form!r}, {version}"
        )
    return head, arrays


def _members(path: Path) -> dict[str, np.ndarray]:
    size = path.stat().st_size
    if size > LARGEST:
        raise FileError(f"it has {size:,} bytes, at most {LARGEST:,} are read")
    with path.open("rb") as file:
        if file.read(2) != b"PK":
            raise FileError("it is no NPZ file")
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            names = [member.filename.removesuffix(".npy") for member in members]
            if len(set(names)) != len(names):
                raise FileError("an array occurs twice")
            if any(member.compress_type != zipfile.ZIP_STORED for member in members):
                raise FileError("its arrays are compressed, which autov does not do")
            if sum(member.file_size for member in members) > size:
                raise FileError("its arrays declare more bytes than the file has")
            return {name: _array(archive.read(member)) for name, member in zip(names, members, strict=True)}


def _array(data: bytes) -> np.ndarray:
    """The array of an NPY file whose declared shape fits its bytes exactly."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version not in _HEADERS:
        raise FileError(f"an array has the unknown version {version}")
    shape, fortran, dtype = _HEADERS[version](file)
    if dtype.kind not in KINDS or not dtype.itemsize:
        raise FileError(f"an array of type {dtype!s:.80} is not allowed")
    if any(n < 0 for n in shape) or len(shape) > 8 or math.prod(shape) * dtype.itemsize != len(data) - file.tell():
        raise FileError(f"an array declares shape {shape!s:.80}, which its bytes do not have")
    flat = np.frombuffer(data, dtype=dtype, offset=file.tell())
    return flat.reshape(shape, order="F" if fortran else "C").astype(dtype.newbyteorder("="), order="C")
