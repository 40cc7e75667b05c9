"""What the pages show works: Python blocks run page by page, commands have options that exist.

The Python blocks of a page run in order, in one namespace, in an empty folder, with the budgets that they state. Where
a block of the kind ``text`` follows at once, it is what the block prints. A block behind ``<!-- not run: REASON -->``
is only looked at: its names and the arguments of its calls must exist.
"""

import ast
import contextlib
import importlib
import inspect
import io
import re
import warnings
from pathlib import Path

import pytest
from typer.main import get_command

import autov
from autov.cli.app import app, main
from tests.docs.blocks import blocks, commands

ROOT = Path(__file__).parents[2]
# The gallery shows the files of examples/, which tests/test_examples.py runs.
PAGES = [ROOT / "README.md", *(path for path in sorted((ROOT / "docs").rglob("*.md")) if path.stem != "gallery")]
COMMANDS = get_command(app).commands
LONG = ("invariance", "README", "quickstart", "designing")
NEEDED = ("optuna", "pymoo", "nevergrad", "ioh", "sklearn", "joblib", "cma")


def text_of(path):
    return path.read_text(encoding="utf-8")


def python_blocks(path):
    return [block for block in blocks(text_of(path)) if block.language == "python"]


def page(path):
    """Pages whose examples take a minute are left out of quick runs."""
    return pytest.param(path, marks=[pytest.mark.cold] if path.stem in LONG else [], id=path.stem)


@pytest.mark.parametrize("path", [page(p) for p in PAGES if python_blocks(p)])
def test_python_blocks_run_and_print_what_is_shown(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    space = {"__name__": "page"}
    for block in python_blocks(path):
        if block.not_run:
            check_names(block)
            continue
        for library in NEEDED:
            if re.search(rf"^(?:import|from) {library}\b", block.code, flags=re.MULTILINE):
                pytest.importorskip(library)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # a page may leave a file open, as people do
            exec(compile("\n" * block.line + block.code, str(path), "exec"), space)
        if block.output is not None:
            assert stripped(printed.getvalue()) == stripped(block.output), f"line {block.line}"


def stripped(text):
    """Without spaces at the ends of lines, which nobody sees."""
    return [line.rstrip() for line in text.splitlines()]


def check_names(block):
    """Every call of a block that is not run, as far as it names things of autov."""
    tree = ast.parse(block.code)
    space = {"autov": autov}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autov"):
            module = importlib.import_module(node.module)
            space |= {name.asname or name.name: getattr(module, name.name) for name in node.names}
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = ast.unparse(call.func)
        if name.partition(".")[0] in space:
            called = inspect.signature(eval(name, dict(space)))
            given = dict.fromkeys(word.arg for word in call.keywords if word.arg)
            called.bind_partial(*([None] * len(call.args)), **given)


def test_reasons_are_given_for_blocks_that_do_not_run():
    for path in PAGES:
        for block in python_blocks(path):
            assert block.not_run is None or len(block.not_run) > 5


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_commands_can_be_given_as_they_are_shown(path):
    for block in blocks(text_of(path)):
        if block.language in ("", "bash", "sh"):
            for arguments in commands(block.code):
                parse(arguments)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_commands_with_their_output_print_it(path, capsys):
    for block in blocks(text_of(path)):
        if block.code.startswith("$ autov "):
            (arguments,) = commands(block.code)
            with pytest.raises(SystemExit) as ended:
                main(arguments)
            assert ended.value.code == 0
            assert stripped(capsys.readouterr().out) == stripped(block.code)[1:]


def parse(arguments):
    """Nothing is run: the command reads its arguments, and says if there is one that it does not know."""
    if not arguments[0].startswith("-"):
        given = COMMANDS[arguments[0]].make_context(arguments[0], [word for word in arguments[1:] if word != "--help"])
        if arguments[0] == "compare" and given.params["reference"] is not None:
            labels = [spec.partition("=")[0] for spec in given.params["algorithms"].split(",")]
            assert given.params["reference"] in labels, "the reference is one of the algorithms"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_options_in_the_text_exist(path):
    outside = re.sub(r"^```.*?^```$", "", text_of(path), flags=re.MULTILINE | re.DOTALL)
    for shown in re.findall(r"`autov ([^`]+)`", outside):
        name, *words = shown.split()
        if name in COMMANDS:
            known = {option for param in COMMANDS[name].params for option in (*param.opts, *param.secondary_opts)}
            asked = {word.strip("[]").partition("=")[0] for word in words if word.startswith(("--", "[--"))}
            assert asked <= known | {"--help"}, shown


def test_examples_in_help_texts_can_be_given():
    for command in COMMANDS.values():
        examples = re.findall(r"(?:^Example: |^  )(autov .+)", command.help, flags=re.MULTILINE)
        assert examples
        for example in examples:
            for arguments in commands(example):
                parse(arguments)


def test_commands_in_the_examples_can_be_given():
    given = [a for path in (ROOT / "examples").glob("*.py") for a in commands(text_of(path))]
    assert given
    for arguments in given:
        parse(arguments)


def test_a_command_that_does_not_exist_would_be_found():
    with pytest.raises(Exception, match="nosuch"):
        parse(next(commands("autov design rastrigin \\\n    --nosuch 3  # a comment\n")))
    with pytest.raises(AssertionError, match="the reference"):
        parse(next(commands("autov compare --algorithms ga,de --problems f1 --reference autov\n")))
    (block,) = blocks("<!-- not run: minutes -->\n```python\nautov.design('f9', nosuch=1)\nautov.nosuch()\n```\n")
    assert block.not_run == "minutes"
    with pytest.raises(AttributeError, match="nosuch"):
        check_names(block)
