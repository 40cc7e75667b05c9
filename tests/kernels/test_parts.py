"""How kernels are put together: from parts that are translated once, into code that calls nothing outside of itself."""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from autov.kernels.jit import SET_ASIDE, internal, kernel, unit
from numba import njit
from numba.core.caching import NullCache

from autov.core import stream_key
from autov.kernels import random as stream
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


PLACES = """
import sys
import numpy as np
from autov.kernels.jit import internal, kernel

@internal
def read(x, i, j):
    return x[i, j]

@kernel
def copy(x, i, j, out):
    out[i] = read(x, i, j) + x[0, j]

out = np.zeros(2)
copy(np.array([[1.0, 2.0], [3.0, 4.0]]), int(sys.argv[1]), int(sys.argv[2]), out)
print(out.tolist())
"""


@pytest.mark.parametrize(
    ("i", "j", "wanted"), [(1, 0, "[0.0, 4.0]"), (0, 1, "[4.0, 0.0]"), (-1, 0, None), (0, -1, None), (2, 0, None)]
)
def test_places_that_are_not_there_are_found_where_numba_is_asked_to_check(i, j, wanted, tmp_path):
    script = tmp_path / "places.py"
    script.write_text(PLACES)
    done = subprocess.run(
        [sys.executable, script, str(i), str(j)], env={**os.environ, "NUMBA_BOUNDSCHECK": "1"}, capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.stdout.strip() == (wanted or "")
    assert (done.returncode == 0) == (wanted is not None)
    assert wanted is not None or "IndexError" in done.stderr


def test_compiling_leaves_the_search_for_garbage_as_it_was():
    assert gc.isenabled()
    uncached(total)(np.array([7.0], np.float32))
    assert gc.isenabled()
    assert gc.get_freeze_count() < SET_ASIDE


DEFINED_LATER = """
import operator
import numpy as np
from numba import types
from numba.extending import overload
from autov.kernels.jit import kernel

@kernel
def before(x, out):
    out[0] = min(x[0], x[1]) + x[2]

before(np.arange(3.0), np.zeros(1))

@overload(min)
def of_texts(a, b):
    if isinstance(a, types.UnicodeType):
        return lambda a, b: a

@overload(operator.add)
def of_nothing(a, b):
    if isinstance(a, types.NoneType):
        return lambda a, b: b

@kernel
def after(x, out):
    out[0] = min(x[0], x[1]) + x[2]

out = np.zeros(1)
after(np.array([4.0, 3.0, 2.0]), out)
print(out[0])
"""


def test_kernels_compile_after_somebody_else_has_defined_more_of_a_sign(tmp_path):
    script = tmp_path / "later.py"
    script.write_text(DEFINED_LATER)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "5.0", done.stderr
