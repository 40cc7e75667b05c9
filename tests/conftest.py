"""Settings for all tests."""

import hashlib

import pytest
from filelock import FileLock
from hypothesis import settings
from numba.core.caching import FunctionCache
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from autov.compiler import precompile

# Time limits of examples would fail on a busy machine; examples are the same in every run.
settings.register_profile("autov", deadline=None, derandomize=True)
settings.load_profile("autov")


def _in_turn(compile_function, folder):
    """The method, which takes a lock for each function that is kept on disk: who waits for it need not compile it."""

    def compile_in_turn(function, *signature):
        cache = function._cache
        if not isinstance(cache, FunctionCache):
            return compile_function(function, *signature)
        name = hashlib.sha256(f"{cache.cache_path} {cache._impl.filename_base}".encode()).hexdigest()
        # Numba's lock comes first, as a function that calls this one may hold it already.
        with global_compiler_lock, FileLock(folder / f"{name}.lock"):
            return compile_function(function, *signature)

    return compile_in_turn


@pytest.fixture(scope="session", autouse=True)
def _compile_once(request, tmp_path_factory):
    """Let processes of pytest-xdist share what they compile, instead of compiling the same at the same time."""
    if not hasattr(request.config, "workerinput"):
        yield
        return
    folder = tmp_path_factory.getbasetemp().parent  # of all workers
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatcher, "compile", _in_turn(Dispatcher.compile, folder))
        patch.setattr(CFunc, "compile", _in_turn(CFunc.compile, folder))
        patch.setattr(precompile, "_start", lambda: None)  # the cores have work enough
        yield
