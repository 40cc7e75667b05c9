"""The AutoV paper, run again: its tables and figures, and the values it prints, with ours.

What draws (`autov.paper.contours`, `autov.paper.page`) is imported by itself, so that running a table does not wait for
Matplotlib.
"""

from autov.paper.designs import DesignSpec, design_operators
from autov.paper.figures import BEHAVIOUR_FIGURES, SearchBehaviour, search_behaviour
from autov.paper.paper_tables import PAPER_TABLES, PaperTable, paper_experiment, paper_table, printed_values
from autov.paper.readings import AS_FITTED, AS_WRITTEN
from autov.paper.reproduction import Paired, Reproduction, pair, reproduce

__all__ = [
    "AS_FITTED", "AS_WRITTEN", "BEHAVIOUR_FIGURES", "PAPER_TABLES", "DesignSpec", "Paired", "PaperTable",
    "Reproduction", "SearchBehaviour", "design_operators", "pair", "paper_experiment", "paper_table",
    "printed_values", "reproduce", "search_behaviour",
]  # fmt: skip
