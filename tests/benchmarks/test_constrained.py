"""The table of the constrained problems says what the stored runs say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from benchmarks.constrained import constrained_table

STORED = Path(__file__).parents[2] / "results" / "constrained" / "constrained.json"


def test_the_table_has_the_medians_and_marks_the_smallest():
    data = json.loads(STORED.read_text(encoding="utf-8"))
    table = constrained_table(data)
    assert len(table.rows) == len(data["problems"]) > 5
    for (_, entries), problem in zip(table.rows, data["problems"].values(), strict=True):
        gaps = [np.median([float(v) for v in values]) - problem["minimum"] for values in problem["values"].values()]
        np.testing.assert_allclose([entry.data["median"] for entry in entries], gaps, rtol=1e-12, atol=1e-12)
        assert [entry.best for entry in entries] == [gap == min(gaps) for gap in gaps]
