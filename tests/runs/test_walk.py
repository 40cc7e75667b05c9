"""What a call of `minimize` passes; docs/design.md has the table, and says what each module is for."""

import re
import sys
from pathlib import Path

import autov

DOCS = Path(__file__).parents[2] / "docs" / "design.md"


def sphere(x):
    return float((x**2).sum())


def entered(**options):
    """Modules and functions of autov that the second call of `minimize` enters."""
    found = set()

    def note(frame, event, _):
        if event == "call" and (module := frame.f_globals.get("__name__", "")).startswith("autov."):
            found.add((module, frame.f_code.co_qualname))

    autov.minimize(sphere, [(-5, 5)] * 3, rng=1, **options)
    sys.setprofile(note)
    try:
        autov.minimize(sphere, [(-5, 5)] * 3, rng=1, **options)
    finally:
        sys.setprofile(None)
    return found


def test_the_walk_of_minimize_is_as_long_as_the_docs_say():
    walk = entered(algorithm="de", maxfev=300)
    told = re.search(r"\| modules \|.*\| (\d+) \|", DOCS.read_text(encoding="utf-8"))
    assert len({module for module, _ in walk}) == int(told[1])
