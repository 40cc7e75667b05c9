"""Functions for worker processes, and how the tests wait for them."""

import os
import signal
import threading
import time
from functools import partial
from pathlib import Path

LONG = 600.0  # seconds: a test that waits for a call of this length fails


def uneven(i):
    """Takes longer for some, so that the order of finishing is not that of the items."""
    time.sleep(0.02 * (i % 3 == 0))
    return i, 0.1 * i


def square(x):
    return x * x


def negate(x):
    return -x


def raise_at_3(i):
    if i == 3:
        error = TypeError("cannot pickle what the user wrote")
        error.autov_point = [1.0, 2.0]
        error.add_note("a note")
        raise error
    return i


class DemandingError(Exception):
    """Pickles, but does not unpickle: its arguments are not those of the constructor."""

    def __init__(self, code, place):
        super().__init__(f"code {code} at {place}")


class LockedError(Exception):
    """Does not pickle."""

    def __init__(self, text):
        super().__init__(text)
        self.key = threading.Lock()


def raise_demanding(_):
    raise DemandingError(7, "the end")


def raise_locked(_):
    raise LockedError("the door is locked")


def leave(_):
    raise SystemExit(4)


def exit_3(_):
    os._exit(3)


def kill_itself(_):
    os.kill(os.getpid(), signal.SIGKILL)


def terminate_itself(_):
    os.kill(os.getpid(), signal.SIGTERM)


def interrupt_itself(_):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.05)
    return signal.getsignal(signal.SIGINT) == signal.SIG_IGN


def result_without_pickle(_):
    return threading.Lock()


def pid(_):
    time.sleep(0.05)
    return os.getpid()


def threads_of_blas(_):
    import numba
    import scipy.linalg  # noqa: F401  (brings a BLAS of its own)
    from threadpoolctl import threadpool_info

    blas = [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]
    return [*blas, numba.get_num_threads()]


def sleep_long(folder, i):
    """Say that it runs, then sleep; item 0 returns at once."""
    if i:
        (Path(folder) / str(os.getpid())).touch()
        time.sleep(LONG)
    return i


def sleeper(folder):
    return partial(sleep_long, str(folder))


class Counted:
    """Squares; its file tells how often it was pickled and unpickled."""

    def __init__(self, path):
        self.path = path

    def _note(self, letter):
        with open(self.path, "a") as file:
            file.write(letter)

    def __getstate__(self):
        self._note("p")
        return {"path": self.path}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._note("u")

    def __call__(self, x):
        return x * x


class Point:
    def value(self, x):
        return x + 1


class Unknown:
    """Pickles, but cannot be unpickled anywhere."""

    def __reduce__(self):
        return _refuse, ()

    def __call__(self, x):
        return x


def _refuse():
    raise LookupError("not known here")


def until(holds, seconds=60.0):
    """Poll until it holds; what it gives then, or what it gave last."""
    deadline = time.monotonic() + seconds
    while not (found := holds()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def alive(number):
    """Whether a process runs (a dead one that was not waited for does not)."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{number}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return not Path("/proc/self").is_dir()


def pids(folder):
    return [int(path.name) for path in Path(folder).iterdir() if path.name.isdigit()]


def die_once(folder, which, i):
    """Ends its process when first called with that item."""
    mark = Path(folder) / f"died-{which}"
    if i == which and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return i


def die_at_3(i):
    if i == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return i


class SlowToArrive:
    """Squares; it takes its time to be unpickled."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __setstate__(self, state):
        self.__dict__.update(state)
        time.sleep(self.seconds)

    def __call__(self, x):
        return x * x
