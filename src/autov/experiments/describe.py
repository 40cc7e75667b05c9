"""What an object is made of, as JSON: equal descriptions mean that a stored result may be used again.

The source of functions and classes outside autov is part of it, and so are the functions, classes and values of
their modules that they use by name, and what those use. What they reach in other ways (attributes of imported modules,
files) is not.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import json
import sys
from collections.abc import Mapping
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from autov.core import InputError
from autov.operators import AffineOperator, to_dict

DEEPEST = 12
_being_described: list[Any] = []  # functions and classes; they may use one another


def canonical(value: Any) -> str:
    """JSON with one spelling for equal values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest(text: str | bytes) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def operator_dict(operator: AffineOperator) -> dict[str, Any]:
    """The JSON form of an operator without its history: what it does, not where it came from."""
    known = ("format", "version", "inputs", "draw", "tie_bounds", "rows")
    return {key: value for key, value in to_dict(operator).items() if key in known}


def describe(value: Any, depth: int = 0) -> Any:
    """A JSON value of settings, problems and algorithms of any class, with the source of code that is not autov's."""
    if depth > DEEPEST:
        raise InputError(f"{type(value).__name__}: nested too deeply to be described; use plain settings")
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else repr(value)
    if isinstance(value, np.generic):
        return describe(value.item(), depth + 1)
    if isinstance(value, np.ndarray):
        content = np.ascontiguousarray(value).tobytes() if value.dtype != object else repr(value.tolist())
        return {"array": str(value.dtype), "shape": list(value.shape), "content": digest(content)}
    if isinstance(value, AffineOperator):
        return operator_dict(value)
    if isinstance(value, Mapping):
        return {str(key): describe(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [describe(item, depth + 1) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((describe(item, depth + 1) for item in value), key=canonical)
    if isinstance(value, functools.partial):
        return {"partial": describe([value.func, value.args, value.keywords], depth + 1)}
    if inspect.ismethod(value):
        return {"method": value.__name__, "of": describe(value.__self__, depth + 1)}
    if hasattr(value, "py_func"):  # compiled by Numba
        return describe(value.py_func, depth + 1)
    if isinstance(value, type) or inspect.isroutine(value) or isinstance(value, np.ufunc):
        return _code(value, depth)
    return _instance(value, depth)


def settings(value: Any) -> dict[str, Any]:
    """Public fields of a dataclass, or public attributes of another object."""
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
    elif hasattr(value, "__dict__"):
        names = sorted(vars(value))
    else:
        raise InputError(f"{type(value).__name__}: has no settings that could be written down with its results")
    return {name: getattr(value, name) for name in names if not name.startswith("_")}


def _instance(value: Any, depth: int) -> dict[str, Any]:
    return {**_code(type(value), depth), **describe(settings(value), depth + 1)}


def _code(value: Any, depth: int) -> dict[str, Any]:
    module = getattr(value, "__module__", None) or ""
    found: dict[str, Any] = {"is": f"{module}:{getattr(value, '__qualname__', getattr(value, '__name__', '?'))}"}
    if module.split(".")[0] in ("autov", "builtins", "numpy", "scipy", "math"):
        return found
    code = getattr(value, "__code__", None)
    try:
        found["source"] = digest(inspect.getsource(value))
    except (OSError, TypeError):
        found["source"] = ""
    if code is not None and (not found["source"] or code.co_name == "<lambda>"):  # a line may hold several lambdas
        found["code"] = digest(_bytecode(code))
    if cells := getattr(value, "__closure__", None):
        found["closure"] = [describe(cell.cell_contents, depth + 1) for cell in cells]
    if defaults := getattr(value, "__defaults__", None):
        found["defaults"] = describe(defaults, depth + 1)
    if uses := _uses(value, depth):
        found["uses"] = uses
    return found


def _uses(value: Any, depth: int) -> dict[str, Any]:
    """Globals that a function, or a method of a class, refers to by name."""
    if depth >= DEEPEST // 2 or value in _being_described:
        return {}
    members = list(vars(value).values()) if isinstance(value, type) else [value]
    codes = [code for member in members if (code := getattr(member, "__code__", None)) is not None]
    known = vars(sys.modules.get(value.__module__ or "", object())) if value.__module__ in sys.modules else {}
    names = sorted({name for code in codes for name in _names(code)} & set(known))
    found = {}
    _being_described.append(value)
    try:
        for name in names:
            if isinstance(item := known[name], ModuleType):
                continue
            try:
                found[name] = describe(item, depth + 1)
            except InputError:  # an object that says nothing about itself
                found[name] = type(item).__name__
    finally:
        _being_described.pop()
    return found


def _names(code: CodeType) -> set[str]:
    inner = (c for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _bytecode(code: CodeType) -> bytes:
    constants = [_bytecode(c) if isinstance(c, CodeType) else repr(c).encode() for c in code.co_consts]
    return b"|".join([code.co_code, repr(code.co_names).encode(), *constants])
