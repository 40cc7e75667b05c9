"""Compiled code: arrays in, arrays out; imports numpy and numba only."""
