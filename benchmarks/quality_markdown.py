"""docs/quality.md and docs/quality-methods.md from files of figures and text written by hand; verdicts are computed.

A rival is an optimiser of another library. Relatives of the default are in the tables, too, but are no rivals.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from autov.core.atomic_files import read_json, write_text
from benchmarks.quality import BBOB, LIMITS, OTHERS, OWN, SUITES, too_slow

MEASURES = ("area", "targets", "rank")
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
    parts.append((place / "remarks.md").read_text(encoding="utf-8").strip())
    for name in names:
        parts += _section(found[name], (target.parent / "quality" / f"{name}.png").exists())
    text = "\n\n".join(part for part in parts if part) + "\n"
    write_text(target, text)
    methods = (place / "methods.md").read_text(encoding="utf-8").strip()
    write_text(target.with_name("quality-methods.md"), f"# How quality was measured\n\n{methods}\n")
    return text


def verdicts(found: list[dict[str, Any]]) -> list[str]:
    """A sentence and a table: for each setting the default and the best rival by both measures."""
    if not found:
        return []
    reference, rows, firsts = found[0]["reference"], [], {"area": 0, "rank": 0}
    for data in found:
        own, title = data["measures"][reference], title_of(data)
        cells = [f"[{title.replace(' variables', '-D').replace(' evaluations', '')}](#{_anchor(title)})"]
        for column, digits in (("area", 4), ("rank", 2)):
            rival = best_rival(data, column)
            theirs = own[column] if rival is None else data["measures"][rival][column]
            ahead = rival is None or _better(own[column], theirs, column)
            firsts[column] += ahead
            other = f"`{rival}` {_bold(f'{theirs:.{digits}f}', not ahead)}" if rival else ""
            cells += [_bold(f"{own[column]:.{digits}f}", ahead), other]
        rows.append(f"| {' | '.join(cells)} |")
    head = [title.format(reference) for title in VERDICTS]
    number = len(found)
    said = " and ".join(f"in {measure} in {firsts[column]} of {number} settings"
                        for column, measure in (("area", "area under the ECDF"), ("rank", "mean rank")))  # fmt: skip
    return [
        "## Verdicts",
        f"`{reference}` is ahead of all rivals {said}.",
        "A setting is a suite, a number of variables (10-D) and a number of evaluations. The better figure of each "
        "pair is bold. Larger areas and smaller ranks are better ([terms](#terms)).",
        "\n".join([f"| {' | '.join(head)} |", "| --- | ---: | --- | ---: | --- |", *rows]),
    ]


def best_rival(data: dict[str, Any], column: str) -> str | None:
    """The optimiser of another library with the largest area, or the smallest rank."""
    rivals = [a for a in data["algorithms"] if ":" in a]
    sign = 1 if column == "rank" else -1
    return min(rivals, key=lambda a: sign * data["measures"][a][column]) if rivals else None


def title_of(data: dict[str, Any]) -> str:
    """The heading of a setting."""
    suite = next((suite.title for suite in SUITES if suite.name == data.get("suite", BBOB.name)), "")
    return f"{suite}, {data['dim']} variables, {data['maxfev']:,} evaluations"


def _anchor(title: str) -> str:
    return "".join(c for c in title.lower() if c.isalnum() or c in " -").replace(" ", "-")


def _better(one: float, other: float, column: str) -> bool:
    return one < other if column == "rank" else one > other


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
        " ".join(part for part in (groups, *_left_out(data)) if part),
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
    best = {c: (min if c == "rank" else max)(row[c] for row in measures.values()) for c in MEASURES}
    rows = [f"| {' | '.join(head)} |", f"|{' --- |' + ' ---: |' * (len(head) - 1)}"]
    for a in sorted(measures, key=lambda a: -measures[a]["area"]):
        row = measures[a]
        cells = [_bold(f"{row[c]:.{2 if c == 'rank' else 3}f}", row[c] == best[c]) for c in MEASURES]
        cells += [_bold(f"{areas[a]:.3f}", areas[a] == max(areas.values())) for areas in groups.values()]
        if by_instance:
            pairs = [(f["medians"][a], f["medians"][reference]) for f in data["functions"].values()]
            cells.append("" if a == reference else f"{sum(x < y for x, y in pairs)} of {len(pairs)}")
        rows.append(f"| {f'**`{a}`**' if a == reference else f'`{a}`'} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _left_out(data: dict[str, Any]) -> list[str]:
    """Who has not run, and why; whose figures are older."""
    dim, maxfev = data["dim"], data["maxfev"]
    missing = [a for a in (*OWN, *OTHERS) if a not in data["algorithms"]]
    slow = [a for a in missing if too_slow(a, dim, maxfev)]
    refused = {a: why for a, why in data.get("refused", {}).items() if a in missing and a not in slow}
    rest = [a for a in missing if a not in slow and a not in refused]
    limits = ", ".join(f"`{a}` (to {LIMITS[a]:,})" for a in slow)
    parts = (
        (slow, f"Too slow for this setting ({dim * maxfev:,} evaluations times variables): {limits}."),
        (refused, f"Could not be run: {', '.join(f'`{a}` ({why})' for a, why in refused.items())}."),
        (rest, f"Not run in this setting yet: {_names(rest)}."),
        (data.get("kept"), f"From an earlier run, with the same seed and instances: {_names(data.get('kept', ()))}."),
    )
    return [text for which, text in parts if which]


def _verdict(data: dict[str, Any]) -> str:
    """Where the reference stands among all, its relatives included, by both measures."""
    reference, measures = data["reference"], data["measures"]
    said = []
    for title, column in (("area under the ECDF", "area"), ("mean rank", "rank")):
        places = sorted(measures, key=lambda a: measures[a][column] * (1 if column == "rank" else -1))
        at = places.index(reference)
        rival = next((a for a in places if a != reference), None)
        where = "first" if at == 0 else f"number {at + 1}"
        other = f"; `{rival}` {measures[rival][column]:.3g}" if rival else ""
        said.append(f"{where} of {len(places)} in {title} ({measures[reference][column]:.3g}{other})")
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


def _names(names: Any) -> str:
    return ", ".join(f"`{a}`" for a in names)


def _bold(text: str, really: bool) -> str:
    return f"**{text}**" if really else text
