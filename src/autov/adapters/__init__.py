"""autov inside other people's libraries, one module each, and programs without autov.

Each module imports its library when it is imported itself, and says which extra brings it if it is not installed:
`scipy`, `pymoo`, `nevergrad`, `optuna`, `ioh`, `joblib`, `sklearn`. `exports` needs none.
"""

from __future__ import annotations


def missing(library: str, error: ImportError) -> ImportError:
    """What to raise where a library could not be imported."""
    top = library.partition(".")[0]
    reason = "" if error.name is None or error.name.partition(".")[0] == top else f" ({error})"
    told = f'{top} is not installed{reason}; in a copy of the repository: pip install ".[{library}]"'
    return ImportError(told, name=top)
