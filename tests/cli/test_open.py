"""``autov open``."""

import pytest

from autov.cli import open_page
from autov.cli.open_page import open_, page_of
from autov.core import InputError


def test_the_report_comes_first_and_a_single_page_is_found(tmp_path):
    (tmp_path / "table-7.html").write_text("x")
    assert page_of(tmp_path).name == "table-7.html"
    (tmp_path / "report.html").write_text("x")
    assert page_of(tmp_path) == (tmp_path / "report.html").resolve()
    assert page_of(tmp_path / "table-7.html").name == "table-7.html"


def test_what_cannot_be_opened_is_said(tmp_path):
    with pytest.raises(InputError, match="no page in"):
        page_of(tmp_path)
    with pytest.raises(InputError, match="no folder"):
        page_of(tmp_path / "none")
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text("x")
    with pytest.raises(InputError, match=r"several pages .* a\.html, b\.html"):
        page_of(tmp_path)
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(InputError, match="no HTML page"):
        page_of(tmp_path / "a.txt")


@pytest.mark.parametrize("screen", [True, False])
def test_a_browser_gets_a_local_file_and_without_one_the_path_is_told(tmp_path, capsys, monkeypatch, screen):
    asked = []
    monkeypatch.setattr(open_page, "has_screen", lambda: screen)
    monkeypatch.setattr(open_page.webbrowser, "open", lambda address: asked.append(address) or True)
    page = tmp_path / "report.html"
    page.write_text("x")
    open_(tmp_path, False)
    assert asked == ([page.resolve().as_uri()] if screen else [])
    assert str(page.resolve()) in capsys.readouterr().out
