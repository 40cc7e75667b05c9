"""autov inside pymoo."""

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import ElementwiseProblem, Problem
from pymoo.operators.mutation.nom import NoMutation
from pymoo.optimize import minimize
from pymoo.problems import get_problem
from scipy import stats

import autov
from autov.adapters.pymoo import HypervolumeTrial, OperatorCrossover, SingleObjective, design_crossover
from autov.adapters.pymoo.shifted import Shifted, front_of, named_problem, optimum_of
from autov.core import InputError


class Box(ElementwiseProblem):
    def __init__(self, **options):
        super().__init__(**{"n_var": 3, "n_obj": 1, "xl": -5.0, "xu": 5.0, **options})

    def _evaluate(self, x, out, *_, **__):
        out["F"] = ((x - 1) ** 2).sum()
        if self.has_constraints():
            out["G"] = x[0]


def crossed(operator, seed, n=4000, **options):
    """Offspring of two fixed parents, through pymoo's own call."""
    from pymoo.core.population import Population

    parents = Population.new("X", np.array([[1.0, -2.0, 4.9], [2.0, 2.0, -4.9]]))
    pairs = np.tile([0, 1], (n, 1))
    crossover = OperatorCrossover(operator, **options)
    return crossover.do(Box(), parents, parents=pairs, random_state=np.random.default_rng(seed)).get("X")


def test_crossover_has_the_distribution_of_the_operator_and_uses_only_the_given_stream():
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    made = crossed("paper-h3", 1)
    assert np.array_equal(made, crossed("paper-h3", 1))
    assert np.array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    assert (np.abs(made) <= 5).all()
    parents = np.repeat(np.array([[1.0, -2.0, 4.9], [2.0, 2.0, -4.9]])[:, None], 4000, axis=1)
    lower, upper = np.full(3, -5.0), np.full(3, 5.0)
    expected = autov.load_operator("paper-h3")(parents, lower, upper, np.random.default_rng(2)).clip(-5, 5)
    for k in range(3):
        assert stats.ks_2samp(made[:, k], expected[:, k]).pvalue > 1e-4


def test_further_offspring_have_the_parents_in_turned_order():
    copy = autov.AffineOperator.from_rows("h1", [{"probability": 1.0, "x2": (0.0, 0.0)}])
    made = crossed(copy, 1, n=5, n_offsprings=2)
    assert np.array_equal(made[:5], np.tile([1.0, -2.0, 4.9], (5, 1)))
    assert np.array_equal(made[5:], np.tile([2.0, 2.0, -4.9], (5, 1)))


ONE_PARENT = autov.AffineOperator.from_rows(
    "h2", [{"probability": 1.0, "lower": (0.0, 0.02), "upper": (0.0, 0.02)}]
)  # fmt: skip


@pytest.mark.parametrize("operator", ["sbx", "paper-h3", ONE_PARENT], ids=["sbx", "h3", "one parent"])
def test_nsga2_runs_and_repeats(operator):
    def run():
        algorithm = NSGA2(pop_size=20, crossover=OperatorCrossover(operator), mutation=NoMutation())
        return minimize(get_problem("zdt1", n_var=5), algorithm, ("n_gen", 10), seed=3).F

    assert np.array_equal(run(), run())


@pytest.mark.parametrize("name", ["best", "difference", "spread"])
def test_operators_that_need_a_population_are_refused(name):
    operator = autov.AffineOperator.from_rows(f"x1,{name}", [{"probability": 1.0, name: (0.5, 0.1)}])
    with pytest.raises(InputError, match=rf"^operator: uses {name}, which pymoo"):
        OperatorCrossover(operator)


@pytest.mark.parametrize("name", [None, "paper-h3", "shade", "ma-es"])
def test_algorithm_repeats_keeps_the_budget_and_its_best(name):
    def run(seed):
        seen = []
        found = minimize(
            Box(), SingleObjective(name, popsize=20), ("n_evals", 505), seed=seed,
            callback=lambda algorithm: seen.append(algorithm.opt[0].F[0]),
        )  # fmt: skip
        assert found.algorithm.evaluator.n_eval == 505
        assert seen == sorted(seen, reverse=True)
        assert found.F[0] == seen[-1]
        return found

    one, again, other = run(1), run(1), run(2)
    assert np.array_equal(one.X, again.X)
    assert name is None or not np.array_equal(one.X, other.X)  # the default solves it exactly
    assert one.F[0] < 0.5


