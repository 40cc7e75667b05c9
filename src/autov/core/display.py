"""Objects that draw themselves and show themselves in notebooks. How they do it is written in `autov.reports.views`."""

from __future__ import annotations

import importlib
from typing import Any


def views() -> Any:
    """The module that draws."""
    return importlib.import_module("autov.reports.views")  # by name: results know nothing of reports


class Displayable:
    """A result that plots itself and prints well in a notebook."""

    __slots__ = ()

    def plot(self, **options: Any) -> Any:
        """Draw it; returns matplotlib axes (an array of them where there are several panels)."""
        return views().plot(self, **options)

    def _repr_html_(self) -> str:
        return views().html_of(self)
