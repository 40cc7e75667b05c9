"""Runs on transformed problems, with small algorithms whose answers are known and with those of the package."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from autov import invariance
from autov.algorithms import Evolution
from autov.algorithms.ga import GA
from autov.algorithms.imode import IMODE
from autov.algorithms.matrix_adaptation import MatrixAdaptation
from autov.algorithms.portfolio import Portfolio
from autov.algorithms.shade import SHADE
from autov.core import Box, InputError
from autov.invariance import PAPER, Transformation
from autov.invariance.recorded_runs import Setting
from autov.invariance.theorem import mirror_symmetric
from autov.operators import SBX, AffineOperator, DEMutation, FEPMutation, GaussianSampling, load_operator
from autov.reports import certificate_table, to_latex

BOX = Box.cube(-10, 10, 2)


def check(operator, **options):
    return invariance.check(operator, **{"properties": PAPER, **options})


def check_algorithm(*args, **options):
    """The paper's properties with two variables, where nothing is said; several numbers are tried elsewhere."""
    dim = {} if len(args) > 1 and not isinstance(args[1], str) else {"dim": 2}
    return invariance.check_algorithm(*args, **{"properties": PAPER, "rng": 1, **dim, **options})


@dataclass(frozen=True)
class Valley:
    """A narrow turned valley: no direction is like another."""

    name: ClassVar[str] = "valley"
    box: Box = BOX
    minimum: None = None
    optimum: None = None

    def __call__(self, x, rng):  # noqa: ARG002
        return (x[:, 0] - 1) ** 2 + 10 * (x[:, 1] - 0.5 * x[:, 0] ** 2) ** 2

    def objective(self):
        return None


@dataclass(frozen=True)
class Small:
    """Random parents, one operator, each offspring against its own first parent; clipping is a choice."""

    operator: Any
    clip: bool = True
    name: ClassVar[str] = "small"

    @dataclass(frozen=True)
    class State:
        box: Box
        x: np.ndarray
        f: np.ndarray | None = None

    def init(self, box, popsize, maxfev, rng, x0=None):  # noqa: ARG002
        return self.State(box, box.sample(popsize, rng) if x0 is None else x0)

    def ask(self, state, rng):
        if state.f is None:
            return state.x, state
        n = len(state.x)
        others = [state.x[rng.permutation(n)] for _ in range(self.operator.n_parents - 1)]
        o = self.operator(np.array([state.x, *others]), state.box.lower, state.box.upper, rng)
        return (state.box.clip(o) if self.clip else o), state

    def tell(self, state, x, f, rng):  # noqa: ARG002
        if state.f is None:
            return replace(state, f=f)
        better = f < state.f
        return replace(state, x=np.where(better[:, None], x, state.x), f=np.where(better, f, state.f))

    def population(self, state):
        return state.x, state.f


