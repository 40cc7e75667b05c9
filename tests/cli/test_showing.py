"""What commands tell people: help, show, list, check, and names that are nearly right."""

import io
import json
import re

import pytest
from rich.console import Console

from autov.cli import search_display
from tests.cli.running import run


def test_show_and_list(capsys):
    assert "N(0.4753, 0.1015²)" in run(capsys, "show", "paper-h3")[1]
    assert "mathcal" in run(capsys, "show", "paper-h3", "--latex")[1]
    assert json.loads(run(capsys, "show", "paper-h3", "--json")[1])["format"] == "autov-operator"
    names = [row["name"] for row in json.loads(run(capsys, "list", "problems", "--json")[1])]
    assert "f9, rastrigin" in names
    assert "paper-f13" in names
    assert "lsgo-f15" in names
    operators = {row["name"]: row for row in json.loads(run(capsys, "list", "operators", "--json")[1])}
    assert operators["paper-h3"]["rows"] == 10
    assert operators.keys() >= {"sbx", "de-mutation", "fep-mutation"}
    assert {"imode", "paper-h3", "evolution"} <= set(run(capsys, "list", "algorithms")[1].split())
    assert "Offspring: the operator" in run(capsys, "show", "evolution:sbx")[1]


def test_the_list_of_problems_has_groups_and_boxes(capsys):
    rows = {row["name"]: row for row in json.loads(run(capsys, "list", "problems", "--json")[1])}
    boxes = {name: rows[name]["box"] for name in ("f1, sphere", "g01", "welded-beam", "speed-reducer", "knapsack")}
    assert boxes == {"f1, sphere": "[-100, 100]", "g01": "differs", "welded-beam": "differs",
                     "speed-reducer": "differs, integers", "knapsack": "differs, integers"}  # fmt: skip
    groups = ["classic", "added", "noisy", "paper", "lsgo", "constrained", "bbob"]
    assert list(dict.fromkeys(row["group"] for row in rows.values())) == groups
    assert rows["paper-f1"]["group"] == "paper"
    assert "f9, rastrigin           classic" in run(capsys, "list", "problems")[1]


def test_tables_are_as_wide_as_columns_says(capsys, monkeypatch):
    arguments = ("compare", "--algorithms", "ga,de,pso,shade,fep,cso,ma-es", "--problems", "f1", "--dim", "2", "--runs",
                 "1", "--maxfev", "20", "--popsize", "10", "--workers", "1")  # fmt: skip
    monkeypatch.delenv("COLUMNS", raising=False)
    assert max(map(len, run(capsys, *arguments)[1].splitlines())) > 100
    monkeypatch.setenv("COLUMNS", "70")
    assert max(map(len, run(capsys, *arguments)[1].splitlines())) <= 70


