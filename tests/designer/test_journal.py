"""Values are kept as they arrive, and a search that goes on does not evaluate them again."""

import numpy as np
import pytest

from autov.core import FileError, InputError
from autov.core.locks import locked
from autov.designer import TrialBudget, design
from autov.designer.checkpoint import Checkpoint
from autov.designer.cost import Speed
from autov.designer.journal import MAGIC, Journal
from autov.problems import function_problem

TINY = {"population": 4, "generations": 2, "trial": TrialBudget(5, 3, 2), "rng": 1, "rows": 2, "race_runs": 1,
        "retest_runs": 2, "workers": 1}  # fmt: skip
BOX = [(-1, 1)] * 2


@pytest.fixture(autouse=True)
def _unmeasured(monkeypatch):
    """Calls that only measure how long one takes would count, too."""
    monkeypatch.setattr("autov.designer.cost.measured_speed", lambda *_: Speed(0.0, 0.0))


class StoppedError(Exception):
    pass


class Counted:
    """A bowl that counts its calls and stops at one of them."""

    def __init__(self):
        self.calls, self.limit = 0, None

    def __call__(self, x):
        if self.calls == self.limit:
            raise self.error
        self.calls += 1
        return float((x**2).sum())

    error = StoppedError("enough")


def problem_of(counted):
    return function_problem(counted, BOX, key="bowl")


def test_values_of_an_unfinished_first_population_are_kept(tmp_path):
    counted = Counted()
    whole = design(problem_of(counted), **TINY)
    total, counted.calls = counted.calls, 0
    path = tmp_path / "search.npz"
    counted.limit = 17  # in the middle of the second batch of the first population
    with pytest.raises(StoppedError):
        design(problem_of(counted), checkpoint=path, **TINY)
    assert Checkpoint.read(path).state is None
    with pytest.raises(InputError, match=r"^checkpoint: .* holds a search"):
        design(problem_of(counted), checkpoint=path, **TINY)
    counted.limit = None
    found = design(problem_of(counted), checkpoint=path, resume=True, **TINY)
    assert counted.calls == total
    assert found.operator == whole.operator
    assert np.array_equal(found.retested, whole.retested)
    assert (found.evaluations, found.spent) == (whole.evaluations, whole.spent)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["search.npz", "search.npz.candidates"]


@pytest.mark.parametrize("limit", [1, 200, 600, 1260])  # the search, the race, the re-test
@pytest.mark.parametrize("error", [StoppedError("enough"), KeyboardInterrupt()], ids=["error", "ctrl-c"])
def test_stopped_anywhere_nothing_is_evaluated_twice(tmp_path, limit, error):
    counted = Counted()
    whole = design(problem_of(counted), **TINY)
    total, counted.calls = counted.calls, 0
    assert limit < total
    counted.limit, counted.error = limit, error
    path = tmp_path / "search.npz"
    with pytest.raises(type(error)):
        design(problem_of(counted), checkpoint=path, **TINY)
    counted.limit = None
    found = design(problem_of(counted), checkpoint=path, resume=True, **TINY)
    assert counted.calls == total
    assert found.operator == whole.operator
    assert np.array_equal(found.history, whole.history)


def test_compiled_trials_are_kept_too(tmp_path, monkeypatch):
    from autov.designer import trials

    whole = design("sphere", dim=3, **TINY)
    calls = []
    plain = trials.CompiledTrials.__call__

    def counting(self, tasks):
        if len(calls) == 3:
            raise StoppedError
        calls.append(len(tasks.which))
        return plain(self, tasks)

    path = tmp_path / "search.npz"
    with monkeypatch.context() as patch:
        patch.setattr(trials.CompiledTrials, "__call__", counting)
        with pytest.raises(StoppedError):
            design("sphere", dim=3, checkpoint=path, **TINY)
    sizes = []
    monkeypatch.setattr(trials.CompiledTrials, "__call__", lambda self, t: sizes.append(len(t.which)) or plain(self, t))
    assert design("sphere", dim=3, checkpoint=path, resume=True, **TINY).operator == whole.operator
    everything = []
    monkeypatch.setattr(
        trials.CompiledTrials, "__call__", lambda self, t: everything.append(len(t.which)) or plain(self, t)
    )
    design("sphere", dim=3, **TINY)
    assert sum(sizes) + sum(calls) == sum(everything)


def test_the_seed_of_values_is_taken(tmp_path):
    counted = Counted()
    options = {name: value for name, value in TINY.items() if name != "rng"}
    path = tmp_path / "search.npz"
    counted.limit = 30
    with pytest.raises(StoppedError):
        design(problem_of(counted), checkpoint=path, **options)
    seed = Checkpoint.read(path).settings["seed"]
    counted.limit = None
    assert design(problem_of(counted), checkpoint=path, resume=True, **options).settings["seed"] == seed


def test_values_of_other_settings_are_not_thrown_away(tmp_path):
    counted = Counted()
    path = tmp_path / "search.npz"
    counted.limit = 30
    with pytest.raises(StoppedError):
        design(problem_of(counted), checkpoint=path, **TINY)
    before = (tmp_path / "search.npz.values").read_bytes()
    with pytest.raises(FileError, match="seed was 1, is 2"):
        design(problem_of(counted), checkpoint=path, resume=True, **(TINY | {"rng": 2}))
    assert (tmp_path / "search.npz.values").read_bytes() == before


