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
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering, NativeLowering
from numba.core.typing.context import Context
from numba.np.arrayobj import load_item, make_array, store_item

SIGNS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor", "lshift", "rshift")
OPERATORS = {getattr(operator, name) for name in (*SIGNS, "lt", "le", "gt", "ge", "eq", "ne", "neg", "getitem")}
OPERATORS |= {getattr(operator, f"i{name.rstrip('_')}") for name in SIGNS} | {operator.setitem, min, max, bool}
VIEW = "_autov_view"
PLAIN = (types.Number, types.Boolean, types.Array, types.UniTuple)

# Steps for what kernels do not have: closures, expressions of whole arrays, objects of Python.
UNUSED = {"WithLifting", "InlineClosureLikes", "RewriteDynamicRaises", "MakeFunctionToJitFunction", "LiteralUnroll"}
UNUSED |= {"FindLiterallyCalls", "LiteralPropagationSubPipelinePass", "NopythonRewrites", "DumpParforDiagnostics"}
UNUSED |= {"InlineOverloads"}


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

    def _optimize_final_module(self) -> None:
        """Once: Numba does it twice, to find counts of references between, and there are none."""
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


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


class Remembered(types.Function):
    """One of Numba's functions, which remembers what it makes of numbers and arrays.

    Numba tries dozens of definitions for every sign in the source, once to find out the types and again to write the
    code.
    """

    def __init__(self, function: Any) -> None:
        self.__dict__ = function.__dict__  # type: ignore[misc]  # the same function, seen through another class
        self.known: dict[Any, Any] = {}

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The signature for such arguments."""
        if kws or not all(isinstance(arg, PLAIN) for arg in args):
            return super().get_call_type(context, args, kws)
        if args not in self.known:
            self.known[args] = super().get_call_type(context, args, kws)
        return self.known[args]


register_default(Remembered)(models.OpaqueModel)  # as Numba's function


def remembered(function: Any) -> Remembered:
    """The view of a function, kept with it: one that somebody has defined more of is another function."""
    found = vars(function)
    if VIEW not in found:
        found[VIEW] = Remembered(function)
    return found[VIEW]


class _Context(Context):
    """Numba's knowledge of types, the same, seen through another class."""

    def __init__(self, context: Context) -> None:
        self.__dict__ = context.__dict__


class Remembering(_Context):
    """For finding out types.

    Numba translates a function anew for every constant that it is given: here once, for any number.
    """

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """The signature for such arguments."""
        sign = func.typing_key if isinstance(func, types.Function) else func
        known = sign in OPERATORS
        plain = known and (isinstance(args[0], types.Array) or all(isinstance(arg, types.Number) for arg in args))
        if plain or isinstance(func, types.Dispatcher):
            args = tuple(types.unliteral(arg) for arg in args)
        if not known:
            return super().resolve_function_type(func, args, kws)
        function = func if isinstance(func, types.Function) else self._lookup_global(func)
        return remembered(function).get_call_type(self, args, kws)

    def resolve_setitem(self, target: Any, index: Any, value: Any) -> Any:
        """The signature of an assignment to an element."""
        return self.resolve_function_type(operator.setitem, (target, index, value), {})


class Recalling(_Context):
    """For writing the code of what has types: the signatures were found before."""

    def resolve_value_type(self, val: Any) -> Any:
        """The type of a constant."""
        found = super().resolve_value_type(val)
        return remembered(found) if isinstance(found, types.Function) and found.typing_key in OPERATORS else found


remembering, recalling = functools.cache(Remembering), functools.cache(Recalling)


class Lowering(Lower):
    """Numba's way to write the code, which asks for no signature twice and knows single elements of arrays.

    Numba has a long way to a single element, as if it might be a slice, and lets a negative place count from the end:
    kernels have no such places.
    """

    def init(self) -> None:
        """At the end of the initialisation, where the context is one of this function alone."""
        super().init()
        self.context.typing_context = recalling(self.context.typing_context)

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """Code that reads what an index says."""
        place = self._element(value, index)
        if place is None:
            return super().lower_getitem(resty, expr, value, index, signature)
        kind = self.typeof(value.name)
        return self.context.cast(self.builder, load_item(self.context, self.builder, kind, place), kind.dtype, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        """Code that writes what an index says."""
        value, kind = self.typeof(value_var.name), self.typeof(target_var.name)
        place = self._element(target_var, index_var) if isinstance(value, (types.Number, types.Boolean)) else None
        if place is None:
            return super().lower_setitem(target_var, index_var, value_var, signature)
        number = self.context.cast(self.builder, self.loadvar(value_var.name), value, kind.dtype)
        return store_item(self.context, self.builder, kind, number, place)

    def _element(self, array: Any, index: Any) -> Any:
        """Where a single element of an array is; None if it is something else."""
        kind: Any = self.typeof(array.name)
        index_kind: Any = self.typeof(index.name)
        several = isinstance(index_kind, types.BaseTuple)
        kinds: list[Any] = list(index_kind) if several else [index_kind]  # type: ignore[arg-type]
        if not isinstance(kind, types.Array) or len(kinds) != kind.ndim:
            return None
        if not all(isinstance(one, types.Integer) for one in kinds):
            return None
        found, builder = self.loadvar(index.name), self.builder
        values = cgutils.unpack_tuple(builder, found) if several else [found]
        places = [self.context.cast(builder, v, one, types.intp) for v, one in zip(values, kinds, strict=True)]
        view = make_array(kind)(self.context, builder, self.loadvar(array.name))
        checked = self.context.enable_boundscheck  # NUMBA_BOUNDSCHECK=1 finds places that are not there
        return cgutils.get_item_pointer(self.context, builder, kind, view, places, boundscheck=checked)


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(BaseNativeLowering):
    """The step that writes the code."""

    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> type:  # type: ignore[override]
        """What writes it."""
        return Lowering


class QuickCompiler(CompilerBase):
    """Numba's own steps but for those that are not used."""

    def __init__(self, typingctx: Any, *more: Any) -> None:
        super().__init__(remembering(typingctx), *more)

    def define_pipelines(self) -> list[Any]:
        """The steps."""
        steps = DefaultPassBuilder.define_nopython_pipeline(self.state)
        kept = [step for step in steps.passes if step[0].__name__ not in UNUSED]
        steps.passes = [(KernelLowering, what) if step is NativeLowering else (step, what) for step, what in kept]
        steps.finalize()
        return [steps]


class _Compiler(QuickCompiler):
    """The same into a library of the kind that is wanted."""

    library: ClassVar[type]

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


class PartCompiler(_Compiler):
    """Of functions that kernels call."""

    library = Part


class UnitCompiler(_Compiler):
    """Of those that stay functions."""

    library = Unit


class WholeCompiler(_Compiler):
    """Of kernels."""

    library = Whole
