"""Help in groups, names for the shell, and hints."""

import json
import re
from typing import get_args

import pytest
from typer.main import get_command

from autov.adapters.exports.exporting import FORMATS
from autov.cli.app import app
from autov.cli.options import LAYOUT
from autov.designer.fitness import AGGREGATES, OVER_RUNS
from autov.designer.presets import PRESETS
from autov.designer.settings import SPACES
from autov.engines import NAMES
from autov.experiments.comparison import TESTS
from autov.operators.affine import Unit
from tests.cli.running import run

COMMANDS = get_command(app).commands


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("minimize rast", "rastrigin"),
        ("minimize rastrigin --algorithm sha", "shade"),
        ("compare --algorithms ga,sha", "ga,shade"),
        ("compare --problems ackley,rast", "ackley,rastrigin"),
        ("design rastrigin --members ma-es,sep", "ma-es,separable-multimodal"),
        ("show unif", "uniform-crossover"),
        ("list al", "algorithms"),
    ],
)
def test_the_shell_completes_names_also_behind_commas(capsys, monkeypatch, words, found):
    monkeypatch.setenv("_AUTOV_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"autov {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
    assert found in run(capsys)[1].split()


@pytest.mark.parametrize("name", list(LAYOUT))
def test_every_option_is_in_one_group(name):
    listed = " ".join(part for parts in LAYOUT[name].values() for part in parts).split()
    own = [p.name for p in COMMANDS[name].params if p.param_type_name == "option" and p.name != "help_all"]
    assert sorted(listed) == sorted(own)


@pytest.mark.parametrize("name", list(LAYOUT))
def test_help_has_groups_without_ranges_and_fits_80_columns(capsys, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    short, whole = run(capsys, name, "--help")[1], run(capsys, name, "--help-all")[1]
    heads = re.findall(r"^(\w.*):$", whole, flags=re.MULTILINE)
    assert [head for head in heads if head not in ("Arguments", "Other options")] == list(LAYOUT[name])
    for text in (short, whole):
        assert "range" not in text.replace("ranges such as", "")
        assert "x>=" not in text
        assert "<" not in text
        assert max(map(len, text.splitlines())) <= 80
    assert len(short) < len(whole)
    rare = " ".join(rare for _, rare in LAYOUT[name].values()).split()
    options = {p.name: p.opts[0] for p in COMMANDS[name].params}
    for each in rare:
        assert re.search(rf"^  {options[each]}\b", whole, flags=re.MULTILINE)
        assert not re.search(rf"^  {options[each]} ", short, flags=re.MULTILINE)


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - set(LAYOUT)))
def test_short_help_names_no_types_of_numbers(capsys, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    text = run(capsys, name, "--help")[1]
    assert not re.search(r"<|range>|x>=|INTEGER", text)
    assert "\nOptions:" in text
    assert run(capsys, name, "--help-all")[:2] == (0, text)


@pytest.mark.parametrize("name", list(COMMANDS))
def test_help_says_what_a_value_is_and_shows_examples_line_by_line(capsys, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    text = run(capsys, name, "--help-all")[1]
    assert not re.search(r"\b(TEXT|PATH)\b|\[\[", text)
    examples = [line for line in COMMANDS[name].help.splitlines() if line.startswith("  autov ")]
    assert all(f"\n  {line}\n" in text for line in examples)
    assert "\b" not in text


def test_the_first_help_of_design_fits_a_screen(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert len(run(capsys, "design", "--help")[1].splitlines()) < 75


@pytest.mark.parametrize(
    ("command", "option", "choices"),
    [("design", "preset", PRESETS), ("design", "space", SPACES), ("design", "over_runs", OVER_RUNS),
     ("design", "aggregate", AGGREGATES), ("minimize", "engine", NAMES), ("compare", "test", TESTS),
     ("export", "to", FORMATS), ("check", "draw", get_args(Unit)), ("design", "draw", get_args(Unit))],
)  # fmt: skip
def test_choices_are_those_that_there_are(command, option, choices):
    (found,) = [p for p in COMMANDS[command].params if p.name == option]
    assert sorted(found.metavar.split("|")) == sorted(choices)


def test_after_a_suggestion_there_is_nothing_more(capsys):
    assert run(capsys, "show", "genral")[2].endswith("did you mean 'general'?\n")
    assert run(capsys, "minimize", "rastrign")[2].endswith("did you mean 'rastrigin'?\n")
    assert run(capsys, "minimize", "sphere", "--algorithm", "shad")[2].endswith("did you mean 'shade'?\n")
    assert run(capsys, "show", "qqqqq")[2].splitlines()[1] == "hint: autov list shows all names"


def test_list_without_a_word_lists_everything(capsys):
    out = run(capsys, "list")[1]
    for head, name in (("Problems", "rastrigin"), ("Operators", "paper-h3"), ("Algorithms", "cma:default")):
        assert name in out.partition(f"{head}\n")[2]


def test_algorithms_are_told_apart(capsys):
    rows = json.loads(run(capsys, "list", "algorithms", "--json")[1])
    assert len({row["description"] for row in rows}) == len(rows)
    assert not any(row["description"].startswith("designed:") for row in rows)


def test_compare_says_where_runs_are(capsys, tmp_path):
    arguments = ("compare", "--algorithms", "ga", "--problems", "f1", "--dim", "2", "--runs", "1", "--maxfev", "20",
                 "--popsize", "10", "--workers", "1")  # fmt: skip
    store = tmp_path / "runs.db"
    assert f"all runs are in {store}" in run(capsys, *arguments, "--store", str(store))[2]
    assert "autov: runs are not stored\nhint: --store FILE" in run(capsys, *arguments)[2]
