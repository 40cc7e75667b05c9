"""Spaces and members of the user's own: designed, kept, resumed, saved and reported."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import autov
from autov.algorithms.de import DE
from autov.algorithms.files import load_algorithm
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.resolve import resolve_algorithm
from autov.core import FileError, InputError
from autov.designer import Gene, Space, design_settings
from autov.reports.design_files import write_design

TINY = {"generations": 2, "population": 5, "race_size": 2, "race_runs": 2, "retest_runs": 3, "rng": 1, "dim": 2,
        "known": False, "trial": {"evaluations": 60, "popsize": 10, "runs": 2}}  # fmt: skip


def make_de(values):
    return DE(**values)


OWN = Space(
    "my-de",
    (
        Gene("F", 0.1, 1.0),
        Gene("CR", 0.0, 1.0),
        Gene("base", scale="choice", choices=("random", "target")),
    ),
    make_de,
    seeds=(("usual", {"F": 0.5, "CR": 0.9, "base": "random"}),),
)


@dataclass(frozen=True)
class State:
    box: object
    x: object


@dataclass(frozen=True)
class Blind:
    """Draws points around a place; values teach it nothing."""

    name = "blind"
    genes = (Gene("place", 0.0, 1.0), Gene("step", 0.001, 0.1, "log"))
    place: float = 0.5
    step: float = 0.01

    def init(self, box, popsize, maxfev, rng, x0=None):  # noqa: ARG002
        return State(box, np.empty((popsize, box.dim)))

    def ask(self, state, rng):
        near = state.box.lower + self.place * state.box.width
        return state.box.clip(near + self.step * state.box.width * rng.standard_normal(state.x.shape)), state

    def tell(self, state, x, f, rng):  # noqa: ARG002
        return replace(state, x=x)

    def population(self, state):
        return state.x, np.zeros(len(state.x))


def test_a_space_of_your_own_is_designed_reported_and_saved(tmp_path):
    found = autov.design("sphere", space=OWN, **TINY)
    assert isinstance(found.algorithm, DE)
    assert found.settings["space"] == "my-de"
    assert [gene["name"] for gene in found.settings["genes"]] == ["F", "CR", "base"]
    assert {"usual", "general"} <= set(found.baselines)
    assert found.candidates.genes == ("F", "CR", "base")
    paths = write_design(found, tmp_path)
    assert "DE" in paths["report.html"].read_text() or "de with F" in paths["report.html"].read_text()
    assert load_algorithm(paths["optimizer.json"]) == found.algorithm
    fixed = autov.design("sphere", space=OWN, fix={"CR": 0.25}, **TINY)
    assert fixed.algorithm.CR == 0.25


def test_an_own_space_is_resumed_and_another_one_is_not(tmp_path):
    place = {"checkpoint": tmp_path / "search.npz", "space": OWN}
    first = autov.design("sphere", **TINY, **place)
    again = autov.design("sphere", resume=True, **TINY, **place)
    assert (again.retested == first.retested).all()
    other = replace(OWN, make=lambda values: DE(**{**values, "F": 0.9}))
    with pytest.raises(FileError, match=r"belongs to other settings \(own was"):
        autov.design("sphere", resume=True, **TINY, **{**place, "space": other})


def test_a_space_in_a_file(tmp_path):
    (tmp_path / "own_space_file.py").write_text(
        "from autov.algorithms.de import DE\nfrom autov.designer import Gene, Space\n"
        "SPACE = Space('filed', (Gene('F', 0.1, 1.0),), lambda values: DE(**values))\n"
    )
    assert autov.design("sphere", space=f"{tmp_path}/own_space_file.py:SPACE", **TINY).settings["space"] == "filed"


def test_genes_that_depend_on_others_are_left_out_where_they_do_not_count():
    space = Space(
        "tree",
        (
            Gene("kind", scale="choice", choices=("de", "ma-es")),
            Gene("F", 0.1, 1.0, when=("kind", ("de",))),
            Gene("sigma", 0.1, 0.3, when=("kind", ("ma-es",))),
            Gene("deep", 0.1, 1.0, when=("sigma", (0.2,))),
        ),
        lambda v: DE(F=v["F"]) if v["kind"] == "de" else MatrixAdaptation(sigma=v["sigma"]),
    )
    assert set(space.values(np.array([0.2, 0.5, 0.5, 0.5]))) == {"kind", "F"}
    assert set(space.values(np.array([0.8, 0.5, 0.5, 0.5]))) == {"kind", "sigma", "deep"}
    assert set(space.values(np.array([0.8, 0.5, 0.6, 0.5]))) == {"kind", "sigma"}
    assert space.fix({"kind": "de"}).gene_names == ("F",), "what never counts is not designed"
    found = autov.design("sphere", space=space, **TINY)
    assert isinstance(found.algorithm, (DE, MatrixAdaptation))
    assert found.settings["genes"][1]["when"] == ["kind", ["de"]]


def test_a_member_of_your_own_with_the_genes_it_declares(tmp_path):
    found = autov.design("sphere", members=("ma-es", Blind), **TINY)
    member = found.algorithm.members[1]
    assert isinstance(member, Blind)
    assert {"blind.trial", "blind.place", "blind.step"} <= set(found.candidates.genes)
    assert {"ma-es", "blind", "hand-made portfolio"} <= set(found.baselines)
    assert found.settings["members"] == ["ma-es", "blind"]
    path = write_design(found, tmp_path)["optimizer.json"]
    with pytest.raises(InputError, match=r"^algorithm: .* has the member blind, a class of a user"):
        resolve_algorithm(str(path))
    assert load_algorithm(path, own=[Blind]) == found.algorithm
    assert resolve_algorithm(f"{path}+own={__file__}:Blind+polish=0").members[1].place == member.place


def test_a_member_from_a_file_on_the_command_line(capsys, tmp_path):
    from tests.cli.running import run

    text = Path(__file__).read_text(encoding="utf-8")
    head = text[text.index("@dataclass") : text.index("def test_a_space_of")]
    (tmp_path / "own_member_file.py").write_text(
        f"from dataclasses import dataclass, replace\nimport numpy as np\nfrom autov.designer import Gene\n\n\n{head}"
    )
    code, _, err = run(
        capsys, "design", "sphere", "--dim", "2", "--members", f"ma-es,{tmp_path}/own_member_file.py:Blind",
        "--population", "4", "--generations", "1", "--trial-popsize", "6", "--trial-generations", "5", "--runs", "1",
        "--race-runs", "2", "--retest-runs", "2", "--workers", "1", "--no-known", "--no-insight", "--out",
        str(tmp_path / "out"), "--json",
    )  # fmt: skip
    assert (code, err) == (0, "")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Gene("a", 1.0, 0.0), r"^gene: a needs low < high"),
        (lambda: Gene("a", 0.0, 1.0, "log"), r"^gene: a needs 0"),
        (lambda: Gene("a", scale="choice"), r"^gene: a needs choices"),
        (lambda: Gene("a", scale="cubic"), r"^gene: scale"),
        (lambda: Space("x", (), make_de), r"^space: has a name, at least one gene"),
        (lambda: Space("x", (Gene("F"), Gene("F")), make_de), r"^space: gene 'F' occurs twice"),
        (lambda: Space("x", (Gene("F", when=("kind", ("de",))),), make_de), r"^space: F depends on 'kind'"),
        (lambda: design_settings(space=replace(OWN, name="portfolio")), r"^space: 'portfolio' is the name"),
        (lambda: design_settings(space=replace(OWN, make=lambda _: 3)), r"^space: make must return an algorithm"),
        (lambda: design_settings(space=replace(OWN, seeds=(("a", {"G": 1}),))), r"^space: the baseline 'a'"),
        (lambda: design_settings(space="nonsense"), r"^space: must be one of"),
        (lambda: design_settings(members=(Blind, 3)), r"^members: user members are classes"),
        (lambda: design_settings(members=("ga",)), r"^members: some of .*, or file\.py:Name"),
        (lambda: design_settings(members=(State,)), r"^members: user members are classes"),
        (lambda: design_settings(members=(type("Bad", (), {"name": "bad"}),)), r"^members: bad needs the methods"),
    ],
)  # fmt: skip
def test_bad_spaces_and_members(make, message):
    with pytest.raises(InputError, match=message):
        make()
