"""The automated design of operators: genome, trials (Algorithm 2), search (Algorithm 1), checkpoints."""

from autov.designer.designing import Design, SearchProgress, design
from autov.designer.genome import Genome, OperatorGenome
from autov.designer.settings import PRESETS, DesignSettings, design_settings
from autov.designer.trials import TrialBudget

__all__ = [
    "PRESETS", "Design", "DesignSettings", "Genome", "OperatorGenome", "SearchProgress", "TrialBudget", "design",
    "design_settings",
]  # fmt: skip