def test_values_of_another_re_test_are_not_taken(tmp_path):
    counted, path = Counted(), tmp_path / "search.npz"
    options = TINY | {"surrogate": function_problem(lambda x: float(x[0]), BOX, key="cheap")}
    counted.limit = 10  # of the re-test: the search has the surrogate
    with pytest.raises(StoppedError):
        design(problem_of(counted), checkpoint=path, **options)
    before = (tmp_path / "search.npz.values").read_bytes()
    counted.limit = None
    with pytest.raises(FileError, match="holds values of a search with other settings; move it to another folder"):
        design(function_problem(counted, BOX, key="another"), checkpoint=path, resume=True, **options)
    assert (tmp_path / "search.npz.values").read_bytes() == before
    design(problem_of(counted), checkpoint=path, resume=True, **options)


def test_values_of_another_version_are_not_thrown_away(tmp_path):
    path = tmp_path / "values"
    path.write_bytes(b"autov-values 1\n" + bytes(99))
    with pytest.raises(FileError, match="another version of autov"):
        Journal(path).resume(-1)
    path.write_bytes(MAGIC[:5])  # cut
    Journal(path).resume(-1)


def test_sizes_that_were_made_to_fit_are_kept_before_the_first_checkpoint(tmp_path, monkeypatch):
    counted = Counted()
    path = tmp_path / "search.npz"
    counted.limit = 30
    monkeypatch.setattr("autov.designer.cost.measured_speed", lambda *_: Speed(1e-2, 1e-2))
    with pytest.raises(StoppedError):
        design(problem_of(counted), checkpoint=path, time=60, **TINY)
    counted.limit = None
    monkeypatch.setattr("autov.designer.cost.measured_speed", lambda *_: Speed(1e-3, 1e-3))  # another machine
    found = design(problem_of(counted), checkpoint=path, resume=True, time=60, **TINY)
    assert counted.calls == found.evaluations


def test_values_outlive_a_crash_while_they_are_written_anew(tmp_path, monkeypatch):
    path, counted = tmp_path / "search.npz", Counted()
    counted.limit = 30
    with pytest.raises(StoppedError):
        design(problem_of(counted), checkpoint=path, **TINY)
    before = (tmp_path / "search.npz.values").read_bytes()

    def full(_, new):
        if str(new).endswith(".values"):
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("autov.core.atomic_files.os.replace", full)
        with pytest.raises(FileError, match="what was there before is kept"):
            design(problem_of(counted), checkpoint=path, resume=True, **TINY)
    assert (tmp_path / "search.npz.values").read_bytes() == before


def written(path, count=5):
    journal = Journal(path)
    journal.begin(-1, fresh=True)
    values = journal.batch(9, np.arange(3.0))
    for i in range(count):
        values.keep(i, 0.5 * i)
    journal.close()


def known(path, *parts, size=9, generation=-1):
    journal = Journal(path)
    journal.resume(generation)
    journal.begin(-1, fresh=True)
    found = journal.batch(size, *parts).known
    journal.close()
    return found


def test_a_file_that_was_cut_or_damaged_is_good_up_to_there(tmp_path):
    path = tmp_path / "values"
    written(path)
    whole = path.read_bytes()
    assert known(path, np.arange(3.0)) == {0: 0.0, 1: 0.5, 2: 1.0, 3: 1.5, 4: 2.0}
    for cut, left in ((1, 0), (20, 0), (len(whole) - 30, 3), (len(whole) - 1, 4)):
        path.write_bytes(whole[:cut])
        assert known(path, np.arange(3.0)) == {i: 0.5 * i for i in range(left)}
    damaged = bytearray(whole)
    damaged[-50] ^= 1
    path.write_bytes(damaged)
    assert known(path, np.arange(3.0)) == {0: 0.0, 1: 0.5, 2: 1.0}


def test_a_value_behind_the_last_place_of_its_batch_is_not_taken(tmp_path):
    written(tmp_path / "values", count=11)
    assert known(tmp_path / "values", np.arange(3.0)) == {i: 0.5 * i for i in range(9)}


def test_what_a_stopped_session_did_not_come_to_is_kept(tmp_path):
    path = tmp_path / "values"
    written(path)
    for fresh in (True, True, False):
        journal = Journal(path)
        journal.resume(-1)
        journal.begin(-1, fresh=fresh)  # and it is stopped at once
        journal.close()
    assert known(path, np.arange(3.0)) == {0: 0.0, 1: 0.5, 2: 1.0, 3: 1.5, 4: 2.0}


def test_beginning_twice_after_the_same_generation_forgets_nothing(tmp_path):
    path = tmp_path / "values"
    written(path)
    journal = Journal(path)
    journal.resume(-1)
    journal.begin(-1, fresh=True)
    journal.begin(-1, fresh=True)
    assert len(journal.batch(9, np.arange(3.0)).known) == 5
    journal.close()


def test_another_batch_has_no_known_values(tmp_path):
    path = tmp_path / "values"
    for other in ({"size": 8}, {"generation": 0}):
        written(path)
        assert known(path, np.arange(3.0), **other) == {}
    written(path)
    assert known(path, np.arange(4.0)) == {}


def test_a_search_that_runs_keeps_others_out(tmp_path):
    path = tmp_path / "search.npz"
    with locked(tmp_path / "search.npz.lock", "a search"), pytest.raises(FileError, match="a search is running here"):
        design("sphere", dim=2, checkpoint=path, **TINY)
    design("sphere", dim=2, checkpoint=path, **TINY)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["search.npz", "search.npz.candidates"]


def test_a_disk_that_takes_a_part_of_a_value_is_full(tmp_path):
    """Python gives the number of bytes that were written and raises nothing; what followed could not be read."""
    journal = Journal(tmp_path / "values")
    journal.begin(0, fresh=True)
    values = journal.batch(3, np.arange(3.0))
    real = journal._file

    class Full:
        def write(self, records):
            return real.write(records[:10])

        def close(self):
            real.close()

    journal._file = Full()
    with pytest.raises(FileError, match="cannot be written: No space left on device; the checkpoint is kept"):
        values.keep(0, 1.0)
    journal.close()
