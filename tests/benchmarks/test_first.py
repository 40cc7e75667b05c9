"""What is stored of first calls."""

import itertools
import sys

from benchmarks import first


def test_the_least_of_several_is_kept_for_every_call(monkeypatch):
    made = iter([[9.0, 8.0], [2.0, 1.5], [7.0, 6.0], [3.0, 1.0], [30.0, 20.0], [4.0, 3.0], [40.0, 10.0], [5.0, 2.0]])
    folders = []

    def seconds(program, folder):
        folders.append((program[-1], folder))
        return next(made)

    monkeypatch.setattr(first, "_seconds", seconds)
    found = first.bench_first(repeats=2)["calls"]
    assert found["python_function"] == {
        "first_seconds": 7.0, "first_processor_seconds": 6.0, "later_seconds": 2.0, "later_processor_seconds": 1.0,
    }  # fmt: skip
    assert found["compiled_problem"]["first_processor_seconds"] == 10.0
    assert [a == b for a, b in itertools.pairwise(folders)] == [True, False] * 3 + [True]


def test_a_process_says_how_long_its_call_took(tmp_path):
    program = first.PROGRAM.format("lambda x: float(x[0] ** 2), bounds=[(-1, 1)], algorithm='pso', maxfev=20")
    wall, processor = first._seconds([sys.executable, "-c", program], str(tmp_path))
    assert wall > 0
    assert processor > 0
