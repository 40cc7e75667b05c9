"""What autov raises when the caller, not autov, must change something."""


class InputError(ValueError):
    """Bad input, found at the edge: one line that names the argument, the value and what is allowed."""


class WorkerError(RuntimeError):
    """A worker process died."""


class FileError(InputError):
    """A file that cannot be read as what it should be."""
