"""The verdicts of docs/theory.md come from the stored designs."""

import json
from pathlib import Path

import numpy as np

from benchmarks.invariant_weights import SLOPES, VARIANTS, judged, made_of, space

ROOT = Path(__file__).parents[2]


def test_the_stored_verdicts_are_what_the_stored_gaps_give():
    stored = json.loads((ROOT / "results" / "invariant-weights.json").read_text(encoding="utf-8"))
    assert judged(stored["cells"]) == stored["judged"]
    text = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
    for family, found in stored["judged"].items():
        medians = [f"{np.median(found['medians'][variant]):.3g}" for variant in VARIANTS]
        row = f"| `{family}` | {' | '.join(medians)} | {found['better']} of {found['of']} | {found['worse']} |"
        assert row in text
    costs = {cell["evaluations"] for cells in stored["cells"].values() for cell in cells.values()}
    assert len(costs) == 1, "equal cost"
    assert all(not np.any(cells["constant"]["slope"]) for cells in stored["cells"].values())


def test_constant_weights_are_the_same_space_without_slopes():
    whole, constant = space(), space().fix(VARIANTS["constant"])
    assert set(whole.gene_names) - set(constant.gene_names) == set(SLOPES)
    operator = made_of(constant.values(np.full(len(constant.genes), 0.3))).operator.function
    assert not np.any(operator.slope)
    assert np.any(made_of(whole.values(np.full(len(whole.genes), 0.3))).operator.function.slope)
