"""What the site changes in pages that are read in the repository, too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
_OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./([^)#]+)(?:#[^)]*)?\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to files of the repository that are not part of the site become the names of these files."""
    if page.file.src_uri == "contributing.md":
        text = (_ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        return outside_named(re.sub(r"\]\((?!docs/|https?:|#)", "](../", text).replace("](docs/", "]("))
    return outside_named(markdown)


def outside_named(markdown: str) -> str:
    """The same for a text."""
    return _OUTSIDE.sub(lambda found: _named(found[1], found[2]), markdown)


def _named(text: str, path: str) -> str:
    return f"`{path}`" if text.strip("`") in path else f"{text} (`{path}`)"
