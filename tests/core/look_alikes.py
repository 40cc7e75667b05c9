"""Functions and objects that look the same and are not: each maker hides a value somewhere else."""

import enum
import functools
import types

import numpy as np


def made(source, name="made", **space):
    """What a piece of source defines under a name; there is no file to read it from."""
    exec(source, space)
    return space[name]


class Scaled:
    factor = 1.0

    def __init__(self, scale):
        self._scale = scale

    def __call__(self, x):
        return self._scale * self.factor * float(x.sum())


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


def keeping(value):
    return lambda x: x - value


def wrapped(value):
    @functools.wraps(np.linalg.norm)
    def norm(x):
        return x * value

    return norm


def cached(value):
    return functools.lru_cache(keeping(value))


def keyword(value):
    def made(x, *, by=value):
        return x * by

    return made


def with_attribute(value):
    def made(x):
        return x * made.by

    made.by = value
    return made


def subclass(value, **more):
    base = type("Base", (), {"by": value, **more})
    return type("Made", (base,), {})


def patched(value):
    thing = Scaled(1.0)
    thing.run = types.MethodType(lambda self, x: self(x) + value, thing)
    return thing


def with_method(value):
    return made(f"class made:\n    def run(self, x):\n        return x * {value}\n")


def with_property(value):
    return made(f"class made:\n    @property\n    def run(self):\n        return {value}\n")


def with_static(value):
    return made(f"class made:\n    @staticmethod\n    def run(x):\n        return x * {value}\n")


def inner_code(value):
    return made(f"def made(x):\n    def inner(y):\n        return [z * {value} for z in y]\n    return inner(x)\n")


def catching(error):
    return made(f"def made(x):\n    try:\n        return f(x)\n    except {error}:\n        return 0\n")


def calling(method):
    return made(f"def made(x):\n    return x.{method}()\n")


def helper(value):
    return made(
        f"def one(x):\n    return two(x)\ndef two(x):\n    return x * {value}\ndef made(x):\n    return one(x)\n"
    )


def constant(value):
    return made(f"BY = {value!r}\ndef made(x):\n    return x * BY\n")


def shared(value):
    return made(f"class Shared:\n    by = {value}\ndef made(x):\n    return x * Shared.by\n")


def masked(value):
    return np.ma.array([1.0, 2.0], mask=[False, value])


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def structured(value):
    return np.array([(1, value)], dtype=np.dtype([("a", "i1"), ("b", "f8")], align=True))
