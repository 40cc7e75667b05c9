"""Programs of one file, assembled from autov's own source: a function with all that it calls, and nothing else.

Kernels are written as the plain Python that they are. Those that take arrays and numbers are compiled where Numba is
installed; those that take a `Plan`, a `Work` or the like are not: their types belong to the program, and what Numba
keeps on disk for one program could not be read by another that imports it.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from autov.adapters.exports import plain_kernels
from autov.adapters.exports.templates import indented, python_numbers

# Parameters that are no arrays, and the key of a stream: who has that one calls `subkey`, which is not compiled.
NOT_COMPILED = {"plan", "work", "state", "variation", "frame", "ranking", "key"}
PLAIN = {name: one for name, one in vars(plain_kernels).items() if inspect.getmodule(one) is plain_kernels}
NUMPY = "import numpy as np"
COMPILED = '''\
try:
    import numba
except ImportError:
    numba = None


def compiled(function):
    """The function, compiled by Numba where it is installed; the same results without it, only later."""
    if numba is None:
        return function
    try:
        return numba.njit(error_model="numpy", cache=True)(function)
    except RuntimeError:  # a program that is in no file
        return numba.njit(error_model="numpy")(function)
'''


def assemble(entry: FunctionType, settings: Any) -> str:
    """Imports, definitions of the function and of all that it needs, and the settings under this name."""
    found = _Assembly()
    found.name_of(entry.__name__, entry)
    written = f"SETTINGS = {found.literal(settings)}"
    imports = "\n".join(sorted(found.imports - {NUMPY}))
    head = f"{imports}\n\n{NUMPY}\n\n{COMPILED.rstrip()}"
    return "\n\n\n".join([head, "\n".join(found.constants), *found.definitions(), written])


class _Assembly:
    """What was found so far."""

    def __init__(self) -> None:
        self.imports = {NUMPY}
        self.constants: list[str] = []
        self._texts: dict[Any, str] = {}  # of definitions, each behind what it needs
        self._kernels: set[Any] = set()
        self._names: dict[Any, str] = {}  # of definitions, and of constants by name and value
        self._taken = {"numba", "compiled", "np"}

    def name_of(self, name: str, value: Any) -> str:
        """What a global name of a module is called in the program, where it is written when it is first met."""
        if isinstance(value, ModuleType):
            plain = value.__name__ == name
            self.imports.add(f"import {name}" if plain else f"import {value.__name__} as {name}")
            return name
        function = getattr(value, "py_func", value)
        if isinstance(function, (FunctionType, type)):
            if not function.__module__.startswith("autov."):
                self.imports.add(f"from {function.__module__} import {function.__name__}")
                return function.__name__
            return self._define(PLAIN.get(function.__name__, function), function is not value)
        key = (name, repr(value))
        if key not in self._names:
            self._names[key] = self._free(name)
            self.constants.append(f"{self._names[key]} = {self.literal(value)}")
        return self._names[key]

    def definitions(self) -> list[str]:
        """Functions and classes; kernels of arrays are compiled, also where plain code calls them first."""
        arrays = {one for one in self._kernels if not NOT_COMPILED & set(inspect.signature(one).parameters)}
        return [f"@compiled\n{text}" if one in arrays else text for one, text in self._texts.items()]

    def _define(self, thing: Any, kernel: bool) -> str:
        if kernel:
            self._kernels.add(thing)
        if thing not in self._names:
            self._names[thing] = self._free(thing.__name__)
            self._texts[thing] = self._text(thing)
        return self._names[thing]

    def _free(self, name: str) -> str:
        """The name, with a number if another module has something else of this name."""
        free, number = name, 1
        while free in self._taken:
            number += 1
            free = f"{name}_{number}"
        self._taken.add(free)
        return free

    def _text(self, thing: Any) -> str:
        """The source without decorators, with the names of the program."""
        source = textwrap.dedent(inspect.getsource(thing))
        tree = ast.parse(source).body[0]
        assert isinstance(tree, (ast.FunctionDef, ast.ClassDef))
        lines = [line.encode() for line in source.splitlines()]
        known = vars(inspect.getmodule(thing))
        places = [(tree.lineno, *_place(lines[tree.lineno - 1], thing.__name__), self._names[thing])]
        for node in _globals(tree):
            if node.id in known and node.lineno >= tree.lineno:
                new = self.name_of(node.id, known[node.id])
                places.append((node.lineno, node.col_offset, node.end_col_offset, new))
        for line, begin, end, new in sorted(set(places), reverse=True):
            text = lines[line - 1]
            lines[line - 1] = text[:begin] + new.encode() + text[end:]
        plain = (line.decode() for line in lines[tree.lineno - 1 :])
        return "\n".join(line.partition("  # noqa")[0].removesuffix("  # fmt: skip") for line in plain)

    def literal(self, value: Any, indent: str = "") -> str:
        """A value as Python writes it: records, dictionaries and lists line by line, arrays with all their bits."""
        inner = f"{indent}    "
        if isinstance(value, np.ndarray):
            return f"np.array({indented(python_numbers(value), indent)}, dtype=np.{value.dtype})"
        if isinstance(value, np.dtype) and value.names:
            return f"np.dtype((np.record, {value.descr!r}))"
        if isinstance(value, np.generic):
            return f"np.{type(value).__name__}({value.item()!r})"
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            named = zip(value._fields, value, strict=True)  # type: ignore[attr-defined]
            parts = [f"{inner}{name}={self.literal(part, inner)},\n" for name, part in named]
            return f"{self.name_of('', type(value))}(\n{''.join(parts)}{indent})"
        if isinstance(value, dict):
            parts = [f'{inner}"{name}": {self.literal(part, inner)},\n' for name, part in value.items()]
            return "{\n" + "".join(parts) + indent + "}"
        if isinstance(value, list):
            return "[\n" + "".join(f"{inner}{self.literal(part, inner)},\n" for part in value) + indent + "]"
        return repr(value)


def _place(line: bytes, name: str) -> tuple[int, int]:
    begin = line.index(b" " + name.encode()) + 1
    return begin, begin + len(name)


def _globals(tree: ast.AST) -> Iterator[Any]:
    """Names of the module, by their places: not in annotations, and not those of a function's own variables."""
    if isinstance(tree, ast.FunctionDef):
        given = tree.args
        own = {
            one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg) if one
        }
        own |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        inner = [*tree.decorator_list, *given.defaults, *tree.body]
    else:
        own, inner = set(), _parts(tree)
    for part in inner:
        for node in _names(part):
            if node.id not in own and not hasattr(builtins, node.id):
                yield node


def _parts(tree: Any) -> list[ast.AST]:
    """Of a class: bases and body, without annotations."""
    body = [one.value if isinstance(one, ast.AnnAssign) else one for one in tree.body]
    return [one for one in (*tree.decorator_list, *tree.bases, *body) if one is not None]


def _names(part: ast.AST) -> Iterator[Any]:
    if isinstance(part, (ast.FunctionDef, ast.ClassDef)):
        yield from _globals(part)
    else:
        for node in ast.walk(part):
            if isinstance(node, ast.Name):
                yield node
