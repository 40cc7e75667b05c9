"""Tests of an adapter need its library."""

from importlib.util import find_spec

LIBRARIES = ("ioh", "joblib", "nevergrad", "optuna", "pymoo", "sklearn")
collect_ignore = [f"test_{name}.py" for name in LIBRARIES if find_spec(name) is None]
