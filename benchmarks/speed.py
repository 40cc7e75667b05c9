"""docs/speed.md from the measurements in results/bench: ``make speed``. Only sentences are written here, no figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from autov.core.atomic_files import read_json, write_text

COMPETITORS = ("PSO", "DE", "FEP", "CSO", "GA", "SHADE", "CMA-ES", "IMODE")


def speed_page(results: str | Path, page: str | Path | None = None) -> str:
    """The page; written to a file if one is given.

    Args:
        results: folder with bench/NAME.json, and paper/table-9.json.
        page: the file.
    """
    place = Path(results)
    names = ("kernel", "kernel-repeats", "ma-es", "design", "lsgo", "compare", "overhead", "first", "peers")
    found = {name: read_json(place / "bench" / f"{name}.json", "figures") for name in names}
    table_9 = read_json(place / "paper" / "table-9.json", "results")["seconds_per_run"]
    parts = [
        "# Speed", *_head(found), *_one_run(found["kernel"], found["kernel-repeats"]), *_libraries(found["peers"]),
        *_strategy(found["ma-es"]), *_search(found["design"]), *_large(found["lsgo"]),
        *_comparison(found["compare"], table_9), *_python(found["overhead"], found["first"]),
    ]  # fmt: skip
    text = "\n\n".join(map(_wrapped, parts)) + "\n"
    if page is not None:
        write_text(page, text)
    return text


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """Markdown; columns after the first words are numbers."""
    line = ["---"] * words + ["---:"] * (len(heads) - words)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heads, line, *rows])


def _wrapped(part: str) -> str:
    """Sentences in lines of 120; tables and headings as they are."""
    return part if part.startswith(("|", "#")) else fill(part, 120, break_long_words=False, break_on_hyphens=False)


def _million(rate: float) -> str:
    return f"{rate / 1e6:.2f} million" if rate >= 1e5 else f"{rate:,.0f}"


def _head(found: Mapping[str, Any]) -> list[str]:
    made: dict[str, list[str]] = {}
    for name, data in found.items():
        version = (data[0] if isinstance(data, list) else data).get("machine", {}).get("autov")
        made.setdefault(version or "0.1.0", []).append(f"`{name}.json`")
    rows = [(version, ", ".join(names)) for version, names in sorted(made.items())]
    return [
        "A ratio compares two figures of one run of a benchmark. `python -m benchmarks NAME --json` makes a file of "
        "[results/bench](../results/bench), and `make speed` writes this page. The machine: two cores of an x86-64 "
        "server with AVX2 (with AVX-512 for `kernel.json`, `design.json`, `first.json`, `ma-es.json`, "
        "`overhead.json` and `peers.json`).",
        _table(("version of autov", "files"), rows, 2),
    ]


def _loaded(data: Mapping[str, Any]) -> str:
    """A sentence about other work on the machine."""
    load = data["load_of_the_machine"]
    busy = load is not None and load > 0.5
    return f"The load of the machine was {load}" + (
        ", so other work took part of both cores and of their caches." if busy else "."
    )


def _one_run(data: Mapping[str, Any], repeats: Sequence[Mapping[str, Any]]) -> list[str]:
    rate, variable = data["kernel_evaluations_per_second"], data["kernel_nanoseconds_per_variable"]
    rows = [
        ("NumPy", f"{_million(data['numpy_evaluations_per_second'])} evaluations/s"),
        ("compiled run", f"{_million(rate)} evaluations/s ({variable:.1f} ns for a variable)"),
        ("ratio", f"{data['ratio_to_numpy']:.1f}"),
        ("two threads to one", f"{data['two_threads_ratio_to_one']:.2f}"),
        ("`autov --help`", f"{data['help_seconds']:.2f} s"),
        ("one compiled run as a command, warm cache", f"{data['warm_run_seconds']:.1f} s"),
    ]
    ratios = ", ".join(f"{one['ratio_to_numpy']:.1f}" for one in repeats)
    threads = ", ".join(f"{one['two_threads_ratio_to_one']:.2f}" for one in repeats)
    return [
        "## One run",
        "30-D Rastrigin, population 100, 100 generations, form h3, k = 10, one thread, against a clean "
        "vectorised NumPy "
        "version of the same loop (`benchmarks/numpy_version.py`, which also draws one normal for each variable):",
        _table(("measure", "figure"), rows),
        f"The machine is noisy: {len(repeats)} more runs of the same benchmark (`kernel-repeats.json`) gave ratios of "
        f"{ratios}, and {threads} for two threads to one.",
    ]


def _libraries(data: Mapping[str, Any]) -> list[str]:
    rows = [
        (name, one["version"], one["what"], f"{one['evaluations_per_second']:,.0f}", f"{one['autov_over_it']:.3g}")
        for name, one in data["loops"].items()
    ]
    rates = {name: one["evaluations_per_second"] for name, one in data["loops"].items()}
    numpy = rates["autov-numpy"] / rates["scipy"]
    missing = f" Not installed: {', '.join(data['not_installed'])}." if data["not_installed"] else ""
    load = _loaded(data)
    return [
        "## The same loop in other libraries",
        f"{data['what']}, one process each (`python -m benchmarks peers`): evaluations for a second of processor "
        "time, after a first run that compiles. Every library evaluates a whole population at once "
        "and keeps its other defaults. The algorithms differ: this is the cost of an evaluation, not the quality of an "
        f"algorithm. {load}{missing}",
        _table(("loop", "version", "algorithm", "evaluations/s", "autov is faster by"), rows, 3),
        "The first line has the function compiled into the run; with a function in NumPy, as SciPy has it, autov "
        f"is {numpy:.1f} times as fast as SciPy. "
        "evosax and EvoX are made for many runs at once on a graphics card, which we did not measure. They "
        "need JAX and PyTorch (0.9 and 1.0 GB on disk), so they run in environments of their own: "
        "`python -m benchmarks peers --python PATH/TO/python --json`.",
    ]


def _strategy(data: Mapping[str, Any]) -> list[str]:
    rows = [
        (title, f"{_million(data[f'{key}_kernel_evaluations_per_second'])} evaluations/s",
         *(text for peer in ("cma", "cmaes") for text in (
             f"{data[f'{key}_{peer}_evaluations_per_second']:,.0f}", f"{data[f'{key}_ratio_to_{peer}']:.0f}")))
        for title, key in (("sphere", "sphere"), ("Schwefel 1.2, rotated", "rotated_schwefel_1_2"))
    ]  # fmt: skip
    return [
        "## Matrix adaptation",
        "One run of `ma-es` with its default population (14) for 30 variables, one thread, and of the packages cma "
        "(pycma) and cmaes on the same functions, taken in turns, in seconds of the processor (`ma-es.json`):",
        _table(("function", "`ma-es`", "pycma", "ratio", "cmaes", "ratio"), rows),
    ]


def _search(data: Mapping[str, Any]) -> list[str]:
    rows = [
        (count, _million(one["evaluations_per_second"]), f"{one['ratio_to_numpy']:.0f}")
        for count, one in data["threads"].items()
    ]
    costs = [
        (title, ", ".join(f"{size}: {value:.0f}" for size, value in data[key].items()))
        for title, key in (
            ("8 runs, by dimension", "milliseconds_for_8_runs_by_dim"),
            ("8 runs, by rows k", "milliseconds_for_8_runs_by_rows"),
            ("by runs", "milliseconds_by_runs"),
        )
    ]
    left = data["share_of_runs_left_out_by_early_stop"]
    return [
        "## The whole search",
        f"The {data['what']} (`design.json`):",
        _table(("threads", "evaluations/s", "ratio to NumPy"), rows, 0),
        "At that rate the paper's search (9.0e9 evaluations) takes "
        f"{data['paper_preset_minutes_without_early_stop']:.0f} "
        f"minutes on two cores, {data['paper_preset_minutes']:.0f} with the {left:.0%} of "
        "runs that early stopping leaves out in the first generations; later it leaves out more, and the whole search "
        "took less (`paper-preset.json`). The times of stored searches are in "
        "[Operators that were found](designs-found.md#operators-that-were-found).",
        "Cost of runs of 10,000 evaluations, one thread, in milliseconds. It grows linearly in runs and, from "
        "100 variables "
        "on, in dimension; fewer variables carry the fixed cost of tournaments and survival. Rows cost little:",
        _table(("measure", "milliseconds"), costs, 2),
        "By construction, memory does not grow with the generations but for one line of history each (not measured).",
    ]


def _large(data: Mapping[str, Any]) -> list[str]:
    rows = [
        (name, f"{one['us']:.1f}", f"{one['numpy_us']:.0f}", f"{one['ratio']:.0f}")
        for name, one in [*data["functions"].items(), ("sum", data["sum"])]
    ]
    return [
        "## The large-scale suite",
        f"Microseconds for one evaluation in batches of {data['batch']}, one thread, against plain NumPy in the "
        "same run "
        "(`lsgo.json`):",
        _table(("function", "autov", "NumPy", "ratio"), rows),
    ]


def _comparison(data: Mapping[str, Any], table_9: Mapping[str, float]) -> list[str]:
    seconds = data["seconds_per_run"]
    rows = [(name, f"{1000 * seconds[name]:.0f}") for name in ("AutoV", *COMPETITORS)]
    others = sorted(value for name, value in table_9.items() if name not in ("AutoV", "CMA-ES"))
    large = [
        ("AutoV", f"{table_9['AutoV']:.1f}"), ("CMA-ES", f"{table_9['CMA-ES']:.0f}"),
        ("the others", f"{others[0]:.0f} to {others[-1]:.0f}"),
    ]  # fmt: skip
    return [
        "## The paper's comparison",
        f"Nine algorithms on 13 problems, {data['runs']} runs of 10,000 evaluations each ({data['tasks']:,} runs, "
        f"{data['evaluations'] / 1e6:.0f} million evaluations; `compare.json`), take {data['minutes']:.1f} minutes on "
        "two cores. AutoV is compiled. The population of IMODE shrinks to 4, so it takes many small steps.",
        _table(("algorithm", "milliseconds for one run"), rows),
        "One run of Table IX has 120,000 evaluations of about 1,000 variables (`seconds_per_run` in "
        "[table-9.json](../results/paper/table-9.json); other work ran on the machine).",
        _table(("algorithm", "seconds for one run"), large),
    ]


def _python(data: Mapping[str, Any], first: Mapping[str, Any]) -> list[str]:
    own = data["function_us"]
    costs = [
        (f"`{name}`", f"{data[f'{name}_us'] - own:.0f}") for name in ("general", "ma-es", "paper-h3", "cma:default")
    ]
    calls = [
        (title, f"{call['first_seconds']:.1f}", f"{call['later_seconds']:.1f}")
        for title, call in (
            ("a Python function", first["calls"]["python_function"]),
            ("a compiled problem", first["calls"]["compiled_problem"]),
        )
    ]
    return [
        "## The cost of an evaluation of a Python function",
        f"A Python function of {own:.1f} microseconds, {data['variables']} variables, {data['evaluations']:,} "
        "evaluations (2,000 of pycma), one thread. Each figure is the smallest of five runs in turns "
        "(`overhead.json`), without the function:",
        _table(("algorithm", "microseconds"), costs),
        "## The first call",
        "The first call of a fresh installation compiles its kernels, and says so in a line on the terminal. Later "
        "processes load them from disk. Seconds for a call of `autov.minimize` with the default algorithm in a fresh "
        f"process on two cores (`first.json`). {_loaded(first)}",
        _table(("call", "first process", "next process"), calls),
    ]
