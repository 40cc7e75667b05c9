"""Whatever decides a result is part of the identity, and nothing else; what cannot be seen is refused."""

import functools
import importlib
import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field

import numpy as np
import pytest
from numba import njit
from scipy.interpolate import CubicSpline, make_interp_spline
from scipy.spatial import KDTree

from autov.algorithms import ALGORITHMS, Evolution
from autov.core.errors import InputError
from autov.core.identities import Identified, canonical, describe, digest, identity, settings_of
from autov.operators import AffineOperator, load_operator, to_dict
from autov.problems import Classic, Function, NumbaFunction, resolve_problem
from tests.core.look_alikes import (
    Colour,
    Scaled,
    Slots,
    cached,
    calling,
    catching,
    constant,
    helper,
    inner_code,
    keeping,
    keyword,
    made,
    masked,
    patched,
    shared,
    structured,
    subclass,
    with_attribute,
    with_method,
    with_property,
    with_static,
    wrapped,
)


@pytest.mark.parametrize(
    ("make", "one", "other"),
    [
        (Scaled, 1.0, 2.0),
        (lambda v: type("Made", (), {"by": v})(), 1, 2),
        (lambda v: subclass(v)(), 1, 2),
        (lambda v: with_method(v)(), 1, 2),
        (lambda v: with_property(v)(), 1, 2),
        (lambda v: with_static(v)(), 1, 2),
        (lambda v: subclass(1, run=inner_code(v))(), 1, 2),
        (lambda v: Scaled(v).__call__, 1, 2),
        (patched, 1, 2),
        (lambda v: Slots(1, v), 1, 2),
        (keyword, 1, 2),
        (keeping, 1, 2),
        (wrapped, 1, 2),
        (cached, 1, 2),
        (with_attribute, 1, 2),
        (inner_code, 1, 2),
        (inner_code, 1, 1.0),
        (inner_code, 0.0, -0.0),
        (catching, "ValueError", "TypeError"),
        (calling, "min", "max"),
        (helper, 1, 2),
        (constant, 1, 2),
        (constant, "a", "b"),
        (shared, 1, 2),
        (lambda v: functools.partial(keeping(1), v), 1, 2),
        (lambda v: functools.partial(keeping(1), by=v), 1, 2),
        (lambda v: np.vectorize(keeping(v)), 1, 2),
        (lambda v: njit(keeping(v)), 1, 2),
        (lambda v: njit(keeping(1), fastmath=v), False, True),
        (lambda v: [v].count, 1, 2),
        (lambda v: CubicSpline([0, 1, 2], [0, v, 0]), 1, 2),
        (lambda v: make_interp_spline([0, 1, 2, 3], [0, v, 0, 1]), 1, 2),
        (np.random.default_rng, 1, 2),
        (np.random.RandomState, 1, 2),
        (lambda v: Function(len, Classic("sphere", 2).box, args=(np.arange(10**6) * v,)), 1, 2),
        (lambda v: Function(keeping(v), Classic("sphere", 2).box), 1, 2),
        (lambda v: NumbaFunction(njit(keeping(v)), Classic("sphere", 2).box), 1, 2),
        (lambda v: v, 1, 1.0),
        (lambda v: v, 1, True),
        (lambda v: v, 1, "1"),
        (lambda v: v, 0.0, -0.0),
        (lambda v: v, float("nan"), "nan"),
        (lambda v: v, float("inf"), float("-inf")),
        (lambda v: v, 1j, -1j),
        (lambda v: v, b"a", "a"),
        (lambda v: v, b"a", b"b"),
        (lambda v: 10**5000 + v, 0, 1),
        (lambda v: v, {1: 2}, {"1": 2}),
        (lambda v: v, {1: 2}, {"dict": [[1, 2]]}),
        (lambda v: v, float("inf"), {"float": "inf"}),
        (lambda v: v, {1, 2}, [1, 2]),
        (lambda v: v, {1, 2}, {1, 3}),
        (lambda v: v, Colour.RED, Colour.BLUE),
        (lambda v: v, Colour.RED, 1),
        (np.array, [1.0, 2.0], [[1.0, 2.0]]),
        (np.array, [0.0], [-0.0]),
        (lambda v: np.array([v, None], dtype=object), 1, 2),
        (lambda v: np.longdouble(1) / v, 3, 7),
        (np.datetime64, "2020-01-01", "2020-01-02"),
        (masked, False, True),
        (structured, 1.0, 2.0),
        (np.random.SeedSequence, 1, 2),
        (lambda v: np.polynomial.Polynomial([v]), 1, 2),
        (lambda v: type("Text", (str,), {})(v), "a", "b"),
        (lambda v: type("Numbers", (list,), {})([v]), 1, 2),
        (lambda v: type("Names", (set,), {})([v]), "a", "b"),
    ],
)
def test_what_decides_a_result_is_part_of_it(make, one, other):
    assert identity(make(one)) == identity(make(one))
    assert identity(make(one)) != identity(make(other))


