"""joblib as an engine: its processes, its threads, or whatever backend was registered with it (Dask, Ray, Spark).

``autov.minimize(f, bounds, workers=JoblibEngine(4))``; `design` and `compare` take it the same way. Functions travel
by cloudpickle, so lambdas and functions of a notebook work, and no main guard is needed.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from itertools import islice, takewhile
from typing import Any

from autov.adapters import missing
from autov.core import InputError
from autov.engines.engine import Engine, Found, Item, Lost, Result, chunks, no_timeout
from autov.engines.pickled import ByValue

try:
    from joblib import Parallel, delayed, effective_n_jobs, parallel_config
except ImportError as error:
    raise missing("joblib", error) from None

WAVE = 4  # calls for each worker


class JoblibEngine(Engine):
    """Calls through ``joblib.Parallel``.

    Args:
        n_jobs: calls that may run at once, -1 for all cores.
        backend: a name that joblib knows ("loky", "threading", "dask", ...); None for the one that is configured by
            ``joblib.parallel_config``.
        options: further arguments of ``joblib.Parallel``.
    """

    def __init__(self, n_jobs: int = -1, backend: str | None = None, **options: Any) -> None:
        self.backend, self.options = backend, {"n_jobs": n_jobs, "batch_size": 1, **options}
        try:
            with self._configured():
                self.workers = effective_n_jobs(n_jobs)
        except (TypeError, ValueError) as error:
            raise InputError(f"n_jobs, backend: joblib refuses {n_jobs!r} and {backend!r}: {error}") from None

    def _configured(self) -> AbstractContextManager[Any]:
        """Where the backend is set: Dask's cannot be given to ``Parallel`` itself, which hands it a nesting level."""
        return nullcontext() if self.backend is None else parallel_config(backend=self.backend)

    def map(
        self, call: Callable[[Item], Result], items: Iterable[Item], *, chunk: int = 1, timeout: float | None = None,
        lost: Lost | None = None,
    ) -> Found[Result]:  # fmt: skip
        """(index, call(item)) in waves of a few calls for each worker; see Engine.

        joblib cannot leave a map unfinished without killing its workers, which others may be using: a cancelled map
        ends after its wave.
        """
        del lost  # what happens to workers is joblib's
        no_timeout(timeout)
        call = _portable(call)
        parts = chunks(items, chunk)
        # A part without items says that there are none until results have come out.
        while wave := list(takewhile(lambda part: part[1], islice(parts, WAVE * self.workers))):
            with self._configured():
                results: Any = Parallel(**self.options)(delayed(_call_each)(call, part) for _, part in wave)
            for (first, _), found in zip(wave, results, strict=True):
                yield from enumerate(found, first)

    def close(self) -> None:
        """Nothing to end: joblib keeps its workers for the next call."""


def _portable(call: Callable[[Item], Result]) -> Callable[[Item], Result]:
    """The call, by value where plain pickle cannot name it: the backend "multiprocessing" has no other pickle."""
    try:
        pickle.dumps(call)
    except Exception:
        return ByValue(call)
    return call


def _call_each(call: Callable[[Item], Result], part: list[Item]) -> list[Result]:
    return [call(item) for item in part]
