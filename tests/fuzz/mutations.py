"""Damage to files: bits and pieces of any file, values of JSON, arrays of NPZ, cells of SQLite."""

import copy
import io
import json
import sqlite3
import zipfile

import numpy as np

ODD = [
    None, True, False, 0, -1, 1, 2**63, 10**400, -(10**400), 1e308, float("nan"), float("inf"), -0.5, "", "0.3", "NaN",
    "x" * 10_000, "a\nb", "\u2028", [], {}, [[]], {"": {}}, [1, "a", None],
]  # fmt: skip


def nested(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


def bytes_damaged(data: bytes, dice) -> bytes:
    """Bits flipped, cut, a piece doubled, swapped, replaced or left out."""
    data = bytearray(data)
    kind = dice.randrange(6)
    a, b = sorted(dice.randrange(len(data) + 1) for _ in range(2))
    if kind == 0:
        for _ in range(dice.choice([1, 1, 2, 8, 64])):
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    elif kind == 1:
        del data[a:]
    elif kind == 2:
        data[a:a] = data[a:b]
    elif kind == 3:
        del data[a:b]
    elif kind == 4:
        data[a:b] = dice.randbytes(b - a)
    else:
        data[a:b] = data[a:b][::-1]
    return bytes(data)


def _places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from _places(value[key], (*path, key))
    elif isinstance(value, list):
        for i in range(len(value)):
            yield from _places(value[i], (*path, i))


def json_damaged(value, dice):
    """A value with one to three places replaced, removed, doubled or swapped."""
    value = copy.deepcopy(value)
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        places = [path for path in _places(value) if path]
        if not places:
            return value
        path = dice.choice(places)
        parent = value
        for key in path[:-1]:
            parent = parent[key]
        kind = dice.randrange(8)
        if kind == 0:
            del parent[path[-1]]
        elif kind == 1 and isinstance(parent, list):
            parent.append(copy.deepcopy(parent[path[-1]]))
        elif kind == 2 and isinstance(parent, dict):
            parent[dice.choice(["", "x1", "key", "a\nb"])] = parent.pop(path[-1])
        elif kind == 3:
            other = dice.choice(places)
            found = value
            for key in other:
                try:
                    found = found[key]
                except (KeyError, IndexError, TypeError):
                    break
            parent[path[-1]] = copy.deepcopy(found)
        elif kind == 4:
            parent[path[-1]] = nested(dice.choice([10, 70, 500]))
        else:
            parent[path[-1]] = copy.deepcopy(dice.choice(ODD))
    return value


def json_text(value, dice) -> bytes:
    """Damaged JSON as bytes: of its values, or of its text."""
    if dice.random() < 0.8:
        return json.dumps(json_damaged(value, dice)).encode()
    if dice.random() < 0.05:
        return b'{"a":' * 100_000
    return bytes_damaged(json.dumps(value).encode(), dice)


def _array_damaged(array, arrays, dice):
    kind = dice.randrange(12)
    if kind == 0:
        return dice.choice(list(arrays.values()))
    if kind == 1:
        return array[..., None]
    if kind == 2:
        return np.concatenate([array, array]) if array.ndim else array
    if kind == 3:
        return array[:0] if array.ndim else np.empty(0)
    if kind == 4:
        with np.errstate(invalid="ignore"):
            kind = dice.choice(["f4", "i8", "i4", "U8", "?", "c16"])
            return array.astype(kind) if array.dtype.kind in "fiub" else array
    if kind == 5:
        return np.asfortranarray(array.T)
    if kind == 6:
        return np.array([dice.choice([None, {}, "x"])], dtype=object)
    flat = np.array(array)
    if flat.dtype.kind == "f" and flat.size:
        values = [np.nan, np.inf, -np.inf, -1.0, 0.0, 1e300, -1e300, 1e-320, 2.0]
        flat.reshape(-1)[dice.randrange(flat.size) :: dice.choice([1, 7, 10**6])] = dice.choice(values)
    elif flat.dtype.kind in "iu" and flat.size:
        values = [0, 1, 2, 3, 2**31, 2**62] + ([-1, -(2**62)] if flat.dtype.kind == "i" else [])
        flat.reshape(-1)[dice.randrange(flat.size)] = dice.choice(values)
    return flat


def npz_damaged(data: bytes, dice) -> bytes:
    """Damage to the head, to arrays, to what the members declare, or to the bytes of the file."""
    if dice.random() < 0.25:
        return bytes_damaged(data, dice)
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        arrays = dict(file)
    kind = dice.randrange(5)
    name = dice.choice(sorted(arrays))
    if kind == 0:
        head = json_damaged(json.loads(str(arrays["head"])), dice)
        arrays["head"] = np.array(json.dumps(head))
    elif kind == 1:
        del arrays[name]
    else:
        arrays[name] = _array_damaged(arrays[name], arrays, dice)
    out = io.BytesIO()
    if kind == 4 and dice.random() < 0.5:
        return _declared(arrays, name, dice)
    (np.savez_compressed if dice.random() < 0.1 else np.savez)(out, **arrays)
    return out.getvalue()


def _declared(arrays, name, dice) -> bytes:
    """A member that declares a huge array, or holds one that is compressed to nearly nothing."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if dice.random() < 0.3 else zipfile.ZIP_STORED) as archive:
        for key, array in arrays.items():
            part = io.BytesIO()
            np.lib.format.write_array(part, np.asarray(array), allow_pickle=True)
            data = part.getvalue()
            if key == name:
                shape = dice.choice(
                    ["(2305843009213693951,)", "(4000000000, 8)", "(-1, 3)", "(1,)", "(0, 99999999999)"]
                )
                text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
                head = text.encode().ljust(117) + b"\n"
                data = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data[128:]
            archive.writestr(f"{key}.npy", data)
    return out.getvalue()


def store_damaged(path, dice) -> None:
    """Damage to the bytes of a store, or to a cell of one of its tables."""
    if dice.random() < 0.5:
        path.write_bytes(bytes_damaged(path.read_bytes(), dice))
        return
    db = sqlite3.connect(path)
    table = dice.choice(["results", "failures", "checked"])
    names = [record[1] for record in db.execute(f"PRAGMA table_info({table})")]
    odd = [0, -1, 2**62, 1e308, float("inf"), "", "nan", "x", "[" * 5000, "[1,2", "{}", "null", b"\x00\xff", "[null]"]
    value = dice.choice(odd)
    try:
        db.execute(f"UPDATE {table} SET {dice.choice(names)} = ? WHERE rowid = ?", (value, dice.randrange(1, 4)))
        if dice.random() < 0.3:
            db.execute("DELETE FROM checked")
        db.commit()
    except sqlite3.IntegrityError:
        pass
    db.close()
