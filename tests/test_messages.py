"""The wording of messages about bad input, in one place: tests of behaviour ask for the type and the argument only.

`python -m tests.test_messages` writes tests/messages.txt anew; read the difference before you commit it.
"""

import contextlib
import io
from pathlib import Path

import numpy as np
import pytest

import autov
from autov.algorithms import resolve_algorithm
from autov.algorithms.de import DE
from autov.algorithms.warm_start import WarmStart
from autov.cli import main
from autov.core import Box, InputError, generator
from autov.core.checks import whole_number
from autov.designer.space import portfolio_space
from autov.engines import engine_of, in_order, worker_count
from autov.operators import AffineOperator
from autov.paper.figures import search_behaviour

FILE = Path(__file__).with_name("messages.txt")
BOX = [(-1.0, 1.0)] * 2


def bowl(x):
    return float((x**2).sum())


def operator(*inputs, **options):
    return AffineOperator(inputs, [[0.5]] * 2, [[0.1]] * 2, [0.5, 0.5], **options)


def applied(made, parents=1):
    return made(np.zeros((parents, 2, 3)), np.zeros(3), np.ones(3), generator(0))


CALLS = {
    "known points of another size": lambda: autov.minimize(bowl, BOX, known=(np.zeros((2, 3)), np.zeros(2))),
    "a known point outside": lambda: autov.minimize(bowl, BOX, known=([[0, 2]], [1])),
    "a known value that is none": lambda: autov.minimize(bowl, BOX, known=([[0, 0]], [np.nan])),
    "known points in no form": lambda: autov.minimize(bowl, BOX, known=3),
    "a source outside": lambda: autov.minimize(bowl, BOX, learn_from=([[0, 2]], [1])),
    "a context that is none": lambda: autov.minimize(bowl, BOX, learn_from=([[0, 0]], [1]), context="hot"),
    "a box without end": lambda: Box(np.array([0.0, -1e200]), np.array([1.0, 1e200])),
    "a half-open box without x0": lambda: autov.minimize(bowl, [(0, 1), (0, np.inf)]),
    "x0 of another size": lambda: autov.minimize(bowl, BOX, x0=np.zeros(3)),
    "bounds that are no pairs": lambda: autov.minimize(bowl, [1, 2, 3]),
    "bounds upside down": lambda: autov.minimize(bowl, [(1, 0)]),
    "a budget of nothing": lambda: autov.minimize(bowl, BOX, maxfev=0),
    "a budget that is a text": lambda: autov.minimize(bowl, BOX, maxfev="many"),
    "an unknown algorithm": lambda: autov.minimize(bowl, BOX, algorithm="gaa"),
    "an algorithm under its former name": lambda: autov.minimize(bowl, BOX, algorithm="autov"),
    "an unknown setting": lambda: autov.minimize(bowl, BOX, algorithm="de+f=1"),
    "a setting that a shipped one has not": lambda: resolve_algorithm("general+F=0.7"),
    "a setting out of its range": lambda: DE(base="best"),
    "too small a population": lambda: autov.minimize(bowl, BOX, algorithm="de", popsize=1, maxfev=10),
    "an unknown problem": lambda: autov.problem("rastrigen"),
    "a problem of too few variables": lambda: autov.problem("lunacek", dim=1),
    "a function without bounds": lambda: autov.problem(bowl),
    "an optimum of another size": lambda: autov.function_problem(bowl, BOX, optimum=[0.0]),
    "a variable that is nothing": lambda: autov.space(a="b"),
    "a logarithm of zero": lambda: autov.space(a=(0, 1, "log")),
    "bounds with a word": lambda: autov.minimize(bowl, [(0, 1, "lg"), (0, 1)]),
    "a first point without a variable": lambda: autov.minimize(bowl, {"a": (0, 1), "b": ["c"]}, x0={"a": 1}),
    "a category that is none": lambda: autov.Optimizer({"a": ["b", "c"]}).tell({"a": "d"}, 1.0),
    "integers that are described already": lambda: autov.minimize(bowl, {"a": range(3), "b": (0, 1)}, integrality=True),
    "a problem without a name": lambda: autov.function_problem(bowl, BOX, name=""),
    "a count that is too large": lambda: whole_number("runs", 1e13, 0),
    "a count above its limit": lambda: whole_number("rows", 6, 1, 5),
    "workers": lambda: worker_count(0),
    "a map without results": lambda: in_order(engine_of(lambda *_: None, "threads"), bowl, range(4)),
    "what is no operator": lambda: autov.check(3),
    "an operator without its best": lambda: applied(operator("x1", "best")),
    "an operator with too few parents": lambda: applied(operator("x1", "x2")),
    "an unknown draw": lambda: operator("x1", "x2", draw="some"),
    "a memory of problems that move": lambda: autov.design("sphere", dim=3, remember=True),
    "a memory outside the box": lambda: WarmStart(DE(), ((2.0,),), (0.0,)),
    "a memory of other variables": lambda: WarmStart(DE(), ((0.5,),), (0.0, 0.0)),
    "a family that is unknown": lambda: autov.design("sphere", dim=3, family=("spin",)),
    "members that are unknown": lambda: portfolio_space(("shade",)),
    "evaluations that are a text": lambda: autov.design("sphere", dim=3, evaluations="many"),
    "a reference that is not compared": lambda: autov.compare(["ga", "de"], "sphere", reference="x", runs=1, maxfev=40),
    "an unknown figure": lambda: search_behaviour("fig-4"),
    "an unknown table": lambda: autov.reproduce("table-4"),
    "an export that is unknown": lambda: autov.export("paper-h3", "cobol"),
    "an export of an unknown name": lambda: autov.export("foo", "python"),
    "an export of a similar name": lambda: autov.export("genral", "python"),
    "an export of an unknown setting": lambda: autov.export("de+x=1", "python"),
    "an export of what is not affine": lambda: autov.export("sbx", "python"),
    "an export of the default": lambda: autov.export("general", "python"),
    "a function of a module without bounds": lambda: autov.problem("tests.test_messages:bowl"),
    "the same algorithm twice": lambda: autov.compare(["ga", "ga"], "sphere"),
    "a Bayesian test of runs that are not paired": lambda: autov.compare(
        ["ga", "de"], "sphere", dim=2, runs=2, maxfev=20, popsize=10
    ).scores(test="bayes"),
}