CASES = {
    "de": (DEMutation(), (True, True, True)),
    "sbx": (SBX(), (True, True, False)),
    "sbx-prime": (SBX(keep=0.1), (False, True, False)),
    "cma-es": (GaussianSampling(0.1), (True, None, None)),  # in a cube the noise is round, and it is symmetric
    "fep": (FEPMutation(law="normal"), (True, False, None)),
    "h4 per solution": (
        AffineOperator(("x1", "x2", "x3"), [[0.3, -0.3]], [[0.2, 0.2]], [1.0], "solution"),
        (True, True, True),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_small_algorithms(name):
    operator, expected = CASES[name]
    report = check_algorithm(Small(operator, clip=False), Valley(), runs=120)
    assert tuple(report.holds.values()) == expected
    for t in report.trajectories:
        assert (t.level == "pathwise") == (t.holds is True)
        assert (t.diverged is None) == (t.holds is True)
    if expected[1]:
        assert report["scale"].deviation == 0  # powers of two do not round


def test_clipping_in_a_box_that_was_not_rotated_is_counted():
    free, clipped = (check_algorithm(Small(DEMutation(F=2.0), clip=c), Valley(), runs=10)["rotation"] for c in (0, 1))
    assert free.holds is True
    assert free.touches > 0  # points beyond the border count, too
    assert clipped.holds is not True
    assert clipped.first_touch <= clipped.diverged
    assert "clipping may be the cause" in clipped.note()


def test_report_for_machines_and_people():
    report = check_algorithm(Small(SBX()), Valley(), runs=20, rng=3)
    data = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert data["holds"] == report.holds
    assert data["seed"] == 3
    tested = [row for row in data["trajectories"] if row["p_value"] is not None]
    assert tested
    assert {(row["false_alarm"], row["power"]) for row in tested} == {(1e-3, 0.9)}
    latex = to_latex(certificate_table(report))
    assert "refused with a chance of at most 0.001" in latex
    assert rf"\textless{{}} {report['translation'].scope.failure_rate:.1g}" in latex
    text = str(report)
    assert "Trajectories of small on valley, population 10, 10 generations, seed 3" in text
    assert text == str(check_algorithm(Small(SBX()), Valley(), runs=20, rng=3))


@dataclass(frozen=True)
class Deliberate:
    """First points that nothing random decides, rounded to the right; then steps of a law with two signs."""

    rounded: float  # by so much of the width of the box
    name: ClassVar[str] = "deliberate"

    def init(self, box, popsize, maxfev, rng, x0=None):  # noqa: ARG002
        return box, x0, 0

    def ask(self, state, rng):
        box, x, step = state
        if 0 < step < 3:
            return x + self.rounded * box.width, state
        return x + (0.01 * box.width * rng.standard_normal(x.shape) if step else 0), state

    def tell(self, state, x, f, rng):  # noqa: ARG002
        return state[0], state[1], state[2] + 1

    def population(self, state):
        return state[1], np.zeros(len(state[1]))


@pytest.mark.parametrize(("rounded", "holds"), [(1e-8, None), (1e-4, False)])
def test_rounding_of_what_is_not_random_is_no_difference_in_law(rounded, holds):
    """All runs of each form agree in these points, so that their last digits tell the forms apart."""
    found = check_algorithm(Deliberate(rounded), Valley(), properties=["scale"], runs=60, rng=1)["scale"]
    assert found.negative
    assert found.holds is holds


def test_a_name_is_kept_as_it_was_given():
    assert check_algorithm("de+F=0.7", "sphere", dim=2, properties=["order"], rng=1).algorithm == "de+F=0.7"


def test_algorithms_of_the_package():
    ga = check_algorithm(GA(), Valley(), runs=2)
    assert ga.holds["translation"] is True
    assert ga["scale"].negative  # the mutation of the mirrored box is mirrored in law only
    assert ga["rotation"].diverged is not None
    autov = check_algorithm(Evolution(load_operator("paper-h3")), Valley(), runs=2)
    assert autov.holds["translation"] is True
    assert autov.holds["scale"] is True
    assert autov["rotation"].diverged is not None


def test_imode_scales_a_point_and_is_caught():
    assert check_algorithm(IMODE(), Valley(), runs=25)["translation"].holds is False


@pytest.mark.parametrize("arguments", [{"popsize": 0}, {"generations": 0}, {"runs": 1}])
def test_bad_arguments_are_named(arguments):
    with pytest.raises(InputError, match=f"^{next(iter(arguments))}: "):
        check_algorithm(Small(SBX()), Valley(), **arguments)


def test_one_variable_has_nothing_to_rotate():
    with pytest.raises(InputError, match=r"^problem: "):
        check_algorithm(Small(SBX()), Valley(box=Box.cube(-1, 1, 1)))


def towards_larger_values(p, lower, upper, rng):  # noqa: ARG001
    return p[0] + np.abs(p[1] - p[2]) * rng.random((len(p[0]), 1))


def clipped(p, lower, upper, rng):  # noqa: ARG001
    return np.clip(p[0] + 0.5 * (p[1] - p[2]), -5e3, 5e3)


def with_a_floor(p, lower, upper, rng):  # noqa: ARG001
    return p[0] + 0.5 * (p[1] - p[2]) + 1e-8 * rng.standard_normal(p[0].shape)


for function in (towards_larger_values, clipped, with_a_floor):
    function.n_parents = 3


@pytest.mark.parametrize(
    ("function", "broken"),
    [(towards_larger_values, ("scale",)), (clipped, ("translation", "scale")), (with_a_floor, ("scale",))],
)
@pytest.mark.parametrize("algorithm", [lambda h: Small(h, clip=False), Evolution], ids=["small", "evolution"])
def test_every_size_and_sign_of_a_and_b_is_tried(algorithm, function, broken):
    """What the operator is refused, the algorithm that uses it is refused."""
    alone = check(function, dim=2, trials=8)
    found = check_algorithm(algorithm(function), Valley(), runs=100)
    for property in broken:
        assert alone.holds[property] is False
        assert found.holds[property] is False
    assert found["scale"].negative is (function is towards_larger_values)


@pytest.mark.parametrize("property", ["translation", "scale"])
def test_boxes_and_points_are_transformed_together(property):
    box = Box([-1.0, 2.0], [3.0, 10.0])
    setting = Setting(Small(DEMutation()), Valley(box=box), 5, 1, seed=1)
    transformations = list(setting.transformations(property))
    seen = [setting.run(T, setting.first(property), 0) for T in transformations]
    for run in seen:
        np.testing.assert_allclose(run.asked[0], setting.first(property), rtol=1e-8)
        assert run.first_touch is None or run.first_touch > 0
    sizes = [T.a if property == "scale" else float(np.ravel(T.b)[0]) for T in transformations]
    for sign in (1, -1):
        assert max(sign * size for size in sizes) > 100 * min(sign * size for size in sizes if sign * size > 0)


AROUND_THE_CENTRE = {"x2": (0.3, 0.2), "lower": (0.0, 0.1), "upper": (0.0, 0.1)}


@pytest.mark.parametrize(
    ("row", "holds"),
    [
        (AROUND_THE_CENTRE, True),
        (AROUND_THE_CENTRE | {"lower": (0.2, 0.1)}, False),
        (AROUND_THE_CENTRE | {"width": (0.0, 0.1), "spread": (0.0, 0.3)}, True),
        (AROUND_THE_CENTRE | {"width": (0.1, 0.1)}, False),
        (AROUND_THE_CENTRE | {"spread": (0.5, 0.1)}, False),
    ],
)
def test_symmetric_weights_are_mirrored_in_law(row, holds):
    """Compiled draws have one normal for a sum of weights, so paths differ for a < 0 whatever the operator."""
    operator = AffineOperator.from_rows(
        ("x1", "x2", "lower", "upper", "width", "spread"), [{"probability": 1.0, **row}]
    )
    found = check_algorithm(Evolution(operator), Valley(), runs=100)["scale"]
    assert found.holds is holds
    assert found.negative
    assert found.level == ("theorem" if holds else "distribution")
    assert mirror_symmetric(Evolution(operator)) is holds
    assert not mirror_symmetric(Evolution(operator, frame="learned"))


def test_one_sided_members_that_do_not_run_are_seen():
    rows = [{"probability": 1.0, "x2": (0.3, 0.2), "width": (mean, 0.0)} for mean in (0.0, 0.05)]
    for row, expected in zip(rows, (True, None), strict=True):
        late = Evolution(AffineOperator.from_rows(("x1", "x2", "width"), [row]))
        assert check_algorithm(Early(members=(MatrixAdaptation(), late)), runs=50, rng=4).holds["scale"] is expected


def test_a_portfolio_of_symmetric_members_is_symmetric():
    pieces = [Evolution(load_operator("uniform-crossover"), popsize=10, frame=frame) for frame in ("axes", "learned")]
    assert all(mirror_symmetric(each) for each in pieces)
    whole = Portfolio((*pieces, MatrixAdaptation()))
    assert mirror_symmetric(whole)
    assert not mirror_symmetric(Portfolio((*pieces, SHADE())))
    assert not mirror_symmetric(Portfolio((Evolution(LEARNING), MatrixAdaptation())))
    assert not mirror_symmetric(AlongTheAxes())  # what a subclass does is not known
    found = check_algorithm(whole, runs=50)["scale"]
    assert (found.holds, found.level, found.negative) == (True, "theorem", True)


def test_draws_are_mirrored_in_a_box_that_is_no_cube():
    found = Setting(MatrixAdaptation(), Valley(box=Box([-1.0, 2.0], [3.0, 10.0])), 10, 10, seed=1)
    x0 = found.first("scale")
    plain, mirrored = (found.run(T, x0, 0) for T in (None, Transformation("scale", "a = -4", a=-4.0)))
    for one, two in zip(plain.asked, mirrored.asked, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9)


def test_members_that_cannot_be_turned_leave_rotation_open():
    found = check_algorithm(Portfolio((MatrixAdaptation(), SHADE())), runs=20)
    assert found.holds["translation"] is True
    assert found.holds["rotation"] is not True
    assert not found["rotation"].turned


@pytest.mark.parametrize("seed", range(4))
def test_a_border_that_bends_is_no_matter_of_rotation(seed):
    """With seed 1 a turned population comes so near to the border that "smooth" moves its points."""
    assert check_algorithm("ma-es", rng=seed).holds["rotation"] is True


@pytest.mark.parametrize("name", ["ma-es", "ma-es+bounds=fold", "ma-es+paths=two+negative=0.0"])
@pytest.mark.parametrize("dim", [2, 5])
def test_matrix_adaptation_is_certified(name, dim):
    """Rotation by turning its draws with the problem: normals look the same from all sides."""
    found = check_algorithm(name, "rosenbrock", dim=dim, rng=4)
    assert found.holds == {"translation": True, "scale": True, "rotation": True}
    assert found["rotation"].turned
    assert found["rotation"].touches == 0
    assert "in distribution" in str(found)


class AlongTheAxes(MatrixAdaptation):
    """A mutant that learns the axes only."""

    def tell(self, state, x, f, rng):
        told = super().tell(state, x, f, rng)
        return replace(told, matrix=np.eye(*told.matrix.shape) * told.matrix)


class WithAnAxisOfItsOwn(MatrixAdaptation):
    """A mutant whose steps are longer along the first axis."""

    def ask(self, state, rng):
        x, state = super().ask(state, rng)
        x = x.copy()
        x[:, 0] += 1e-3 * (x[:, 0] - x[:, 0].mean())
        return x, state


@pytest.mark.parametrize("mutant", [AlongTheAxes, WithAnAxisOfItsOwn])
def test_mutants_of_matrix_adaptation_are_not_certified(mutant):
    found = check_algorithm(mutant(), "rosenbrock", dim=3, rng=4, runs=40)
    assert found.holds["rotation"] is not True


LEARNING = AffineOperator.from_rows(
    ("x1", "x2", "difference", "spread", "best"),
    [
        {"probability": 0.6, "x2": (0.4, 0.3), "difference": (0.1, 0.4), "spread": (0.1, 0.3), "best": (0.2, 0.1)},
        {"probability": 0.4, "x2": (-0.2, 0.3), "difference": (0.3, 0.1), "spread": (0.0, 0.5)},
    ],
)


@pytest.mark.parametrize("settings", [{}, {"popsize": 25, "survival": "comma", "offspring": 2.0}, {"popsize": 8}])
@pytest.mark.parametrize("dim", [2, 5])
def test_a_learned_frame_is_certified(settings, dim):
    found = check_algorithm(Evolution(LEARNING, frame="learned", **settings), "rosenbrock", dim=dim, rng=4)
    assert found.holds == {"translation": True, "scale": True, "rotation": True}
    assert found["rotation"].level == "pathwise"
    assert found["rotation"].touches == 0
    assert not found["rotation"].turned
    assert "near the centre" in str(found)


def test_draws_along_the_axes_are_refused_rotation():
    found = check_algorithm(Evolution(LEARNING), "rosenbrock", dim=2, rng=4)
    assert found.holds == {"translation": True, "scale": False, "rotation": False}


class WithoutSigns(Evolution):
    """A mutant whose eigenvectors point anywhere."""

    def tell(self, state, x, f, rng):
        told = super().tell(state, x, f, rng)
        signs = np.where(told.basis.sum(axis=1) < 0, -1.0, 1.0)  # their own, not those of the population
        return replace(told, basis=signs[:, None] * told.basis)


class SpreadAlongTheAxes(Evolution):
    """A mutant that stretches every variable by the spread along its axis."""

    def ask(self, state, rng):
        x, state = super().ask(state, rng)
        return (x + 0.1 * state.x.std(axis=0) if state.generation else x), state


class NotTurnedBack(Evolution):
    """A mutant whose steps stay in the coordinates of the basis."""

    def ask(self, state, rng):
        x, state = super().ask(state, rng)
        mean = state.x.mean(axis=0)
        return (mean + (x - mean) @ state.basis.T if state.generation else x), state


class LearnedOnce(Evolution):
    """A mutant whose basis is that of the box."""

    def tell(self, state, x, f, rng):
        return replace(super().tell(state, x, f, rng), basis=np.eye(state.box.dim))


@pytest.mark.parametrize("mutant", [WithoutSigns, SpreadAlongTheAxes, NotTurnedBack, LearnedOnce])
def test_mutants_of_the_learned_frame_are_not_certified(mutant):
    found = check_algorithm(mutant(LEARNING, frame="learned"), "rosenbrock", dim=3, rng=4, runs=40)
    assert found.holds["rotation"] is not True


def test_samples_of_runs_share_no_seed(monkeypatch):
    """The plain runs and those on each transformed problem are independent samples."""
    used, run = {}, Setting.run

    def noted(self, T, x0, path, permuted=False, shake=0.0):
        used.setdefault("plain" if T is None else T.label, []).append(path)
        return run(self, T, x0, path, permuted, shake)

    monkeypatch.setattr(Setting, "run", noted)
    check_algorithm(Small(SBX()), Valley(), runs=4)
    samples = [set(paths) - {0} for paths in used.values() if len(set(paths)) > 1]
    assert len(samples) >= 2
    assert sum(map(len, samples)) == len(set().union(*samples))


@dataclass(frozen=True)
class Early(MatrixAdaptation):
    """An evolution strategy whose other members would begin after more evaluations than are made here."""

    members: tuple[Any, ...] = ()


def test_members_that_take_no_part_in_the_runs_are_checked_by_themselves():
    alike = check_algorithm(Early(members=(MatrixAdaptation(),)), runs=50, rng=4)
    assert alike.holds == {"translation": True, "scale": True, "rotation": True}
    other = check_algorithm(Early(members=(MatrixAdaptation(), Evolution(load_operator("paper-h3")))), runs=50, rng=4)
    assert other.holds == {"translation": True, "scale": True, "rotation": None}
    assert "its member evolution, which may run later, is not certified" in other["rotation"].note()
    exchange = check_algorithm(
        Early(members=(Evolution(load_operator("uniform-crossover"), popsize=30),)), runs=50, rng=1
    )
    assert exchange.holds["translation"] is True  # its near copies change places, so by itself it is open


def test_the_first_population_under_rotation_is_uniform_in_a_ball():
    setting = Setting(GA(), Valley(Box([-1.0, 0.0, 0.0], [1.0, 4.0, 8.0])), 4000, 1, 1)
    step = setting.first("rotation") - [0.0, 2.0, 4.0]
    shares = np.linalg.norm(step, axis=1) ** 3  # of the volume of the unit ball
    assert shares.max() <= 1
    assert np.abs(np.histogram(shares, 4, (0, 1))[0] - 1000).max() < 5 * np.sqrt(4000 * 0.25 * 0.75)


@dataclass(frozen=True)
class Elsewhere(Small):
    """As Small, but the population that it shows is not the one that it works with."""

    def population(self, state):
        return np.abs(state.x), state.f


def test_populations_count_as_well_as_points_asked_for():
    assert check_algorithm(Small(DEMutation()), runs=20).holds["translation"] is True
    found = check_algorithm(Elsewhere(DEMutation()), runs=20, properties=["translation"])["translation"]
    assert found.holds is not True
    assert found.diverged == 0


def test_a_distance_above_one_is_not_said_to_be_found():
    notes = {runs: check_algorithm(Small(GaussianSampling(0.1)), runs=runs)["scale"].note() for runs in (20, 40)}
    assert "no difference at all is detected" in notes[20]
    assert "Kolmogorov-Smirnov distance of 0." in notes[40]


@dataclass(frozen=True)
class Few(Small):
    """An algorithm for few variables."""

    most: int = 15

    def init(self, box, popsize, maxfev, rng, x0=None):
        if box.dim > self.most:
            raise ValueError("too many variables")
        return super().init(box, popsize, maxfev, rng, x0)


def test_an_algorithm_for_few_variables_is_not_certified_for_many():
    found = invariance.check_algorithm(Few(DEMutation()), runs=20, rng=1)
    assert found["translation"].scope.dims == (2, 10)
    assert found.remarks == ("warning: not certified for 50 variables, ValueError: too many variables",)
    assert "not certified for 50 variables" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["remarks"] == list(found.remarks)
    with pytest.raises(ValueError, match="too many"):
        invariance.check_algorithm(Few(DEMutation(), most=1), runs=20)


@dataclass(frozen=True)
class Chaotic:
    """One point, stepped by a chaotic map of the values seen: no random numbers, and rounding doubles in each step."""

    pull: float = 0.0  # towards zero: not translation invariant
    steps: int = 40  # of the map, for each point
    name: ClassVar[str] = "chaotic"

    def init(self, box, popsize, maxfev, rng, x0=None):  # noqa: ARG002
        return Small.State(box, x0)

    def ask(self, state, rng):  # noqa: ARG002
        return state.x, state

    def tell(self, state, x, f, rng):  # noqa: ARG002
        z = np.full(len(x), (f.max() - f.min()) / (f.max() - f.min() + 1.0))
        for _ in range(self.steps):
            z = 3.99 * z * (1 - z)
        step = 0.1 * (z - 0.5) * state.box.width[0]
        return replace(state, x=x + step[:, None] - self.pull * x, f=f)

    def population(self, state):
        return state.x, state.f


def test_a_path_that_rounding_decides_is_no_refusal():
    """Deterministic, so that any other path is another law; but the plain runs part as early if shaken."""
    found = check_algorithm(Chaotic(), Valley(), runs=60, properties=["translation"])["translation"]
    assert found.deviation > 1e-3
    assert found.holds is None
    assert found.rounding
    assert "rounding" in found.note()


def test_a_pull_is_refused_though_rounding_is_amplified():
    found = check_algorithm(Chaotic(pull=0.2), Valley(), runs=60, properties=["translation"])["translation"]
    assert found.holds is False


def test_an_algorithm_that_does_not_amplify_rounding_is_refused_by_its_path():
    found = check_algorithm(Chaotic(pull=0.2, steps=1), Valley(), runs=60, properties=["translation"])["translation"]
    assert found.holds is False
    assert not found.rounding


@dataclass(frozen=True)
class InTurns(Small):
    """As Small, without random numbers: every generation is a step along each axis, in the order of the variables."""

    def ask(self, state, rng):  # noqa: ARG002
        if state.f is None:
            return state.x, state
        best, length = state.x[state.f.argmin()], state.box.width.max() / 16
        return best + length * np.eye(len(best)), state

    def tell(self, state, x, f, rng):  # noqa: ARG002
        return replace(state, x=x, f=f)


def test_the_order_of_points_in_a_batch_does_not_count():
    found = check_algorithm(InTurns(None), Valley(), runs=30, properties=["permutation"])["permutation"]
    assert (found.holds, found.level) == (True, "pathwise")
    uneven = check_algorithm(InTurns(None), Valley(), runs=30, properties=["rotation"])["rotation"]
    assert uneven.holds is False


@pytest.mark.parametrize("dim", [2, 10])
def test_a_trust_region_step_on_the_border_is_not_longer_than_its_radius(dim):
    """Rounding of the length decided whether rho was lowered: paths parted after three steps."""
    properties = ["translation", "scale", "permutation"]
    report = invariance.check_algorithm("trust-region", dim=dim, properties=properties, runs=20, rng=1)
    assert report.holds == dict.fromkeys(properties, True)
    assert max(t.deviation for t in report.trajectories) < 1e-8
