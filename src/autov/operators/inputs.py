"""What an affine operator combines: its kinds of input, the five forms of the paper (eq. 31), and any other tuple.

A new kind of input is one more record in the table below, a row of the pool in `autov.kernels.evolution.selection`, and
its value in `AffineOperator.__call__`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from autov.core import InputError
from autov.kernels.evolution.variation import BEST, DIFFERENCE, LOWER, MEAN, SPREAD, UPPER, WIDTH


@dataclass(frozen=True)
class Input:
    """One kind of input.

    Attributes:
        name: as users and files write it.
        code: by which kernels know it: the number of a parent, negative for the others.
        symbol: in a formula, as LaTeX; plain text has no underscores and braces.
        from_x1: whether its weight multiplies the difference to x1; if not, the input as it is, a direction. Kernels
            read the weights of such inputs last.
        given: whether it may be written among the inputs of an operator.
        length: whether it is a length along each variable, never negative, so that it is no vector.
    """

    name: str
    code: int
    symbol: str
    from_x1: bool = True
    given: bool = True
    length: bool = False

    @property
    def parent(self) -> bool:
        """Whether it is one of the parents x1, x2, ..."""
        return self.code > 0

    @property
    def term(self) -> str:
        """What its weight multiplies, in plain text."""
        symbol = re.sub(r"[_{}]", "", self.symbol)
        return f"({symbol} - x1)" if self.from_x1 else f"({symbol})"

    @property
    def latex_term(self) -> str:
        """What its weight multiplies, in LaTeX."""
        return f"({self.symbol}-x_1)" if self.from_x1 else f"({self.symbol})".replace(" ", "")


BOUNDS = "bounds"  # the name of the one weight of (upper - lower) when the bounds are tied
OTHERS = {
    kind.name: kind
    for kind in (
        Input("best", BEST, "b"),
        Input("mean", MEAN, "m"),
        Input("lower", LOWER, "l"),
        Input("upper", UPPER, "u"),
        Input("difference", DIFFERENCE, "x_a - x_b", from_x1=False),
        Input("spread", SPREAD, "s", from_x1=False, length=True),
        Input("width", WIDTH, "u - l", from_x1=False, length=True),
        Input(BOUNDS, WIDTH, "u - l", from_x1=False, given=False),
    )
}
GIVEN = tuple(kind.name for kind in OTHERS.values() if kind.given)

FORMS = {
    "h1": ("x1", "x2"),
    "h2": ("x1", "lower", "upper"),
    "h3": ("x1", "x2", "lower", "upper"),
    "h4": ("x1", "x2", "x3"),
    "h5": ("x1", "x2", "x3", "lower", "upper"),
}


def input_of(name: object) -> Input:
    """The record of an input or weight by its name."""
    if isinstance(name, str):
        if name in OTHERS:
            return OTHERS[name]
        if re.fullmatch(r"x[1-9][0-9]?", name):
            number = name[1:]
            return Input(name, int(number), f"x_{number}" if len(number) == 1 else f"x_{{{number}}}")
    raise InputError(f"inputs: unknown {name!r}; allowed are x1, x2, x3, ..., {', '.join(GIVEN)}")


def inputs_of(form: str | Sequence[str]) -> tuple[str, ...]:
    """The inputs of a form given by name, or of a custom tuple, checked."""
    if isinstance(form, str):
        if form in FORMS:
            return FORMS[form]
        if "," not in form:
            raise InputError(
                f"form: unknown {form!r}; one of {', '.join(FORMS)}, or inputs such as 'x1,x2,best,lower,upper'"
            )
        form = [part.strip() for part in form.split(",")]
    if not isinstance(form, Sequence):
        raise InputError(f"form: must be one of {', '.join(FORMS)} or a tuple of inputs, got {form!r}")
    inputs = tuple(form)
    kinds = [input_of(name) for name in inputs]
    for kind in kinds:
        if not kind.given:
            raise InputError(f"inputs: unknown {kind.name!r}; allowed are x1, x2, x3, ..., {', '.join(GIVEN)}")
    if not inputs or inputs[0] != "x1":
        raise InputError(f"inputs: the first must be x1, got {', '.join(inputs) or 'none'}")
    if len(set(inputs)) != len(inputs):
        raise InputError(f"inputs: each may appear once, got {', '.join(inputs)}")
    if len(inputs) < 2:
        raise InputError(f"inputs: x1 alone has no weight to draw; add x2, {', '.join(GIVEN[:-1])} or {GIVEN[-1]}")
    parents = sorted(kind.code for kind in kinds if kind.parent)
    if parents != list(range(1, len(parents) + 1)):
        raise InputError(f"inputs: parents must be numbered x1, x2, x3, ... without a gap, got {', '.join(inputs)}")
    return inputs


def weights_of(inputs: tuple[str, ...], tie_bounds: bool) -> tuple[str, ...]:
    """The names of the weights that are drawn: every input but x1; tied bounds share one."""
    if not tie_bounds:
        return inputs[1:]
    if not {"lower", "upper"} <= set(inputs):
        raise InputError(f"tie_bounds: needs both lower and upper among the inputs, got {', '.join(inputs)}")
    return (*(name for name in inputs[1:] if name not in ("lower", "upper")), BOUNDS)


def form_name(inputs: tuple[str, ...]) -> str:
    """h1 .. h5, or the inputs written out."""
    return next((name for name, form in FORMS.items() if form == inputs), ",".join(inputs))
