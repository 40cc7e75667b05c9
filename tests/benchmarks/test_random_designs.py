"""The verdicts of docs/designs-found.md come from the stored designs."""

import json
from pathlib import Path

from benchmarks.random_designs import judged

ROOT = Path(__file__).parents[2]


def test_the_stored_verdicts_are_what_the_stored_gaps_give():
    stored = json.loads((ROOT / "results" / "random-designs.json").read_text(encoding="utf-8"))
    assert judged(stored["cells"]) == stored["judged"]
    text = (ROOT / "docs" / "designs-found.md").read_text(encoding="utf-8")
    for name, found in stored["judged"].items():
        searcher = name.rpartition(", ")[2]
        if searcher != "random":
            shown = "Algorithm 1" if searcher == "best-operator" else "`ma-es`"
            assert (
                f"{shown} | {found['median_gap']:.3g} | {found['better']} of {found['of']} | {found['worse']} |" in text
            )
    costs = [found["evaluations"] for found in stored["judged"].values()]
    assert max(costs) < 1.01 * min(costs), "equal cost"


def test_a_smaller_gap_is_better():
    cells = {
        f"{family}, seed 1": {"best-operator": cell(1.0), "ma-es": cell(3.0), "random": cell(2.0)}
        for family in ("rastrigin+family=translate", "ackley+family=translate-rotate")
    }
    found = judged(cells)
    assert found["rastrigin+family=translate, best-operator"]["better"] == 1
    assert found["rastrigin+family=translate, ma-es"]["worse"] == 1


def cell(gap):
    return {"gaps": [gap + i / 100 for i in range(12)], "evaluations": 100}
