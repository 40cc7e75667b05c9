"""Functions that kernels call, and kernels that Python calls, with every backend."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import float32, int64, njit
from numba.core.caching import NullCache

from autov.compiler.backend import backend_name
from autov.compiler.functions import allocating
from autov.core import stream_key
from autov.kernels import random as stream
from autov.kernels.evolution.run import initial
from tests.compiler.three_functions import scaled, shifted, total


@allocating
def doubled(x):
    """A kernel that makes an array."""
    out = np.empty(x.size)
    for i in range(x.size):
        out[i] = 2.0 * x[i]
    return out


def test_a_kernel_calls_functions():
    assert total(np.array([7.0])) == 7 + 21 + 14 + 5


def test_a_function_is_compiled_once_for_all_constants_of_a_type():
    total.dispatcher._cache = NullCache()
    total(np.array([7.0], np.float32))
    for function in (scaled, shifted):
        assert [args for args in function.callee.overloads if args[0].dtype == float32] == [(float32[::1], int64)]


def test_python_calls_an_internal_function_as_it_is():
    assert scaled(["ab"], 2) == "abab"


def test_a_new_array_belongs_to_the_caller():
    assert doubled(np.arange(3.0)).tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize("count", [1, 4, 9])
def test_functions_of_others_may_call_kernels_and_what_they_call(count):
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
from autov.compiler.functions import internal, kernel

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


# Only plain Numba counts negative places from the end.
MISSING = [(2, 0), (0, 2)] + ([(-1, 0), (0, -1)] if backend_name() == "fast" else [])


@pytest.mark.cold
@pytest.mark.parametrize(
    ("i", "j", "wanted"), [(1, 0, "[0.0, 4.0]"), (0, 1, "[4.0, 0.0]"), *((*at, None) for at in MISSING)]
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


DEFINED_LATER = """
import operator
import numpy as np
from numba import types
from numba.extending import overload
from autov.compiler.functions import kernel

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


@pytest.mark.cold
def test_kernels_compile_after_somebody_else_has_overloaded_an_operator(tmp_path):
    script = tmp_path / "later.py"
    script.write_text(DEFINED_LATER)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "5.0", done.stderr
