"""``autov bench``."""

from __future__ import annotations

import typer

from autov.cli.output import JSON, console, print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(bench)


def bench(
    what: str = typer.Argument(
        help="kernel (the compiled run), design (the search), lsgo (the large-scale suite) or compare (Table VII)"
    ),
    json_: bool = JSON,
) -> None:
    """Measure speed: ratios to NumPy in one run, or the time of the paper's comparison.

    Example: autov bench kernel --json
    """
    from autov.core import InputError

    if what == "kernel":
        from autov.bench.kernel import bench_kernel as measure
    elif what == "design":
        from autov.bench.design import bench_design as measure
    elif what == "lsgo":
        from autov.bench.lsgo import bench_lsgo as measure
    elif what == "compare":
        from autov.bench.compare import bench_compare as measure
    else:
        raise InputError(f"bench: expected kernel, design, lsgo or compare, got {what!r}")
    result = measure()
    if json_:
        print_json(result)
        return
    from rich.pretty import pprint

    pprint(result, console=console(), expand_all=True)
