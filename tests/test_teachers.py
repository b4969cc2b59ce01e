"""Teachers over knobs, tried on students whose learning is known: most of the space is out of
reach, most of it is trivial, or what is not repeated is forgotten."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.teachers import TEACHERS, Points, Trial
from puzzlemill.difficulty.teachers.adr import sides
from puzzlemill.difficulty.teachers.alp_gmm import progress

ROUNDS, EACH = 100, 10
SEEDS = range(4)


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


def mastery(name: str, seed: int, reach: float, known: float, forgets: float) -> float:
    source = np.random.default_rng(seed)
    student, trials = Student(reach, known, forgets), list[Trial]()
    for _ in range(ROUNDS):
        points = TEACHERS.load(name)(trials, 2, EACH, source)
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
UNABLE = {("gp", "mostly impossible")}  # it lingers at the edge of what can be learned


@pytest.mark.parametrize("name", ["adr", "alp_gmm", "gp"])
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
        teacher = TEACHERS.load(name)
        first, second = (teacher(trials, 2, 8, np.random.default_rng(5)) for _ in range(2))
        assert (first == second).all()
    with pytest.raises(UserError, match="unknown teacher 'alp_gm'; did you mean 'alp_gmm'"):
        TEACHERS.load("alp_gm")


def test_a_side_moves_when_enough_trials_there_succeed() -> None:
    won: list[Trial] = [((0.1, 0.0), 1.0)] * 8
    assert sides(won, 2).tolist() == [0.15, 0.1]
    assert sides([*won, *[((0.15, 0.0), 0.0)] * 8], 2).tolist() == [0.1, 0.1]
    assert sides([((0.05, 0.0), 1.0)] * 50, 2).tolist() == [0.1, 0.1]


def test_progress_is_the_change_since_the_nearest_trial() -> None:
    trials: list[Trial] = [((0.1,), 0.2), ((0.9,), 0.0), ((0.12,), 0.7), ((0.88,), 0.0)]
    assert progress(trials)[:, 1].tolist() == pytest.approx([0.0, 0.2, 0.5, 0.0])
