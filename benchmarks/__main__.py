"""``python -m benchmarks NAME``: measure speed or quality, and print tables or, with ``--json``, JSON."""

from __future__ import annotations

import argparse
import importlib
import sys

from autov.cli.output import print_json, show_table
from autov.core import InputError
from benchmarks.figures import tables_of

BENCHMARKS = {
    "kernel": "the compiled run",
    "ma-es": "matrix adaptation and pycma",
    "design": "the search",
    "lsgo": "the large-scale suite",
    "compare": "the time of Table VII",
    "scale": "engines on 1 and 2 workers",
    "overhead": "of an evaluation of a Python function",
    "first": "the first call of a fresh installation",
    "peers": "the same loop in other libraries",
    "bias": "where algorithms end on random values (half an hour, kept in runs/)",
    "certificates": "what operators and algorithms are invariant to (minutes, kept in runs/)",
    "theory": "runs that Theorem 4 of the paper says cannot be (a minute)",
    "constrained": "constrained problems, with SciPy (a minute)",
    "constraint-rules": "Deb's rules, an augmented Lagrangian and weighted violations (minutes)",
    "quality": "BBOB and MA-BBOB, with other libraries (hours, kept in runs/)",
    "other-suites": "CEC'2017 and CEC'2011, with other libraries (an hour, kept in runs/)",
    "general": "how the default was designed (hours, kept in runs/)",
    "shares": "what local searches of the default may spend: a search (half an hour, kept in runs/)",
    "adjustment": "what was changed by hand in the default (kept in runs/)",
    "specialists": "designs for kinds of problems (hours, kept in runs/)",
    "spaces": "spaces and searchers at equal cost (minutes, kept in runs/)",
    "families": "designs for twelve families (kept in runs/)",
    "fitness": "which figure of runs a search should minimise (minutes, kept in runs/)",
    "random-designs": "searches and random designs at equal cost (minutes, kept in runs/)",
    "invariant-weights": "constant and point-dependent weights (minutes, kept in runs/)",
    "experience": "what earlier runs are worth on new problems (minutes)",
    "weekly": "cold runs, experience and designs on two kinds of problems that come again (half an hour)",
    "history": "a design from recorded runs: refused, or better? (half an hour)",
    "engineering": "an annealing line and a trap, with other libraries (an hour, kept in runs/)",
    "picture": "the picture of the README (a minute)",
    "mixed": "logarithms, integers and categories, with other libraries (minutes, kept in runs/)",
    "asynchronous": "values told as they come and whole batches on many workers, in simulated time (minutes)",
    "busy": "how busy 2 to 64 workers are with a function that sleeps, in real time (two minutes)",
    "noise": "the true value at the recommended point of noisy runs, with other libraries (minutes)",
    "nsga2": "operators inside NSGA-II of pymoo, on problems with translated optima (minutes, kept in runs/)",
    "quickstart": "the long example of the quickstart (minutes)",
}
MODULES = {
    "ma-es": "matrix_adaptation",
    "other-suites": "other_suites",
    "random-designs": "random_designs",
    "invariant-weights": "invariant_weights",
    "constraint-rules": "constraint_rules",
}  # where it does not have the name of the benchmark


def main(arguments: list[str] | None = None) -> None:
    """Run one benchmark and show what it measured."""
    parser = argparse.ArgumentParser(
        "benchmarks", description="Measure speed and quality.", formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(f"  {name:<12} {what}" for name, what in BENCHMARKS.items()),
    )  # fmt: skip
    parser.add_argument("name", choices=BENCHMARKS, metavar="NAME", help="one of those below")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--python", action="append", help="for peers: a further interpreter whose environment has some of them"
    )
    asked = parser.parse_args(arguments)
    if asked.python and asked.name != "peers":
        parser.error("--python: only for peers")
    called = MODULES.get(asked.name, asked.name)
    module = importlib.import_module(f"benchmarks.{called}")
    try:
        result = getattr(module, f"bench_{called}")(**({"python": asked.python} if asked.python else {}))
    except InputError as error:
        sys.exit(f"benchmarks: {error}")
    if asked.json:
        print_json(result)
        return
    own = getattr(module, f"{called}_table", None)  # a benchmark may know better how to show itself
    for table in [own(result)] if own else tables_of(result):
        show_table(table)


if __name__ == "__main__":
    main()
