"""``autov bench``."""

from __future__ import annotations

import typer

from autov.cli.output import JSON, print_json, show_table

BENCHMARKS = {
    "kernel": "kernel", "ma-es": "matrix_adaptation", "design": "design", "lsgo": "lsgo", "compare": "compare",
    "spaces": "spaces", "families": "families", "constrained": "constrained", "scale": "scale",
    "overhead": "overhead", "first": "first", "peers": "peers", "quality": "quality", "general": "general",
    "adjustment": "adjustment", "specialists": "specialists", "precision": "precision",
}  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(bench)


def bench(
    what: str = typer.Argument(
        help="Speed: kernel (the compiled run), ma-es (against pycma), design (the search), lsgo (the large-scale "
        "suite), compare (Table VII), scale (engines on 1 and 2 workers), overhead (of an evaluation in Python), "
        "first (the first call of a fresh installation), peers (the same loop in other libraries), precision (searches "
        "in single precision; minutes). Quality, long, "
        "kept in runs/: quality (the BBOB suite beside other libraries), general (how the default was designed; "
        "hours), adjustment (what was changed by hand in it), specialists (the same for kinds of problems), spaces "
        "(spaces and searchers at equal cost), families "
        "(designs for twelve families beside others); a minute: constrained (problems beside SciPy)."
    ),
    python: list[str] | None = typer.Option(
        None, "--python", help="For peers: a further interpreter whose environment has some of them, such as evosax."
    ),
    json_: bool = JSON,
) -> None:
    """Measure speed and quality.

    Ratios to NumPy in one run, the time of the paper's comparison, or results beside other libraries.

    Example: autov bench kernel --json
    """
    import importlib

    from autov.core import InputError

    if what not in BENCHMARKS:
        raise InputError(f"bench: expected one of {', '.join(BENCHMARKS)}, got {what!r}")
    module = importlib.import_module(f"autov.bench.{BENCHMARKS[what]}")
    if python and what != "peers":
        raise InputError("--python: only for peers")
    result = getattr(module, f"bench_{BENCHMARKS[what]}")(**({"python": python} if python else {}))
    if json_:
        print_json(result)
        return
    from autov.cli.bench_tables import tables_of

    own = getattr(module, f"{BENCHMARKS[what]}_table", None)  # a benchmark may know better how to show itself
    for table in [own(result)] if own else tables_of(result):
        show_table(table)
