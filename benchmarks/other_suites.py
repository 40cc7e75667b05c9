"""Is the default as good elsewhere? CEC'2017 and the real-world problems of CEC'2011, with the default before models.

No function of these suites decided anything in the search of `general` or in its adjustments (docs/quality-methods.md
says what was looked at). The functions are those of minionpy. Ranks are those of medians among all algorithms.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autov.core import Array, InputError
from autov.core.atomic_files import to_json, write_text
from autov.experiments import Comparison, Store, compare
from autov.problems import function_problem
from autov.stats.ranks import average_ranks
from benchmarks.kernel import machine

OWN = ("general", "first general=results/general/first.json")
OTHERS = (
    "minion:bipop", "minion:rcmaes", "minion:arrde", "minion:jade", "cma:default", "cma:lq", "scipy:de",
    "scipy:dual-annealing", "scipy:slsqp", "nlopt:bobyqa", "nlopt:sbplx",
)  # fmt: skip
SLOW = {"cma:lq": 30_000}  # evaluations times variables up to which it is run
RUNS, SEED = 5, 1


class Setting(NamedTuple):
    """A suite, its number of variables (None: each problem has its own), and evaluations of a run."""

    suite: str
    dim: int | None
    maxfev: int


SETTINGS = (
    Setting("CEC'2017", 10, 1_000), Setting("CEC'2017", 10, 10_000), Setting("CEC'2011", None, 300),
)  # fmt: skip
MOST = 40  # variables of a problem of CEC'2011: with more, local peers take hours
# Problems 3 and 4 have one variable, which some rivals do not take; CEC'2017 withdrew its function 2.
NUMBERS = {"CEC'2011": [n for n in range(1, 23) if n not in (3, 4)], "CEC'2017": [n for n in range(1, 31) if n != 2]}


@dataclass(frozen=True)
class Suite:
    """A function of minionpy, which travels by its number."""

    suite: str
    number: int
    dim: int

    def __call__(self, x: Array) -> Array:
        """Values of the rows of x."""
        return np.array(_function(*astuple(self))(np.atleast_2d(x)), dtype=np.float64)


@cache
def _function(suite: str, number: int, dim: int) -> Any:
    import minionpy

    return minionpy.CEC2011Functions(number) if suite == "CEC'2011" else minionpy.CEC2017Functions(number, dim)


def problems(setting: Setting) -> dict[str, Any]:
    """The problems of a setting, by name."""
    import minionpy

    found = {}
    for number in NUMBERS[setting.suite]:
        if setting.suite == "CEC'2011":
            dim, lower, upper = minionpy.CEC2011_METADATA[number]
            bounds, minimum = list(zip(lower.tolist(), upper.tolist(), strict=True)), None
            if dim > MOST:
                continue
        else:
            dim, bounds, minimum = setting.dim or 10, [(-100.0, 100.0)] * (setting.dim or 10), 100.0 * number
        name = f"{setting.suite} {number}"
        key = f"minionpy {version('minionpy')} {name} {dim}"
        found[name] = function_problem(
            Suite(setting.suite, number, dim), bounds, True, name=name, minimum=minimum, key=key
        )
    return found


def bench_other_suites(path: str | Path = "runs/other-suites.json") -> dict[str, Any]:
    """Run what the store next to the file lacks; medians and mean ranks of each setting."""
    try:
        import minionpy  # noqa: F401
    except ImportError:
        raise InputError('minionpy: not installed; pip install ".[peers]"') from None
    path = Path(path)
    data: dict[str, Any] = {"settings": []}
    with Store(path.with_suffix(".db")) as store:
        for setting in SETTINGS:
            made = _run(setting, store)
            data["settings"].append({**setting._asdict(), "runs": RUNS, "seed": SEED, **figures(made)})
            data |= {"machine": machine(), "minionpy": version("minionpy")}
            write_text(path, to_json(data, indent=1) + "\n")
    return {title(each): each["ranks"] for each in data["settings"]}


def _run(setting: Setting, store: Store) -> Comparison:
    cases = problems(setting)
    largest = max(problem.box.dim for problem in cases.values())
    chosen = [a for a in (*OWN, *OTHERS) if largest * setting.maxfev <= SLOW.get(a, largest * setting.maxfev)]
    return compare(chosen, cases, maxfev=setting.maxfev, runs=RUNS, rng=SEED, store=store, workers=-1,
                   reference="general", name=title(setting._asdict()))  # fmt: skip


def figures(made: Comparison) -> dict[str, Any]:
    """Medians, mean ranks of them, and on how many problems each is significantly better and worse than `general`."""
    medians = {p: {a: float(np.median(made.values(p, a))) for a in made.algorithms} for p in made.problems}
    ranks = average_ranks(np.array([[medians[p][a] for a in made.algorithms] for p in made.problems]))
    cells = made.scores(correct=False).cells
    marks = {
        a: [sum(cells[p, a].mark == sign for p in made.problems) for sign in "+-"]
        for a in made.algorithms if a != made.reference
    }  # fmt: skip
    return {"medians": medians, "ranks": dict(zip(made.algorithms, ranks.tolist(), strict=True)), "marks": marks}


def title(setting: dict[str, Any]) -> str:
    """The name of a setting."""
    dim = f"{setting['dim']} variables" if setting["dim"] else f"at most {MOST} variables"
    return f"{setting['suite']}, {dim}, {setting['maxfev']:,} evaluations"


def section(data: dict[str, Any]) -> list[str]:
    """The section of the page: a table of mean ranks with an algorithm in each row and a setting in each column."""
    settings = data["settings"]
    names = list(dict.fromkeys(a for each in settings for a in each["ranks"]))
    names.sort(key=lambda a: np.mean([each["ranks"][a] for each in settings if a in each["ranks"]]))
    head = ["algorithm", *(f"{each['suite']}, {_size(each)}" for each in settings)]
    rows = [f"| {' | '.join(head)} |", f"|{' --- |' + ' ---: |' * len(settings)}"]
    best = [min(each["ranks"].values()) for each in settings]
    for name in names:
        cells = [_cell(each, name, least) for each, least in zip(settings, best, strict=True)]
        rows.append(f"| {f'**`{name}`**' if name == 'general' else f'`{name}`'} | {' | '.join(cells)} |")
    firsts = sum(each["ranks"]["general"] == least for each, least in zip(settings, best, strict=True))
    counts = ", ".join(f"{len(each['medians'])} in {title(each)}" for each in settings)
    return [
        "## Other suites",
        f"Mean ranks of medians on CEC'2017 and on real-world problems (CEC'2011). `general` is first in {firsts} of "
        f"{len(settings)} settings. `first general` is the default before it had models and local searches. In "
        "brackets: on how many problems an algorithm is significantly better (+) and worse (-) than `general` "
        f"(rank-sum test, 5 %, {settings[0]['runs']} runs each).",
        "\n".join(rows),
        f"Functions of minionpy {data['minionpy']}; problems: {counts}. `python -m benchmarks other-suites` repeats "
        "it.",
    ]


def _size(setting: dict[str, Any]) -> str:
    dim = f"{setting['dim']}-D, " if setting["dim"] else ""
    return f"{dim}{setting['maxfev']:,}"


def _cell(setting: dict[str, Any], name: str, best: float) -> str:
    if name not in setting["ranks"]:
        return "-"
    rank = setting["ranks"][name]
    text = f"**{rank:.2f}**" if rank == best else f"{rank:.2f}"
    better, worse = setting["marks"].get(name, (0, 0))
    return text if name == "general" else f"{text} (+{better}, -{worse})"
