"""Reports: tables, plots and the HTML page, from comparisons."""

from autov.reports.html import comparison_page, page, reproduction_page
from autov.reports.plots import convergence_plot, rank_plot, save_plot, svg
from autov.reports.tables import RENDERERS, render, to_csv, to_json, to_latex, to_markdown, to_rich, to_text

__all__ = [
    "RENDERERS", "comparison_page", "convergence_plot", "page", "rank_plot", "render", "reproduction_page",
    "save_plot", "svg", "to_csv", "to_json", "to_latex", "to_markdown", "to_rich", "to_text",
]  # fmt: skip
