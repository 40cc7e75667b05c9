"""How good the default is on problems that nobody trained on: the BBOB suite, beside other libraries.

`bench_quality` runs what is missing in a store and writes one file of figures for each setting; what such a file says
of algorithms that are not run this time stays in it. `quality_page` makes docs/quality.md of such files and of remarks
written by hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from autov.core.atomic_files import read_json, to_json, write_text
from autov.experiments import Comparison, compare
from autov.reports.canvas import save_plot
from autov.reports.target_plots import ecdf_plot, groups_of_problems
from autov.stats.ranks import average_ranks
from benchmarks.kernel import machine

SETTINGS = ((20, 10_000), (10, 10_000), (40, 10_000), (20, 2_000))  # variables, evaluations
OWN = ("general", "anytime", "thorough", "ma-es", "paper-h3", "ga")
OTHERS = (
    "minion:bipop", "minion:rcmaes", "minion:arrde", "minion:jade", "minion:nlshade-rsp", "minion:lshade", "minion:jso",
    "cma:default", "cmaes:default", "pypop7:ddcma", "pypop7:sepcma", "scipy:de", "nevergrad:ngopt",
)  # fmt: skip
DRAWN = ("general", "anytime", "thorough", "ma-es", "paper-h3", "minion:bipop", "minion:rcmaes", "minion:arrde")
RUNS, SEED, SUITE = 5, 1, "bbob+instance=1..5"


def bench_quality(
    folder: str | Path = "runs/quality", algorithms: Iterable[str] = (*OWN, *OTHERS),
    settings: Iterable[tuple[int, int]] = SETTINGS,
) -> dict[str, Any]:  # fmt: skip
    """All algorithms on all 24 functions, one run on each of five instances; what is stored is not run again.

    The first of `OWN` always runs: others are compared with it. Figures that the folder already holds of other
    algorithms stay, so that one can be added to those in results/quality, copied there, without running all again.
    """
    place, found = Path(folder), {}
    for dim, maxfev in settings:
        name = f"bbob-{dim}d-{maxfev}"
        path = place / f"{name}.json"
        chosen = list(dict.fromkeys((OWN[0], *algorithms)))
        made = _runs(chosen, dim, maxfev, place)
        now = figures(made) | {"dim": dim, "maxfev": maxfev, "machine": machine()}
        found[name] = joined(read_json(path, "figures"), now) if path.exists() else now
        write_text(path, to_json(found[name], indent=1) + "\n")
        if set(DRAWN) <= set(chosen):
            save_plot(ecdf_plot(_runs(DRAWN, dim, maxfev, place), by_group=True), place / f"{name}.png")
    return {name: each["measures"] for name, each in found.items()}


def _runs(algorithms: Iterable[str], dim: int, maxfev: int, place: Path) -> Comparison:
    return compare(list(algorithms), [SUITE], dim=dim, maxfev=maxfev, runs=RUNS, rng=SEED, reference=OWN[0],
                   store=place / "results.db", name=f"bbob-{dim}d-{maxfev}", workers=-1)  # fmt: skip


def figures(comparison: Comparison) -> dict[str, Any]:
    """Everything that the page says of a comparison."""
    targets, ranks, scores = comparison.targets(), comparison.median_ranks(), comparison.scores()
    groups = groups_of_problems(targets)
    reference = comparison.reference
    functions = {}
    for problem in comparison.problems:
        medians = {a: float(np.median(comparison.values(problem, a))) for a in comparison.algorithms}
        better = [a for a in comparison.algorithms if a != reference and scores.cells[problem, a].mark == "+"]
        functions[problem] = {"medians": medians, "significantly_better": better}
    return {
        "algorithms": list(comparison.algorithms), "reference": reference, "runs": RUNS, "seed": SEED,
        "measures": {
            a: {"area": targets.area(a), "targets": targets.share(a), "rank": ranks[a]} for a in comparison.algorithms
        },
        "groups": {g: {a: targets.area(a, names) for a in comparison.algorithms} for g, names in groups.items()},
        "functions": functions,
        "versions": {name: value for row in comparison.rows for name, value in row.versions.items()},
    }  # fmt: skip


def joined(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Figures of now, and of algorithms that were run before and not now; ranks are those among all of them."""
    kept = [a for a in before["algorithms"] if a not in now["algorithms"]]
    order = {name: place for place, name in enumerate((*OWN, *OTHERS))}
    algorithms = sorted((*kept, *now["algorithms"]), key=lambda a: order.get(a, len(order)))
    functions = {}
    for problem, row in now["functions"].items():
        old, reference = before["functions"][problem], now["reference"]
        same = old["medians"][reference] == row["medians"][reference]  # else nobody knows any more
        better = {*row["significantly_better"], *(a for a in old["significantly_better"] if a in kept and same)}
        medians = old["medians"] | row["medians"]
        functions[problem] = {
            "medians": {a: medians[a] for a in algorithms},
            "significantly_better": [a for a in algorithms if a in better],
            "not_compared": [] if same else [a for a in algorithms if a in kept],
        }
    ranks = average_ranks(np.array([list(row["medians"].values()) for row in functions.values()]))
    every = before["measures"] | now["measures"]
    return now | {
        "algorithms": algorithms,
        "measures": {a: every[a] | {"rank": float(rank)} for a, rank in zip(algorithms, ranks, strict=True)},
        "groups": {g: {a: (before["groups"][g] | areas)[a] for a in algorithms} for g, areas in now["groups"].items()},
        "functions": functions,
        "versions": before["versions"] | now["versions"],
    }


