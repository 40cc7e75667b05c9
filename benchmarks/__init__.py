"""Benchmarks, run from a clone with ``python -m benchmarks NAME``: ratios that are measured in one run, and quality."""
