"""What decides a result, as JSON and as a digest: equal identities mean that a stored result may be used again.

Everything that an object holds is part of it: all attributes, private ones, too, its class with bases and class
attributes, functions with their bytecode, defaults, closures and the globals that they use, and what those use. An
object may say itself what decides its results by a method ``identity_parts``. What cannot be looked into is refused.
Not seen are files, environment variables and attributes of modules whose names are made at run time.

Bytecode belongs to a version of Python: another version gives functions of users another identity. Of autov's own
dataclasses the public fields count; its code has a version of its own.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import inspect
import json
import math
import sys
from collections.abc import Mapping
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Protocol, runtime_checkable

import numpy as np

from autov.core.code import (
    class_parts,
    code_parts,
    full_name,
    function_parts,
    is_known_by_name,
    is_library,
    is_library_class,
    module_parts,
)
from autov.core.errors import InputError
from autov.core.state import array_parts, copied, state_of, unknown

ADDED = {"added": True}  # metadata of a field that older versions did not have
DEEPEST = 100  # levels of values in values


def canonical(value: Any) -> str:
    """JSON with one spelling for equal values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest(text: str | bytes) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def settings_of(value: Any) -> dict[str, Any]:
    """Public fields of a dataclass, or public attributes of another object.

    A field that is marked as `ADDED` is left out at its default: results of before it was there stay valid.
    """
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        added = {field.name for field in fields if field.metadata == ADDED}
        names = [f.name for f in fields if f.name not in added or getattr(value, f.name) != f.default]
    elif hasattr(value, "__dict__"):
        names = sorted(vars(value))
    else:
        raise InputError(f"{type(value).__name__}: has no settings that could be written down with its results")
    return {name: getattr(value, name) for name in names if not name.startswith("_")}


def too_deep(value: Any) -> InputError:
    """The refusal of a value that has too many levels."""
    name = type(value).__qualname__
    return InputError(f'describe: {name} is nested too deeply (at most {DEEPEST} levels); name it with key="..."')


_LONGEST_INT = 4096  # bits; Python refuses to print far longer ones in decimals
_CACHED = type(functools.lru_cache(digest))
# Keys of descriptions. A dict of a user that has one of them is spelt as pairs, so that it cannot be mistaken for one.
_TAGS = {
    "again", "array", "bytecode", "bytes", "code", "complex", "descriptor", "dict", "enum", "float", "int", "is",
    "method", "module", "parts", "partial", "set", "state", "within",
}  # fmt: skip


