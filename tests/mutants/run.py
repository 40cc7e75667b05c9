"""Are the tests able to fail? Applies named edits to a copy of the source, one at a time; some test must notice each.

    python -m tests.mutants.run            all of them
    python -m tests.mutants.run race cut   those whose name has one of these words

Exit code 1 if an edit survives. Edits are listed in tests/mutants/edits.py. Verdicts are kept in build/mutants.json
until source or tests change, so an interrupted run goes on.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from tests.mutants.edits import EDITS
from tests.mutants.places import Edit, edited

ROOT = Path(__file__).parents[2]
FOUND = ROOT / "build" / "mutants.json"
LONGEST = 900.0  # seconds of the tests of one edit
COPIED = ("src", "tests", "benchmarks", "examples", "results", "docs", "pyproject.toml", "README.md")


def survives(edit: Edit, copy: Path) -> bool:
    """Whether all its tests still pass."""
    place = copy / "src" / "autov" / edit.file
    original = place.read_text(encoding="utf-8")
    place.write_text(edited(edit, original), encoding="utf-8")
    try:
        return failure_of(edit.tests, copy, LONGEST) is None
    except subprocess.TimeoutExpired:
        return False  # a hang is noticed, too
    finally:
        place.write_text(original, encoding="utf-8")


def failure_of(tests: Iterable[str], copy: Path, timeout: float | None = None) -> str | None:
    """What pytest says if one of the tests fails, else None."""
    environment = {**os.environ, "PYTHONPATH": f"{copy / 'src'}{os.pathsep}{copy}", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=timeout)
    said = f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
    if done.returncode not in (0, 1, 2):  # 2: an error while importing
        raise RuntimeError(f"pytest ended with {done.returncode} for {', '.join(tests)}\n{said}")
    return said if done.returncode else None


def main(words: list[str]) -> int:
    """Try the edits; returns 1 if one of them survives, else 0."""
    chosen = [edit for edit in EDITS if not words or any(word in edit.name for word in words)]
    if not chosen:
        raise SystemExit(f"no edit has {' or '.join(words)} in its name")
    text = _digest()
    kept = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else {}
    found: dict[str, bool] = kept.get(text, {})
    todo = [edit for edit in chosen if repr(edit) not in found]
    todo.sort(key=lambda edit: edit.file.startswith("kernels/"))  # last: each compiles all kernels anew
    if todo:
        with tempfile.TemporaryDirectory() as folder:
            copy = _copied(Path(folder))
            # A test that fails in any case would seem to catch everything.
            if failure := failure_of(dict.fromkeys(test for edit in todo for test in edit.tests), copy):
                raise RuntimeError(f"without any edit a test fails\n{failure}")
            for i, edit in enumerate(todo, start=1):
                start = time.perf_counter()
                found[repr(edit)] = survives(edit, copy)
                verdict = "SURVIVES" if found[repr(edit)] else "killed"
                _say(f"{i}/{len(todo)} {verdict:9} {edit.name} ({time.perf_counter() - start:.0f} s)")
                FOUND.parent.mkdir(exist_ok=True)
                FOUND.write_text(json.dumps({text: found}), encoding="utf-8")
    lived = [edit.name for edit in chosen if found[repr(edit)]]
    _say(f"{len(chosen) - len(lived)} of {len(chosen)} edits killed", *(f"survived: {name}" for name in lived))
    return 1 if lived else 0


def _digest() -> str:
    """Of the text of source and tests, without the list of edits."""
    files = [path for name in ("src", "tests") for path in (ROOT / name).rglob("*") if path.suffix in (".py", ".json")]
    digest = hashlib.sha256()
    for path in sorted(files):
        if path.parent != Path(__file__).parent:
            digest.update(hashlib.sha256(str(path.relative_to(ROOT)).encode()).digest())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _copied(folder: Path) -> Path:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    return folder


def _say(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
