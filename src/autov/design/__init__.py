"""The automated design of operators: encoding, fitness (Algorithm 2), search (Algorithm 1), checkpoints."""

from autov.design.design import Design, Progress, design
from autov.design.encoding import Encoding
from autov.design.fitness import Inner
from autov.design.presets import PRESETS

__all__ = ["PRESETS", "Design", "Encoding", "Inner", "Progress", "design"]
