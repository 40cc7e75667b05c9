"""autov inside pymoo: operators as crossovers, algorithms as algorithms, and the design of an operator for NSGA-II.

``NSGA2(crossover=OperatorCrossover("paper-h3"), mutation=NoMutation())``: an affine operator recombines and mutates,
so no mutation is needed behind it. `SingleObjective` runs an algorithm of autov under pymoo's own loop, terminations
and callbacks. All random numbers come from pymoo's ``random_state``.
"""

from autov.adapters.pymoo.algorithm import SingleObjective
from autov.adapters.pymoo.crossover import OperatorCrossover
from autov.adapters.pymoo.crossover_design import CrossoverDesign, HypervolumeTrial, design_crossover

__all__ = ["CrossoverDesign", "HypervolumeTrial", "OperatorCrossover", "SingleObjective", "design_crossover"]
