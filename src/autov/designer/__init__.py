"""The automated design of operators: encoding, fitness (Algorithm 2), search (Algorithm 1), checkpoints."""

from autov.designer.design import Design, Progress, design
from autov.designer.encoding import Encoding
from autov.designer.fitness import Inner
from autov.designer.presets import PRESETS

__all__ = ["PRESETS", "Design", "Encoding", "Inner", "Progress", "design"]
