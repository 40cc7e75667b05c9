"""The list of edits fits the source: each place is there exactly once, and its tests exist."""

from pathlib import Path

import pytest

from tests.mutants.edits import EDITS, EQUIVALENT
from tests.mutants.run import ROOT, edited


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_an_edit_can_be_made(edit):
    text = (ROOT / "src" / "autov" / edit.file).read_text(encoding="utf-8")
    assert edited(edit, text) != text
    assert edit.tests
    for test in edit.tests:
        assert Path(ROOT / test.split("::")[0]).exists()


def test_there_are_enough_of_them():
    names = [edit.name for edit in EDITS]
    assert len(names) == len(set(names))
    assert len(names) >= 45


@pytest.mark.parametrize(("edit", "reason"), EQUIVALENT, ids=[edit.name for edit, _ in EQUIVALENT])
def test_an_edit_that_changes_nothing_has_its_place_and_a_reason(edit, reason):
    text = (ROOT / "src" / "autov" / edit.file).read_text(encoding="utf-8")
    assert edited(edit, text) != text
    assert reason.endswith(".")
    assert edit.name not in {other.name for other in EDITS}
