"""An operator of autov and that of pymoo in NSGA-II, on a problem with two objectives.

Needs `pip install ".[pymoo]"` in a copy of the repository.
The problem is one on which the operator is the better one; on most others there is no difference (docs/nsga2.md).
"""

import matplotlib.pyplot as plt
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.indicators.hv import HV
from pymoo.operators.mutation.nom import NoMutation
from pymoo.optimize import minimize
from pymoo.problems import get_problem

from autov.adapters.pymoo import OperatorCrossover

problem = get_problem("zdt2")
algorithms = {
    "paper-h3": NSGA2(pop_size=50, crossover=OperatorCrossover("paper-h3"), mutation=NoMutation()),
    "SBX + PM": NSGA2(pop_size=50),
}
axes = plt.figure(figsize=(5.6, 3.6)).subplots()
axes.plot(*problem.pareto_front().T, color="#7f7f7f", linewidth=1, label="the best possible")
for (name, algorithm), colour, marker in zip(algorithms.items(), ("#0072b2", "#d55e00"), ("o", "^"), strict=True):
    result = minimize(problem, algorithm, ("n_eval", 6000), seed=1)
    volume = HV(ref_point=[1.1, 1.1]).do(result.F)
    print(f"{name}: hypervolume {volume:.3f} with {len(result.F)} points after 6000 evaluations, one run")
    axes.plot(*result.F.T, marker, color=colour, markersize=4, label=name)
axes.set(xlabel="first objective", ylabel="second objective")
axes.legend(frameon=False)
plt.show()
