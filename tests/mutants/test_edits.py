"""The list of edits fits the source: each place is there, and its tests exist."""

import ast

import pytest

from tests.mutants.edits import EDITS, EQUIVALENT
from tests.mutants.places import Edit, edited
from tests.mutants.run import ROOT

SOURCE = """
class Box:
    def width(self):
        return self.upper - self.lower

    def middle(self):
        return (self.upper - self.lower) / 2 + self.lower

def width(a, b):
    print(a)
    print(b)
    return b - a
"""


@pytest.mark.parametrize("edit", [*EDITS, *(edit for edit, _ in EQUIVALENT)], ids=lambda edit: edit.name)
def test_every_mutant_can_be_made(edit):
    text = (ROOT / "src" / "autov" / edit.file).read_text(encoding="utf-8")
    assert ast.dump(ast.parse(edited(edit, text))) != ast.dump(ast.parse(text))
    for test in edit.tests:
        file, _, name = test.partition("::")
        begin = f"def {name.partition('[')[0]}(" if name else "def test_"
        assert begin in (ROOT / file).read_text(encoding="utf-8")


def test_every_mutant_has_a_name_of_its_own_and_tests_or_a_reason():
    names = [edit.name for edit in EDITS] + [edit.name for edit, _ in EQUIVALENT]
    assert len(names) == len(set(names))
    assert all(edit.tests for edit in EDITS)
    assert all(reason.endswith(".") for _, reason in EQUIVALENT)


@pytest.mark.parametrize(
    ("place", "old", "new", "nth", "line"),
    [
        ("Box.width", "self.upper - self.lower", "self.upper", None, "return self.upper"),
        ("Box", "self.upper - self.lower", "self.upper", 1, "return self.upper / 2 + self.lower"),
        ("width", "b - a", "b", None, "return b"),
        ("width", "print(a)", "print(a + 1)", None, "print(a + 1)"),
        ("width", "print(a)\nprint(b)", "print(b)\nprint(a)", None, "print(b)\n    print(a)"),
        ("width", "print(b)", "pass", None, "print(a)\n    pass"),
        ("", "b - a", "a - b", None, "return a - b"),
    ],
)
def test_an_edit_changes_its_place_alone_however_the_source_is_formatted(place, old, new, nth, line):
    edit = Edit("", "box.py", place, old, new, (), nth)
    changed = edited(edit, SOURCE)
    assert f"    {line}\n" in f"{changed}\n"
    assert edited(edit, SOURCE.replace("self.upper - self.lower", "(  # wide\n self.upper\n - self.lower)")) == changed
    assert edited(edit, "import os\n" + SOURCE) == "import os\n\n" + changed


@pytest.mark.parametrize(
    ("place", "old", "nth"),
    [
        ("Box", "self.upper - self.lower", None),  # twice
        ("Box", "self.upper - self.lower", 2),
        ("Box.width", "b - a", None),
        ("Box.depth", "self.upper", None),
        ("middle", "self.lower", None),
        ("width", "print(b)\nprint(a)", None),
    ],
)
def test_a_place_that_is_missing_or_ambiguous_is_an_error(place, old, nth):
    with pytest.raises(ValueError, match=r"box\.py"):
        edited(Edit("", "box.py", place, old, "0", (), nth), SOURCE)
