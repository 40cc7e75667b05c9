"""The fast backend: each function is lowered once and optimised only as a part of the kernels that call it.

Numba optimises every function, compiles it to machine code, and does the same again with all that call it. Here the
code of a function that kernels call stays as Numba lowered it, in an inline library; the kernel that Python calls links
the libraries of all that it calls, is optimised once, and calls nothing outside of itself. So its bits do not depend on
which other kernels a process has loaded, and a first run waits a fourth as long as with plain Numba.

All of this uses what Numba may change in any release, hence the list of tested versions. It stores nothing in Numba's
own objects: contexts and functions of Numba are seen through objects of this module.
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
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering, NativeLowering
from numba.core.typing.context import Context
from numba.extending import models, register_model
from numba.np.arrayobj import load_item, make_array, store_item

from autov.compiler.plain import COMMON

SIGNS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor", "lshift", "rshift")
OPERATORS = {getattr(operator, name) for name in (*SIGNS, "lt", "le", "gt", "ge", "eq", "ne", "neg", "getitem")}
OPERATORS |= {getattr(operator, f"i{name.rstrip('_')}") for name in SIGNS} | {operator.setitem, min, max, bool}
PLAIN = (types.Number, types.Boolean, types.Array, types.UniTuple)

# Passes for what kernels do not have: closures, expressions of whole arrays, objects of Python.
UNUSED = {"WithLifting", "InlineClosureLikes", "RewriteDynamicRaises", "MakeFunctionToJitFunction", "LiteralUnroll"}
UNUSED |= {"FindLiterallyCalls", "LiteralPropagationSubPipelinePass", "NopythonRewrites", "DumpParforDiagnostics"}
UNUSED |= {"InlineOverloads"}


class InlineLibrary(JITCodeLibrary):
    """The code of a function that exists only inside its callers: there is no machine code of its own."""

    def add_llvm_module(self, ll_module: Any) -> None:
        """As it is."""
        self._final_module.link_in(ll_module)

    def add_linking_library(self, library: Any) -> None:
        """Note what the function calls."""
        self._linking_libraries.append(library)

    def _ensure_finalized(self) -> None:
        """There is nothing to finish."""

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
        link_copies(module, callees(self))
        return module


class NoinlineLibrary(InlineLibrary):
    """The same of a function that LLVM does not inline."""

    def add_ir_module(self, ir_module: Any) -> None:
        """With the attribute."""
        for function in ir_module.functions:
            if not function.is_declaration:
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)


class KernelLibrary(JITCodeLibrary):
    """The code of a kernel with all that it calls."""

    def add_llvm_module(self, ll_module: Any) -> None:
        """As it is: it is optimised once, with all that it calls."""
        self._final_module.link_in(ll_module)

    def finalize(self) -> None:
        """Link all that it calls; nothing else can call the copies, so LLVM removes those that were inlined."""
        libraries = callees(self)
        link_copies(self._final_module, libraries)
        for library in libraries:
            getattr(self, "_reload_init", set()).update(getattr(library, "_reload_init", ()))  # from 0.63 on
        self._linking_libraries = []
        for function in self._final_module.functions:
            if function.linkage.name == "linkonce_odr":
                function.linkage = "internal"
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Once: Numba does it twice, to find counts of references between, and there are none."""
        found = self._codegen._module_pass_manager()
        passes, *builder = found if isinstance(found, tuple) else (found,)  # 0.61 has no builder
        passes.run(self._final_module, *builder)


def callees(library: Any) -> list[Any]:
    """Libraries of all functions that one calls, directly or not, each once."""
    found: dict[Any, None] = {}
    waiting = list(library._linking_libraries)
    while waiting:
        one = waiting.pop(0)
        if one not in found:
            found[one] = None
            waiting += one._linking_libraries if isinstance(one, InlineLibrary) else []
    return list(found)


def link_copies(module: Any, libraries: list[Any]) -> None:
    """Link copies of their code into a module."""
    for library in libraries:
        inline = isinstance(library, InlineLibrary)
        module.link_in(library.module() if inline else library._get_module_for_linking(), True)


