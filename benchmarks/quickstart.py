"""The long example of docs/quickstart.md, run as it is printed there."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from autov.experiments.row import versions

PAGE = Path(__file__).parents[1] / "docs" / "quickstart.md"


def example(text: str) -> tuple[str, str]:
    """The code of the example, and what the page says that it printed."""
    found = re.search(
        r"```python\n((?:(?!```).)*autov\.design\(.*?)```\n\nwhich printed\n\n```text\n(.*?)```", text, re.S
    )
    assert found is not None
    return found[1], found[2]


def bench_quickstart() -> dict[str, Any]:
    """Run it and keep what it prints (some minutes); `results/quickstart.json` has what the page shows."""
    code, _ = example(PAGE.read_text(encoding="utf-8"))
    printed, before = io.StringIO(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # it saves a file
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(code, str(PAGE), "exec"), {})
        finally:
            os.chdir(before)
    return {"printed": printed.getvalue().splitlines(), "versions": versions()}
