"""The command ``autov``: parse, call, print. Heavy imports happen inside the commands."""

from autov.cli.app import main

__all__ = ["main"]
