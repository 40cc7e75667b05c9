"""Compiled objective functions."""