def test_algorithm_takes_the_course_of_autov():
    found = minimize(Box(), SingleObjective("shade", popsize=20, maxfev=400), ("n_gen", 20), seed=7)
    rng = np.random.default_rng(7)
    shade = autov.algorithms.make_algorithm("shade")
    state = shade.init(autov.Box.cube(-5, 5, 3), 20, 400, rng)
    best = np.inf
    for _ in range(20):
        x, state = shade.ask(state, rng)
        f = ((x - 1) ** 2).sum(axis=1)
        best = min(best, f.min())
        state = shade.tell(state, x, f, rng)
    assert found.F[0] == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (get_problem("zdt1"), "one objective"),
        (Box(xl=None, xu=None), "needs bounds"),
    ],
)
def test_problems_that_do_not_fit(problem, message):
    with pytest.raises(InputError, match=f"^problem: .*{message}"):
        minimize(problem, SingleObjective("paper-h3"), ("n_gen", 2), seed=1)


class Disc(Problem):
    """The smallest sum of two numbers in the unit disc, not a number for x[0] above 0."""

    def __init__(self, equal=0):
        super().__init__(n_var=2, n_obj=1, n_ieq_constr=1 - equal, n_eq_constr=equal, xl=-2.0, xu=2.0)

    def _evaluate(self, x, out, *args, **kwargs):  # noqa: ARG002
        out["F"] = np.where(x[:, :1] > 0, np.nan, x.sum(axis=1, keepdims=True))
        out["G" if self.n_ieq_constr else "H"] = (x**2).sum(axis=1, keepdims=True) - 1


@pytest.mark.parametrize(("name", "equal"), [("de", 0), ("ma-es", 0), ("ma-es", 1)])
def test_constraints_by_debs_rules_and_nan_is_worst(name, equal):
    found = minimize(Disc(equal), SingleObjective(name, popsize=20), ("n_evals", 2000), seed=1)
    assert found.CV[0] == 0
    assert found.F[0] < -1.35


def test_an_infeasible_problem_gives_the_least_violation():
    class Nowhere(Disc):
        def _evaluate(self, x, out, *args, **kwargs):
            super()._evaluate(x, out, *args, **kwargs)
            out["G"] = x[:, :1] + 3

    found = minimize(
        Nowhere(), SingleObjective("de", popsize=20), ("n_evals", 1000), seed=1, return_least_infeasible=True
    )
    assert found.CV[0] == pytest.approx(1.0)


def test_hypervolume_of_nsga2():
    few, many = (HypervolumeTrial("zdt1", 20, generations, n_var=5)((None, 1)) for generations in (2, 60))
    assert 0 <= few < many < 1
    assert many > 0.9


OPTIONS = {"problems": ("zdt1", "zdt2"), "n_var": 5, "popsize": 12, "generations": 8, "runs": 1, "candidates": 4,
           "trials": 12, "rows": 5, "rng": 1}  # fmt: skip


def test_design_repeats_and_goes_on(tmp_path):
    whole = design_crossover(**OPTIONS)
    assert whole.operator == design_crossover(**OPTIONS).operator
    assert whole.operator.provenance["missing hypervolume"] == whole.fitness
    assert list(whole.history) == sorted(whole.history, reverse=True)
    assert len(whole.history) == 3
    assert list(whole.baselines) == ["SBX + PM", "uniform crossover"]
    assert whole.budget == "96 evaluations a run (population 12), 1 runs on each of 2 problems"
    assert whole.operator.provenance["problem"] == "zdt1, shifted; zdt2, shifted"
    assert ("stay with SBX + PM" in whole.verdict) == (whole.fitness >= whole.baselines["SBX + PM"])

    def stop(tried, *_):
        if tried == 8:
            raise KeyboardInterrupt

    path = tmp_path / "search.json"
    with pytest.raises(KeyboardInterrupt):
        design_crossover(**OPTIONS, checkpoint=path, progress=stop)
    resumed = design_crossover(**OPTIONS, checkpoint=path)
    assert resumed.operator == whole.operator
    assert (resumed.history, resumed.fitness, resumed.evaluations) == (whole.history, whole.fitness, whole.evaluations)
    with pytest.raises(InputError, match=r"^checkpoint: .* other settings"):
        design_crossover(**{**OPTIONS, "rng": 2}, checkpoint=path)


def test_design_on_processes_gives_the_same():
    small = {**OPTIONS, "trials": 4, "problems": "zdt1"}
    assert design_crossover(**small, workers=2).operator == design_crossover(**small).operator


