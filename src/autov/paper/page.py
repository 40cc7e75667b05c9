"""Pages of reproduced tables: one table in HTML, and all that were saved in Markdown.

``autov reproduce --docs FOLDER > docs/reproduce.md`` (``make reproduction``) makes the latter.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

from autov.core import FileError, InputError
from autov.experiments.compact import unpack
from autov.paper.paper_tables import PAPER_TABLES, paper_table
from autov.paper.reproduction import Paired, Reproduction, pair
from autov.reports import page, to_markdown
from autov.reports.html import code_html, failure_sections, lead_html, plot_sections, setup_html, table_html, text_html

NOTES = """<details markdown="1"><summary>How to read this page, and how it was made</summary>

Every cell of a table has our mean, the paper's mean in brackets, and the sign of a rank-sum test at 0.05 against the
reference (`+` better, `-` worse, `=` no significant difference).

- Tables I to III of the paper have means and standard deviations of 30 runs, but no test. Their signs are those of
  Welch's test, of the paper's figures and of ours. Tables V and VI have means only: the sign says which one is smaller.
- Cells with another sign than the paper's are outlined and listed.
- A row of the paper counts once. Rows with two readings (Table I) count in the reading that fits. Fig. 6 repeats two
  rows of Table VII and does not count in the total.
