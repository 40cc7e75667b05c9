"""Benchmarks: ratios measured in one run, here and not beside the package so that ``autov bench`` works anywhere."""
