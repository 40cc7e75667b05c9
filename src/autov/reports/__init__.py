"""Reports: tables, plots and the HTML page, from comparisons."""

from autov.reports.canvas import save_plot, svg
from autov.reports.certificates import bias_table, certificate_table
from autov.reports.html import comparison_page, page
from autov.reports.logs import write_coco_data, write_ioh_logs
from autov.reports.plots import convergence_plot
from autov.reports.rank_plots import rank_plot, win_plot
from autov.reports.tables import RENDERERS, render, to_csv, to_json, to_latex, to_markdown, to_rich, to_text
from autov.reports.target_plots import ecdf_plot, profile_plot

__all__ = [
    "RENDERERS", "bias_table", "certificate_table", "comparison_page", "convergence_plot", "ecdf_plot", "page",
    "profile_plot", "rank_plot", "render", "save_plot", "svg", "to_csv", "to_json", "to_latex", "to_markdown",
    "to_rich", "to_text", "win_plot", "write_coco_data", "write_ioh_logs",
]  # fmt: skip
