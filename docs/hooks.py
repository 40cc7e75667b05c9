"""What the site changes in pages that are read in the repository, too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
_OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./([^)#]+)(?:#[^)]*)?\)")


# A block between lines of $$, or a short $...$; code of either kind comes first, and is left as it is.
_MATHS = re.compile(
    r"(^```.*?^```$|`[^`\n]+`)|^\$\$\n(.+?)\n\$\$$|\$(?=\S)([^$\n]+?)(?<=\S)\$", re.MULTILINE | re.DOTALL
)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to files of the repository that are not part of the site become the names of these files."""
    if page.file.src_uri == "contributing.md":
        text = (_ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        return outside_named(re.sub(r"\]\((?!docs/|https?:|#)", "](../", text).replace("](docs/", "]("))
    return outside_named(with_mathml(markdown))


def with_mathml(markdown: str) -> str:
    """Formulas as MathML, which browsers show by themselves: the site loads no script for them."""
    return _MATHS.sub(lambda found: found[1] or _mathml(found[2], found[3]), markdown)


def _mathml(block: str | None, inline: str | None) -> str:
    from latex2mathml.converter import convert

    made = convert(block or inline or "", display="block" if block else "inline")
    return made if block else f"<span>{made}</span>"  # a line that begins with <math> would be a paragraph of its own


def outside_named(markdown: str) -> str:
    """The same for a text."""
    return _OUTSIDE.sub(lambda found: _named(found[1], found[2]), markdown)


def _named(text: str, path: str) -> str:
    return f"`{path}`" if text.strip("`") in path else f"{text} (`{path}`)"
