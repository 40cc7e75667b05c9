"""Targets of comparisons: from fresh runs, from the store, from old stores and from compact files."""

import dataclasses

import numpy as np
import pytest

from autov.core import InputError
from autov.experiments import Comparison, compare
from autov.experiments.compact import pack, unpack
from autov.problems import function_problem, problem_group
from autov.reports import comparison_page, ecdf_plot, profile_plot

OPTIONS = {"dim": 2, "maxfev": 400, "popsize": 10, "runs": 3, "workers": 1}
NAMES = ["sphere", "rastrigin+translate=run", "paper-f8"]


def bowl(x):
    return float((x**2).sum()) - 5.0


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    store = tmp_path_factory.mktemp("measures") / "r.db"
    compare(["paper-h3", "scipy:de", "de"], NAMES, store=store, **OPTIONS)
    return compare(["paper-h3", "scipy:de", "de"], NAMES, store=store, **OPTIONS)  # from the file


def test_shares_and_areas_by_hand(compared):
    found = compared.targets([10.0, 1e-3])
    assert found.problems == ("sphere", "rastrigin+translate=run"), "the minimum of paper-f8 is unknown"
    assert found.resolution == "improvements"
    for label in compared.algorithms:
        reached, area = [], []
        for name in found.problems:
            for row in compared.runs(name, label):
                for target in (10.0, 1e-3):
                    at = [c for c, b in zip(*row.trace, strict=True) if b <= target]
                    reached.append(bool(at))
                    area.append(1 - np.log(at[0]) / np.log(400) if at else 0.0)
        assert found.share(label) == pytest.approx(np.mean(reached))
        assert found.area(label) == pytest.approx(np.mean(area))
    assert found.share("paper-h3") > 0
    counts, shares = compared.ecdf("paper-h3")
    assert shares[-1] == pytest.approx(compared.targets().share("paper-h3"))
    assert (np.diff(counts) > 0).all()


def test_running_times_and_successes(compared):
    table = compared.ert([10.0])
    head, entries = table.rows[0]
    assert head == "sphere, 10"
    hits = [
        next((c for c, b in zip(*row.trace, strict=True) if b <= 10.0), None) for row in compared.runs("sphere", "de")
    ]
    expected = sum(400 if at is None else at for at in hits) / max(1, sum(at is not None for at in hits))
    assert entries[2].data["ert"] == pytest.approx(expected)
    assert entries[2].detail == f"{sum(at is not None for at in hits)}/3"


def test_the_table_of_measures_and_ranks(compared):
    table = compared.measures()
    assert table.columns == ("algorithm", "targets reached", "area under ECDF", "rank of medians")
    assert [head for head, _ in table.rows] == list(compared.algorithms)
    ranks = compared.median_ranks()
    assert sum(ranks.values()) == pytest.approx(6)
    medians = {a: np.median(compared.values("sphere", a)) for a in compared.algorithms}
    alone = dataclasses.replace(compared, problems=("sphere",)).median_ranks()
    assert sorted(alone, key=alone.get) == sorted(medians, key=medians.get)


def test_profiles_and_plots(compared):
    taus, shares = compared.targets().profile()
    assert taus[0] == 1.0
    assert sum(profile[0] for profile in shares.values()) >= 1.0, "someone is best on every pair"
    assert all((np.diff(profile) >= 0).all() for profile in shares.values())
    assert [ax.get_title() for ax in ecdf_plot(compared, by_group=True).axes] == ["unimodal (1)", "multimodal (1)"]
    line = ecdf_plot(compared).axes[0].lines[0]
    assert line.get_ydata()[-1] == pytest.approx(compared.targets().share("paper-h3"))
    assert len(profile_plot(compared).axes[0].lines) == 3
    assert "area under ECDF" in comparison_page(compared)


def test_rows_of_old_stores_have_samples_only(compared):
    rows = tuple(dataclasses.replace(row, trace=None) for row in compared.rows)
    old = Comparison("old", compared.algorithms, compared.problems, "paper-h3", rows)
    assert old.targets().resolution == "samples"
    for label in old.algorithms:
        assert old.targets().share(label) == compared.targets().share(label), "final values are the same"
        assert old.targets().area(label) <= compared.targets().area(label) + 1e-12, "reached later, never earlier"
    assert any("50 samples" in note for note in old.measures().notes)


def test_compact_results_know_shares_but_not_when(compared):
    back = unpack(pack(compared)).targets()
    assert back.resolution == "final values"
    assert back.share("de") == compared.targets().share("de")
    assert back.table().columns == ("algorithm", "targets reached")
    with pytest.raises(InputError, match="only final values are known"):
        back.area("de")
    with pytest.raises(InputError, match=r"^plot: "):
        ecdf_plot(unpack(pack(compared)))


def test_objects_of_users_have_their_minimum_only_where_they_were_run():
    mine = function_problem(bowl, [(-1, 1)] * 2, name="sphere", minimum=-5.0)
    compared = compare("de", mine, rng=1, store=None, **(OPTIONS | {"dim": None}))
    assert compared.minimum("sphere", 0) == -5.0
    assert compared.targets().share("de") > 0.3
    bare = dataclasses.replace(compared, cases={})
    assert bare.minimum("sphere", 0) is None, "it is not the sphere that autov knows by this name"


def test_instances_with_different_minima_are_compared_by_their_gaps():
    pytest.importorskip("ioh", exc_type=ImportError)
    name = "bbob-f1+instance=1..3"
    compared = compare(["de", "paper-h3"], [name], rng=1, store=None, **OPTIONS)
    single = [compare("de", f"bbob-f1+instance={i + 1}", rng=1, store=None, **OPTIONS) for i in range(3)]
    minima = [single[i].minimum(f"bbob-f1+instance={i + 1}") for i in range(3)]
    assert len(set(minima)) == 3
    gaps = [single[i].values(f"bbob-f1+instance={i + 1}", "de")[i] - minima[i] for i in range(3)]
    assert np.allclose(compared.values(name, "de"), gaps, rtol=1e-6)
    assert [compared.minimum(name, run) for run in range(3)] == [0.0, 0.0, 0.0]


def test_groups_of_problems():
    found = [problem_group(n) for n in ("f1", "paper-f9+rotate=run", "levy", "bbob-f14+instance=1..5", "bbob-f15",
                                        "lsgo-f3", "file.py:cost", "f99", "cigar")]  # fmt: skip
    assert found == [
        "unimodal", "multimodal", "multimodal", "BBOB, high conditioning, unimodal",
        "BBOB, multimodal, adequate structure", "large scale", "others", "others", "unimodal",
    ]  # fmt: skip


def test_bad_input_is_refused(compared):
    with pytest.raises(InputError, match=r"^targets: "):
        compared.targets([1.0, 0.0])
    with pytest.raises(InputError, match=r"^algorithm: "):
        compared.targets().share("x")
    with pytest.raises(InputError, match=r"^problems: "):
        compared.ecdf("de", ["paper-f8"])
