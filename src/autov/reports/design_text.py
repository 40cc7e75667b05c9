"""The text of the page of a design: the factor, a few sentences, and commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from autov.algorithms.files import DEFAULT
from autov.core import InputError
from autov.designer import Design
from autov.designer.fitness import unit_of
from autov.experiments.design_comparison import DESIGNED, DesignComparison
from autov.problems import resolve_problem
from autov.reports.design_tables import shown_name, tested
from autov.stats import SOLVED

KINDS = {"translate": "translated", "rotate": "rotated", "scale": "scaled"}  # instances of a family
SPENT = {"measure": "speed measurement", "race": "final race", "retest": "re-test"}  # in `Design.spent` -> in words
MOST = 3  # problems with a sentence of their own
TOLD = {
    "+": "significantly better", "-": "significantly worse", "=": "no significant difference",
    "?": "too few runs for a test",
}  # fmt: skip


class Factor(NamedTuple):
    """A number in large type, and its explanation."""

    number: str
    text: str


def factor(design: Design) -> Factor:
    """How the result does against the best baseline on the first problem, or on how many of several it is ahead."""
    names, others = design.settings["problems"], design.baselines
    if not others:
        return Factor(f"{np.median(design.retested[0]):.4g}", f"median best value of {design.retested.shape[1]} runs")
    if len(names) > 1:
        ahead = sum(
            all(np.median(design.retested[p]) <= np.median(each[p]) for each in others.values())
            for p in range(len(names))
        )
        told = f"problems on which no {_baseline(design)} has a smaller median best value"
        return Factor(f"{ahead} of {len(names)}", told)
    lead = str(design.failure_measure(0))
    own, other = float(np.median(design.retested[0])), float(np.median(others[lead][0]))
    sign = TOLD[tested(design, 0)[lead].mark()]
    low = design.judged[0].minimum
    rest = f"the best {_baseline(design)}, {shown_name(lead)} ({sign}; {_held_out(design, 0)})"
    if low is None or not np.isfinite([own, other]).all():
        return Factor(f"{own:.4g}", f"median best value, against {other:.4g} of {rest}")
    mine, theirs = own - low, other - low
    if max(mine, theirs) <= SOLVED:
        return Factor("equal", f"both solve the problem in the median run: {_result(design)} and {rest}")
    if mine <= SOLVED:
        return Factor("solved", f"in the median run; median error {theirs:.3g} of {rest}")
    if theirs <= SOLVED:
        return Factor(f"{mine:.3g}", f"median error; in the median run, the problem is solved by {rest}")
    what, ratio = ("lower", theirs / mine) if mine <= theirs else ("higher", mine / theirs)
    return Factor(
        f"{ratio:.2g}\u00d7" if ratio < 100 else f"{ratio:.0e}\u00d7",
        f"{what} median error ({mine:.3g} against {theirs:.3g}) than {rest}",
    )


def _baseline(design: Design) -> str:
    """What the result is compared with: where a baseline won, it is not among them."""
    return "baseline" if design.baseline is None else "other baseline"


def _result(design: Design) -> str:
    """What the result is called in a sentence."""
    return "the design" if design.baseline is None else shown_name(design.baseline)


def _held_out(design: Design, place: int) -> str:
    count = design.retested.shape[1]
    return (
        f"{count} runs of each with fresh seeds"
        if "not held out" in design.figures_of(place)
        else (f"{count} held-out runs of each")
    )


def spent_in_words(design: Design, count: Callable[[float], str] = "{:,.0f}".format) -> str:
    """The evaluations of a design, and of each of its parts."""
    made = ", ".join(f"{SPENT.get(what, what)} {count(number)}" for what, number in design.spent.items())
    return f"{count(design.evaluations)} evaluations ({made})"


def training_fitness(design: Design) -> str:
    """The training fitness, and its selection bias."""
    if design.baseline is not None:
        return _why_baseline(design)
    several = len(design.problems) > 1
    kinds = {"rank": "mean rank among the last candidates", "log-gap": "mean log-gap",
             "panel": "share of the panel's results that are better"}  # fmt: skip
    unit = unit_of(design.settings["aggregate"], design.settings.get("over_runs", "median"), 1 + several)
    what = f" ({kinds[unit]})" if unit else ""
    own = f"The training fitness of this result is {design.fitness:.5g}{what}"
    why = "It is too optimistic, because candidates with a favourable sample survive (selection bias)"
    return f"{own}. {why}. The re-test has no such bias."


def _why_baseline(design: Design) -> str:
    """Why the result is a baseline."""
    name = shown_name(str(design.baseline))
    if design.validation is not None and not design.validation.passed:
        return f"Runs on the problem itself refused the design: the result is {name}."
    return f"The baseline {name} won the final race: the search found nothing better."


def in_short(design: Design, compared: Sequence[DesignComparison] = ()) -> list[str]:
    """The result against baselines, in a few sentences; all figures are medians."""
    names = design.settings["problems"]
    said = [_sentence(design, place) for place in range(min(len(names), MOST))]
    if design.baseline is not None:
        said[0] = f"{_why_baseline(design)} {said[0]}"
    if len(names) > MOST:
        said.append(f"{factor(design).number} problems: no {_baseline(design)} has a smaller median. Tables are below.")
    for each in compared[:1]:
        made, name = each.comparison, each.comparison.problems[0]
        # Medians of the baselines are those of the whole re-test: another figure of them would only confuse.
        medians = {label: float(np.median(made.values(name, label))) for label in made.algorithms
                   if label not in (*design.baselines, design.baseline, DESIGNED)}  # fmt: skip
        if medians:
            cells, runs = made.scores(show="median").cells, len(made.values(name, DESIGNED))
            others = [f"{label} {value:.3g} ({TOLD[cells[name, label].mark]})" for label, value in medians.items()]
            said.append(f"Medians of others on the instances of runs 1 to {runs} of the re-test: {', '.join(others)}.")
    return said


def _sentence(design: Design, place: int) -> str:
    """The result on one problem, and the best of the baselines there."""
    own, problem, name = design.retested[place], design.judged[place], design.settings["problems"][place]
    kinds = [word for kind, word in KINDS.items() if kind in name.partition("+family=")[2]]
    each = f"; every run has another {' and '.join(kinds)} instance" if kinds else ""
    text = (
        f"On {name} ({problem.box.dim} variables, {design.budgets[place]:,} evaluations) the median best value of "
        f"{len(own)} runs is {np.median(own):.4g} ({design.figures_of(place)}{each})."
    )
    if not design.baselines:
        return f"{text} Smaller is better."
    signs = {label: one.mark() for label, one in tested(design, place).items()}
    lead = str(design.failure_measure(place))
    for what, label in ((f"best {_baseline(design)}", lead), *([] if lead == DEFAULT else [("default", DEFAULT)])):
        if label in design.baselines:
            median = f"{np.median(design.baselines[label][place]):.4g}"
            text += f" The {what}, {shown_name(label)}, has {median} ({TOLD[signs[label]]})."
    return f"{text} {_failures(design, place)} Smaller is better."


def _failures(design: Design, place: int) -> str:
    """How many runs of the result failed."""
    share, measure = design.failed_runs[place], shown_name(str(design.failure_measure(place)))
    return f"{share:.0%} of the runs of {_result(design)} ended worse than the median run of {measure}."


def next_steps(design: Design, folder: Path) -> list[tuple[str, str]]:
    """Commands with the names and files of this design: the purpose, and the command."""
    file, name = folder / "optimizer.json", _typed(design)
    return [
        ("Print a description", f"autov show {file}"),
        ("Minimise with it", f"autov minimize {name} --algorithm {file}"),
        ("Compare it with other algorithms", f"autov compare --algorithms mine={file},ga,shade,ma-es,scipy:de "
         f"--reference mine --problems {name} --out {folder / 'compared'}"),
        ("Design for your own function",
         "autov design file.py:function --dim 10 --lower -5 --upper 5 --time 5m --out runs/mine"),
    ]  # fmt: skip


def next_commands(design: Design, folder: Path) -> str:
    """The same as lines for a shell."""
    return "\n".join(f"# {what}\n{command}" for what, command in next_steps(design, folder))


def _typed(design: Design) -> str:
    """The first training problem in the form of a command, with options that differ from their defaults."""
    name, dim, budget = design.settings["problems"][0], design.judged[0].box.dim, design.budgets[0]
    try:
        plain = resolve_problem(name).box.dim == dim if ":" not in name else False
        resolve_problem(name, dim=None if plain else dim)
    except InputError:  # a function, or a label of several dimensions
        return "PROBLEM"
    options = [] if plain else [f"--dim {dim}"]
    return " ".join([name, *options, *([] if budget == 10_000 else [f"--maxfev {budget}"])])
