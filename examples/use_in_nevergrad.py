"""autov among nevergrad's optimizers: numbers, logarithmic scales and choices together.

Needs `pip install ".[nevergrad]"` in a copy of the repository.
"""

import warnings

import nevergrad as ng

import autov.adapters.nevergrad  # noqa: F401 - registers AutoV and AutoVGeneral

warnings.filterwarnings("ignore", module="nevergrad")


def cost(rate, layers, kind):
    """The best is a rate of 0.01, four layers, kind "b"."""
    return abs(rate - 0.01) * 100 + (layers - 4) ** 2 + (kind != "b")


for name in ("AutoV", "AutoVGeneral", "RandomSearch"):
    space = ng.p.Instrumentation(
        rate=ng.p.Log(lower=1e-4, upper=1.0),
        layers=ng.p.Scalar(lower=1, upper=8).set_integer_casting(),
        kind=ng.p.Choice(["a", "b", "c"]),
    )
    space.random_state.seed(1)
    best = ng.optimizers.registry[name](space, budget=300).minimize(cost)
    print(f"{name}: {cost(**best.kwargs):.3g} with {best.kwargs} after 300 evaluations")
