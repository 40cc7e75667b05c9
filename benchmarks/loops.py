"""One loop in every library: Rastrigin's function of 30 variables, a population of 100. A program of its own.

``python -P loops.py NAME`` prints JSON: how many evaluations a second of processor time the library makes. It needs
that library and NumPy only, so that libraries which are installed elsewhere (evosax and EvoX bring JAX and PyTorch
along) can be measured by the interpreter of their environment. Every library gets the function in the form that
it likes best, evaluated for a whole population at once; where it has differential evolution, that is the loop.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module, metadata
from typing import Any

import numpy as np

DIM, POPSIZE, GENERATIONS, BOUND = 30, 100, 200, 5.12
Loop = Callable[[], object]


def rastrigin(x: Any, library: Any = np) -> Any:
    """Values of a batch, in the functions of any library of arrays."""
    return (x * x - 10.0 * library.cos(2.0 * np.pi * x) + 10.0).sum(-1)


def _autov(algorithm: str, named: bool) -> Loop:
    autov = import_module("autov")
    size = None if algorithm.startswith("ma-es") else POPSIZE  # it has its own
    settings = {"algorithm": algorithm, "maxfev": POPSIZE * GENERATIONS, "popsize": size, "rng": 1}
    if named:
        return lambda: autov.minimize("rastrigin", dim=DIM, **settings)
    return lambda: autov.minimize(rastrigin, [(-BOUND, BOUND)] * DIM, vectorized=True, **settings)


def _scipy() -> Loop:
    optimize = import_module("scipy.optimize")
    first = np.random.default_rng(1).uniform(-BOUND, BOUND, (POPSIZE, DIM))
    return lambda: optimize.differential_evolution(
        lambda x: rastrigin(x.T), [(-BOUND, BOUND)] * DIM, maxiter=GENERATIONS - 1, init=first, polish=False, tol=0,
        updating="deferred", vectorized=True, rng=1,
    )  # fmt: skip


def _pymoo() -> Loop:
    de, optimize = import_module("pymoo.algorithms.soo.nonconvex.de"), import_module("pymoo.optimize")

    class Rastrigin(import_module("pymoo.core.problem").Problem):
        def __init__(self) -> None:
            super().__init__(n_var=DIM, n_obj=1, xl=-BOUND, xu=BOUND)

        def _evaluate(self, x: Any, out: Any, *_: Any, **__: Any) -> None:
            out["F"] = rastrigin(x)

    return lambda: optimize.minimize(Rastrigin(), de.DE(pop_size=POPSIZE), ("n_gen", GENERATIONS), seed=1)


def _pycma() -> Loop:
    cma = import_module("cma")

    def loop() -> None:
        options = {"popsize": POPSIZE, "bounds": [-BOUND, BOUND], "seed": 1, "verbose": -9}
        strategy = cma.CMAEvolutionStrategy(np.ones(DIM), 1.0, options)
        for _ in range(GENERATIONS):
            points = strategy.ask()
            strategy.tell(points, rastrigin(np.array(points)).tolist())

    return loop


def _cmaes() -> Loop:
    cmaes = import_module("cmaes")

    def loop() -> None:
        box = np.array([[-BOUND, BOUND]] * DIM)
        strategy = cmaes.CMA(np.ones(DIM), 1.0, bounds=box, seed=1, population_size=POPSIZE)
        for _ in range(GENERATIONS):
            points = np.array([strategy.ask() for _ in range(POPSIZE)])
            strategy.tell(list(zip(points, rastrigin(points), strict=True)))

    return loop


def _evosax() -> Loop:
    jax, jnp = import_module("jax"), import_module("jax.numpy")
    algorithm = import_module("evosax.algorithms").DifferentialEvolution(
        population_size=POPSIZE, solution=jnp.zeros(DIM)
    )
    settings = algorithm.default_params

    def generation(state: Any, key: Any) -> Any:
        first, second = jax.random.split(key)
        points, state = algorithm.ask(first, state, settings)
        state, _ = algorithm.tell(second, points, rastrigin(points, jnp), state, settings)
        return state, None

    @jax.jit
    def run(key: Any) -> Any:
        first, second, rest = jax.random.split(key, 3)
        points = jax.random.uniform(first, (POPSIZE, DIM), minval=-BOUND, maxval=BOUND)
        state = algorithm.init(second, points, rastrigin(points, jnp), settings)
        return jax.lax.scan(generation, state, jax.random.split(rest, GENERATIONS - 1))[0].best_fitness

    return lambda: run(jax.random.key(1)).block_until_ready()


def _evox() -> Loop:
    torch, algorithms, workflows = (import_module(name) for name in ("torch", "evox.algorithms", "evox.workflows"))

    class Rastrigin(import_module("evox.core").Problem):
        def evaluate(self, pop: Any) -> Any:
            return rastrigin(pop, torch)

    torch.set_num_threads(1)
    torch.manual_seed(1)
    bound = torch.full((DIM,), BOUND)
    workflow = workflows.StdWorkflow(algorithms.DE(POPSIZE, -bound, bound), Rastrigin())
    workflow.init_step()
    step = torch.compile(workflow.step)

    def loop() -> None:
        for _ in range(GENERATIONS):
            step()

    return loop


LOOPS: dict[str, tuple[str, str, Callable[[], Loop]]] = {  # name: library, what is run, how it is made
    "autov": ("autov", "the paper's metaheuristic, compiled function", lambda: _autov("paper-h3", True)),
    "autov-numpy": ("autov", "the same, function in NumPy", lambda: _autov("paper-h3", False)),
    "autov-ma-es": ("autov", "ma-es, compiled function", lambda: _autov(f"ma-es+popsize={POPSIZE}", True)),
    "evosax": ("evosax", "DE, jax.lax.scan, single precision", _evosax),
    "evox": ("evox", "DE, torch.compile, single precision", _evox),
    "pymoo": ("pymoo", "DE, function in NumPy", _pymoo),
    "scipy": ("scipy", "DE, function in NumPy", _scipy),
    "pycma": ("cma", "CMA-ES, function in NumPy", _pycma),
    "cmaes": ("cmaes", "CMA-ES, function in NumPy", _cmaes),
}


def measured(name: str, repeats: int = 3) -> dict[str, object]:
    """Evaluations a second of one loop, the fastest of several after one that compiles."""
    library, what, make = LOOPS[name]
    if hasattr(os, "sched_setaffinity"):  # one thread each, whatever a library starts
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    start = time.perf_counter()
    loop = make()
    loop()
    first, seconds = time.perf_counter() - start, []
    for _ in range(repeats):
        start = time.process_time()
        loop()
        seconds.append(time.process_time() - start)
    return {
        "version": metadata.version(library), "what": what, "first_seconds": first,
        "evaluations_per_second": POPSIZE * GENERATIONS / min(seconds),
    }  # fmt: skip


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measured(sys.argv[1])) + "\n")
