"""Two kinds of problems that come again every week: what a cold run, experience, a design and both reach on new ones.

The plants of examples/tune_controllers.py and the weeks of examples/fit_kinetics.py. Eight of each were run before,
with 500 evaluations; six come new. The designs are results/controllers/optimizer.json and
results/kinetics/optimizer.json, which this command makes if it is not there. Then ten weeks of kinetics in a row, each
learning from those before it.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import autov
from autov.algorithms import resolve_algorithm
from autov.core import to_json, write_text
from autov.designer.memory import ends_of, with_memory
from autov.designer.trials import TrialBudget, Trials
from autov.experiments import Cell, Table
from autov.experiments.row import versions
from benchmarks.kernel import machine

ROOT = Path(__file__).parents[1]
SAVED = ROOT / "results" / "weekly.json"
OLD, NEW = tuple(range(1, 9)), tuple(range(101, 107))
HISTORY, BUDGETS, RUNS = 500, (100, 200, 500, 1000), 8
REMEMBERS = "design that remembers"
BOTH = f"{REMEMBERS} with experience"
KINDS = ("cold", "experience", "design", REMEMBERS, "design with experience", BOTH)
WEEKS, REPEATS, WEEKLY = 10, 30, 200  # of the growing store: weeks, repetitions with other weeks, evaluations
SIZE: dict[str, Any] = {
    "generations": 20,
    "population": 20,
    "race_size": 4,
    "race_runs": 4,
    "retest_runs": 10,
}  # of the design
TRIAL = TrialBudget(popsize=20, runs=1, evaluations=500)


@dataclass(frozen=True)
class Field:
    """A kind of problems: the problem of a number, its context, the file of its design, and whether that remembers.

    Where the design of kinetics tried a memory, held-out weeks refused it.
    """

    problem: Callable[[int], Any]
    context: Callable[[int], Any]
    design: Path
    remembers: bool


@cache
def example(name: str) -> ModuleType:
    """A file of examples/."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fields() -> dict[str, Field]:
    """Both of them."""
    tanks, kinetics = example("tune_controllers"), example("fit_kinetics")
    results = ROOT / "results"
    return {
        "controllers": Field(cache(tanks.plant), lambda _: None, results / "controllers" / "optimizer.json", True),
        "kinetics": Field(cache(kinetics.week), kinetics.context, results / "kinetics" / "optimizer.json", False),
    }


def design_kinetics(path: Path) -> None:
    """An optimiser for the fits of eight weeks, some minutes."""
    week = fields()["kinetics"].problem
    found = autov.design(
        [week(number) for number in OLD], space="portfolio", family=(), validate=(), trial=TRIAL, memory=4, rng=1,
        **SIZE,
    )  # fmt: skip
    path.parent.mkdir(exist_ok=True)
    found.save(path)


def algorithms_of(field: Field, old: tuple[int, ...], budget: int = HISTORY) -> dict[str, Any]:
    """The design without and with its memory of the old problems."""
    cold = resolve_algorithm(f"{field.design}+cold")
    if not field.remembers:
        return {"design": cold}
    trials = [Trials(field.problem(number), TrialBudget(20, 1, 1, evaluations=budget), 1) for number in old]
    return {"design": cold, REMEMBERS: with_memory(cold, ends_of(cold, trials, 1))}


def history_of(field: Field, old: tuple[int, ...], history: int, store: Path) -> None:
    """One run on each of the old problems, as a user would have made it."""
    for number in old:
        autov.minimize(field.problem(number), maxfev=history, rng=number, store=store, context=field.context(number))


def compared(
    field: Field, store: Path, old: tuple[int, ...], new: tuple[int, ...], budgets: tuple[int, ...], runs: int
) -> dict[str, Any]:  # fmt: skip
    """Best values by kind, budget and new problem."""
    made = algorithms_of(field, old)
    values: dict[str, Any] = {}
    for kind in KINDS:
        if REMEMBERS in kind and not field.remembers:
            continue
        name = REMEMBERS if REMEMBERS in kind else "design"
        algorithm = made[name] if kind.startswith("design") else None
        learning = store if kind.endswith("experience") else None
        for budget in budgets:
            values[f"{budget}, {kind}"] = {
                str(number): [
                    autov.minimize(
                        field.problem(number), algorithm=algorithm, maxfev=budget, rng=seed, learn_from=learning,
                        context=field.context(number) if learning else None,
                    ).fun
                    for seed in range(runs)
                ]
                for number in new
            }  # fmt: skip
    return values


