"""Teachers over knobs, tried on students whose learning is known: most of the space is out of
reach, most of it is trivial, or what is not repeated is forgotten."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.teachers import (
    TEACHERS,
    Points,
    Trial,
    adr,
    covar_gmm,
    goal_gan,
    mbtl,
    riac,
    self_paced,
)
from puzzlemill.difficulty.teachers._mixture import MixtureSettings, best_mixture, sampled
from puzzlemill.difficulty.teachers.adr import sides
from puzzlemill.difficulty.teachers.alp_gmm import progress

ROUNDS, EACH = 100, 10
SEEDS = range(3)
QUICK = {"alp_gmm": {"components": 3}, "covar_gmm": {"components": 3}}  # 10 take five times as long


class Student:
    """Learns at a point only what lies next to what it knows already, on a grid of cells.

    `reach` is the share of the space, along the first axis, that can be learned at all; `known` is
    the share that it knows from the beginning; `forgets` is lost of each cell in every round.
    """

    def __init__(self, reach: float, known: float, forgets: float, cells: int = 20) -> None:
        self.skill = np.zeros(cells)
        self.skill[: max(1, round(known * cells))] = 1.0
        self.able = round(reach * cells)
        self.forgets = forgets
        self.floor = self.skill.copy()

    def tried(self, points: Points) -> list[float]:
        cells = (points[:, 0] * (len(self.skill) - 1e-9)).astype(int)
        rewards = [float(self.skill[cell]) for cell in cells]
        for cell in cells:
            below = self.skill[cell - 1] if cell else 1.0
            if cell < self.able and below > 0.5:
                self.skill[cell] = min(1.0, self.skill[cell] + 0.1)
        self.skill = np.maximum(self.skill - self.forgets, self.floor)
        return rewards

    @property
    def mastery(self) -> float:
        return float(self.skill[: self.able].mean())


def propose(name: str, trials: Sequence[Trial], count: int, source: np.random.Generator) -> Points:
    teacher = TEACHERS.load(name)
    settings = teacher.settings(**QUICK.get(name, {}))
    points: Points = teacher.propose(settings, trials, 2, count, source)
    return points


def mastery(name: str, seed: int, reach: float, known: float, forgets: float) -> float:
    source = np.random.default_rng(seed)
    student, trials = Student(reach, known, forgets), list[Trial]()
    for _ in range(ROUNDS):
        points = propose(name, trials, EACH, source)
        assert points.shape == (EACH, 2)
        assert ((points >= 0) & (points <= 1)).all()
        rewards = student.tried(points)
        trials += [(tuple(map(float, p)), r) for p, r in zip(points, rewards, strict=True)]
    return student.mastery


@cache
def mean(name: str, reach: float, known: float, forgets: float) -> float:
    return float(np.mean([mastery(name, seed, reach, known, forgets) for seed in SEEDS]))


WORLDS = {
    "mostly impossible": (0.2, 0.05, 0.03),
    "mostly trivial": (1.0, 0.85, 0.04),
    "wide, and soon forgotten": (1.0, 0.05, 0.01),
}
UNABLE = {
    ("gp", "mostly impossible"),  # it lingers at the edge of what can be learned
    ("riac", "wide, and soon forgotten"),  # its regions are as wide as what is forgotten
    ("self_paced", "mostly trivial"),  # it keeps most of its trials in the middle
}


@pytest.mark.parametrize(
    "name", ["adr", "alp_gmm", "covar_gmm", "goal_gan", "gp", "riac", "self_paced"]
)
@pytest.mark.parametrize("world", WORLDS)
def test_a_teacher_that_looks_does_better_than_one_that_does_not(name: str, world: str) -> None:
    looking, blind = mean(name, *WORLDS[world]), mean("uniform", *WORLDS[world])
    assert (looking > blind + 0.02) != ((name, world) in UNABLE)


def test_the_same_trials_give_the_same_proposals() -> None:
    source = np.random.default_rng(0)
    trials: Sequence[Trial] = [
        (tuple(map(float, point)), float(point[0] < 0.5)) for point in source.random((100, 2))
    ]
    for name in TEACHERS.names():
        first, second = (propose(name, trials, 8, np.random.default_rng(5)) for _ in range(2))
        assert (first == second).all()
    with pytest.raises(UserError, match="unknown teacher 'alp_gm'; did you mean 'alp_gmm'"):
        TEACHERS.load("alp_gm")


BOX = adr.Settings()


def test_a_side_moves_when_enough_trials_there_succeed() -> None:
    won: list[Trial] = [((0.1, 0.0), 1.0)] * 8
    assert sides(BOX, won, 2).tolist() == [0.15, 0.1]
    assert sides(BOX, [*won, *[((0.15, 0.0), 0.0)] * 8], 2).tolist() == [0.1, 0.1]
    assert sides(BOX, [((0.05, 0.0), 1.0)] * 50, 2).tolist() == [0.1, 0.1]


def test_progress_is_the_change_since_the_nearest_trial() -> None:
    trials: list[Trial] = [((0.1,), 0.2), ((0.9,), 0.0), ((0.12,), 0.7), ((0.88,), 0.0)]
    assert progress(trials, 9)[:, 1].tolist() == pytest.approx([0.0, 0.2, 0.5, 0.0])
    assert progress(trials, 2).tolist() == progress(trials, 9)[2:].tolist()


def test_a_mixture_s_components_are_sampled_by_their_mean_progress_alone() -> None:
    source = np.random.default_rng(0)
    rows = np.vstack(
        [
            np.column_stack([source.normal(0.2, 0.02, 180), np.full(180, 0.1)]),
            np.column_stack([source.normal(0.8, 0.02, 20), np.full(20, 0.3)]),
        ]
    )
    mixture = best_mixture(rows, 2, source)
    order = mixture.means_KD[:, 0].argsort()
    assert mixture.weights_K[order].tolist() == pytest.approx([0.9, 0.1], abs=0.01)
    interest = mixture.means_KD[:, -1]
    drawn = sampled(mixture, interest, 1, 4000, source)
    # .3 to .1, however many trials each has: by weight times mean it would be 1 to 3
    assert (drawn > 0.5).mean() == pytest.approx(0.75, abs=0.03)
    assert mixture.covariances_KDD.shape == (2, 2, 2)


def test_covar_gmm_looks_where_rewards_rise_with_time() -> None:
    source = np.random.default_rng(0)
    points = source.random((200, 1))
    trials: list[Trial] = [
        ((float(p),), n / 200 if p > 0.7 else 1 - n / 200) for n, (p,) in enumerate(points)
    ]
    settings = MixtureSettings(anywhere=0.0)
    drawn = covar_gmm.covar_gmm(settings, trials, 1, 400, source)
    assert (drawn > 0.65).mean() > 0.9


def test_riac_cuts_where_progress_differs_and_looks_where_it_is_made() -> None:
    settings = riac.Settings(anywhere=0.0, mutated=0.0)
    source = np.random.default_rng(0)
    spread = [(7 * n % 40 + 0.5) / 40 for n in range(40)]
    trials: list[Trial] = [((p,), float(n >= 20 and p < 0.3)) for n, p in enumerate(spread)]
    points, rewards = np.array([p for p, _ in trials]), np.array([r for _, r in trials])
    whole = riac.Region(np.zeros(1), np.ones(1), points, rewards)
    low, high = riac.regions_of(settings, whole)
    assert (low.high[0], high.low[0]) == pytest.approx((0.3, 0.3))
    assert riac.progress(settings, high.rewards) == 0.0
    assert riac.progress(settings, np.array([0.0, 0.0, 1.0, 0.5])) == 0.75
    assert (riac.riac(settings, trials, 1, 200, source) <= 0.3).mean() > 0.99
    (alone,) = riac.regions_of(
        settings, riac.Region(*(np.zeros(1), np.ones(1)), points[:39], rewards[:39])
    )
    assert len(alone.rewards) == 39, "with one trial less it is not cut"


def test_goals_are_of_intermediate_difficulty() -> None:
    trials: list[Trial] = [((0.1,), 1.0), ((0.5,), 0.5), ((0.9,), 0.0)]
    settings = goal_gan.Settings(anywhere=0.0)
    drawn = goal_gan.goal_gan(settings, trials, 1, 500, np.random.default_rng(0))
    assert drawn.mean() == pytest.approx(0.5, abs=0.01)
    assert drawn.std() == pytest.approx(0.05, abs=0.01)


def test_a_self_paced_gaussian_widens_while_rewards_are_high_and_within_trust() -> None:
    source = np.random.default_rng(0)
    settings = self_paced.Settings()
    start = self_paced.gaussian(settings, [], 1)
    assert [each.tolist() for each in start] == [[0.0], [0.1]]
    points = np.abs(source.normal(0, 0.1, settings.batch))
    won: list[Trial] = [((float(p),), 1.0) for p in points]
    mean, deviation = self_paced.gaussian(settings, won, 1)
    assert mean > 0.0
    assert deviation > 0.1
    assert 0 < self_paced.divergence((mean, deviation), start) <= settings.trust
    lost = self_paced.gaussian(settings, [(p, 0.0) for p, _ in won], 1)
    assert [each.tolist() for each in lost] == [[0.0], [0.1]]
    near: list[Trial] = [(p, float(p[0] < 0.05)) for p, _ in won]
    assert self_paced.gaussian(settings, near, 1)[1] < 0.1, "back to what was rewarded"
    one, other = (np.array([0.3]), np.array([0.2])), (np.array([0.1]), np.array([0.4]))
    # log(.4 / .2) + (.2² + .2²) / (2 · .4²) - 1/2
    assert self_paced.divergence(one, other) == pytest.approx(np.log(2) + 0.25 - 0.5)


def test_mbtl_trains_where_most_of_the_space_profits_and_goes_on_when_it_has_enough() -> None:
    settings = mbtl.Settings(enough=5)
    grid = np.linspace(0, 1, 101)[:, None]
    gains, means = mbtl.gains_of(settings, {}, grid)
    assert grid[gains.argmax()].item() == pytest.approx(0.5), "the middle is nearest to all"
    assert means.tolist() == [0.5] * 101
    gains, means = mbtl.gains_of(settings, {(0.5,): 1.0}, grid)
    second = grid[gains.argmax()].item()
    assert 0.1 < abs(second - 0.5) <= 0.5, "what the first reaches well gains little"
    assert means[50] == pytest.approx(0.5 + 0.5 * 0.15 / 0.17)
    assert gains.min() >= 0
    trials: list[Trial] = []
    for _ in range(20):
        (point,) = mbtl.mbtl(settings, trials, 1, 1, np.random.default_rng(len(trials)))
        trials.append(((float(point[0]),), 1.0))
    tasks = [point for (point,), _ in trials]
    assert [len({*tasks[first : first + 5]}) for first in (0, 5, 10, 15)] == [1, 1, 1, 1]
    assert len({*tasks}) == 4
    reach = np.min([np.abs(grid[:, 0] - task) for task in tasks], axis=0)
    assert reach.mean() < 0.1, "four tasks cover the space"
