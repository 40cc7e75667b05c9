"""How a kernel is put together from functions: each is translated once, and optimised only as a part of a kernel.

Numba optimises every function, makes it machine code and keeps it on disk, and does the same once more with all that
call it. Here a function that kernels call stays as Numba translated it, a *part*; the kernel that somebody calls from
Python holds the parts of all that it calls, is optimised once, and calls nothing outside of itself. So its bits do not
depend on which other kernels a process has loaded, and a first run waits a third as long.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, ClassVar

from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.typing.context import Context

SIGNS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor", "lshift", "rshift")
OPERATORS = {getattr(operator, name) for name in (*SIGNS, "lt", "le", "gt", "ge", "eq", "ne", "neg", "getitem")}
OPERATORS |= {getattr(operator, f"i{name.rstrip('_')}") for name in SIGNS} | {operator.setitem}
PLAIN = (types.Number, types.Boolean, types.Array, types.UniTuple)

# Steps for what kernels do not have: closures, expressions of whole arrays, objects of Python.
UNUSED = {"WithLifting", "InlineClosureLikes", "RewriteDynamicRaises", "MakeFunctionToJitFunction", "LiteralUnroll"}
UNUSED |= {"FindLiterallyCalls", "LiteralPropagationSubPipelinePass", "NopythonRewrites", "DumpParforDiagnostics"}


class Part(JITCodeLibrary):
    """The code of a function that only becomes a part of others; there is nothing that could be called."""

    def add_llvm_module(self, ll_module: Any) -> None:
        """As it is."""
        self._final_module.link_in(ll_module)

    def add_linking_library(self, library: Any) -> None:
        """Note what the function calls."""
        self._linking_libraries.append(library)

    def _ensure_finalized(self) -> None:
        """A part is never finished."""

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        """None: there is no machine code."""
        return 0

    @property
    def codegen(self) -> Any:
        """Where Numba sets the environment of a function."""
        return self

    def set_env(self, env_name: str, env: Any) -> None:
        """Nowhere: there is no machine code that could need it."""

    def module(self) -> Any:
        """The code of the function alone."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """The same with all that it calls, for functions that were not compiled here."""
        module = self.module().clone()
        take_in(module, called(self))
        return module


class Unit(Part):
    """A part that LLVM leaves as it is wherever it is called."""

    def add_llvm_module(self, ll_module: Any) -> None:
        """With a mark that LLVM heeds."""
        for function in ll_module.functions:
            if not function.is_declaration:
                function.add_function_attribute("noinline")
        super().add_llvm_module(ll_module)


class Whole(JITCodeLibrary):
    """The code of a kernel with all its parts."""

    def add_llvm_module(self, ll_module: Any) -> None:
        """As it is: it is optimised once, with all parts."""
        self._final_module.link_in(ll_module)

    def finalize(self) -> None:
        """Take in all that it calls; nothing else can call the copies, so what is not needed by itself goes away."""
        parts = called(self)
        take_in(self._final_module, parts)
        self._reload_init.update(*(part._reload_init for part in parts))
        self._linking_libraries = []
        for function in self._final_module.functions:
            if function.linkage.name == "linkonce_odr":
                function.linkage = "internal"
        super().finalize()


def called(library: Any) -> list[Any]:
    """Libraries of all functions that one calls, directly or through parts, each once."""
    found: dict[Any, None] = {}
    waiting = list(library._linking_libraries)
    while waiting:
        one = waiting.pop(0)
        if one not in found:
            found[one] = None
            waiting += one._linking_libraries if isinstance(one, Part) else []
    return list(found)


def take_in(module: Any, libraries: list[Any]) -> None:
    """Link copies of their code into a module."""
    for library in libraries:
        module.link_in(library.module() if isinstance(library, Part) else library._get_module_for_linking(), True)


class Remembering(Context):
    """Numba's knowledge of types, which remembers what operators make of numbers and arrays.

    Numba tries dozens of definitions for every sign in the source, which took most of the time to find out the types.
    And it translates a function anew for every constant that it is given: here once, for any number.
    """

    known: ClassVar[dict[Any, Any]] = {}

    def __init__(self, context: Context) -> None:
        self.__dict__ = context.__dict__  # the same context, seen through another class

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """The signature for such arguments."""
        if isinstance(func, types.Dispatcher):
            args = tuple(types.unliteral(arg) for arg in args)
        sign = func.typing_key if isinstance(func, types.Function) else func
        if kws or sign not in OPERATORS or not all(isinstance(arg, PLAIN) for arg in args):
            return super().resolve_function_type(func, args, kws)
        if all(isinstance(arg, types.Number) for arg in args):
            args = tuple(types.unliteral(arg) for arg in args)
        if (func, args) not in self.known:
            self.known[func, args] = super().resolve_function_type(func, args, kws)
        return self.known[func, args]


remembering = functools.cache(Remembering)


class _Compiler(CompilerBase):
    """Numba's own steps but for those that are not used, into a library of the kind that is wanted."""

    library: ClassVar[type]

    def __init__(self, typingctx: Any, *more: Any) -> None:
        super().__init__(remembering(typingctx), *more)

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        """The steps."""
        steps = DefaultPassBuilder.define_nopython_pipeline(self.state)
        steps.passes = [step for step in steps.passes if step[0].__name__ not in UNUSED]
        steps.finalize()
        return [steps]


class PartCompiler(_Compiler):
    """Of functions that kernels call."""

    library = Part


class UnitCompiler(_Compiler):
    """Of those that stay functions."""

    library = Unit


class WholeCompiler(_Compiler):
    """Of kernels."""

    library = Whole
