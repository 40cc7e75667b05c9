"""Which part of an algorithm matters: known effects are found, and none is invented."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

import autov
from autov.algorithms.de import DE
from autov.algorithms.portfolio import Portfolio
from autov.core import InputError
from autov.designer.candidates import Candidates
from autov.experiments.ablation import explain
from autov.reports.insight import explanation_page

SIZE = {"dim": 2, "maxfev": 60, "popsize": 10, "rng": 1}


@dataclass(frozen=True)
class State:
    box: object
    x: object


@dataclass(frozen=True)
class Blind:
    """Draws points near the middle, or where ``place`` says; values teach it nothing."""

    name = "blind"
    place: float = 0.5
    unused: float = 1.0

    def init(self, box, popsize, maxfev, rng, x0=None):  # noqa: ARG002
        return State(box, np.empty((popsize, box.dim)))

    def ask(self, state, rng):
        near = state.box.lower + self.place * state.box.width
        return state.box.clip(near + 0.01 * state.box.width * rng.standard_normal(state.x.shape)), state

    def tell(self, state, x, f, rng):  # noqa: ARG002
        return replace(state, x=x)

    def population(self, state):
        return state.x, np.zeros(len(state.x))


def test_a_setting_that_matters_is_told_from_one_that_does_not():
    found = explain(Blind(place=0.9, unused=3.0), "sphere", runs=12, **SIZE)
    assert [(change.name, change.mark) for change in found.changes] == [("unused", "="), ("place", "+")]
    assert found.changes[1].smaller == 1.0
    assert found.changes[1].spec == "place=0.5"
    assert not found.paired
    assert found.sentences()[1] == "Better with the change: place 0.9 -> 0.5."
    worse = explain(Portfolio((Blind(place=0.5), Blind(place=0.9)), trial=(0.4, 0.4), polish=0.1), "sphere", runs=12,
                    **SIZE)  # fmt: skip
    marks = {change.name: change.mark for change in worse.changes}
    assert marks["blind"] == "-"
    assert marks["blind-2"] != "-"
    assert "without blind" in worse.sentences()[1]


def test_a_change_shows_values_that_differ():
    found = explain(DE(F=0.50004), "sphere", dim=2, maxfev=40, popsize=10, runs=2, rng=1)
    assert [change.what for change in found.changes] == ["F 0.50004 -> 0.5"]


def test_paired_and_corrected_for_all_changes():
    found = explain(Blind(place=0.9, unused=3.0), "sphere+family=translate", runs=6, **SIZE)
    assert found.paired
    assert {one.least for change in found.changes for one in change.found.values()} == {1.0}, (
        "2 x 2^-5 is not below 5 %"
    )
    assert {change.mark for change in found.changes} == {"?"}
    nine = explain(Blind(place=0.9, unused=3.0), "sphere+family=translate", runs=9, **SIZE)
    assert {one.least for change in nine.changes for one in change.found.values()} == {2.0**-8}


def test_members_are_tried_before_settings_where_evaluations_are_few():
    algorithm = Portfolio(trial=(0.1, 0.2), hedge=0.3)
    whole = explain(algorithm, "sphere", runs=10, **SIZE)
    least = 3 * 60 * 7  # as it is and two members, seven runs of each
    few = explain(algorithm, "sphere", runs=10, evaluations=least, **SIZE)
    assert [change.name for change in sorted(few.changes, key=lambda change: change.name)] == ["evolution", "ma-es"]
    assert (few.runs, few.evaluations) == (7, least)
    assert few.left_out + 2 == len(whole.changes)
    none = explain(algorithm, "sphere", evaluations=100, **SIZE)
    assert (none.changes, none.evaluations) == ((), 0)


def test_genes_of_candidates_are_ordered_where_they_tell_something():
    rng = np.random.default_rng(1)
    vectors = rng.random((400, 3))
    design = autov.design("sphere", generations=1, population=4, members="ma-es", race_size=2, race_runs=2,
                          retest_runs=2, rng=1, dim=2, trial={"evaluations": 30, "popsize": 6, "runs": 2})  # fmt: skip
    values = (vectors[:, 1] + 0.2 * rng.random(400))[:, None, None]
    told = explain(replace(design, candidates=Candidates(("a", "b", "c"), vectors, values)), runs=2)
    assert next(iter(told.importance)) == "b"
    assert told.importance["b"] > 0.7
    noise = replace(design, candidates=Candidates(("a", "b", "c"), vectors, rng.random((400, 1, 1))))
    silent = explain(noise, runs=2)
    assert not silent.is_ranked
    assert "almost nothing" in silent.sentences()[-1]
    assert not silent.importance_table().rows
    page = explanation_page(told, "autov explain x")
    assert "<svg" in page
    assert "autov explain x" in page
    assert json.loads(json.dumps(told.to_dict()))["importance"]["b"] == told.importance["b"]
    assert told.plot().get_xlabel().startswith("share of runs")
    assert "a random forest" in told._repr_html_()


def test_bad_input():
    with pytest.raises(InputError, match=r"^problems: "):
        explain(DE())
    with pytest.raises(InputError, match=r"^explain: no folder"):
        explain("runs/nowhere-at-all")
    with pytest.raises(InputError, match=r"^runs: "):
        explain(DE(), "sphere", runs=1)


def test_a_folder_without_a_design(tmp_path):
    with pytest.raises(InputError, match=r"^explain: .* is no folder of a design"):
        explain(tmp_path)
