"""What arrays and objects hold, as values that `autov.core.identities` describes."""

from __future__ import annotations

import copyreg
import functools
import inspect
import io
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autov.core.code import is_library, is_library_class
from autov.core.errors import InputError


def unknown(value: Any) -> InputError:
    """The refusal of a value that has no fingerprint."""
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    kind = f"an open file ({name})" if isinstance(value, io.IOBase) else name
    return InputError(f'key: cannot fingerprint {kind}, which your code uses; pass key="..."')


def array_parts(value: Any) -> dict[str, Any]:
    """The one part that holds the content of an array: bytes where all of them count."""
    plain = np.asarray(value)
    if plain.dtype.names:  # there may be gaps between fields, whose bytes are random
        return {"fields": [np.ascontiguousarray(plain[name]) for name in plain.dtype.names]}
    if plain.dtype == object:
        return {"items": plain.ravel().tolist()}
    if plain.dtype.char in "gG":  # ten bytes of sixteen count
        high = plain.astype(np.complex128 if plain.dtype.kind == "c" else np.float64)
        return {"parts": [high, (plain - high).astype(high.dtype)]}
    if plain.dtype.kind in "biufcSUMm":
        return {"content": np.ascontiguousarray(plain).tobytes()}
    raise unknown(value)


def state_of(value: Any) -> tuple[Any, bool]:
    """What pickle would keep, and whether a C library wrote it; Python refuses where a state cannot be seen."""
    kind = type(value)
    reduce: Callable[[Any], Any] | None = copyreg.dispatch_table.get(kind)
    try:
        reduced: Any = reduce(value) if reduce else value.__reduce_ex__(4)
    except Exception:
        raise unknown(value) from None
    if isinstance(reduced, str):  # the name of a global
        if is_library_class(kind) and is_library(getattr(value, "__module__", "builtins")):
            return reduced, False
        raise unknown(value)
    maker, arguments, state, items, pairs = [*reduced, None, None, None][:5]
    if type(state) is tuple and len(state) == 2 and type(state[1]) is dict and type(state[0]) in (dict, type(None)):
        state = {**(state[0] or {}), **state[1]}  # attributes, slots
    if type(state) is dict:
        state = {name: item for name, item in state.items() if not _is_cached(kind, name)}
    opaque = type(state) is not dict and any(_is_third_party(base) for base in kind.__mro__)
    bare = maker is getattr(copyreg, "__newobj__") and len(arguments) == 1  # noqa: B009 - nothing but the class
    made = [] if bare else [maker, arguments]
    held = [list(part) for part in (items, pairs) if part is not None]
    state = {} if state is None else state
    return ([*made, state, *held] if made or held else state), opaque


def copied(value: Any) -> Any:
    """Another object with the same state."""
    try:
        return pickle.loads(pickle.dumps(value))
    except Exception:
        raise unknown(value) from None


def _is_cached(kind: type, name: Any) -> bool:
    """Whether an attribute is computed from the others when first asked for."""
    return type(name) is str and isinstance(inspect.getattr_static(kind, name, None), functools.cached_property)


def _is_third_party(kind: type) -> bool:
    top = str(kind.__module__).partition(".")[0]
    return top != "autov" and top not in sys.stdlib_module_names and is_library(kind.__module__)
