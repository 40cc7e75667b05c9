"""The site's pages: all in the navigation, and no link that leads nowhere."""

import ast
import importlib
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import autov

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def anchors(path):
    """As Markdown makes them of headings."""
    heads = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", head).strip().lower()) for head in heads}


def test_every_page_is_in_the_navigation_once():
    listed = re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert sorted(listed) == PAGES


@pytest.mark.parametrize("name", [*PAGES, "../README.md", "../CONTRIBUTING.md", "../results/README.md"])
def test_links_lead_somewhere(name):
    text = re.sub(r"```.*?```", "", (DOCS / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.removesuffix("#only-light").removesuffix("#only-dark").partition("#")
        place = ((DOCS / name).parent / path).resolve() if path else DOCS / name
        assert place.exists(), target
        assert not anchor or anchor in anchors(place), target


MADE = ("quality.md", "specialists.md", "speed.md")  # by benchmarks


@pytest.mark.parametrize("name", [*(page for page in PAGES if page not in MADE), "../README.md", "../CONTRIBUTING.md"])
def test_words_are_plain(name):
    text = (DOCS / name).read_text(encoding="utf-8").lower()
    assert not re.findall(r"\b(?:house|rooms?|joints?|twins?|one word|a word|another story|under the hood)\b", text)
    if name != "style.md":  # which has pairs of terms
        coined = (
            r"\b(?:took no part|whoever|so many|same bits|whole[- ]number\w*|known designs?|beside|one word away)\b"
        )
        assert not re.findall(coined, " ".join(text.split()))


@pytest.mark.parametrize("name", [*PAGES, "../README.md", "../CHANGELOG.md"])
def test_no_page_has_a_gap_to_fill(name):
    assert not re.findall(r"@@|\b(?:TODO|FIXME|XXX)\b", (DOCS / name).read_text(encoding="utf-8"))


def test_words_of_the_source_are_plain():
    for path in (ROOT / "src").rglob("*.py"):
        if "kernels" not in path.parts:
            text = " ".join(path.read_text(encoding="utf-8").split())
            assert not re.findall(r"\b(?:took no part|whoever|so many|same bits|one word away)\b", text), path


def test_the_reference_names_what_there_is():
    for page in (DOCS / "reference").glob("*.md"):
        for name in re.findall(r"^::: ([\w.]+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
            module = ROOT / "src" / Path(*name.split("."))
            if module.with_suffix(".py").exists():
                continue
            source = module.parent.with_suffix(".py").read_text(encoding="utf-8")
            assert re.search(rf"^(def|class) {module.name}\b", source, flags=re.MULTILINE), name


def test_classes_of_the_reference_list_the_members_that_are_shown():
    """Without a list the site would show all, also those for other parts of autov."""
    for page in (DOCS / "reference").glob("*.md"):
        for name, options in re.findall(r"^::: ([\w.]+)\n((?: +.+\n)+)", page.read_text("utf-8"), re.MULTILINE):
            module, _, own = name.rpartition(".")
            source = (ROOT / "src" / Path(*module.split("."))).with_suffix(".py").read_text(encoding="utf-8")
            found = next(node for node in ast.parse(source).body if getattr(node, "name", None) == own)
            lists = dict(re.findall(r"^ +(members|inherited_members): \[(.*)\]$", options, re.MULTILINE))
            assert ("members" in lists) == isinstance(found, ast.ClassDef), name
            there = {node.name for node in ast.walk(found) if isinstance(node, ast.FunctionDef)}
            there |= set(lists.get("inherited_members", "").split(", "))
            assert set(filter(None, lists.get("members", "").split(", "))) <= there, name


ADAPTERS = ("ioh", "joblib", "nevergrad", "optuna", "pymoo", "scipy", "sklearn")


def test_the_reference_has_every_public_name_once():
    text = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md"))
    entries = re.findall(r"^::: ([\w.]+)$", text, flags=re.MULTILINE)
    headings = re.findall(r"^ +heading: ([\w.]+)$", text, flags=re.MULTILINE)
    assert len(set(entries)) == len(entries) == len(headings)
    assert {f"autov.{name}" for name in autov.__all__} <= set(headings)
    for heading in headings:
        if heading.split(".")[1] == "adapters":
            continue
        module, _, name = heading.rpartition(".")
        assert hasattr(importlib.import_module(module), name), heading


@pytest.mark.parametrize("library", ADAPTERS)
def test_the_reference_has_every_class_of_an_adapter(library):
    source = ROOT / "src" / "autov" / "adapters" / library
    if source.is_dir():
        public = re.findall(
            r"^from (autov[\w.]+) import ([\w, ]+)$", (source / "__init__.py").read_text("utf-8"), re.MULTILINE
        )
        names = {f"{module}.{name}" for module, some in public for name in some.split(", ")}
    else:
        own = re.findall(
            r"^(?:class|def) ([A-Z]\w+|scipy_\w+)\b", source.with_suffix(".py").read_text("utf-8"), re.MULTILINE
        )
        names = {f"autov.adapters.{library}.{name}" for name in own}
    text = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md"))
    assert names
    assert names <= set(re.findall(r"^::: ([\w.]+)$", text, flags=re.MULTILINE))


def test_formulas_become_mathml_and_code_stays():
    pytest.importorskip("latex2mathml")
    spec = spec_from_file_location("hooks", DOCS / "hooks.py")
    hooks = module_from_spec(spec)
    spec.loader.exec_module(hooks)
    made = hooks.with_mathml("Let\n$x$ be `$y$` and\n\n$$\nx^2\n$$\n\n```\n$ autov show\n$R-1 $R-2\n```\n")
    assert made.startswith("Let\n<span><math")
    assert '\n<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">' in made
    assert made.endswith("\n\n```\n$ autov show\n$R-1 $R-2\n```\n")
    assert "`$y$`" in made
    assert "x^2" not in made
