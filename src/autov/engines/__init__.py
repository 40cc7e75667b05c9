"""Where work runs: threads for compiled code, processes for Python code."""

from autov.engines.pools import map_processes, map_threads, worker_count
from autov.engines.python import PointPool

__all__ = ["PointPool", "map_processes", "map_threads", "worker_count"]
