"""What every package shares: the box, seed streams, errors, array types, checks, files, identities."""

from autov.core.arrays import read_arrays, write_arrays
from autov.core.atomic_files import (
    check_writable,
    new_folder,
    number,
    plain,
    read_json,
    replacing,
    to_json,
    write_bytes,
    write_text,
)
from autov.core.box import Box, check_inside, inferred_bounds
from autov.core.checks import check_choice, check_ranges, real_numbers, values_of, whole_number
from autov.core.counts import counted
from autov.core.errors import FileError, InputError, WorkerError, locate, unknown, unknown_name
from autov.core.identities import ADDED, Identified, canonical, describe, digest, identity, settings_of
from autov.core.objects import import_object
from autov.core.streams import generator, seed_of, stream_key
from autov.core.types import Array, Generator, Seed

__all__ = [
    "ADDED",
    "Array",
    "Box",
    "FileError",
    "Generator",
    "Identified",
    "InputError",
    "Seed",
    "WorkerError",
    "canonical",
    "check_choice",
    "check_inside",
    "check_ranges",
    "check_writable",
    "counted",
    "describe",
    "digest",
    "generator",
    "identity",
    "import_object",
    "inferred_bounds",
    "locate",
    "new_folder",
    "number",
    "plain",
    "read_arrays",
    "read_json",
    "real_numbers",
    "replacing",
    "seed_of",
    "settings_of",
    "stream_key",
    "to_json",
    "unknown",
    "unknown_name",
    "values_of",
    "whole_number",
    "write_arrays",
    "write_bytes",
    "write_text",
]
