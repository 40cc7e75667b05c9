"""Where independent work runs: here, in threads, in processes, or on what the caller gives."""

from autov.engines.choose import NAMES, Workers, engine_of, named_engine
from autov.engines.dask.cluster import OnDask, joined_dask, local_dask
from autov.engines.engine import MESSAGE, WAIT, Engine, Lost, in_order, worker_count
from autov.engines.executor import OnExecutor, OnMap
from autov.engines.processes import Processes
from autov.engines.serial import Serial
from autov.engines.threads import Threads

__all__ = [
    "MESSAGE",
    "NAMES",
    "WAIT",
    "Engine",
    "Lost",
    "OnDask",
    "OnExecutor",
    "OnMap",
    "Processes",
    "Serial",
    "Threads",
    "Workers",
    "engine_of",
    "in_order",
    "joined_dask",
    "local_dask",
    "named_engine",
    "worker_count",
]
