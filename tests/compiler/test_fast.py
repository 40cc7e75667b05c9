"""The fast backend: kernels have no calls to anything outside of themselves."""

import numpy as np
import pytest
from numba.core.caching import NullCache

from autov.compiler.backend import backend_name
from tests.compiler.three_functions import scaled, shifted, total

pytestmark = pytest.mark.skipif(backend_name() != "fast", reason="the plain backend compiles")


@pytest.fixture
def compiled():
    """The kernel, compiled here and now, whatever the cache has."""
    total.dispatcher._cache = NullCache()
    total(np.array([7.0]))
    (found,) = total.dispatcher.overloads.values()
    return found


@pytest.mark.usefixtures("compiled")
def test_functions_that_kernels_call_have_no_machine_code_of_their_own():
    for function in (scaled, shifted):
        (found,) = function.callee.overloads.values()
        assert found.library.get_pointer_to_function(found.fndesc.llvm_func_name) == 0


def test_a_kernel_calls_nothing_outside_of_itself(compiled):
    own = {compiled.fndesc.llvm_func_name, compiled.fndesc.llvm_cpython_wrapper_name}
    for function in compiled.library._final_module.functions:
        if "autov" in function.name or "test_fast" in function.name:
            assert not function.is_declaration
            assert function.name in own or function.linkage.name == "internal"