@pytest.mark.parametrize(
    ("problems", "options", "message"),
    [
        ("nosuch", {}, "problems: pymoo cannot make 'nosuch'"), ((), {}, "problems: at least one"),
        ("zdt1", {"n_var": "a"}, "n_var: must be an integer"), ("zdt1", {"metric": "igd"}, "metric: must be"),
    ],
)  # fmt: skip
def test_bad_problems_are_refused_before_the_search(problems, options, message):
    with pytest.raises(InputError, match=message):
        design_crossover(problems, trials=2, **options)


NAMES = [*(f"zdt{i}" for i in (1, 2, 3, 4, 6)), *(f"dtlz{i}" for i in (1, 2, 3, 4)), *(f"wfg{i}" for i in range(2, 10))]


@pytest.mark.parametrize("name", NAMES)
def test_a_shifted_problem_has_the_same_values_with_its_optimum_inside(name):
    """Points with the optimum of all distance variables have the values of such points before."""
    inner = named_problem(name, None)
    shifted, rng = Shifted(inner, 3), np.random.default_rng(1)
    lower, upper = inner.bounds()
    place, optimum = optimum_of(inner)
    u = rng.random((50, inner.n_var))
    before, after = u.copy(), u.copy()
    before[:, place:], after[:, place:] = optimum, shifted.places
    assert (np.abs(shifted.places - 0.5) < 0.4).all()
    x, y = lower + before * (upper - lower), lower + after * (upper - lower)
    np.testing.assert_allclose(shifted.evaluate(y), inner.evaluate(x), atol=1e-9)
    assert np.array_equal(Shifted(inner, 3).places, shifted.places)
    assert not np.array_equal(Shifted(inner, 4).places, shifted.places)
    np.testing.assert_array_equal(shifted.evaluate(lower + u * (upper - lower))[:, 0].shape, (50,))
    grid = np.linspace(0, 1, 10_001)[:, None] * np.ones(len(shifted.places))
    covered = np.sort(shifted.back(grid), axis=0)
    assert np.diff(covered, axis=0).max() < 1e-2  # the whole box is reached, so that the front is the same
    assert covered.min() == pytest.approx(0, abs=1e-3)
    assert covered.max() == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("number", [2, 3, 4, 7, 9])
def test_fronts_of_wfg_are_the_same_each_time_and_not_dominated(number):
    problem = named_problem(f"wfg{number}", None)
    front = front_of(problem)
    assert np.array_equal(front, front_of(named_problem(f"wfg{number}", None)))
    sampled = problem.evaluate(problem._calc_pareto_set_interior(300))
    better = (front[None] <= sampled[:, None] + 1e-9).all(axis=2).any(axis=1)
    worse = (sampled[:, None] < front[None] - 2e-2).all(axis=2).any(axis=1)  # a grid of points
    assert better.mean() > 0.9 or not worse.any()
    assert not worse.any()


def test_problems_of_users_stay_as_they_are():
    class Mine(Problem):
        def __init__(self):
            super().__init__(n_var=3, n_obj=2, xl=0.0, xu=1.0)

        def _evaluate(self, x, out, *args, **kwargs):  # noqa: ARG002
            out["F"] = np.column_stack([x[:, 0], 1 - x[:, 0] + x[:, 1:].sum(axis=1)])

        def _calc_pareto_front(self, *args, **kwargs):  # noqa: ARG002
            return np.column_stack([np.linspace(0, 1, 50), np.linspace(1, 0, 50)])

    trial = HypervolumeTrial(Mine(), 12, 4, shifted=True)
    assert trial.label == "Mine"
    assert trial((None, 1)) == HypervolumeTrial(Mine(), 12, 4)((None, 1))
    assert HypervolumeTrial("zdt1", 12, 4, shifted=True).label == "zdt1, shifted"
    found = design_crossover(
        [Mine()], **{**{k: v for k, v in OPTIONS.items() if k not in ("problems", "n_var")}, "trials": 4}
    )
    assert found.operator.provenance["problem"] == "Mine"


def test_runs_on_a_shifted_problem_meet_another_place_for_each_seed():
    plain, shifted = (HypervolumeTrial("zdt1", 20, 30, n_var=5, shifted=shifted) for shifted in (False, True))
    assert shifted((None, 1)) == shifted((None, 1))
    assert shifted((None, 1)) != plain((None, 1))
