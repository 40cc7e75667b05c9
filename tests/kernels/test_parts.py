"""How kernels are put together: from parts that are translated once, into code that calls nothing outside of itself."""

import numpy as np
import pytest
from numba import njit
from numba.core.caching import NullCache

from autov.core import stream_key
from autov.kernels import random as stream
from autov.kernels.jit import internal, kernel, unit
from autov.kernels.run import initial


@internal
def scaled(x, factor):
    """A part."""
    return factor * x[0]


@unit
def shifted(x, amount):
    """A part that calls another one."""
    return scaled(x, 2) + amount


@kernel
def total(x):
    """Three calls of one part, with constants of different values and kinds of the same type."""
    return scaled(x, 1) + scaled(x, 3) + shifted(x, 5)


def uncached(function):
    """Compile it here and now, whatever the cache has."""
    function.dispatcher._cache = NullCache()
    return function


def test_a_kernel_is_made_of_its_parts():
    assert uncached(total)(np.array([7.0])) == 7 + 21 + 14 + 5
    for function in (scaled, shifted):
        assert len(function.part.overloads) == 1  # not one for each constant
        for found in function.part.overloads.values():
            assert found.library.get_pointer_to_function(found.fndesc.llvm_func_name) == 0  # no code of its own


def test_a_kernel_calls_nothing_outside_of_itself():
    uncached(total)(np.array([7.0]))
    (found,) = total.dispatcher.overloads.values()
    own = {found.fndesc.llvm_func_name, found.fndesc.llvm_cpython_wrapper_name}
    for function in found.library._final_module.functions:
        if "autov" in function.name or "test_parts" in function.name:
            assert not function.is_declaration
            assert function.name in own or function.linkage.name == "internal"


def test_python_calls_a_part_as_a_plain_function():
    assert scaled(["ab"], 2) == "abab"


@pytest.mark.parametrize("count", [1, 4, 9])
def test_functions_of_others_may_call_kernels_and_their_parts(count):
    @njit
    def normals(key, bits, words, out):
        first, second = stream.subkey(key, 3, 2)
        stream.fill_normals(first, second, 1, bits.size, bits, words, out)

    bits = np.empty(count, np.uint64)
    found, wanted = np.empty((2, 2 * count), np.float32)
    normals(stream_key(1), bits, bits.view(np.int32), found)
    key = (np.uint64(word) for word in stream.subkey(stream_key(1), 3, 2))
    stream.fill_normals(*key, 1, count, bits, bits.view(np.int32), wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_arrays_given_to_kernels_are_neither_kept_nor_freed():
    x, lower, upper = np.zeros((3, 2)), np.zeros(2), np.ones(2)
    before = x.copy()
    for _ in range(100):
        initial(stream_key(1), lower, upper, x, 0)
    assert (lower == 0).all()
    assert (upper == 1).all()
    assert not np.array_equal(x, before)
