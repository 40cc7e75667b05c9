"""Which inputs an affine operator combines: the five forms of the paper (eq. 31) and any other tuple."""

from __future__ import annotations

import re
from collections.abc import Sequence

from autov.core import InputError
from autov.kernels.variation import BEST, LOWER, MEAN, UPPER, WIDTH

FORMS = {
    "h1": ("x1", "x2"),
    "h2": ("x1", "lower", "upper"),
    "h3": ("x1", "x2", "lower", "upper"),
    "h4": ("x1", "x2", "x3"),
    "h5": ("x1", "x2", "x3", "lower", "upper"),
}
BOUNDS = "bounds"  # the name of the one weight of (upper - lower) when the bounds are tied
_CODES = {"best": BEST, "mean": MEAN, "lower": LOWER, "upper": UPPER, BOUNDS: WIDTH}


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
    inputs = tuple(form)
    for name in inputs:
        if not isinstance(name, str) or not (
            re.fullmatch(r"x[1-9][0-9]?", name) or name in ("best", "mean", "lower", "upper")
        ):
            raise InputError(f"inputs: unknown {name!r}; allowed are x1, x2, x3, ..., best, mean, lower, upper")
    if not inputs or inputs[0] != "x1":
        raise InputError(f"inputs: the first must be x1, got {', '.join(inputs) or 'none'}")
    if len(set(inputs)) != len(inputs):
        raise InputError(f"inputs: each may appear once, got {', '.join(inputs)}")
    if len(inputs) < 2:
        raise InputError("inputs: x1 alone has no weight to draw; add x2, best, mean, lower or upper")
    parents = sorted(int(name[1:]) for name in inputs if name[0] == "x")
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


def code_of(name: str) -> int:
    """The number by which kernels know an input."""
    return _CODES[name] if name in _CODES else int(name[1:])


def form_name(inputs: tuple[str, ...]) -> str:
    """h1 .. h5, or the inputs written out."""
    return next((name for name, form in FORMS.items() if form == inputs), ",".join(inputs))