def grown(weeks: int = WEEKS, repeats: int = REPEATS, maxfev: int = WEEKLY) -> dict[str, Any]:
    """Weeks of kinetics one after the other, with one store: evaluations until the final value of a cold run.

    The cold run is of the same week. A run that does not reach its value counts as twice its budget.
    """
    field, needed, finals = fields()["kinetics"], np.empty((repeats, weeks)), np.empty((repeats, weeks, 2))
    for repeat in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "runs.db"
            for week in range(weeks):
                number = 1000 + repeat * weeks + week
                told: dict[str, Any] = {"maxfev": maxfev, "rng": number}
                cold = autov.minimize(field.problem(number), **told)
                warm = autov.minimize(
                    field.problem(number), store=store, learn_from=store if store.exists() else None,
                    context=field.context(number), **told,
                )  # fmt: skip
                reached = np.flatnonzero(warm.trace_best <= cold.fun)
                needed[repeat, week] = warm.trace_nfev[reached[0]] if len(reached) else 2 * maxfev
                finals[repeat, week] = cold.fun, warm.fun
    return {"weeks": weeks, "repeats": repeats, "maxfev": maxfev, "needed": needed.tolist(), "best": finals.tolist()}


def bench_weekly(
    save: Path | None = SAVED, *, old: tuple[int, ...] = OLD, new: tuple[int, ...] = NEW, history: int = HISTORY,
    budgets: tuple[int, ...] = BUDGETS, runs: int = RUNS, weeks: int = WEEKS, repeats: int = REPEATS,
) -> dict[str, Any]:  # fmt: skip
    """Both tables and the growing store (some minutes)."""
    found: dict[str, Any] = {}
    if not (path := fields()["kinetics"].design).exists():
        design_kinetics(path)
    for name, field in fields().items():
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "runs.db"
            history_of(field, old, history, store)
            found[name] = compared(field, store, old, new, budgets, runs)
    result = {
        "old": list(old), "new": list(new), "history": history, "history_seeds": list(old), "budgets": list(budgets),
        "seeds": list(range(runs)), "kinds": list(KINDS), "values": found, "grown": grown(weeks, repeats),
        "machine": machine(), "versions": versions(),
    }  # fmt: skip
    if save is not None:
        write_text(save, to_json(result, indent=1) + "\n")
    return result


def rows_of(result: dict[str, Any], name: str) -> list[tuple[str, list[float]]]:
    """``evaluations, kind`` and the mean best values on the new problems, then their mean."""
    rows = []
    for kind, problems in result["values"][name].items():
        means = [float(np.mean(problems[str(number)])) for number in result["new"]]
        rows.append((kind, [*means, float(np.mean(means))]))
    return rows


def markdown(result: dict[str, Any], name: str) -> list[str]:
    """The table of docs/weekly.md; bold is the smallest mean of a budget."""
    rows, heads = rows_of(result, name), " | ".join(map(str, result["new"]))
    lines = [f"| evaluations | | {heads} | mean |", f"| ---{' | ---' * (len(result['new']) + 2)} |"]
    for budget in result["budgets"]:
        own = [(kind.partition(", ")[2], means) for kind, means in rows if kind.startswith(f"{budget}, ")]
        least = min(means[-1] for _, means in own)
        for kind, means in own:
            last = f"**{means[-1]:.2f}**" if means[-1] == least else f"{means[-1]:.2f}"
            cells = " | ".join([*(f"{mean:.2f}" for mean in means[:-1]), last])
            lines.append(f"| {budget:,} | {kind} | {cells} |")
    return lines


def weekly_table(result: dict[str, Any]) -> Table:
    """Both fields below each other."""
    rows = [
        (f"{name}, {kind}", tuple(Cell(f"{mean:.2f}") for mean in means))
        for name in result["values"]
        for kind, means in rows_of(result, name)
    ]
    heads = ("problem, evaluations, kind", *(str(number) for number in result["new"]), "mean")
    return Table("Mean best value on new problems", heads, tuple(rows))


def picture(result: dict[str, Any]) -> Any:
    """How many evaluations each week needs for the final value of a cold run: median and quartiles."""
    from autov.reports.canvas import drawing
    from autov.reports.theme import line_style

    grown = result["grown"]
    low, middle, high = np.quantile(np.array(grown["needed"]), (0.25, 0.5, 0.75), axis=0)
    weeks = np.arange(1, grown["weeks"] + 1)
    with drawing(5.6, 3.2) as figure:
        ax, style = figure.subplots(), line_style(0)
        ax.fill_between(weeks, low, high, color=style.color, alpha=0.15, linewidth=0)
        ax.plot(weeks, middle, **style._asdict(), linewidth=1.6, markersize=3.5)
        ax.axhline(grown["maxfev"], color="0.5", linewidth=0.8, linestyle="--")
        ax.text(1, grown["maxfev"], " a cold run", va="bottom", color="0.4")
        ax.set_xticks(weeks)
        ax.set_ylim(0, None)
        ax.set_xlabel("week")
        ax.set_ylabel("evaluations to reach a cold run")
        return figure


if __name__ == "__main__":
    from autov.reports import save_plot

    stored = json.loads(SAVED.read_text(encoding="utf-8"))
    for field in stored["values"]:
        sys.stdout.write("\n".join([f"{field}:", *markdown(stored, field), ""]))
    save_plot(picture(stored), ROOT / "docs" / "images" / "weekly.svg")
