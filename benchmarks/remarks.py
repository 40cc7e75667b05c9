"""Text written by hand that generated pages take over."""

from __future__ import annotations

import re
from pathlib import Path


def read_remarks(path: str | Path) -> str:
    """The text of a file without the comment at its beginning, which is for those who edit the file."""
    return re.sub(r"\A\s*<!--.*?-->", "", Path(path).read_text(encoding="utf-8"), flags=re.DOTALL).strip()