def test_what_does_not_decide_a_result_is_no_part_of_it():
    plain = "def made(x):\n    y = 2 * x\n    return y\n"
    assert identity(made(plain)) == identity(made("# a comment\n\n" + plain.replace("y", "twice")))
    assert identity(made("OTHER = 1\n" + plain)) == identity(made("OTHER = 2\n" + plain))
    assert identity({"a": 1, "b": 2}) == identity({"b": 2, "a": 1})
    a = np.arange(6.0).reshape(2, 3)
    assert identity(a) == identity(np.asfortranarray(a))
    assert identity([a, a]) == identity([a, a.copy()])
    assert identity(np.float64(0.1)) == identity(0.1)
    assert identity(np.int64(3)) == identity(3)
    assert describe(njit(keyword)) == describe(keyword)


def test_computed_attributes_do_not_count():
    class Lazy:
        def __init__(self):
            self.a = 1

        @functools.cached_property
        def twice(self):
            return 2 * self.a

    lazy = Lazy()
    before = identity(lazy)
    assert lazy.twice == 2
    assert identity(lazy) == before
    cached = functools.lru_cache(keeping(1))
    before = identity(cached)
    cached(3)
    assert identity(cached) == before


@pytest.fixture
def helpers(tmp_path, monkeypatch):
    """Writes modules of a user, imports them anew and gives a function of the one called user_main."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(main, **modules):
        for name, text in {"user_main": main, **modules}.items():
            path = tmp_path / f"{name}.py"
            path.write_text(text)
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        sys.dont_write_bytecode = True
        return importlib.import_module("user_main").f

    was = sys.dont_write_bytecode
    yield write
    sys.dont_write_bytecode = was
    for name in ("user_main", "user_helpers"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    "main",
    [
        "import user_helpers\ndef f(x):\n    return user_helpers.g(x)\n",
        "import user_helpers as h\ndef f(x):\n    m = h\n    return m.g(x)\n",
        "import user_helpers\ndef f(x):\n    return getattr(user_helpers, 'g')(x)\n",
        "from user_helpers import g\ndef f(x):\n    return [g(y) for y in x]\n",
        "def f(x):\n    import user_helpers\n    return user_helpers.g(x)\n",
        "def f(x):\n    from user_helpers import g\n    return g(x)\n",
        "import user_helpers\nclass F:\n    def __call__(self, x):\n        return user_helpers.g(x)\nf = F()\n",
        "import user_helpers\nfrom functools import lru_cache\n@lru_cache\ndef f(x):\n    return user_helpers.g(x)\n",
    ],
)
def test_modules_of_users_are_looked_into(helpers, main):
    text = "BY = {}\ndef g(x):\n    return x * BY\n"
    one = identity(helpers(main, user_helpers=text.format(1)))
    assert identity(helpers(main, user_helpers=text.format(1))) == one
    assert identity(helpers(main, user_helpers=text.format(2))) != one


def test_only_what_is_used_of_a_module_counts(helpers):
    main = "import user_helpers\ndef f(x):\n    return user_helpers.g(x)\n"
    text = "OTHER = {}\ndef g(x):\n    return x\n"
    one = identity(helpers(main, user_helpers=text.format(1)))
    assert identity(helpers(main, user_helpers=text.format(2))) == one


def test_what_runs_counts_not_what_the_file_says_now(helpers, tmp_path):
    f = helpers("def f(x):\n    return x + 1\n")
    before = identity(f)
    (tmp_path / "user_main.py").write_text("def f(x):\n    return x + 2\n")
    assert identity(f) == before  # it still adds 1
    assert identity(helpers("def f(x):\n    return x + 2\n")) != before


def test_functions_of_one_line_are_told_apart(helpers):
    one, other = helpers("f = [lambda x: x + 1, lambda x: x + 2]\n")
    assert identity(one) != identity(other)


def test_circles_end():
    calls_itself = "def made(x):\n    return {} if x < 1 else made(x - 1)\n"
    mutual = "def made(x):\n    return other(x)\ndef other(x):\n    return {} if x < 1 else made(x - 1)\n"
    for text in (calls_itself, mutual):
        assert identity(made(text.format(1))) == identity(made(text.format(1)))
        assert identity(made(text.format(1))) != identity(made(text.format(2)))
    circles = []
    for value in (1, 1, 2):
        inner = [value]
        inner.append({"back": inner})
        thing = Scaled(inner)
        thing.me = thing
        circles.append(identity(thing))
    assert circles[0] == circles[1] != circles[2]


def test_too_many_levels_are_refused_not_cut_off():
    nested = 1
    for _ in range(150):
        nested = [nested]
    chain = "\n".join(f"def f{i}(x):\n    return f{i + 1}(x)" for i in range(150)) + "\ndef f150(x):\n    return x\n"
    for value in (nested, made(chain, "f0")):
        with pytest.raises(InputError, match="nested too deeply"):
            describe(value)
    texts = [chain.replace("return x", f"return {value}") for value in (1, 2)]
    assert identity(made(texts[0], "f80")) != identity(made(texts[1], "f80"))


def test_helpers_that_use_one_another_are_described_once():
    """There are 2^49 ways through them."""
    lines = [f"def f{i}(x):\n    return " + " + ".join(["x", *(f"f{j}(x)" for j in range(i))]) for i in range(50)]
    fun = made("\n".join(lines), "f49")
    assert identity(fun) == identity(fun)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (threading.Lock, "_thread.lock"),
        (lambda: open(os.devnull), "an open file (_io.TextIOWrapper)"),  # noqa: SIM115
        (lambda: (i for i in ()), "builtins.generator"),
        (lambda: keeping(threading.Lock()), "_thread.lock"),
        (lambda: constant_lock, "_thread.lock"),
        (lambda: Scaled(threading.Lock()), "_thread.lock"),
        (lambda: np.frompyfunc(keeping(1), 1, 1), "numpy.ufunc"),
        (lambda: KDTree(np.random.default_rng(1).random((100, 2))), "scipy.spatial._kdtree.KDTree"),
    ],
)
def test_what_cannot_be_seen_is_refused(make, name):
    value = make()
    with pytest.raises(InputError) as caught:
        describe(value)
    if hasattr(value, "close"):
        value.close()
    assert str(caught.value) == f'key: cannot fingerprint {name}, which your code uses; pass key="..."'


LOCK = threading.Lock()


def constant_lock(x):
    with LOCK:
        return x


def test_an_object_may_say_itself_what_counts():
    class Named:
        def __init__(self, key):
            self.key, self.lock = key, threading.Lock()

        def identity_parts(self):
            return {"key": self.key}

    assert isinstance(Named("a"), Identified)
    assert identity(Named("a")) == identity(Named("a")) != identity(Named("b"))

    class Other(Named):
        pass

    assert identity(Other("a")) != identity(Named("a"))


def test_a_subclass_of_an_operator_is_not_the_operator():
    operator = load_operator("paper-h3")

    class Doubled(AffineOperator):
        def __call__(self, *args):
            return 2 * super().__call__(*args)

    doubled = Doubled(operator.inputs, operator.mean, operator.std, operator.probability)
    assert identity(doubled) != identity(operator)
    assert identity(doubled) == identity(Doubled(operator.inputs, operator.mean, operator.std, operator.probability))


def test_operators_are_what_they_do():
    operator = load_operator("paper-h3")
    known = ("format", "version", "inputs", "draw", "tie_bounds", "rows")
    assert describe(operator) == {key: value for key, value in to_dict(operator).items() if key in known}
    assert describe(Evolution(operator)) == {
        "is": "autov.algorithms.evolution:Evolution",
        "operator": describe(operator),
    }


def test_the_spelling_of_what_is_autovs_own_stays():
    """Keys of stored results depend on it."""
    assert canonical(describe(Classic("sphere", 3))) == (
        '{"bound":null,"dim":3,"function":"sphere","is":"autov.problems.classics:Classic"}'
    )
    array = {"array": "float64", "shape": [2], "content": digest(np.array([-1.0, -1.0]).tobytes())}
    name, box, function, *rest = describe(Function(len, Classic("sphere", 2, 1.0).box))
    assert box["is"] == "autov.core.box:Box"
    assert box["lower"] == array
    assert (name, function, rest) == ("Function", {"is": "builtins:len"}, [False, []])
    assert describe(resolve_problem("sphere+rotate=1", dim=2))["is"] == "autov.problems.transforms:Rotated"
    assert describe(functools.partial(len, 1)) == {"partial": [{"is": "builtins:len"}, [1], {}]}
    assert describe(Classic("sphere").objective) == {"method": "objective", "of": describe(Classic("sphere"))}


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "evolution"])
def test_settings_of_algorithms_are_plain_json(name):
    algorithm = ALGORITHMS[name]()
    settings = settings_of(algorithm)
    assert set(describe(settings)) == set(settings)
    assert json.loads(canonical(describe(settings))) == describe(settings)
    assert describe(algorithm) == {
        "is": f"{type(algorithm).__module__}:{type(algorithm).__qualname__}",
        **describe(settings),
    }


def test_settings_are_public():
    @dataclass
    class Settings:
        a: int = 1
        _b: int = field(default=2)

    assert settings_of(Settings()) == {"a": 1}
    assert settings_of(Scaled(1)) == {}
    with pytest.raises(InputError, match="int: has no settings"):
        settings_of(3)
    fun = NumbaFunction(njit(lambda x: x[0]), Classic("sphere", 2).box)
    before = identity(fun)
    fun.objective()
    assert identity(fun) == before


SCRIPT = """
import enum, functools, numpy as np
from dataclasses import dataclass, field
from scipy.interpolate import CubicSpline
from autov.core.identities import identity
from autov.problems import function_problem

class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"

class Base:
    names = {"a", "b", "c", Colour.RED}
    def run(self, x):
        return x if x in {"alpha", "beta", "gamma", "delta"} else help_with(x)

@dataclass
class Made(Base):
    a: int = 1
    more: list = field(default_factory=list)

def help_with(x):
    return Made().run(x), TABLE, {k: v for k, v in TABLE.items()}

@functools.lru_cache
def f(x):
    return help_with(x), object, np.sin, Colour.BLUE

def g(x):
    return x
def h(x):
    return g(x)

TABLE = {("x", 1): f, "y": {f, "b", 3.0, g, h, frozenset("abcdef")}, None: Made, Colour.RED: Made(2)}
things = [f, Made(), TABLE, CubicSpline([0, 1, 2], [0, 1, 0]), np.random.default_rng(1), function_problem(f, [(0, 1)]),
          functools.partial(f, Made), Made().run, Base]
print([identity(thing) for thing in things])
"""


def test_other_processes_say_the_same():
    found = set()
    for seed in ("0", "1", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        found.add(done.stdout)
    assert len(found) == 1
    assert len(set(eval(found.pop()))) == 9
