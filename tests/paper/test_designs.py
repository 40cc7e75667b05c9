"""Tables whose columns are designed first."""

import dataclasses
import math

import pytest

from autov.core import InputError
from autov.designer import design as real_design
from autov.paper import PAPER_TABLES, DesignSpec, design_operators, paper_table, reproduce
from autov.paper import designs as module
from autov.paper.page import reproduction_page
from autov.reports import svg
from autov.reports.plots import parameter_plot


@pytest.fixture
def counted(monkeypatch):
    """Tiny searches, and how many were made."""
    made = []

    def tiny(problem, **options):
        made.append((problem, options["form"], options["rows"]))
        options.pop("preset")
        return real_design(problem, dim=3, population=4, generations=1, final_race=False, **options)

    monkeypatch.setattr(module, "design", tiny)
    return made


def test_operators_are_designed_once(tmp_path, counted):
    wanted = {"a": DesignSpec("sphere", "h2", 2), "b": DesignSpec("ackley", "h3", 3)}
    said = []
    first = design_operators(wanted, tmp_path, workers=1, progress=False, announce=said.append)
    assert counted == [("sphere", "h2", 2), ("ackley", "h3", 3)]
    assert said == ["sphere-h2-k2-quick-1", "ackley-h3-k3-quick-1"]
    again = design_operators(wanted, tmp_path, workers=1, progress=False, announce=said.append)
    assert len(counted) == len(said) == 2
    assert again == first
    design_operators(wanted, tmp_path, seed=2, workers=1, progress=False)
    assert len(counted) == 4


def test_a_table_of_designed_operators(tmp_path, counted, monkeypatch):
    short = dataclasses.replace(
        PAPER_TABLES["table-5"], problems={name: (name,) for name in ("ackley", "schwefel_2_22")}, dim=3, maxfev=300,
        popsize=20, designs={"h1": DesignSpec("sphere", "h3", 1), "h3": DesignSpec("sphere", "h3", 2)},
    )  # fmt: skip
    monkeypatch.setitem(PAPER_TABLES, "table-5", short)
    found = reproduce("table-5", runs={"h1": 2, "h3": 3}, rng=1, store=None, designs=tmp_path)
    assert len(counted) == 2
    cells = {(cell.problem, cell.algorithm): cell for cell in found.cells}
    assert cells["ackley", "h1"].paper_mean == 0.000547
    assert cells["ackley", "h3"].ours.n == 3
    assert math.isnan(cells["schwefel_2_22", "h1"].paper_mean)  # a digit is lost in the paper
    assert cells["schwefel_2_22", "h1"].agrees is None
    assert found.signs[1] == 1
    assert "2-3 runs" in found.table().caption
    with pytest.raises(InputError, match="unknown h9; table-5 has h1, h3"):
        reproduce("table-5", runs={"h9": 1}, rng=1, store=None, designs=tmp_path)


def test_a_figure_has_no_figures_of_the_paper(tmp_path, counted, monkeypatch):
    short = dataclasses.replace(
        PAPER_TABLES["fig-5"], problems={"sphere": ("sphere",)}, dim=3, maxfev=300, popsize=20,
        designs={f"k={k}": DesignSpec("sphere", "h3", k) for k in (1, 10)},
    )  # fmt: skip
    monkeypatch.setitem(PAPER_TABLES, "fig-5", short)
    found = reproduce("fig-5", runs=2, rng=1, store=None, designs=tmp_path)
    assert found.signs == (0, 0)
    assert found.mean_log_ratio is None
    assert "(the paper" not in found.table().caption
    assert "0 of 0" not in found.table().notes[0] + reproduction_page(found)
    assert len(counted) == 2
    drawn = svg(parameter_plot(found.comparison))
    assert "k=10" in drawn
    assert "sphere" in drawn


def test_the_paper_designs():
    assert [w.form for w in paper_table("table-5").designs.values()] == ["h1", "h2", "h3", "h4", "h5"]
    assert [w.rows for w in paper_table("fig-5").designs.values()] == [1, 5, 10, 15, 20]
    assert all(label == w.problem for label, w in paper_table("table-6").designs.items())
    same = {paper_table(name).designs[label] for name, label in
            (("table-5", "h3"), ("fig-5", "k=10"), ("table-6", "rastrigin"))}  # fmt: skip
    assert len(same) == 1
