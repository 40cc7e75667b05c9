"""Objects that draw themselves and show themselves in notebooks. How they do it is written in `autov.reports.views`."""

from __future__ import annotations

from types import ModuleType
from typing import Any


def views() -> ModuleType:
    """The module that draws, imported when something is shown."""
    from autov.reports import views

    return views


class Displayable:
    """A result that plots itself and prints well in a notebook."""

    __slots__ = ()

    def plot(self, **options: Any) -> Any:
        """Draw it; returns matplotlib axes (an array of them where there are several panels)."""
        return views().plot(self, **options)

    def _repr_html_(self) -> str:
        return views().html_of(self)
