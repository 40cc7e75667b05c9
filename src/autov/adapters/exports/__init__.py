"""Operators and optimisers as programs without autov, and operators for papers."""

from autov.adapters.exports.exporting import FORMATS, export

__all__ = ["FORMATS", "export"]
