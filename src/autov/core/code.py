"""What functions, classes and modules are made of, as values that `autov.core.identity` describes.

Code of libraries (autov, the standard library, everything installed) is known by its name and not looked into. Code of
users is known by its bytecode, which is there for every function, whatever made it, and is what really runs: a source
file may have changed since it was imported.
"""

from __future__ import annotations

import dis
import functools
import importlib
import importlib.util
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

MISSING = object()
_HEAP_TYPE = 1 << 9  # the flag of types that are made at run time, by a class statement for instance
_INSTALLED = {"site-packages", "dist-packages"}
_STANDARD = tuple(Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "platstdlib"))
_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_ATTRIBUTE = {"LOAD_ATTR", "LOAD_METHOD"}
# What Python keeps in every class besides what its author wrote; none of it changes what methods compute.
_MACHINERY = {
    "__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__", "__annotations_cache__",
    "__dataclass_fields__", "__dataclass_params__", "__dict__", "__doc__", "__firstlineno__", "__match_args__",
    "__module__", "__non_callable_proto_members__", "__orig_bases__", "__parameters__", "__protocol_attrs__",
    "__qualname__", "__slotnames__", "__slots__", "__static_attributes__", "__type_params__", "__weakref__",
    "_abc_impl",
}  # fmt: skip


@functools.cache
def _installed(file: str) -> bool:
    path = Path(file).resolve()
    return bool(_INSTALLED & {*path.parts, *Path(file).parts}) or any(path.is_relative_to(at) for at in _STANDARD)


def is_library(module: Any, file: str | None = None) -> bool:
    """Whether a module, known by its name and its file if it has one, is autov's, Python's or an installed one."""
    if not isinstance(module, str) or module in ("", "__main__"):
        return False
    top = module.partition(".")[0]
    if top == "autov":
        return True
    if file is None:
        found = sys.modules.get(module, sys.modules.get(top))
        file = getattr(found, "__file__", None) or next(iter(getattr(found, "__path__", ())), None)
    return top in sys.stdlib_module_names if file is None else _installed(file)


def full_name(value: Any) -> str:
    """``module:qualified name``."""
    called = getattr(value, "__qualname__", None) or getattr(value, "__name__", "?")
    module = getattr(value, "__module__", None) or getattr(getattr(value, "__objclass__", None), "__module__", None)
    return f"{module or ''}:{called}"


def is_known_by_name(value: Any) -> bool:
    """Whether a module of a library has this very object under its name."""
    module, _, called = full_name(value).partition(":")
    found: Any = sys.modules.get(module) if is_library(module) else None
    for part in called.split("."):
        found = getattr(found, part, None)
    return found is value


def is_library_class(kind: type) -> bool:
    """Whether the class comes from a library; one that `exec` made may only say so."""
    return is_library(kind.__module__) and (not kind.__flags__ & _HEAP_TYPE or is_known_by_name(kind))


def code_parts(code: CodeType) -> list[Any]:
    """What decides what a code object does: neither lines nor names of local variables."""
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return [code.co_code, code.co_exceptiontable, code.co_names, code.co_freevars, arguments, counts, code.co_consts]


def function_parts(function: FunctionType) -> dict[str, Any]:
    """Bytecode and everything that it reaches by name: defaults, closure, attributes, globals."""
    parts: dict[str, Any] = {
        "code": function.__code__, "defaults": function.__defaults__, "keywords": function.__kwdefaults__,
        "closure": [_content(cell) for cell in function.__closure__ or ()], "attributes": vars(function),
    }  # fmt: skip
    space = function.__globals__
    if not is_library(space.get("__name__"), space.get("__file__")):
        parts |= {f"uses {path}": found for path, found in _uses(function.__code__, space)}
    return parts


def _content(cell: Any) -> Any:
    try:
        return (cell.cell_contents,)
    except ValueError:  # a variable without a value so far
        return ()


def _uses(code: CodeType, space: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Globals in code, and attributes of users' modules; a module that is used in another way counts as a whole."""
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("EXTENDED_ARG", "CACHE")]
    for i, step in enumerate(steps):
        if step.opname in _GLOBAL and step.argval in space:
            path, found = step.argval, space[step.argval]
            for after in steps[i + 1 :]:
                if after.opname not in _ATTRIBUTE or not isinstance(found, ModuleType) or is_library(found.__name__):
                    break
                path, found = f"{path}.{after.argval}", getattr(found, after.argval, MISSING)
            if found is not MISSING:
                yield path, found
        elif step.opname == "IMPORT_NAME":
            level, names = steps[i - 2].argval, steps[i - 1].argval
            yield from _imported(step.argval, level if isinstance(level, int) else 0, names, space)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _uses(constant, space)


def _imported(name: str, level: int, names: Any, space: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What an import inside a function brings; modules of libraries are not imported for it."""
    try:
        full = importlib.util.resolve_name("." * level + name, space.get("__package__") or "")
        top = importlib.util.find_spec(full.partition(".")[0])
        if top is None or is_library(top.name, top.origin if top.has_location else None):
            return
        module = importlib.import_module(full)
    except Exception:  # then the function fails, too, or does without
        return
    for wanted in names or ():
        if wanted != "*" and hasattr(module, wanted):
            yield f"{full}.{wanted}", getattr(module, wanted)
    if not names:
        yield full, module


def class_parts(kind: type) -> dict[str, Any]:
    """Bases and members: methods, properties, class attributes."""
    members = {
        f"member {name}": member
        for name, member in vars(kind).items()
        if name not in _MACHINERY and not isinstance(member, (MemberDescriptorType, GetSetDescriptorType))
    }
    return {"bases": kind.__bases__, "metaclass": type(kind), **members}


def module_parts(module: ModuleType) -> dict[str, Any]:
    """All that a module of a user holds."""
    return {name: item for name, item in vars(module).items() if not name.startswith("__")}
