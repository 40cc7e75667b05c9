"""How the specialists in the library were designed, and how they do on problems that they were not trained on.

Each is made by `autov.design` with the preset ``standard``, cut to a number of evaluations, for families of one kind of
problem; the fitness is the share of results of known designs and of other libraries that beat a candidate. It is judged
on other functions of its kind, and on its own with another number of variables.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from autov.algorithms.files import save_algorithm
from autov.core.atomic_files import read_json, to_json, write_text
from autov.designer import design
from autov.experiments import Comparison, compare
from autov.experiments.compact import read_compact, write_compact
from autov.invariance import check_algorithm
from autov.reports.tables import to_markdown
from autov.stats.ranks import average_ranks
from benchmarks.kernel import machine
from benchmarks.remarks import read_remarks

RIVALS = ("general", "paper-h3", "ma-es", "cma:default", "minion:bipop", "minion:arrde")
PANEL = ("minion:bipop", "minion:arrde")
SEED, JUDGED_SEED = 1, 2026


@dataclass(frozen=True)
class Kind:
    """A kind of problem: what a specialist for it is trained on, and what it is judged on.

    Attributes:
        what: in words.
        trained: functions.
        family: what their instances differ in.
        others: functions that it is tested on besides those that it is trained on, which have ``dim`` variables then.
        settings: of the design.
        dim: variables of the problems that judge.
        maxfev: evaluations of the runs that judge.
        runs: of them on each problem.
        rivals: in the tests.
        suite: held out, instead of functions.
        table: problems of a table of the paper that it also runs on, with the table's seed.
        checked: options of its certificate.
    """

    what: str
    trained: tuple[str, ...]
    family: str
    others: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    dim: int | None = 20
    maxfev: int = 6000
    runs: int = 15
    rivals: tuple[str, ...] = RIVALS
    suite: str | None = None
    table: tuple[str, ...] = ()
    checked: dict[str, Any] = field(default_factory=dict)

    @property
    def training(self) -> list[str]:
        """Problems that it is trained on; a name may say its family itself."""
        return [name if "+family=" in name else f"{name}+family={self.family}" for name in self.trained]

    @property
    def held_out(self) -> list[str]:
        """Problems that it is judged on."""
        if self.suite is not None:
            return [self.suite]
        return [f"{name}+family={self.family}" for name in (*self.others, *self.trained)]


SIZES = {"dims": (10, 30), "budgets": ("100d", "300d"), "evaluations": 120_000_000, "aggregate": "panel",
         "panel": PANEL, "panel_runs": 4}  # fmt: skip
# A hundred candidates with one run each cannot be told apart under noise: fewer, more runs of each, one member.
FEW_CANDIDATES = {"members": ("ma-es",), "searcher": "ma-es", "population": 16, "generations": 40, "memory": 12,
                  "trial": {"runs": 2}, "panel": (*PANEL, "general")}  # fmt: skip
KINDS = {
    "separable-multimodal": Kind(
        "many optima, the variables independent of each other",
        ("rastrigin", "schwefel_2_26", "levy", "styblinski_tang", "weierstrass"), "translate",
        ("ackley", "griewank", "michalewicz", "expanded_schaffer_f6"), SIZES,
    ),
    "rotated-multimodal": Kind(
        "many optima, the variables dependent",
        ("rastrigin", "ackley", "griewank", "weierstrass", "levy"), "translate-rotate",
        ("schwefel_2_26", "expanded_schaffer_f6", "katsuura", "lunacek"), SIZES,
    ),
    "ill-conditioned": Kind(
        "one optimum in a narrow valley",
        ("ellipsoid", "discus", "rosenbrock", "sharp_ridge", "schwefel_1_2"), "translate-rotate",
        ("bent_cigar", "different_powers", "zakharov", "schwefel_2_21"), SIZES,
    ),
    "noisy": Kind(
        "every value multiplied by exp(z), z standard normal",
        ("noisy_sphere", "noisy_ellipsoid", "noisy_rastrigin", "noisy_ackley", "noisy_rosenbrock"), "translate-rotate",
        ("noisy_griewank", "noisy_different_powers", "noisy_schwefel_1_2", "quartic"), SIZES | FEW_CANDIDATES,
    ),
    "large-scale": Kind(
        "1000 variables, 120,000 evaluations",
        ("rastrigin", "ackley", "ellipsoid", "rosenbrock", "schwefel_1_2", "different_powers",
         *(f"{name}+family=translate-rotate" for name in ("rastrigin", "ackley", "ellipsoid"))), "translate",
        # As many evaluations for a variable with fewer variables: 1000 would take hours, and so would learned frames.
        (), {"space": "evolution", "dims": (100, 200), "budgets": ("120d",), "population": 30, "generations": 30,
             "aggregate": "panel", "panel_runs": 4, "trial": {"runs": 1}, "retest_runs": 5, "race_runs": 5,
             "race_size": 8, "fix": {"evolution.frame": "axes"}},
        None, 120_000, 5, ("paper-h3", "ga"), "lsgo", tuple(f"lsgo-paper-f{i}" for i in range(1, 16)),
    ),
}  # fmt: skip


def bench_specialists(folder: str | Path = "runs/specialists", names: tuple[str, ...] = tuple(KINDS)) -> dict[str, Any]:
    """Design, certify and judge; what is there already is not made again."""
    return {name: _specialist(name, Path(folder) / name) for name in names}


def _certified(path: Path, place: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Which properties hold; the certificate is made once."""
    if (place / "certificate.json").exists() and (place / "summary.json").exists():
        return json.loads((place / "summary.json").read_text(encoding="utf-8"))["holds"]
    certificate = check_algorithm(str(path), rng=SEED, **options)
    write_text(place / "certificate.json", to_json(certificate.to_dict(), indent=1) + "\n")
    return certificate.holds


