import dataclasses
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from autov import function_problem
from autov.core import Box, InputError
from autov.experiments import Comparison, compare, experiment
from tests.experiments.tiny import RandomSearch
from tests.reports.made import made_comparison, made_row

SMALL = {"dim": 3, "maxfev": 300, "popsize": 10, "workers": 1}


def test_a_comparison(tmp_path):
    options = {**SMALL, "store": tmp_path / "r.db"}
    first = compare({"paper-h3": "paper-h3", "mine": RandomSearch()}, "sphere,f9", runs=8, **options)
    assert first.reference == "paper-h3"
    assert first.values("sphere", "mine").shape == (8,)
    counts, curves = first.curves("f9", "paper-h3")
    assert curves.shape == (8, len(counts))
    more = compare({"paper-h3": "paper-h3", "mine": RandomSearch()}, "sphere,f9", runs=10, **options)
    assert np.array_equal(more.values("f9", "mine")[:8], first.values("f9", "mine"))
    table = more.table()
    assert table.columns == ("problem", "paper-h3", "mine")
    assert table.rows[0][1][1].mark == "-", "random search is worse than the paper"
    assert table.rows[0][1][0].best
    assert table.footer[0] == ("+/-/=", ("", "0/2/0"))


def test_a_name_that_is_not_in_the_comparison_is_refused():
    compared = compare("de", "f1,f9", **SMALL, runs=1, store=None)
    assert compared.curves("f9", "de")[1].shape[0] == 1
    for read in (compared.values, compared.curves, compared.runs):
        with pytest.raises(InputError, match=r"^problem: "):
            read("rastrigin", "de")
        with pytest.raises(InputError, match=r"^algorithm: "):
            read("f1", "shade")


def test_the_reference():
    options = {**SMALL, "maxfev": 20, "runs": 1, "store": None}
    assert compare(["ga", "de"], "sphere", **options).reference == "de"
    assert compare(["ga", "de"], "sphere", reference="ga", **options).reference == "ga"
    with pytest.raises(InputError, match=r"^reference: "):
        compare(["ga", "de"], "sphere", reference="x", **options)


def test_runs_may_differ():
    planned = experiment(["ga", "de"], "f1,f2", runs={"ga": 1, "de": 3})
    assert Counter(task.label for task in planned.tasks) == {"ga": 2, "de": 6}
    assert [task.run for task in planned.tasks] == sorted(task.run for task in planned.tasks)
    with pytest.raises(InputError, match="one for each of ga, de"):
        experiment(["ga", "de"], "f1", runs={"ga": 1})


def test_experiments_do_not_draw():
    code = "import sys, autov.experiments; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_best_median_is_set_off():
    made = made_comparison()
    rows = [row for row in made.rows if row.problem == "f_1" and row.label != "paper-h3"]
    lucky = [dataclasses.replace(row, best=row.best if row.run or row.label != "ga" else 1e6) for row in rows]
    skewed = Comparison("skewed", ("ga", "<b>|&"), ("f_1",), "ga", tuple(lucky))
    best = {show: [entry.best for entry in skewed.table(show).rows[0][1]] for show in ("mean", "median")}
    assert best == {"mean": [False, True], "median": [True, False]}


def test_a_table_names_its_test_its_level_and_its_correction():
    found = compare(["shade", "ga", "de"], "sphere+family=translate", dim=2, maxfev=40, popsize=8, runs=6, rng=1)
    (paired,) = (note for note in found.table(level=0.1).notes if note.startswith("+, - and ="))
    assert paired.endswith("(signed-rank test of runs on the same instances, 0.1, Holm-corrected).")
    (bayes,) = (note for note in found.table(test="bayes").notes if note.startswith("+, - and ="))
    assert bayes.endswith("(Bayesian signed-rank test of runs on the same instances, probability above 0.95).")
    (paper,) = (note for note in found.table(test="paper").notes if note.startswith("+, - and ="))
    assert "Holm" not in paper


def test_rows_of_other_versions_are_told(tmp_path, monkeypatch):
    from autov.experiments import comparison, row

    options = {**SMALL, "maxfev": 20, "store": tmp_path / "r.db"}
    now = row.versions()
    with monkeypatch.context() as patch:
        for module in (row, comparison):
            patch.setattr(module, "versions", lambda: now | {"numpy": "1.0", "numba": "0.9"})
        compare(["ga"], "sphere", runs=2, **options)
    with pytest.warns(UserWarning, match="store: 2 of 3 runs were made with") as told:
        found = compare(["ga"], "sphere", runs=3, **options)
    assert len(told) == 2
    expected = f"2 of 3 runs were made with numpy 1.0, here is {now['numpy']}; another store has them run anew."
    assert expected in found.table().notes


def test_rows_of_another_version_of_a_peer_are_not_used(tmp_path):
    from autov.peers import scipy as peer

    options = {**SMALL, "maxfev": 20, "runs": 2, "store": tmp_path / "r.db"}
    old = dataclasses.replace(peer.SciPyDE(), version="0.1")
    first = compare({"de": old}, "sphere", **options)
    second = compare({"de": peer.SciPyDE()}, "sphere", **options)
    assert not {r.key for r in first.rows} & {r.key for r in second.rows}


@pytest.mark.parametrize("ask", ["values", "curves", "runs"])
def test_names_that_are_not_in_a_comparison_are_refused(ask):
    made = made_comparison()
    with pytest.raises(InputError, match=r"^problem: "):
        getattr(made, ask)("rastrigin", "ga")
    with pytest.raises(InputError, match=r"^algorithm: "):
        getattr(made, ask)("step", "de")


def test_without_a_seed_a_store_goes_on_and_nothing_else_repeats_itself(tmp_path):
    size = {"dim": 2, "maxfev": 40, "popsize": 10, "runs": 1, "workers": 1}
    fresh = [compare("de", "sphere", **size).values("sphere", "de")[0] for _ in range(2)]
    assert fresh[0] != fresh[1]
    first, again = (compare("de", "sphere", store=tmp_path / "results.db", **size).rows for _ in range(2))
    assert [row.created for row in first] == [row.created for row in again]


class Levels:
    """A family whose instances have minima of their own: that of run r is r."""

    name, optimum, box, minimum = "levels", None, Box.cube(-1, 1, 3), 0.0

    def instance(self, run):
        return function_problem(lambda x: float((x**2).sum()) + run, [(-1, 1)] * 3, minimum=float(run), key=f"{run}")

    def __call__(self, x, rng):
        return self.instance(0)(x, rng)

    def objective(self):
        return None


def made_of(bests, case):
    """A comparison of these best values of each label on one problem."""
    rows = [made_row("p", label, run, best) for label, values in bests.items() for run, best in enumerate(values)]
    return Comparison("made", tuple(bests), ("p",), next(iter(bests)), tuple(rows), cases={"p": case})


def test_gaps_are_those_to_the_minimum_of_the_instance_that_a_run_met():
    made = made_of({"a": [0.5, 1.0 + 1e-12, 2.25], "b": [0.0, 1.5, 3.0]}, Levels())
    assert made.gaps("p", "a").tolist() == [0.5, 1e-8, 0.25], "what is solved is equal"
    assert made.gaps("p", "b").tolist() == [1e-8, 0.5, 1.0]


def test_pairs_are_runs_of_all_algorithms_on_the_same_instances():
    assert made_of({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 3.0]}, Levels()).paired == ("p",)
    assert made_of({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0]}, Levels()).paired == ()
    assert made_of({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 3.0]}, Levels().instance(0)).paired == ()
