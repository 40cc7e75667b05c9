"""What is damaged and loaded: one function for each kind of file, which loads and then uses what it got."""

import json
from pathlib import Path

import numpy as np

from autov.algorithms.registry import ALGORITHMS, make_algorithm
from autov.core import InputError
from autov.designer import TrialBudget, design
from autov.experiments import Store, experiment
from autov.experiments.compact import pack, read_compact
from autov.experiments.comparison import compare_experiment
from autov.operators import load_operator, operator_names
from autov.operators.operator_files import to_dict
from autov.runs.optimizer import Optimizer
from autov.runs.stopping import Stopping
from tests.fuzz.mutations import json_text, npz_damaged, store_damaged

TINY = {"population": 6, "generations": 2, "trial": TrialBudget(6, 3, 3), "rows": 3, "dim": 3, "rng": 1,
        "race_runs": 1, "retest_runs": 2}  # fmt: skip
POINTS = np.random.default_rng(0).uniform(-1, 1, (3, 5, 4))


class Operators:
    """Operator files, loaded, called, shown and saved again."""

    suffix = ".json"

    def __init__(self, _: Path) -> None:
        self.seeds = [to_dict(load_operator(name)) for name in operator_names()]
        tied = load_operator(operator_names()[0]).from_rows(
            "h3", [{"probability": 1, "x2": (0.5, 0.1)}], tie_bounds=True
        )
        self.seeds.append(to_dict(tied) | {"more": {"kept": [1, 2]}})

    def damage(self, path: Path, dice) -> None:
        path.write_bytes(json_text(dice.choice(self.seeds), dice))

    def use(self, path: Path) -> None:
        operator = load_operator(path)
        if operator.n_parents <= 3:
            operator(POINTS, -np.ones(4), np.ones(4), np.random.default_rng(1), POINTS[0, 0], POINTS[0, 1])
        str(operator), operator.latex(), operator.variation()
        operator.save(path)
        assert load_operator(path) == operator


class Checkpoints:
    """Searches on disk, gone on with."""

    suffix = ".npz"

    def __init__(self, folder: Path) -> None:
        path = folder / "whole.npz"
        design("sphere", checkpoint=path, **(TINY | {"generations": 1}))
        self.data = path.read_bytes()

    def damage(self, path: Path, dice) -> None:
        path.write_bytes(npz_damaged(self.data, dice))

    def use(self, path: Path) -> None:
        design("sphere", checkpoint=path, resume=True, workers=1, **TINY)


class Optimizers:
    """Saved optimizers of all algorithms, gone on with."""

    suffix = ".npz"

    def __init__(self, folder: Path) -> None:
        self.data = []
        stop = Stopping(patience=90, maxtime=9e9)
        for name in ALGORITHMS:
            for steps, rules in ((0, {}), (1, {}), (3, {}), (3, {"integrality": True, "stop": stop}),
                                 (3, {"constraints": "returned"})):  # fmt: skip
                size = {"popsize": 12} if getattr(make_algorithm(name), "uses_popsize", True) else {}
                optimizer = Optimizer([(-5, 3)] * 4, algorithm=name, rng=1, maxfev=500, **size, **rules)
                for _ in range(steps):
                    x = optimizer.ask()
                    optimizer.tell(x, (x**2).sum(axis=1), **_measured(optimizer, x))
                optimizer.ask()
                optimizer.save(folder / "whole.npz")
                self.data.append((folder / "whole.npz").read_bytes())

    def damage(self, path: Path, dice) -> None:
        path.write_bytes(npz_damaged(dice.choice(self.data), dice))

    def use(self, path: Path) -> None:
        optimizer = Optimizer.load(path)
        for _ in range(3):
            x = optimizer.ask()
            if not len(x):
                break
            optimizer.tell(x, (x**2).sum(axis=1), **_measured(optimizer, x))
            assert optimizer.box.holds(x)
        optimizer.save(path)


def _measured(optimizer, x):
    """Two constraints, where they are to be told."""
    return {"constraints": 1.0 - x[:, :2]} if optimizer._rules.returned else {}


def _planned():
    return experiment("ga,paper-h3", "sphere,f9", dim=3, maxfev=60, popsize=10, runs=2, seed=1)


class CompactResults:
    """Results as JSON, shown as a table."""

    suffix = ".json"

    def __init__(self, _: Path) -> None:
        self.data = json.loads(json.dumps(pack(compare_experiment(_planned(), None, workers=1))))

    def damage(self, path: Path, dice) -> None:
        path.write_bytes(json_text(self.data, dice))

    def use(self, path: Path) -> None:
        found = read_compact(path)
        found.table()
        pack(found)


class Stores:
    """Stores, read and gone on with."""

    suffix = ".db"

    def __init__(self, folder: Path) -> None:
        path = folder / "whole.db"
        tasks = _planned().tasks
        with Store(path) as store:
            compare_experiment(_planned(), store, workers=1)
            store.fail(experiment("de", "sphere", dim=3, maxfev=60, popsize=10, runs=1).tasks[0], "no", "trace")
        self.data, self.tasks = path.read_bytes(), tasks

    def damage(self, path: Path, dice) -> None:
        path.write_bytes(self.data)
        store_damaged(path, dice)

    def use(self, path: Path) -> None:
        with Store(path) as store:
            store.failures()
            for row in store.rows():
                assert len(row.samples) <= 10_000
            compare_experiment(_planned(), store, workers=1).table()


SUBJECTS = {
    "operators": Operators, "checkpoints": Checkpoints, "optimizers": Optimizers, "compact": CompactResults,
    "stores": Stores,
}  # fmt: skip


def outcome(subject, path: Path) -> str:
    """ "loads", or what was said: one line."""
    try:
        subject.use(path)
    except InputError as error:
        said = str(error)
    else:
        return "loads"
    assert "\n" not in said, said
    return said
