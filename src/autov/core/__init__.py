"""What every room shares: the box, seed streams, errors, array types."""

from autov.core.box import Box
from autov.core.errors import FileError, InputError, WorkerError
from autov.core.streams import generator, seed_of, stream_key
from autov.core.types import Array, Generator, Seed

__all__ = [
    "Array",
    "Box",
    "FileError",
    "Generator",
    "InputError",
    "Seed",
    "WorkerError",
    "generator",
    "seed_of",
    "stream_key",
]
