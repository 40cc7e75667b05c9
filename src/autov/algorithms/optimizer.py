"""Ask and tell, for people who run the evaluations themselves."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from autov.algorithms.evolution import Evolution, EvolutionState
from autov.algorithms.solve import whole
from autov.core import Array, Box, FileError, InputError, Seed, generator, seed_of
from autov.operators import AffineOperator, from_dict, load_operator, to_dict

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

_FORMAT = "autov-optimizer"


class Optimizer:
    """The simple metaheuristic of the paper, one generation at a time.

    >>> optimizer = Optimizer([(-5, 5)] * 3, popsize=20, rng=1)
    >>> while not optimizer.stop():
    ...     x = optimizer.ask()
    ...     optimizer.tell(x, (x**2).sum(axis=1))
    >>> optimizer.result.fun < 0.01
    True
    """

    def __init__(
        self, bounds: Any, operator: str | AffineOperator = "paper-h3", popsize: int = 100, rng: Seed = None, *,
        x0: Array | None = None, maxfev: int = 10_000,
    ) -> None:  # fmt: skip
        self._evolution = Evolution(load_operator(operator))
        self._maxfev = whole("maxfev", maxfev, 1)
        unused = generator(0)
        self._rng = unused  # the state's key is the only randomness
        self._state: EvolutionState = self._evolution.init(
            Box.of(bounds), whole("popsize", popsize, 2), self._maxfev, generator(seed_of(rng), 0), x0
        )
        self._nfev = 0
        self._nans = 0
        self._pending: list[tuple[Array, Array]] = []  # told points until the first population is complete

    def ask(self) -> Array:
        """Points to evaluate next, shape (m, d); the same ones until something is told."""
        x, _ = self._evolution.ask(self._state, self._rng)
        if self._state.generation == 0:
            x = x[sum(len(f) for _, f in self._pending) :]
        return x[: max(self._maxfev - self._nfev, 0)]

    def tell(self, x: Array, f: Array) -> None:
        """Values of points: those asked for, some of them, or points of your own. NaN counts as worst."""
        box = self._state.box
        x = np.atleast_2d(np.asarray(x, dtype=np.float64))
        f = np.atleast_1d(np.asarray(f, dtype=np.float64))
        if x.shape != (len(f), box.dim) or f.ndim != 1:
            raise InputError(
                f"tell: expected x of shape (m, {box.dim}) and f of shape (m,), got {x.shape} and {f.shape}"
            )
        if not ((x >= box.lower) & (x <= box.upper)).all():
            raise InputError("tell: all points must lie inside the bounds")
        self._nfev += len(f)
        self._nans += int(np.isnan(f).sum())
        f = np.where(np.isnan(f), np.inf, f)
        if self._state.generation == 0:
            self._pending.append((x.copy(), f))
            missing = len(self._state.f) - sum(len(values) for _, values in self._pending)
            if missing > 0:
                return
            x, f = (np.concatenate(parts) for parts in zip(*self._pending, strict=True))
            self._pending = []
            n = len(self._state.f)
            self._state = self._evolution.tell(self._state, x[:n], f[:n], self._rng)
            x, f = x[n:], f[n:]
            if not len(f):
                return
            # More points than the population holds: the rest competes with it, but no generation has passed.
            self._state = replace(self._evolution.tell(self._state, x, f, self._rng), generation=1)
            return
        self._state = self._evolution.tell(self._state, x, f, self._rng)

    def stop(self) -> bool:
        """Whether the budget is used up."""
        return self._nfev >= self._maxfev

    @property
    def result(self) -> OptimizeResult:
        """The best so far, in SciPy's form."""
        from scipy.optimize import OptimizeResult

        x, f = self._state.x, self._state.f
        if self._state.generation == 0:
            if not self._pending:
                raise InputError("result: nothing was told yet")
            x, f = (np.concatenate(parts) for parts in zip(*self._pending, strict=True))
        i = int(np.argmin(f))
        return OptimizeResult(
            x=x[i].copy(), fun=float(f[i]), nfev=self._nfev, nit=max(self._state.generation - 1, 0),
            success=bool(np.isfinite(f[i])), status=0 if self.stop() else 1,
            message="The budget is used up." if self.stop() else "Not finished.",
            population=x.copy(), population_energies=f.copy(),
        )  # fmt: skip

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole state (NPZ, no pickle); `Optimizer.load` goes on from it with the same bits."""
        state = self._state
        head = {
            "format": _FORMAT, "version": 1, "operator": to_dict(self._evolution.operator), "maxfev": self._maxfev,
            "nfev": self._nfev, "nans": self._nans, "generation": state.generation,
        }  # fmt: skip
        pending_x = [x for x, _ in self._pending]
        pending_f = [f for _, f in self._pending]
        dim = state.box.dim
        target = Path(path)
        partial = target.with_name(target.name + ".partial")
        with partial.open("wb") as file:
            np.savez(
                file, head=np.array(json.dumps(head)), key=state.key, lower=state.box.lower, upper=state.box.upper,
                x=state.x, f=state.f, pending_x=np.concatenate([np.empty((0, dim)), *pending_x]),
                pending_f=np.concatenate([np.empty(0), *pending_f]),
            )  # fmt: skip
        os.replace(partial, target)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Optimizer:
        """The optimizer that was saved."""
        try:
            with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as data:
                arrays = {name: data[name] for name in data.files}
            head = json.loads(str(arrays["head"]))
            if head["format"] != _FORMAT or head["version"] != 1:
                raise FileError(f"{path}: not a saved optimizer of version 1")
            self = cls.__new__(cls)
            self._evolution = Evolution(from_dict(head["operator"], str(path)))
            self._maxfev, self._nfev, self._nans = head["maxfev"], head["nfev"], head["nans"]
            self._rng = generator(0)
            box = Box(arrays["lower"], arrays["upper"])
            self._state = EvolutionState(arrays["key"], head["generation"], box, arrays["x"], arrays["f"])
            pending = (arrays["pending_x"], arrays["pending_f"])
            for x, f in ((self._state.x, self._state.f), pending):
                if x.shape != (f.size, box.dim) or f.ndim != 1 or self._state.key.shape != (2,):
                    raise FileError(f"{path}: shapes of the saved arrays do not fit")
            self._pending = [pending] if len(pending[1]) else []
        except FileNotFoundError:
            raise
        except (OSError, EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
            if isinstance(error, InputError):
                raise
            raise FileError(f"{path}: not a saved optimizer: {error}") from None
        return self
