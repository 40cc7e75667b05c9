"""docs/quality.md and docs/quality-methods.md from files of figures and text written by hand; verdicts are computed.

A rival is an optimiser of another library. Relatives of the default are in the tables, too, but are no rivals.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autov.core.atomic_files import read_json, write_text
from benchmarks import other_suites
from benchmarks.quality import BBOB, LIMITS, OTHERS, OWN, SUITES, too_slow
from benchmarks.remarks import read_remarks

MEASURES = ("area", "targets", "rank")
DIGITS = {"area": 4, "rank": 2}  # of the figures that verdicts compare; what is equal to these digits is level
VERDICTS = "setting", "area of `{}`", "best rival in area", "mean rank of `{}`", "best rival in mean rank"


def quality_page(results: str | Path, page: str | Path) -> str:
    """Write the page of all files of figures in a folder, and that of ``methods.md`` next to it.

    ``remarks.md`` comes after the verdicts. A picture is shown if it is in the folder ``quality`` next to the page.
    """
    place, target = Path(results), Path(page)
    found = {path.stem: read_json(path, "figures") for path in place.glob("*bbob-*.json")}
    order = [f"{suite.name}-{dim}d-{maxfev}" for suite in SUITES for dim, maxfev in suite.settings]
    names = sorted(found, key=lambda name: (order.index(name) if name in order else len(order), name))
    parts = ["# Quality of the default", *verdicts([found[name] for name in names]), "## Terms"]
    parts.append(read_remarks(place / "remarks.md"))
    if (elsewhere := place / "other-suites.json").exists():
        parts += other_suites.section(read_json(elsewhere, "ranks on other suites"))
    for name in names:
        parts += _section(found[name], (target.parent / "quality" / f"{name}.png").exists())
    text = "\n\n".join(part for part in parts if part) + "\n"
    write_text(target, text)
    methods = ["# How quality was measured", read_remarks(place / "methods.md"), *ran([found[name] for name in names])]
    write_text(target.with_name("quality-methods.md"), "\n\n".join(methods) + "\n")
    return text


def verdicts(found: list[dict[str, Any]]) -> list[str]:
    """A sentence and a table: for each setting the default and the best rival by both measures."""
    if not found:
        return []
    reference, rows = found[0]["reference"], []
    for data in found:
        own = data["measures"][reference]
        cells = [f"[{short_title(data)}](#{_anchor(title_of(data))})"]
        for column in DIGITS:
            rival, lead = best_rival(data, column), lead_of(data, column)
            theirs = f"{data['measures'][rival][column]:.{DIGITS[column]}f}" if rival else ""
            other = f"`{rival}` {_bold(theirs, lead <= 0)}" if rival else ""
            cells += [_bold(f"{own[column]:.{DIGITS[column]}f}", lead >= 0), other]
        rows.append(f"| {' | '.join(cells)} |")
    head = [title.format(reference) for title in VERDICTS]
    said = " and ".join(f"in {measure} in {_count([lead_of(data, column) for data in found])} settings"
                        for column, measure in (("area", "area under the ECDF"), ("rank", "mean rank")))  # fmt: skip
    return [
        "## Verdicts",
        f"`{reference}` is ahead of all rivals {said}.",
        "A setting is a suite, a number of variables (10-D) and a number of evaluations. The better figure of each "
        "pair is bold; both are bold if they are level, which means equal in the printed digits. Larger areas and "
        "smaller ranks are better ([terms](#terms)).",
        "\n".join([f"| {' | '.join(head)} |", "| --- | ---: | --- | ---: | --- |", *rows]),
    ]


def lead_of(data: dict[str, Any], column: str) -> int:
    """1 where the reference is ahead of the best rival, 0 where both are level to the printed digits, -1 behind it."""
    rival, measures = best_rival(data, column), data["measures"]
    return 1 if rival is None else _compared(measures[data["reference"]][column], measures[rival][column], column)


def best_rival(data: dict[str, Any], column: str) -> str | None:
    """The optimiser of another library with the largest area, or the smallest rank."""
    rivals = [a for a in data["algorithms"] if ":" in a]
    sign = 1 if column == "rank" else -1
    return min(rivals, key=lambda a: sign * data["measures"][a][column]) if rivals else None


def ran(found: list[dict[str, Any]]) -> list[str]:
    """A table of algorithms and settings: who ran, whose figures are older, and why others are missing."""
    if not found:
        return []
    names = list(dict.fromkeys((*OWN, *OTHERS, *(a for data in found for a in data["algorithms"]))))
    head = ["algorithm", "limit", *map(short_title, found)]
    rows = [f"| {' | '.join(head)} |", "| --- | ---: |" + " --- |" * len(found)]
    for name in names:
        limit = f"{LIMITS[name]:,}" if name in LIMITS else ""
        rows.append(f"| {' | '.join([f'`{name}`', limit, *(_status(data, name) for data in found)])} |")
    reasons = {f"`{a}` ({why})": None for data in found for a, why in _refused(data).items()}
    legend = {
        "run": f"run with the present `{found[0]['reference']}`",
        "earlier": "from an earlier run, with the same seed and instances",
        "slow": "too slow: evaluations times variables exceed the limit",
        "refused": "could not be run" + (f": {', '.join(reasons)}" if reasons else ""),
        "": "not run in this setting yet",
    }
    key = ["| cell | meaning |", "| --- | --- |"]
    key += [f"| {cell or '(empty)'} | {text} |" for cell, text in legend.items()]
    return ["## Which algorithms ran", "\n".join(key), "\n".join(rows)]


def _status(data: dict[str, Any], name: str) -> str:
    if name in data["algorithms"]:
        return "earlier" if name in data.get("kept", ()) else "run"
    if too_slow(name, data["dim"], data["maxfev"]):
        return "slow"
    return "refused" if name in _refused(data) else ""


def _refused(data: dict[str, Any]) -> dict[str, str]:
    """Who could not be run, and why."""
    out = (a for a in data.get("refused", {}) if a not in data["algorithms"])
    return {a: data["refused"][a] for a in out if not too_slow(a, data["dim"], data["maxfev"])}


def _count(leads: list[int]) -> str:
    """Of leads: ``11 (level in 1) of 14``."""
    level = f" (level in {leads.count(0)})" if 0 in leads else ""
    return f"{leads.count(1)}{level} of {len(leads)}"


def title_of(data: dict[str, Any]) -> str:
    """The heading of a setting."""
    suite = next((suite.title for suite in SUITES if suite.name == data.get("suite", BBOB.name)), "")
    return f"{suite}, {data['dim']} variables, {data['maxfev']:,} evaluations"


def short_title(data: dict[str, Any]) -> str:
    """The same for a cell of a table."""
    return title_of(data).replace(" variables", "-D").replace(" evaluations", "")


def _anchor(title: str) -> str:
    return "".join(c for c in title.lower() if c.isalnum() or c in " -").replace(" ", "-")


def _compared(one: float, other: float, column: str) -> int:
    """1 where the first is better, -1 where it is worse, 0 where the printed digits are the same."""
    a, b = (round(value, DIGITS[column]) * (-1 if column == "rank" else 1) for value in (one, other))
    return (a > b) - (a < b)


def _section(data: dict[str, Any], drawn: bool) -> list[str]:
    suite = data.get("suite", BBOB.name)
    by_instance = any(known.by_instance for known in SUITES if known.name == suite)
    shown = ", ".join(f"`{a}`" for a in data.get("drawn", ()))
    name = f"{suite}-{data['dim']}d-{data['maxfev']}"
    picture = [
        f"![ECDF curves](quality/{name}.png)",
        f"*Share of targets reached over evaluations{'' if by_instance else ', by group of functions'}: {shown}.*",
    ]
    groups = "" if by_instance else "The columns on the right are areas by group of functions."
    return [
        f"## {title_of(data)}",
        _verdict(data),
        _table(data, by_instance),
        f"{groups} [Which algorithms ran, and when](quality-methods.md#which-algorithms-ran).".strip(),
        *(picture if drawn and shown else ()),
        f"Ranks are those on the {len(data['functions'])} instances, one run on each."
        if by_instance
        else _losses(data),
    ]


def _table(data: dict[str, Any], by_instance: bool) -> str:
    """One row for each algorithm, the largest area first."""
    measures, reference = data["measures"], data["reference"]
    groups = {} if by_instance else data["groups"]
    rank = "mean rank" if by_instance else "rank of medians"
    head = ["algorithm", "area under ECDF", "targets reached", rank, *(g.removeprefix("BBOB, ") for g in groups)]
    if by_instance:
        head.append(f"better than `{reference}` on")
    columns = {c: {a: row[c] for a, row in measures.items()} for c in MEASURES} | dict(groups)
    shown = {c: _best_bold(each, 2 if c == "rank" else 3, c == "rank") for c, each in columns.items()}
    rows = [f"| {' | '.join(head)} |", f"|{' --- |' + ' ---: |' * (len(head) - 1)}"]
    for a in sorted(measures, key=lambda a: -measures[a]["area"]):
        cells = [each[a] for each in shown.values()]
        if by_instance:
            pairs = [(f["medians"][a], f["medians"][reference]) for f in data["functions"].values()]
            cells.append("" if a == reference else f"{sum(x < y for x, y in pairs)} of {len(pairs)}")
        rows.append(f"| {f'**`{a}`**' if a == reference else f'`{a}`'} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _best_bold(values: dict[str, float], digits: int, smaller: bool) -> dict[str, str]:
    """Printed figures, the best ones bold: all that are the same in print."""
    printed = {a: f"{value:.{digits}f}" for a, value in values.items()}
    best = f"{(min if smaller else max)(values.values()):.{digits}f}"
    return {a: _bold(text, text == best) for a, text in printed.items()}


def _verdict(data: dict[str, Any]) -> str:
    """Where the reference stands among all, its relatives included, by both measures."""
    reference, measures = data["reference"], data["measures"]
    said = []
    for title, column in (("area under the ECDF", "area"), ("mean rank", "rank")):
        own = measures[reference][column]
        others = sorted((a for a in measures if a != reference),
                        key=lambda a, c=column: measures[a][c] * (1 if c == "rank" else -1))  # fmt: skip
        leads = [_compared(own, measures[a][column], column) for a in others]
        level = [a for a, lead in zip(others, leads, strict=True) if lead == 0]
        place = leads.count(-1) + 1
        where = "first" if place == 1 else f"number {place}"
        tied = f", level with {_names(level)}" if level else ""
        best = f"; `{others[0]}` {measures[others[0]][column]:.{DIGITS[column]}f}" if others and not tied else ""
        said.append(f"{where} of {len(measures)} in {title}{tied} ({own:.{DIGITS[column]}f}{best})")
    return f"`{reference}` is {' and '.join(said)}."


def _losses(data: dict[str, Any]) -> str:
    """Functions on which some other algorithm is significantly better."""
    reference = data["reference"]
    unknown = sorted({a for row in data["functions"].values() for a in row.get("not_compared", ())})
    unsaid = f" Not tested against it as it is now: {_names(unknown)}." if unknown else ""
    lost = {name: row for name, row in data["functions"].items() if row["significantly_better"]}
    if not lost:
        none = f"No algorithm is significantly better than `{reference}` on any function"
        return f"{none} (rank-sum test, 5 %).{unsaid}"
    rows = [
        f"| function | significantly better | the best of them | its median | of `{reference}` |",
        "| --- | ---: | --- | ---: | ---: |",
    ]
    for name, row in lost.items():
        best = min(row["significantly_better"], key=lambda a, row=row: row["medians"][a])
        cells = f"{len(row['significantly_better'])} | `{best}` | {row['medians'][best]:.3g}"
        rows.append(f"| `{name.partition('+')[0]}` | {cells} | {row['medians'][reference]:.3g} |")
    said = (
        f"Where others are significantly better (rank-sum test, 5 %; {data['runs']} runs each; how many, and the best)."
    )
    return f"{said}{unsaid}\n\n" + "\n".join(rows)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{a}`" for a in names)


def _bold(text: str, really: bool) -> str:
    return f"**{text}**" if really else text