class MemoisedFunction(types.Function):
    """One of Numba's operators with a memory of the signatures for numbers and arrays.

    Numba tries dozens of definitions for every operator in the source, once to infer types and again to lower it.
    """

    def __init__(self, function: Any) -> None:
        vars(self).update(vars(function))  # Numba's own object stays as it is
        self.known: dict[Any, Any] = {}

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The signature for such arguments."""
        if kws or not all(isinstance(arg, PLAIN) for arg in args):
            return super().get_call_type(context, args, kws)
        if args not in self.known:
            self.known[args] = super().get_call_type(context, args, kws)
        return self.known[args]


register_model(MemoisedFunction)(models.OpaqueModel)


@functools.cache
def memoised(function: Any) -> MemoisedFunction:
    """The same function with a memory; one that somebody has overloaded since is another function for Numba."""
    return MemoisedFunction(function)


class _Context(Context):
    """Numba's typing context, the same, seen through another class."""

    def __init__(self, context: Context) -> None:
        self.__dict__ = context.__dict__


class TypingContext(_Context):
    """For type inference; functions are compiled once for all constants of a type, not for each."""

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
        return memoised(function).get_call_type(self, args, kws)

    def resolve_setitem(self, target: Any, index: Any, value: Any) -> Any:
        """The signature of an assignment to an element."""
        return self.resolve_function_type(operator.setitem, (target, index, value), {})


class LoweringContext(_Context):
    """For lowering: the signatures are known from type inference."""

    def resolve_value_type(self, val: Any) -> Any:
        """The type of a constant."""
        found = super().resolve_value_type(val)
        return memoised(found) if isinstance(found, types.Function) and found.typing_key in OPERATORS else found


typing_context, lowering_context = functools.cache(TypingContext), functools.cache(LoweringContext)


class ElementLowering(Lower):
    """Numba's lowering with memoised signatures and direct access to single elements of arrays.

    Numba lowers a single element like a slice, and lets a negative index count from the end: kernels have none.
    """

    def init(self) -> None:
        """At the end of the initialisation, where the context is one of this function alone."""
        super().init()
        self.context.typing_context = lowering_context(self.context.typing_context)

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """Read what an index says."""
        place = self._element(value, index)
        if place is None:
            return super().lower_getitem(resty, expr, value, index, signature)
        kind = self.typeof(value.name)
        return self.context.cast(self.builder, load_item(self.context, self.builder, kind, place), kind.dtype, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        """Write what an index says."""
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
    """The pass that lowers."""

    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> type:  # type: ignore[override]
        """What it lowers with."""
        return ElementLowering


class ShortPipeline(CompilerBase):
    """Numba's own passes but for those that kernels do not need."""

    def __init__(self, typingctx: Any, *more: Any) -> None:
        super().__init__(typing_context(typingctx), *more)

    def define_pipelines(self) -> list[Any]:
        """The passes."""
        steps = DefaultPassBuilder.define_nopython_pipeline(self.state)
        kept = [step for step in steps.passes if step[0].__name__ not in UNUSED]
        steps.passes = [(KernelLowering, what) if step is NativeLowering else (step, what) for step, what in kept]
        steps.finalize()
        return [steps]


class _LibraryCompiler(ShortPipeline):
    """The same into a library of a kind."""

    library: ClassVar[type]

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


class InlineCompiler(_LibraryCompiler):
    """Of functions that kernels call."""

    library = InlineLibrary


class NoinlineCompiler(_LibraryCompiler):
    """Of those that stay functions."""

    library = NoinlineLibrary


class KernelCompiler(_LibraryCompiler):
    """Of kernels."""

    library = KernelLibrary


# Without counts of references: arrays belong to the caller, and counting those of every array of a tuple takes a part
# of the run and of the time to compile.
_KERNEL = COMMON | {"_nrt": False}
_NO_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

INLINE = _KERNEL | _NO_WRAPPERS | {"forceinline": True, "pipeline_class": InlineCompiler}
NOINLINE = _KERNEL | _NO_WRAPPERS | {"forceinline": False, "pipeline_class": NoinlineCompiler}
KERNEL = _KERNEL | {"no_cfunc_wrapper": True, "nogil": True, "pipeline_class": KernelCompiler}
ALLOCATING = {"_nrt": True}
OBJECTIVE = COMMON | {"nogil": True, "forceinline": True, "no_cfunc_wrapper": True, "pipeline_class": ShortPipeline}
C_FUNCTION = COMMON | {"pipeline_class": ShortPipeline}
