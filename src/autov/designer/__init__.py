"""The automated design of operators: genome, trials (Algorithm 2), search (Algorithm 1), checkpoints."""

from autov.designer.designing import Design, SearchProgress, design
from autov.designer.genes import Gene
from autov.designer.genome import Genome, OperatorGenome
from autov.designer.presets import PRESETS, design_settings
from autov.designer.settings import DesignSettings
from autov.designer.space import Space
from autov.designer.trials import TrialBudget

__all__ = [
    "PRESETS", "Design", "DesignSettings", "Gene", "Genome", "OperatorGenome", "SearchProgress", "Space",
    "TrialBudget", "design", "design_settings",
]  # fmt: skip
