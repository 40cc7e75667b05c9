"""How many workers are meant."""

from __future__ import annotations

import os
from numbers import Integral
from typing import Any

from autov.core import InputError


def worker_count(workers: Any, allowed: str = "a positive whole number or -1 for all cores") -> int:
    """How many workers are meant: None or -1 for all cores this process may use."""
    if workers is None:
        workers = -1
    if isinstance(workers, bool) or not isinstance(workers, Integral) or (workers < 1 and workers != -1):
        raise InputError(f"workers: must be {allowed}, got {workers!r}")
    if workers == -1:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(workers)
