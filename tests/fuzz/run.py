"""``python -m tests.fuzz.run [COUNT] [SEED] [KINDS]``: damage COUNT files of each kind, and show what breaks.

Memory is limited: a file that makes the process ask for more than LIMIT bytes shows up as a MemoryError.
"""

from __future__ import annotations

import collections
import random
import resource
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.fuzz.subjects import SUBJECTS, outcome

LIMIT = 4 * 2**30  # address space, most of which Python, NumPy and LLVM take
SLOWEST = 20.0  # seconds for one file


def main(count: int = 1000, seed: int = 1, kinds: tuple[str, ...] = tuple(SUBJECTS)) -> int:
    """How many files gave anything but a load or one line."""
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    bad = 0
    for kind in kinds:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            subject = SUBJECTS[kind](folder)
            found: collections.Counter[str] = collections.Counter()
            for i in range(count):
                path = folder / f"{i}{subject.suffix}"
                subject.damage(path, random.Random(f"{kind} {seed} {i}"))
                start = time.perf_counter()
                try:
                    found["loads" if outcome(subject, path) == "loads" else "refused"] += 1
                except BaseException:
                    found["broken"] += 1
                    sys.stdout.write(f"{kind} {seed} {i}\n{traceback.format_exc()}\n")
                if time.perf_counter() - start > SLOWEST:
                    found["slow"] += 1
                for left in folder.glob(f"{i}.*"):
                    left.unlink()
            bad += found["broken"] + found["slow"]
            sys.stdout.write(f"{kind}: {dict(found)}\n")
    return bad


if __name__ == "__main__":
    arguments = [int(text) for text in sys.argv[1:3]]
    raise SystemExit(main(*arguments, kinds=tuple(sys.argv[3:]) or tuple(SUBJECTS)) > 0)
