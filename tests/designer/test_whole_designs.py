"""Designs of whole algorithms: spaces, searchers, panels, cases, twins, files."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import kstest

from autov import Optimizer, minimize
from autov.algorithms import resolve_algorithm
from autov.algorithms.files import read_algorithm
from autov.algorithms.portfolio import Portfolio
from autov.core import Box, InputError, stream_key
from autov.designer import TrialBudget, design, design_settings
from autov.designer.fitness import panel_shares
from autov.designer.search import PROPOSERS, RACE, Search
from autov.runs import solve
from tests.designer.counting import Counted
from tests.designer.stubs import NotedTrials

DEFAULT = resolve_algorithm("general")
TINY = {"population": 5, "generations": 3, "trial": TrialBudget(8, 10, 2), "race_size": 3, "race_runs": 2,
        "retest_runs": 4, "rng": 1}  # fmt: skip


@pytest.mark.parametrize("searcher", ["best-operator", "ma-es", "random"])
@pytest.mark.parametrize("space", ["evolution", "portfolio"])
def test_a_search_that_was_cut_goes_on_with_the_same_bits(space, searcher, tmp_path):
    options = {**TINY, "space": space, "searcher": searcher, "aggregate": "panel", "panel_runs": 2}
    whole = design(["sphere", "ackley"], dim=3, workers=2, **options)
    path = tmp_path / "search.npz"
    design(["sphere", "ackley"], dim=3, workers=1, checkpoint=path, **{**options, "generations": 1})
    resumed = design(["sphere", "ackley"], dim=3, workers=1, checkpoint=path, resume=True, **options)
    assert np.array_equal(resumed.retested, whole.retested)
    assert np.array_equal(resumed.history[:, 2:], whole.history[:, 2:])
    assert resumed.algorithm == whole.algorithm


def test_python_functions_and_compiled_problems_are_designed_for_alike():
    found = design(Counted(), space="portfolio", **TINY)
    assert found.retested.shape == (1, 4)
    assert set(found.baselines) >= {"paper-h3", "ma-es"} - {found.baseline}


def test_a_known_design_that_wins_is_returned_and_named():
    # Candidates with random genes and no search: a known one is all but certain to win.
    found = design("rosenbrock", dim=4, space="portfolio", **{**TINY, "generations": 0, "population": 2})
    rivals = design_settings("quick", space="portfolio")
    from autov.designer.designing import known_designs

    if found.baseline is not None:
        assert found.algorithm == known_designs(rivals)[found.baseline]
        assert found.baseline not in found.baselines
        assert np.isnan(found.fitness)


def test_random_candidates_are_uniform_in_the_box_and_depend_on_the_generation_only():
    box = Box([-1.0, 10.0], [1.0, 30.0])
    proposer = PROPOSERS["random"](SimpleNamespace(box=box), stream_key(7, 0))
    near = np.tile([0.9, 29.0], (500, 1))
    memory, first = proposer.propose({}, 1, near, np.zeros(500))
    assert memory == {}
    assert np.array_equal(first, proposer.propose({}, 1, near[::-1] - 0.5, np.ones(500))[1]), "whatever is known"
    assert not np.array_equal(first, proposer.propose({}, 2, near, np.zeros(500))[1])
    assert not np.array_equal(
        first, PROPOSERS["random"](SimpleNamespace(box=box), stream_key(8, 0)).propose({}, 1, near, near)[1]
    )
    for column, (low, high) in zip(first.T, [(-1, 1), (10, 30)], strict=True):
        assert kstest((column - low) / (high - low), "uniform").pvalue > 0.001
    assert abs(np.corrcoef(first.T)[0, 1]) < 0.15


def test_the_best_of_random_designs_costs_what_a_search_costs():
    settings = {
        **TINY,
        "space": "evolution",
        "reevaluate": 1,
        "final_race": False,
        "aggregate": "panel",
        "panel_runs": 2,
    }
    found = {
        searcher: design(["sphere", "ackley"], dim=3, searcher=searcher, **settings) for searcher in ("random", "ma-es")
    }
    spent = [one.history[:, 1] for one in found.values()]
    assert np.array_equal(*spent)
    assert len(spent[0]) == TINY["generations"] + 1


class _Trials(NotedTrials):
    """Survivors are worth their first gene; known algorithms, which are vectors of one number, are better."""

    def __init__(self):
        super().__init__(value=lambda vector, _: 3.0 - vector[0] if len(vector) == 1 else 10.0 + float(vector[0]))


def test_known_algorithms_take_part_in_the_race():
    settings = design_settings("quick", population=6, generations=0, race_size=6, race_runs=2, known=False)
    trials = _Trials()
    search = Search(settings.designed.genome, [trials], settings, 1)
    state = search.start()
    assert search.race(state, ["first", "second"]) == 6 + 1
    assert search.race(state, []) < 6
    fresh = {(candidate, run) for purpose, candidate, run in trials.asked if purpose == RACE}
    assert (2**40, 0) in fresh


def test_panel_shares_count_ties_half_and_solved_values_as_equal():
    values = np.array([[[1.0, 3.0, np.nan], [5.0, 0.5, 0.5]]])
    panel = np.array([[1.0, 2.0, 3.0, 4.0]])
    shares = panel_shares(values, panel, [None])
    # 1 ties with one: 1/8; 3 has two below and a tie: 5/8. 5 has four below: 1; 0.5 none.
    assert shares.tolist() == [[pytest.approx((1 / 8 + 5 / 8) / 2), pytest.approx(1 / 3)]]
    solved = panel_shares(np.array([[[1e-12], [1e-9], [1.0]]]), np.array([[0.0, 1e-10]]), [0.0])
    assert solved.tolist() == [[0.5, 0.5, 1.0]]


def test_every_problem_with_every_dimension_and_budget():
    found = design(["sphere", "ackley"], space="portfolio", dims=(2, 3), budgets=(40, 90), **TINY)
    assert found.retested.shape == (8, 4)
    assert found.settings["dims"] == [2, 2, 2, 2, 3, 3, 3, 3]
    assert found.budgets == (40, 90) * 4
    assert len(set(found.settings["problems"])) == 8
    assert [p.box.dim for p in found.problems] == found.settings["dims"]
    with pytest.raises(InputError, match=r"^dim: "):
        design("sphere", dim=3, dims=(2, 3), **TINY)


def test_several_models_serve_one_problem():
    real, models = Counted(0.5), {"a": Counted(0.1), "b": Counted(0.2), "c": Counted(0.3)}
    found = design(real, surrogate=models, space="portfolio", family=(), **TINY)
    assert len(found.judged) == 1
    assert found.judged[0] is real
    counts = [model.count for model in models.values()]
    assert min(counts) > 0
    assert max(counts) < 2 * min(counts), "the search runs on all of them"
    assert real.count < min(counts) + 6 + (2 + len(found.baselines)) * 4 * 80


def test_a_twin_is_trained_on_and_the_problem_judges():
    real, twin = Counted(0.5), Counted(0.4)
    found = design(real, surrogate=twin, space="portfolio", family=(), **TINY)
    others = len(found.baselines)
    # Its speed, one re-test of the result and of each known design, and one with a moved optimum.
    assert real.count == 6 + (1 + others + 1) * 4 * 80
    assert twin.count > 0
    assert found.judged[0] is real
    other = Counted()
    other.box = type(other.box)(np.full(3, -2.0), np.full(3, 2.0))
    with pytest.raises(InputError, match=r"^surrogate: "):
        design(real, surrogate=other, **TINY)


def test_peers_take_part_and_can_win(tmp_path):
    pytest.importorskip("cma")
    found = design("sphere", dim=3, space="portfolio", panel="cma:default", **TINY)
    assert "cma:default" in {*found.baselines, found.baseline}
    from autov.algorithms.files import save_algorithm

    save_algorithm(resolve_algorithm("cma:default"), tmp_path / "peer.json")
    assert resolve_algorithm(str(tmp_path / "peer.json")) == resolve_algorithm("cma:default")


def test_the_result_is_an_algorithm_everywhere(tmp_path):
    found = design("sphere", dim=3, space="portfolio", **TINY)
    path = tmp_path / "optimizer.json"
    found.save(path)
    algorithm, provenance = read_algorithm(path)
    assert algorithm == found.algorithm
    assert provenance["space"] == "portfolio"
    assert "re-test" in provenance["instances"]
    one = minimize("sphere", dim=3, algorithm=str(path), maxfev=200, rng=1)
    other = minimize("sphere", dim=3, algorithm=found, maxfev=200, rng=1)
    assert one.fun == other.fun == solve_sphere(found.algorithm)
    optimizer = Optimizer([(-1, 1)] * 3, algorithm=str(path), maxfev=100, rng=1)
    while not optimizer.stop():
        x = optimizer.ask()
        optimizer.tell(x, (x**2).sum(axis=1))
    assert optimizer.result.nfev == 100


def solve_sphere(algorithm):
    from autov.problems import resolve_problem

    return solve(resolve_problem("sphere", dim=3), algorithm, maxfev=200, seed=1).fun


def test_training_race_and_retest_use_other_instances():
    from autov.designer.search import RETEST, TRIAL
    from autov.designer.trials import Stream

    numbers = [{Stream(5, purpose, 0).instance(run) for run in range(200)} for purpose in (TRIAL, RACE, RETEST)]
    assert len(set.union(*numbers)) == 600


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"space": "house"}, "space: must be one of operator, evolution, portfolio"),
        ({"searcher": "luck"}, "searcher: must be one of"),
        ({"space": "operator", "fix": {"popsize": 3}}, "fix: only in the spaces"),
        ({"space": "portfolio", "dims": (0,)}, "dims"),
        ({"space": "portfolio", "members": "shade"}, "members: some of"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(InputError, match=message):
        design_settings("quick", **settings)


def test_portfolios_of_a_space_are_portfolios():
    assert isinstance(design("sphere", dim=2, space="portfolio", **{**TINY, "generations": 1}).population[0], Portfolio)


@pytest.mark.parametrize("count", [7, 40, 60, 239])
@pytest.mark.parametrize("stops", [1, 3])
def test_some_cases_of_all_are_spread_evenly(count, stops):
    from collections import Counter

    from autov.designer.cases import _spread

    chosen = _spread(count, 20, 4, 3, stops)
    assert len(set(chosen)) == count
    for axis, size in enumerate((20, 4, 3, stops)):
        often = Counter(key[axis] for key in chosen)
        assert all(0 <= key < size for key in often)
        if count >= 40:
            assert max(often.values()) - min(often[level] for level in range(size)) <= max(2, count // 20)
    of_one = [key[1:] for key in chosen if key[0] == 3]
    assert len(set(of_one)) == len(of_one)


def test_budgets_may_grow_with_the_variables():
    from autov.designer.cases import training_cases

    settings = design_settings("quick", dims=(2, 5), budgets=("100d", 300))
    assert [case.budget.maxfev for case in training_cases("sphere", settings)] == [200, 300, 500, 300]
    with pytest.raises(InputError, match="budgets"):
        design_settings("quick", budgets=("d",))


@pytest.mark.parametrize("space", ["evolution", "portfolio"])
def test_the_default_is_raced_and_re_tested(space, monkeypatch):
    raced = []
    plain = Search.race

    def race(self, state, known=()):
        raced.extend(known)
        return plain(self, state, known)

    monkeypatch.setattr(Search, "race", race)
    found = design("sphere", dim=3, space=space, **TINY)
    assert resolve_algorithm("general") in raced
    assert (found.baseline == "general") != ("general" in found.baselines)


def test_the_default_can_win(monkeypatch):
    monkeypatch.setattr(Search, "race", lambda _, state, known: len(state.ids) + list(known).index(DEFAULT))
    found = design("sphere", dim=3, space="portfolio", **TINY)
    assert (found.baseline, found.algorithm) == ("general", DEFAULT)


def test_the_default_is_beside_an_operator_but_never_instead_of_it(monkeypatch):
    raced = []
    monkeypatch.setattr(Search, "race", lambda _, state, known: raced.extend(known) or 0)  # noqa: ARG005
    found = design("sphere", dim=3, space="operator", **TINY)
    assert "general" in found.baselines
    assert raced
    assert DEFAULT not in raced
