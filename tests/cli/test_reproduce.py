"""The command that repeats the tables and figures of the paper."""

import dataclasses
import json

import pytest

from autov.paper import AS_WRITTEN, PAPER_TABLES
from tests.cli.running import run


def test_reproduce_list_and_figures(capsys, tmp_path):
    out = run(capsys, "reproduce", "--list")[1]
    assert all(name in out for name in ("table-1", "table-7", "table-9", "fig-1", "fig-6"))
    for name in ("fig-1", "fig-2", "fig-3"):
        code, out, _ = run(capsys, "reproduce", name, "--out", str(tmp_path), "--json")
        assert code == 0
        found = {(row["algorithm"], row["transformation"]): row["deviation"] for row in json.loads(out)["deviations"]}
        first, second = list(dict.fromkeys(algorithm for algorithm, _ in found))
        assert max(value for (algorithm, _), value in found.items() if algorithm == first) < 1e-9
        assert max(value for (algorithm, _), value in found.items() if algorithm == second) > 0.1
        assert (tmp_path / f"{name}.svg").exists()


def test_reproduce_saves_loads_and_makes_the_page(capsys, tmp_path, monkeypatch):
    few = {label: AS_WRITTEN[label] for label in ("GA", "AutoV")}
    where = {name: PAPER_TABLES["table-7"].problems[name] for name in ("paper-f8", "paper-f6+translate=-9")}
    short = dataclasses.replace(PAPER_TABLES["table-7"], algorithms=few, problems=where, maxfev=600)
    monkeypatch.setitem(PAPER_TABLES, "table-7", short)
    options = ("--store", str(tmp_path / "r.db"), "--workers", "1")
    saved = tmp_path / "paper" / "table-7.json"
    code, out, _ = run(capsys, "reproduce", "table-7", "--runs", "3,AutoV=5", "--save", str(saved), "--json", *options)
    assert code == 0
    ran = json.loads(out)["rows"]
    assert {row["problem"]: (row["cells"]["GA"]["n"], row["cells"]["AutoV"]["n"]) for row in ran} == {
        "paper-f8": (3, 5), "paper-f6+translate=-9": (3, 5),
    }  # fmt: skip
    folder = tmp_path / "shown"
    code, out, _ = run(capsys, "reproduce", "table-7", "--load", str(saved), "--json", "--out", str(folder))
    assert code == 0
    assert {path.name for path in folder.iterdir()} == {"table-7.html", "table-7.md"}  # no curves were saved
    for before, after in zip(ran, json.loads(out)["rows"], strict=True):
        assert before["cells"]["GA"]["our_sign"] == after["cells"]["GA"]["our_sign"]
        assert before["cells"]["GA"]["mean"] == pytest.approx(after["cells"]["GA"]["mean"])
    code, _, err = run(capsys, "reproduce", "table-8", "--load", str(saved))
    assert code == 2
    assert "results of other algorithms or problems" in err
    (saved.parent / "remarks.md").write_text("# table-7\n\nWhat is to be said.\n\n# table-8\n\nNothing.\n")
    code, out, _ = run(capsys, "reproduce", "--docs", str(saved.parent))
    assert code == 0
    assert "## table-7" in out
    agree = [row["cells"]["GA"]["agrees"] for row in ran]
    assert f"{sum(agree)} of {len(agree)} signs agree" in out
    assert ("GA on paper-f8" in out) == (not agree[0])
    assert "What is to be said." in out
    assert "Nothing." not in out


@pytest.fixture
def few_tables():
    """Two tables; afterwards all of them are back, in their order."""
    kept = dict(PAPER_TABLES)
    for name in kept:
        if name not in ("table-1", "table-7-text"):
            del PAPER_TABLES[name]
    yield
    PAPER_TABLES.clear()
    PAPER_TABLES.update(kept)


@pytest.mark.usefixtures("few_tables")
def test_reproduce_all(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, labels in (("table-1", ("SBX-GA",)), ("table-7-text", ("GA", "AutoV"))):
        entry = PAPER_TABLES[name]
        few = {label: entry.algorithms[label] for label in labels}
        first = dict(list(entry.problems.items())[:1])
        monkeypatch.setitem(PAPER_TABLES, name, dataclasses.replace(entry, algorithms=few, problems=first, maxfev=300))
    code, out, _ = run(capsys, "reproduce", "all", "--runs", "2", "--workers", "1")
    assert code == 0
    made = {path.name for path in (tmp_path / "runs" / "paper").iterdir()}
    assert made >= {"table-1.json", "table-1.md", "table-7-text.html", "table-7-text.svg", "fig-1.svg", "reproduce.md"}
    page = (tmp_path / "runs" / "paper" / "reproduce.md").read_text()
    assert "## table-1" in page
    assert "## table-7-text" in page
    assert "table-7-text" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("table-7", "--runs", "many"), "--runs: expected a number such as 5"),
        (("table-7", "--runs", "0"), "runs: must be"),
        (("table-7", "--runs", "2,Nobody=3"), "runs: unknown Nobody"),
        (("--docs", "nowhere"), "--docs: no folder"),
        (("table-4",), "unknown 'table-4'\nhint: autov reproduce --list"),
        (("table-99",), "unknown 'table-99'; did you mean 'table-9'?"),
        (("all", "--save", "x.json"), "--save, --load: for one table"),
        (("fig-1", "--runs", "3"), "--runs, --save, --load: not for fig-1"),
        (("--docs", "broken"), "table-7.json: cannot be read"),
        (("table-5", "--preset", "huge"), "--preset: must be one of quick"),
        (("table-7", "--load", "nowhere.json"), "nowhere.json: cannot be read"),
    ],
)
def test_reproduce_refuses(capsys, tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "table-7.json").write_text('{"form')
    code, _, err = run(capsys, "reproduce", *arguments)
    assert code == 2
    assert says in err
    assert len([line for line in err.splitlines() if not line.startswith("hint: ")]) == 1
    assert not (tmp_path / "results.db").exists()
