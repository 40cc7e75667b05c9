"""Are the tests able to fail? Applies named edits to a copy of the source, one at a time; some test must notice each.

    python -m tests.mutants.run            all of them
    python -m tests.mutants.run race cut   those whose name has one of these words

Exit code 1 if an edit survives. Edits are listed in tests/mutants/edits.py.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from tests.mutants.edits import EDITS, Edit

ROOT = Path(__file__).parents[2]


def edited(edit: Edit, text: str) -> str:
    """The text with the edit; the place must be there exactly once."""
    if text.count(edit.old) != 1:
        raise ValueError(f"{edit.name}: the text to change is {text.count(edit.old)} times in {edit.file}")
    return text.replace(edit.old, edit.new)


def survives(edit: Edit, copy: Path) -> bool:
    """Whether all its tests still pass."""
    place = copy / "src" / "autov" / edit.file
    original = place.read_text(encoding="utf-8")
    place.write_text(edited(edit, original), encoding="utf-8")
    try:
        return failure_of(edit.tests, copy) is None
    except subprocess.TimeoutExpired:
        return False  # a hang is noticed, too
    finally:
        place.write_text(original, encoding="utf-8")


def failure_of(tests: Iterable[str], copy: Path) -> str | None:
    """What pytest says if one of the tests fails, else None."""
    environment = {**os.environ, "PYTHONPATH": f"{copy / 'src'}{os.pathsep}{copy}", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=900)
    said = f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
    if done.returncode not in (0, 1, 2):  # 2: an error while importing
        raise RuntimeError(f"pytest ended with {done.returncode} for {', '.join(tests)}\n{said}")
    return said if done.returncode else None


def main(words: list[str]) -> int:
    """Try the edits; returns 1 if one of them survives, else 0."""
    chosen = [edit for edit in EDITS if not words or any(word in edit.name for word in words)]
    if not chosen:
        raise SystemExit(f"no edit has {' or '.join(words)} in its name")
    lived = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("src", "tests", "examples", "results", "docs", "pyproject.toml", "README.md"):
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy / name)
        # A test that fails in any case would seem to catch everything.
        if failure := failure_of(dict.fromkeys(test for edit in chosen for test in edit.tests), copy):
            raise RuntimeError(f"without any edit a test fails\n{failure}")
        for i, edit in enumerate(chosen, start=1):
            start = time.perf_counter()
            alive = survives(edit, copy)
            verdict = "SURVIVES" if alive else "caught"
            sys.stdout.write(f"{i}/{len(chosen)} {verdict:9} {edit.name} ({time.perf_counter() - start:.0f} s)\n")
            sys.stdout.flush()
            if alive:
                lived.append(edit.name)
    sys.stdout.write(f"{len(chosen) - len(lived)} of {len(chosen)} edits caught\n")
    return 1 if lived else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