def quality_page(results: str | Path, page: str | Path) -> str:
    """Write the page of all files of figures in a folder; ``remarks.md`` there comes first."""
    place = Path(results)
    found = [read_json(path, "figures") for path in sorted(place.glob("bbob-*.json"))]
    order = {setting: i for i, setting in enumerate(SETTINGS)}
    found.sort(key=lambda data: order.get((data["dim"], data["maxfev"]), len(order)))
    parts = ["# Quality of the default", (place / "remarks.md").read_text(encoding="utf-8").strip()]
    for data in found:
        parts += _section(data)
    text = "\n\n".join(parts) + "\n"
    write_text(page, text)
    return text


def _section(data: dict[str, Any]) -> list[str]:
    name, drawn = f"bbob-{data['dim']}d-{data['maxfev']}", ", ".join(f"`{a}`" for a in DRAWN)
    measures, reference = data["measures"], data["reference"]
    order = sorted(measures, key=lambda a: -measures[a]["area"])
    groups = list(data["groups"])
    head = [
        "algorithm",
        "area under ECDF",
        "targets reached",
        "rank of medians",
        *(g.removeprefix("BBOB, ") for g in groups),
    ]
    rows = [f"| {' | '.join(head)} |", f"|{' --- |' + ' ---: |' * (len(head) - 1)}"]
    best = {column: _best([row[column] for row in measures.values()], column) for column in ("area", "targets", "rank")}
    for a in order:
        row = measures[a]
        cells = [_bold(f"{row[c]:.{2 if c == 'rank' else 3}f}", row[c] == best[c]) for c in ("area", "targets", "rank")]
        for group in groups:
            areas = data["groups"][group]
            cells.append(_bold(f"{areas[a]:.3f}", areas[a] == max(areas.values())))
        rows.append(f"| {f'**`{a}`**' if a == reference else f'`{a}`'} | {' | '.join(cells)} |")
    return [
        f"## {data['dim']} variables, {data['maxfev']:,} evaluations",
        _verdict(data, order),
        "\n".join(rows),
        f"The columns on the right are areas by group of functions.{_missing(data)}",
        f"![ECDF curves by group](quality/{name}.png)",
        f"*Share of targets reached over evaluations, by group of functions: {drawn}.*",
        _losses(data),
    ]


def _missing(data: dict[str, Any]) -> str:
    """Who has not run, if anybody."""
    missing = [f"`{a}`" for a in (*OWN, *OTHERS) if a not in data["algorithms"]]
    return f" Not run yet in this setting: {', '.join(missing)}." if missing else ""


def _verdict(data: dict[str, Any], order: list[str]) -> str:
    """Where the reference stands, by both measures, in words."""
    reference, measures = data["reference"], data["measures"]
    by_rank = sorted(measures, key=lambda a: measures[a]["rank"])
    said = []
    for title, places, column in (("area under the ECDF", order, "area"), ("mean rank of medians", by_rank, "rank")):
        at = places.index(reference)
        rival = places[1] if at == 0 else places[0]
        own, other = measures[reference][column], measures[rival][column]
        where = "first" if at == 0 else f"number {at + 1} of {len(places)}"
        said.append(f"{where} in {title} ({own:.3g}; `{rival}` {other:.3g})")
    return f"`{reference}` is {' and '.join(said)}."


def _losses(data: dict[str, Any]) -> str:
    """Functions on which some other algorithm is significantly better."""
    unknown = sorted({a for row in data["functions"].values() for a in row.get("not_compared", ())})
    unsaid = f" Not compared with it as it is now: {', '.join(f'`{a}`' for a in unknown)}." if unknown else ""
    lost = {name: row for name, row in data["functions"].items() if row["significantly_better"]}
    if not lost:
        none = f"No algorithm is significantly better than `{data['reference']}` on any function"
        return f"{none} (rank-sum test, 5 %).{unsaid}"
    rows = [
        "| function | significantly better | median of the best of them | of the reference |",
        "| --- | --- | ---: | ---: |",
    ]
    for name, row in lost.items():
        best = min(row["medians"][a] for a in row["significantly_better"])
        names = ", ".join(f"`{a}`" for a in row["significantly_better"])
        rows.append(f"| `{name.partition('+')[0]}` | {names} | {best:.3g} | {row['medians'][data['reference']]:.3g} |")
    return (
        f"Where others are significantly better (rank-sum test, 5 %; {data['runs']} runs each).{unsaid}\n\n"
        + "\n".join(rows)
    )


def _best(values: list[float], column: str) -> float:
    return min(values) if column == "rank" else max(values)


def _bold(text: str, really: bool) -> str:
    return f"**{text}**" if really else text
