"""Where work runs: processes for Python code (compiled code uses plain threads)."""

from autov.engines.pools import map_processes, worker_count
from autov.engines.python import PointPool

__all__ = ["PointPool", "map_processes", "worker_count"]