- Tables VII and VIII occur twice: with the settings that fit the paper's figures, and by the letter of its text
  (`-text`); see [Readings](not-said.md#readings-of-the-paper).
- `!=` marks means that differ from the paper's by Welch's test at 0.05, without a correction: one in twenty equal cells
  has it by chance. Means equal to five digits, and means within 1e-8 of a known minimum, are equal. The test compares
  means; it has little power if a few runs end far above the others.

`autov reproduce NAME --store results.db --save results/paper/NAME.json` made the results in
[results/paper](../results/paper). `make reproduction` writes this page from them and from `remarks.md` in the same
folder. `autov reproduce all` runs every table and figure of the paper into `runs/paper`. It takes hours, most of them
for Table IX. After an interruption, the same command resumes; `--runs 5` lowers the cost.

</details>"""


def _section(found: Reproduction, data: dict[str, object], remarks: str) -> str:
    agreed, known = found.signs
    ratio = found.mean_log_ratio
    versions = ", ".join(f"{name} {number}" for name, number in dict(data["versions"]).items())  # type: ignore[call-overload]
    signs = f"{agreed} of {known} signs agree ({100 * agreed / known:.0f} %). " if known else ""
    equal, tested = found.same
    signs += f"{equal} of {tested} means do not differ from the paper's (Welch, 0.05). " if tested else ""
    facts = (
        f"{signs}Mean |log10(ours / paper)| {'n/a' if ratio is None else f'{ratio:.2f}'}. "
        f"Seed {data['seed']}, {data['maxfev']:,} evaluations, population {data['popsize']}; "
        f"{data['seconds']:,} seconds of computing; {versions}."
    )
    cells = [
        f"- {c.algorithm} on {c.problem}: ours {c.our_sign}, the paper's {c.paper_sign} "
        f"(means {c.ours.mean:.3g} and {c.paper_mean:.3g}"
        + (f"; the paper's own columns do not differ clearly, p = {c.paper_p:.2g})" if _unclear(c) else ")")
        for c in found.disagreements()
    ]
    listed = "\n".join(cells) or "none"
    folded = [_folded("The table", to_markdown(found.table()).strip())]
    if known:
        folded.append(_folded(f"Other signs ({known - agreed} of {known})", listed))
    if remarks:
        folded.append(_folded("Remarks", remarks))
    return "\n\n".join([f"## {found.name}: {found.title}", facts, *folded])


def _folded(title: str, text: str) -> str:
    """Markdown that is shown when its title is clicked, in repositories and on the site."""
    return f'<details markdown="1"><summary>{title}</summary>\n\n{text}\n\n</details>'


def _summary(found: Sequence[Reproduction]) -> str:
    """What agrees in all, then one line for each table."""
    names = {one.name for one in found}
    text = [one for one in found if one.name.endswith("-text")]
    printed = [paper_table(one.name).table for one in found if one not in text]
    read = [one for one in found if one not in text]
    read = [one for i, one in enumerate(read) if not printed[i] or printed[i] not in printed[:i]]  # fig-6 is of table-7
    fitting = [one for one in read if f"{one.name}-text" in names]
    equal, tested = (sum(one.same[i] for one in read or text) for i in (0, 1))
    said = f"{_agreed(read or text)} signs of significance or order agree with those of the paper's figures"
    if tested:
        said += f", and {equal} of {tested} means do not differ from the printed ones (Welch's test, 0.05)"
    if fitting:
        letter = [one for one in text if one.name.removesuffix("-text") in names]
        said += (
            f". In {', '.join(one.name for one in fitting)} the settings were found by fitting the paper's figures: "
            f"{_agreed(fitting)} agree with them, and {_agreed(letter)} by the letter of the paper's text"
        )
    apart = [one.name for one in read if (one.mean_log_ratio or 0.0) > 0.5]
    if apart:
        said += f". Means differ by more than a factor of three on average in {', '.join(apart)}"
    said += ". Below, every table of the paper is folded: click to open it."
    lines = ["## In short", "", *wrap(said, 120), "",
             "| table | what | runs | signs that agree | means that do not differ | mean abs. log10(ours / paper) |",
             "| --- | --- | ---: | ---: | ---: | ---: |"]  # fmt: skip
    for one in found:
        ratio = one.mean_log_ratio
        counts = sorted({cell.ours.n for cell in one.cells})
        signs, means = (
            f"{some} of {all_} ({100 * some / all_:.0f}\u00a0%)" if all_ else "-"
            for some, all_ in (one.signs, one.same)
        )  # fmt: skip
        runs = "-".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
        shown = "-" if ratio is None else f"{ratio:.2f}"
        lines.append(f"| {one.name} | {one.title} | {runs} | {signs} | {means} | {shown} |")
    return "\n".join(lines)


def _agreed(found: Sequence[Reproduction]) -> str:
    """The share of signs that agree."""
    return f"{sum(one.signs[0] for one in found)} of {sum(one.signs[1] for one in found)}"


def _unclear(cell: Paired) -> bool:
    return cell.paper_p is not None and cell.paper_p > 0.05


def tables_page(folder: Path) -> str:
    """Markdown of all tables found in the folder, in the order of the paper."""
    if not folder.is_dir():
        raise InputError(f"--docs: no folder {str(folder)!r}")
    remarks = {}
    if (folder / "remarks.md").is_file():
        for part in ("\n" + (folder / "remarks.md").read_text(encoding="utf-8")).split("\n# ")[1:]:
            title, _, text = part.partition("\n")
            remarks[title.strip()] = text.strip()
    sections, all_found = [], []
    for name in PAPER_TABLES:
        path = folder / f"{name}.json"
        if path.is_file():
            try:
                data = json.loads(path.read_text(encoding="utf-8"))
            except ValueError as error:
                raise FileError(f"{path}: cannot be read: {error}") from None
            all_found.append(pair(name, unpack(data, str(path))))
            sections.append(_section(all_found[-1], data, remarks.get(name, "")))
    head = ["# The paper's tables, reproduced", *([_summary(all_found)] if all_found else []), NOTES]
    return "\n\n".join([*head, *sections]) + "\n"


def reproduction_page(reproduction: Reproduction, title: str | None = None) -> str:
    """One table in HTML: set-up, the paper's values and ours, other signs, our results and plots."""
    comparison = reproduction.comparison
    agreed, known = reproduction.signs
    lead = (
        f"{agreed} of {known} signs agree with the paper's." if known else "The paper prints no signs to compare with."
    )
    equal, tested = reproduction.same
    lead += f" {equal} of {tested} means do not differ significantly from its (Welch's test, 0.05)." if tested else ""
    if (ratio := reproduction.mean_log_ratio) is not None:
        lead += f" Our means differ from its by a factor of {10**ratio:.2g} on average."
    sections = [("", lead_html(lead) + setup_html(comparison))]
    if known or ratio is not None:
        sections.append(("The paper's figures and ours", table_html(reproduction.table())))
    else:  # ours alone are in the next table
        sections[0] = ("", lead_html(lead) + setup_html(comparison) + text_html(*reproduction.table().notes[1:]))
    if known:
        listed = [
            f"{c.algorithm} on {c.problem}: ours {c.our_sign}, the paper's {c.paper_sign}"
            for c in reproduction.disagreements()
        ]
        heading = f"Other signs than the paper's ({known - agreed} of {known})"
        sections.append((heading, code_html("\n".join(listed) or "none")))
    sections.append(("Our results", table_html(comparison.table(test="paper"))))
    sections += [*plot_sections(comparison), *failure_sections(comparison)]
    return page(title or f"{reproduction.name}: {reproduction.title}", sections)
