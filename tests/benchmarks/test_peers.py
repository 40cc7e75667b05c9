"""The loops evaluate what they are said to, and libraries that are not there are named."""

import sys

import numpy as np
import pytest

from autov.core import InputError
from benchmarks import loops, peers


@pytest.mark.parametrize("name", ["autov-numpy", "scipy", "pymoo", "pycma", "cmaes"])
def test_a_loop_evaluates_as_many_points_as_are_counted(name, monkeypatch):
    pytest.importorskip(loops.LOOPS[name][0])
    counts, real = [], loops.rastrigin

    def counting(x):
        counts.append(len(x))
        assert x.shape[1] == loops.DIM
        return real(x)

    monkeypatch.setattr(loops, "GENERATIONS", 4)
    monkeypatch.setattr(loops, "rastrigin", counting)
    loops.LOOPS[name][2]()()
    assert sum(counts) == 4 * loops.POPSIZE


def test_the_function_is_rastrigins():
    x = np.array([[0.0, 0.0], [1.0, 0.5]])
    assert loops.rastrigin(x) == pytest.approx([0.0, 1.0 + 0.25 + 20.0])


def test_ratios_and_what_is_missing(monkeypatch):
    rates = {name: [(i + 1) * 1000.0, (i + 1) * 500.0] for i, name in enumerate(loops.LOOPS)}
    monkeypatch.setattr(peers, "_host", lambda library, _: None if library == "evox" else sys.executable)
    monkeypatch.setattr(
        peers, "_measured",
        lambda _, name: {"version": "1", "what": name, "evaluations_per_second": rates[name].pop(), "first_seconds": 1},
    )  # fmt: skip
    found = peers.bench_peers()
    assert found["not_installed"] == ["evox"]
    assert found["loops"]["autov"]["evaluations_per_second"] == 1000.0
    assert found["loops"]["autov-ma-es"]["autov_over_it"] == pytest.approx(1 / 3)
    assert "evox" in str(peers.peers_table(found).notes)


def test_libraries_are_looked_for_in_every_interpreter(tmp_path):
    assert peers._host("autov", [sys.executable]) == sys.executable
    assert peers._host("no-such-library", [sys.executable]) is None
    with pytest.raises(InputError, match="cannot run"):
        peers._host("autov", [str(tmp_path / "nothing")])
