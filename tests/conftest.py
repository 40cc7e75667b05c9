"""Numba's disk cache watches only the file of a function, not what it calls: drop what is older than any kernel."""

from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1] / "src" / "autov"

# Time limits of examples would fail on a busy machine; examples are the same in every run.
settings.register_profile("autov", deadline=None, derandomize=True)
settings.load_profile("autov")


def pytest_sessionstart(session: pytest.Session) -> None:  # noqa: ARG001
    rooms = [ROOT / "kernels", ROOT / "problems"]
    newest = max(path.stat().st_mtime for room in rooms for path in room.glob("*.py"))
    for room in rooms:
        for cached in [*room.glob("__pycache__/*.nbi"), *room.glob("__pycache__/*.nbc")]:
            if cached.stat().st_mtime < newest:
                cached.unlink(missing_ok=True)