@pytest.mark.parametrize("columns", ["60", "80"])
def test_the_summaries_of_commands_are_not_cut(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    shown = run(capsys, "--help")[1]
    assert "reproduce" in shown
    assert "..." not in shown.partition("Commands:")[2]


@pytest.mark.parametrize(
    ("arguments", "known"),
    [
        (("show", "genral"), "general"),
        (("show", "paper-h4"), "paper-h3"),
        (("check", "shad"), "shade"),
        (("check", "sbx-prim", "--bias"), "sbx-prime"),
        (("list", "algorithm"), "algorithms"),
        (("export", "genral", "--to", "python"), "general"),
        (("minimize", "rastrign"), "rastrigin"),
        (("minimize", "sphere", "--algorithm", "shad"), "shade"),
    ],
)
def test_a_name_that_is_nearly_right_is_told(capsys, arguments, known):
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert f"did you mean {known!r}?" in err
    assert run(capsys, *arguments[:1], "qqqqqq", *arguments[2:])[2].splitlines()[1:] in (
        ["hint: autov list shows all names"], []
    )  # fmt: skip


def test_show_tells_what_is_done_apart_from_where_it_comes_from(capsys):
    shown = run(capsys, "show", "general")[1]
    assert "\n\nSource:\n  purpose: " in shown
    assert "\n  evaluations: 361,125,300\n" in shown
    assert "\n  seed: 1\n" in shown


def test_the_display_of_minimize_has_the_name_of_its_table(capsys, monkeypatch):
    titles = []
    monkeypatch.setattr(search_display, "view", lambda title, *_: titles.append(title) or "")
    monkeypatch.setattr(search_display, "Console", lambda **_: Console(file=io.StringIO(), force_terminal=True))
    out = run(capsys, "minimize", "sphere", "--dim", "2", "--runs", "2", "--maxfev", "50", "--workers", "1")[1]
    assert set(titles) == {"general on sphere"}
    assert "general on sphere," in out


def test_show_is_no_wall_of_training_cases(capsys):
    lines = run(capsys, "show", "general")[1].splitlines()
    (trained,) = [line for line in lines if line.startswith("  trained on: ")]
    assert re.fullmatch(r"  trained on: (\S+ in \d+-D, \d+d evaluations(, \S+ of them)?(, )?){3} and \d+ more", trained)
    assert max(map(len, lines)) < 300


def test_show_begins_with_what_it_is_and_its_papers(capsys):
    listed = {row["name"]: row["description"] for row in json.loads(run(capsys, "list", "algorithms", "--json")[1])}
    for name in ("shade", "ma-es", "general"):
        assert run(capsys, "show", name)[1].splitlines()[0] == listed[name]
    papers = [line for line in run(capsys, "show", "ga")[1].splitlines() if line.startswith("Paper: ")]
    assert [re.search(r"\d{4}\.$", line)[0] for line in papers] == ["1992.", "1995.", "1996."]
    assert "\nPaper: H.-G. Beyer and B. Sendhoff, Simplify your" in run(capsys, "show", "ma-es")[1]
    assert "Paper: " not in run(capsys, "show", "general")[1]
    assert run(capsys, "show", "de+F=0.7")[1].startswith("de with F = 0.7")


def test_show_says_of_a_problem_that_it_is_one(capsys):
    code, _, err = run(capsys, "show", "sphere")
    assert code == 2
    assert err.startswith("autov: show: 'sphere' is a problem; ")


def test_check_and_require(capsys):
    code, out, _ = run(capsys, "check", "de-mutation", "--json", "--require", "translation,scale,rotation")
    assert code == 0
    assert json.loads(out)["holds"] == dict.fromkeys(("translation", "scale", "rotation", "permutation", "order"), True)
    code, _, err = run(capsys, "check", "paper-h3", "--require", "rotation")
    assert code == 1
    assert "rotation does not hold" in err
    assert run(capsys, "check", "paper-h3", "--draw", "solution", "--require", "rotation")[0] == 0


def test_check_for_bias_and_latex(capsys):
    code, out, _ = run(capsys, "check", "--algorithm", "de", "--bias", "--dim", "2", "--runs", "20", "--json")
    assert code == 0
    assert json.loads(out)["runs"] == 20
    code, out, _ = run(capsys, "check", "de-mutation", "--bias", "--dim", "2", "--runs", "20")
    assert code == 0
    assert "Structural bias of evolution:de-mutation" in out
    assert run(capsys, "check", "sbx", "--bias", "--require", "scale")[0] == 2
    code, out, _ = run(capsys, "check", "de-mutation", "--dim", "3", "--latex")
    assert code == 0
    assert r"\begin{tabular}" in out


def test_check_an_algorithm(capsys):
    code, out, _ = run(capsys, "check", "--algorithm", "de", "--seed", "5")
    assert code == 0
    assert "Trajectories of de on rosenbrock" in out
    assert "seed 5" in out
    assert [line.split()[:2] for line in out.splitlines()[2:5]] == [
        ["translation", "yes"], ["scale", "yes"], ["rotation", "open"],
    ]  # fmt: skip
    code, _, err = run(capsys, "check", "--algorithm", "de", "--draw", "solution")
    assert code == 2
    assert "--draw, --parents: for operators" in err


def test_a_file_that_exits_passes_no_check(capsys, tmp_path):
    (tmp_path / "exits_for_cli.py").write_text("import sys\nsys.exit(0)\n")
    code, _, err = run(capsys, "check", f"{tmp_path / 'exits_for_cli.py'}:h", "--require", "rotation")
    assert code == 2
    assert "fails to import: SystemExit" in err