class Description:
    """One walk over all that a value is made of.

    Code and objects of users are described where they are met first, and by their number after that: they may refer
    to one another in circles. Plain containers are spelt out each time, so that it does not matter whether two equal
    ones are the same; inside itself, one is described by how many levels further out it is.
    """

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}  # id -> when it was met
        self.kept: list[Any] = []  # an id is an id only as long as the object lives
        self.open: list[Any] = []  # what is being described, outermost first

    def of(self, value: Any) -> Any:
        """The description of any value."""
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if value.bit_length() <= _LONGEST_INT else {"int": hex(value)}
        if kind is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if kind is complex:
            return {"complex": [self.of(value.real), self.of(value.imag)]}
        if kind is bytes:
            return {"bytes": digest(value)}
        if isinstance(value, np.generic) and value.dtype.kind in "biufcSU" and not isinstance(value.item(), np.generic):
            return self.of(value.item())
        for distance, outer in enumerate(reversed(self.open), 1):
            if outer is value:
                return {"again": self.numbers[id(value)]} if id(value) in self.numbers else {"within": distance}
        if len(self.open) >= DEEPEST:
            raise too_deep(value)
        self.open.append(value)
        try:
            return self._container(value)
        finally:
            self.open.pop()

    def _container(self, value: Any) -> Any:
        kind = type(value)
        if kind in (list, tuple):
            return [self.of(item) for item in value]
        if kind in (dict, MappingProxyType):
            return self._dict(value)
        if kind in (set, frozenset):
            return {"set": self._apart(value)}
        if isinstance(value, (np.ndarray, np.generic)):
            return self._array(np.asarray(value) if kind is np.memmap else value)
        if kind is functools.partial:
            more = [vars(value)] if vars(value) else []
            return {"partial": self.of([value.func, value.args, value.keywords, *more])}
        if kind is CodeType:
            return {"bytecode": digest(canonical([self.of(part) for part in code_parts(value)]))}
        if isinstance(value, ModuleType):
            return self._module(value)
        return self._code(value)

    def _dict(self, value: Mapping[Any, Any]) -> dict[str, Any]:
        if all(type(key) is str for key in value) and _TAGS.isdisjoint(value):
            return {key: self.of(value[key]) for key in sorted(value)}
        keys = sorted(zip(self._each_apart(value), value, strict=True), key=lambda pair: canonical(pair[0]))
        return {"dict": [[spelt, self.of(value[key])] for spelt, key in keys]}

    def _each_apart(self, items: Any) -> list[Any]:
        """Items in no certain order: the numbers in one must not depend on which was described before it."""
        before, found = self.numbers, []
        for item in items:
            self.numbers = dict(before)
            found.append(self.of(item))
        self.numbers = before
        return found

    def _apart(self, items: Any) -> list[Any]:
        return sorted(self._each_apart(items), key=canonical)

    def _array(self, value: Any) -> dict[str, Any]:
        found: dict[str, Any] = {"array": str(value.dtype), "shape": list(value.shape)}
        for name, part in array_parts(value).items():
            found[name] = digest(part) if name == "content" else self.of(part)
        if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
            found |= {**self.of(type(value)), "state": self.of(getattr(value, "__dict__", None))}
        return found

    def _module(self, value: ModuleType) -> dict[str, Any]:
        found = {"module": value.__name__}
        if is_library(value.__name__, getattr(value, "__file__", None)):
            return found
        return self._once(value, found, lambda: module_parts(value))

    def _once(self, value: Any, found: dict[str, Any], parts: Any) -> dict[str, Any]:
        """The digest of the parts of code where it is met first, its number after that."""
        if id(value) in self.numbers:
            return {**found, "again": self.numbers[id(value)]}
        self._number(value)
        spelt = {name: self.of(part) for name, part in sorted(parts().items())}
        return {**found, "code": digest(canonical(spelt))}

    def _number(self, value: Any) -> None:
        self.numbers[id(value)] = len(self.numbers)
        self.kept.append(value)

    def _code(self, value: Any) -> dict[str, Any]:
        """Functions, classes and what makes up classes; everything else is an object."""
        if isinstance(value, type):
            found = {"is": full_name(value)}
            return found if is_library_class(value) else self._once(value, found, lambda: class_parts(value))
        if is_known_by_name(value):
            return {"is": full_name(value)}
        if not is_library_class(type(value)):
            return self._instance(value)
        if isinstance(value, MethodType):
            own = getattr(type(value.__self__), value.__name__, None) is value.__func__
            more = {} if own or isinstance(value.__self__, type) else {"code": self.of(value.__func__)}
            return {"method": value.__name__, "of": self.of(value.__self__), **more}
        if isinstance(value, (property, staticmethod, classmethod, functools.cached_property)):
            names = ("fget", "fset", "fdel") if isinstance(value, property) else ("func", "__func__")
            inner = [getattr(value, name, None) for name in names]
            return {"descriptor": type(value).__name__, "parts": self.of(inner)}
        if hasattr(value, "py_func"):
            return self._compiled(value)
        if isinstance(value, np.ufunc):
            for module in ("numpy", "scipy.special"):
                if getattr(sys.modules.get(module), value.__name__, None) is value:
                    return {"is": f"{module}:{value.__name__}"}
            raise unknown(value)
        if isinstance(value, (MethodDescriptorType, WrapperDescriptorType)):
            return {"is": full_name(value)}
        if isinstance(value, FunctionType):
            return self._once(value, {"is": full_name(value)}, lambda: function_parts(value))
        if type(value) is _CACHED:
            return {"is": full_name(type(value)), "parts": self.of(value.__wrapped__)}
        bound = isinstance(value, (BuiltinFunctionType, MethodWrapperType)) and value.__self__ is not None
        if bound and not isinstance(value.__self__, ModuleType):
            return {"method": value.__name__, "of": self.of(value.__self__)}
        return self._instance(value)

    def _compiled(self, value: Any) -> Any:
        """A function compiled by Numba, with the options that change its results."""
        given = getattr(value, "targetoptions", {})
        options = {name: given[name] for name in ("error_model", "fastmath", "parallel") if given.get(name)}
        return self.of(value.py_func) if not options else {"parts": self.of([value.py_func, options])}

    def _instance(self, value: Any) -> dict[str, Any]:
        kind = type(value)
        own = kind.__module__.partition(".")[0] == "autov" and is_library_class(kind)
        says = inspect.getattr_static(kind, "identity_parts", None)
        if says is not None and (own or not is_library(getattr(says, "__module__", None))):
            parts = self.of(value.identity_parts())
            return parts if own else {"is": full_name(kind), "parts": parts}
        if own and dataclasses.is_dataclass(kind):
            return {"is": full_name(kind), **{name: self.of(item) for name, item in settings_of(value).items()}}
        if isinstance(value, enum.Enum):
            return {"enum": value.name, "of": self.of(kind), "value": self.of(value.value)}
        if id(value) in self.numbers:
            return {"again": self.numbers[id(value)]}
        self._number(value)
        if isinstance(value, (set, frozenset)):
            return {**self.of(kind), "set": self._apart(value), "state": self.of(value.__reduce_ex__(4)[2])}
        if type(value) is np.vectorize:  # what else it holds is a cache
            names = ("pyfunc", "signature", "otypes", "excluded")
            return {"is": full_name(kind), "state": self.of({name: getattr(value, name) for name in names})}
        return {**self.of(kind), "state": self._state(value)}

    def _state(self, value: Any) -> Any:
        state, opaque = state_of(value)
        if opaque:  # bytes of a C library may hold addresses: then a copy has others
            one, two = (Description().of(part) for part in (state, state_of(copied(value))[0]))
            if canonical(one) != canonical(two):
                raise unknown(value)
        return self.of(state)


@runtime_checkable
class Identified(Protocol):
    """An object that says itself what decides its results."""

    def identity_parts(self) -> Any:
        """A value that is equal for equal results, made of anything that can be described."""
        ...


def describe(value: Any) -> Any:
    """A JSON value of settings, problems, algorithms and functions of any class; InputError if that cannot be told."""
    try:
        return Description().of(value)
    except RecursionError:
        raise too_deep(value) from None


def identity(value: Any) -> str:
    """The digest of all that decides the results of a value."""
    return digest(canonical(describe(value)))