COMMANDS = (
    "lst", "frob", "minimize", "compare --algorithms ga", "minimize sphere ackley", "minimize sphere --algoritm ga",
    "minimize sphere --qqqq", "minimize sphere --maxfev", "minimize sphere --vectorized=3",
    "minimize sphere --maxfev abc", "minimize sphere --runs 0", "minimize sphere --runs 1 --runs=-3",
    "minimize sphere --seed -1", "minimize sphere --timeout soon", "design sphere --evaluations many",
    "minimize sphere --engine fast", "minimize sphere --algorithm gaa", "minimize sphere --dim 1 --known no.csv",
    "compare --algorithms gaa --problems f1", "compare --algorithms ga --problems rastrigen",
    "compare --algorithms ga --problems f1 --reference x", "design sphere --family spin",
    "design sphere --lower -1 --upper 1",
    "minimize sphere --out x.txt", "minimize sphere --out x.html --runs 2",
    "list algorithm", "list foo", "show foo", "show sphere", "check shad",
    "check foo", "check foo --bias", "reproduce table-4", "reproduce table-99",
)  # fmt: skip


def message_of(call):
    """The message, and hints."""
    with pytest.raises(InputError) as caught:
        call()
    return [str(caught.value), *(f"hint: {note}" for note in getattr(caught.value, "__notes__", ()))]


def said_to(command):
    """What the command prints about bad input."""
    said = io.StringIO()
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stderr(said):
        main(command.split())
    assert ended.value.code == 2
    return said.getvalue().splitlines()


def snapshot():
    found = {name: message_of(call) for name, call in CALLS.items()}
    found |= {f"autov {command}": said_to(command) for command in COMMANDS}
    return "".join("\n    ".join([name, *lines]) + "\n" for name, lines in found.items())


def test_messages_say_what_they_said():
    assert snapshot() == FILE.read_text(encoding="utf-8")


if __name__ == "__main__":
    FILE.write_text(snapshot(), encoding="utf-8")
