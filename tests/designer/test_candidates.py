"""All candidates of a search are kept, across interruptions."""

import numpy as np
import pytest

from autov.core import FileError
from autov.designer import design
from autov.designer.candidates import Candidates, read_candidates

TINY = {"population": 4, "race_size": 2, "race_runs": 2, "retest_runs": 2, "rng": 1, "dim": 2,
        "trial": {"evaluations": 30, "popsize": 6, "runs": 2}}  # fmt: skip


class StopError(Exception):
    pass


def test_a_search_keeps_its_candidates_in_the_order_of_their_tries():
    found = design("sphere", generations=3, members="ma-es", **TINY)
    kept = found.candidates
    assert kept.vectors.shape == (16, len(kept.genes))
    assert kept.values.shape == (16, 1, 2)
    best = kept.values[:, 0].min()
    assert best == pytest.approx(kept.values[np.argmin(kept.values.min(axis=(1, 2)))].min())
    assert kept.genes[0] == "hedge"
    operator = design("sphere", generations=1, space="operator", rows=2, **TINY).candidates
    assert operator.genes[:3] == ("row1.x2.mean", "row1.x2.std", "row1.bounds.std")


@pytest.mark.parametrize("seconds", [0.0, 1e9])  # between checkpoints: all are kept, or all are made of the journal
def test_candidates_are_whole_after_an_interruption(tmp_path, monkeypatch, seconds):
    monkeypatch.setattr("autov.designer.search_files.CHECKPOINT_SECONDS", seconds)
    whole = design("sphere", generations=4, members="ma-es", **TINY).candidates
    place = {"checkpoint": tmp_path / "search.npz", "members": "ma-es"}

    def stop(now):
        if now.state.generation == 2:
            raise StopError

    with pytest.raises(StopError):
        design("sphere", generations=4, progress=stop, **place, **TINY)
    file = tmp_path / "search.npz.candidates"
    assert len(read_candidates(file).vectors) == 12
    with file.open("ab") as more:
        more.write(b"cut off")
    again = design("sphere", generations=4, resume=True, **place, **TINY).candidates
    assert (again.vectors == whole.vectors).all()
    assert (again.values == whole.values).all()
    assert (read_candidates(file).values == whole.values).all()


def test_a_lost_file_costs_what_it_had(tmp_path):
    place = {"checkpoint": tmp_path / "search.npz", "members": "ma-es"}
    design("sphere", generations=1, **place, **TINY)
    (tmp_path / "search.npz.candidates").unlink()
    assert len(design("sphere", generations=2, resume=True, **place, **TINY).candidates.vectors) == 4


def test_merit_is_the_mean_rank_in_runs_that_were_made():
    values = np.array([[[1.0, 5.0]], [[2.0, np.nan]], [[3.0, 4.0]]])
    merit = Candidates(("a",), np.zeros((3, 1)), values).merit()
    assert merit == pytest.approx([(1 / 6 + 3 / 4) / 2, 3 / 6, (5 / 6 + 1 / 4) / 2])


@pytest.mark.parametrize("data", [b"", b"{}\n", b"[1]\n", b'{"format": "autov-candidates", "version": 9}\n'])
def test_other_files_are_refused(tmp_path, data):
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(FileError, match="not a file of candidates"):
        read_candidates(tmp_path / "x")
