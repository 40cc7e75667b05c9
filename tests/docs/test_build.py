"""The site, where mkdocs is installed (extra docs): it builds without warnings, and no link of it leads nowhere."""

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.reports.browser import CHROMIUM, REASON, seen

pytest.importorskip("mkdocs", reason="no mkdocs here; `make docs` installs it")
pytest.importorskip("mkdocstrings", reason="no mkdocstrings here; `make docs` installs it")
pytest.importorskip("material", reason="no mkdocs-material here; `make docs` installs it")
pytestmark = pytest.mark.cold
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


def test_no_link_leads_nowhere(site):
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html") if path.name != "404.html"}
    anchors = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in pages.items()}
    assert len(pages) > 30
    for path, text in pages.items():
        for target in map(unescape, re.findall(r'\b(?:href|src)="([^"]+)"', text)):
            if re.match(r"https?:|mailto:|data:", target):
                continue
            place, _, anchor = unquote(target).partition("#")
            meant = (path.parent / place).resolve() if place else path
            assert meant.exists(), f"{path.name}: {target}"
            known = anchor in anchors.get(meant, {anchor}) or anchor in ("", "only-light", "only-dark", "__tabbed")
            assert known or anchor.startswith("__"), f"{path.name}: {target}"


def test_pages_load_nothing_from_elsewhere(site):
    for path in site.rglob("*.html"):
        loaded = re.findall(r'<(?:script|img|link)[^>]+(?:src|href)="(https?:[^"]+)"', path.read_text(encoding="utf-8"))
        assert loaded == [], path.name


@pytest.mark.skipif(CHROMIUM is None, reason=REASON)
@pytest.mark.parametrize("name", ["index", "how-it-works", "reproduce", "reference/doing"])
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (500, True)])
def test_pages_of_the_site_in_a_browser(site, name, width, dark):
    text = (site / f"{name}.html").read_text(encoding="utf-8")
    probe = site / name  # beside the page, so that its links hold
    result = seen(text, probe.parent, f"{probe.name}-looked-at", width, dark)
    assert result["faults"] == []
    assert [line for line in result["console"] if "search" not in line and "Worker" not in line] == []
    assert result["wide"] <= result["width"], "the page itself does not scroll sideways"
