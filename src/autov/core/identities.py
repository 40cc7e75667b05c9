"""What decides a result, as JSON and as a digest: equal identities mean that a stored result may be used again.

Everything that an object holds is part of it: all attributes, private ones, too, its class with bases and class
attributes, functions with their bytecode, defaults, closures and the globals that they use, and what those use. An
object may say itself what decides its results by a method ``identity_parts``. What cannot be looked into is refused.
Not seen are files, environment variables and attributes of modules whose names are made at run time.

Bytecode belongs to a version of Python: another version gives functions of users another identity. Of autov's own
dataclasses the public fields count; its code has a version of its own.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from autov.core.description import Description, canonical, digest, settings_of, too_deep


@runtime_checkable
class Identified(Protocol):
    """An object that says itself what decides its results."""

    def identity_parts(self) -> Any:
        """A value that is equal for equal results, made of anything that can be described."""
        ...


def describe(value: Any) -> Any:
    """A JSON value of settings, problems, algorithms and functions of any class; InputError if that cannot be told."""
    try:
        return Description().of(value)
    except RecursionError:
        raise too_deep(value) from None


def identity(value: Any) -> str:
    """The digest of all that decides the results of a value."""
    return digest(canonical(describe(value)))


__all__ = ["Identified", "canonical", "describe", "digest", "identity", "settings_of"]