def _specialist(name: str, place: Path) -> dict[str, float]:
    kind, path = KINDS[name], place / f"{name}.json"
    if not path.exists():
        found = design(kind.training, preset="standard", rng=SEED, checkpoint=place / "search.npz", resume=True,
                       validate=(), workers=-1, **kind.settings)  # fmt: skip
        save_algorithm(found.algorithm, path, {"what": kind.what, **found.provenance})
    holds = _certified(path, place, kind.checked)
    made = compare(
        {name: str(path), **{rival: rival for rival in kind.rivals}}, kind.held_out, dim=kind.dim, maxfev=kind.maxfev,
        runs=kind.runs, rng=JUDGED_SEED, reference=name, store=place / "results.db", name=name,
        workers=-1,
    )  # fmt: skip
    write_compact(made, place / "comparison.json")
    write_text(place / "comparison.md", to_markdown(made.table()))
    if kind.table:
        against = compare({name: str(path)}, kind.table, maxfev=kind.maxfev, runs=kind.runs, rng=1, reference=name,
                          store=place / "results.db", name=name, workers=-1)  # fmt: skip
        write_compact(against, place / "table.json")
    marks = {f"{p}, {a}": cell.mark for (p, a), cell in made.scores(correct=False).cells.items() if a != name}
    ranks = made.median_ranks()
    summary = {"median_ranks": ranks, "marks": marks, "holds": holds, "machine": machine()}
    write_text(place / "summary.json", to_json(summary, indent=1) + "\n")
    return ranks


def specialists_page(results: str | Path, page: str | Path) -> str:
    """Write the page of what is stored of the specialists; ``remarks.md`` comes first."""
    place = Path(results)
    parts = ["# Specialists", read_remarks(place / "remarks.md")]
    for name, kind in KINDS.items():
        if (path := place / name / "summary.json").exists():
            parts += _section(name, kind, read_json(path, "a summary"))
        if (path := place / name / "table.json").exists():
            parts += _with_table(name, read_compact(path), read_compact(place.parent / "paper" / "table-9.json"))
    text = "\n\n".join(parts) + "\n"
    write_text(page, text)
    return text


def _with_table(name: str, own: Comparison, table: Comparison) -> list[str]:
    """Mean ranks of mean values among the algorithms of Table IX."""
    algorithms = (name, *table.algorithms)
    means = [[(own if a == name else table).values(p, a).mean() for a in algorithms] for p in own.problems]
    ranks = average_ranks(np.array(means))
    order = sorted(zip(ranks, algorithms, strict=True))
    first = [algorithms[int(np.argmin(row))] for row in means]
    return [
        "Against Table IX of the paper (its data and evaluations, five to ten runs of each; "
        f"[table](../results/paper/table-9.json), [the specialist](../results/specialists/{name}/table.json)), "
        f"`{name}` has the smallest mean on {first.count(name)} of {len(first)} functions:",
        "\n".join(["| algorithm | mean rank of means |", "| --- | ---: |",
                   *(f"| `{a}` | {rank:.2f} |" for rank, a in order)]),
    ]  # fmt: skip


def _section(name: str, kind: Kind, summary: dict[str, Any]) -> list[str]:
    ranks, marks = summary["median_ranks"], summary["marks"]
    rows = [
        "| algorithm | mean rank of medians | better than it | worse | neither |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for algorithm in sorted(ranks, key=lambda one: ranks[one]):
        found = [mark for pair, mark in marks.items() if pair.endswith(f", {algorithm}")]
        counts = ["", "", ""] if algorithm == name else [str(found.count(mark)) for mark in "+-="]
        label = f"**`{algorithm}`**" if algorithm == name else f"`{algorithm}`"
        rows.append(f"| {label} | {ranks[algorithm]:.2f} | {' | '.join(counts)} |")
    holds = [word for word, held in summary["holds"].items() if held]
    judged = kind.suite or f"{', '.join(kind.others)} (held-out) and the training problems, in {kind.dim} variables"
    dims, place = ", ".join(map(str, kind.settings["dims"])), f"../results/specialists/{name}"
    facts = {
        "problems": kind.what,
        "training": f"{', '.join(kind.trained)} ({kind.family}; {dims} variables)",
        "test": judged,
        "runs": f"{kind.runs} of {kind.maxfev:,} evaluations on fresh instances, seed {JUDGED_SEED}",
        "invariant to": f"{', '.join(holds) or 'nothing'} ([certificate]({place}/certificate.json))",
        "stored": f"[all values]({place}/comparison.md)",
    }
    head = ["| | |", "| --- | --- |", *(f"| {fact} | {text} |" for fact, text in facts.items())]
    return [f"## {name}", "\n".join(head), "\n".join(rows)]
