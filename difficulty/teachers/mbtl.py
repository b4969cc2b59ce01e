"""MBTL: train where the whole space is expected to gain most, with a linear generalisation gap.

A Gaussian process gives the reward that training at a point ends with. What is learned there is
worth as much elsewhere less a gap that grows with the distance. The next point is the one whose
upper confidence bound raises the best transfer to all points most (Bayesian optimisation); it is
kept for some trials.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from puzzlemill.core.settings import Range
from puzzlemill.difficulty.teachers import Points, Teacher, TeacherSettings, Trial

NOISE = 0.02  # variance of a task's reward
VARIANCE = 0.15  # of rewards over the space
PRIOR = 0.5  # reward of a task before any trial
CANDIDATES = 100  # points that are compared
LATEST = 0.5  # the share of a task's trials, the latest, that its reward is the mean of


@dataclass(frozen=True, slots=True)
class Settings(TeacherSettings):
    # What a pass rate loses over the whole of an axis.
    slope: Annotated[float, Range(0, 1000)] = 1.0
    explore: Annotated[float, Range(0, 1000)] = 1.0  # standard deviations of the upper bound
    length: Annotated[float, Range(1e-3, 1000)] = 0.2  # of the RBF kernel
    enough: Annotated[int, Range(1, 10_000)] = 20  # trials of a task before the next


def mbtl(
    settings: Settings,
    trials: Sequence[Trial],
    dimensions: int,
    count: int,
    source: np.random.Generator,
) -> Points:
    rewards: dict[tuple[float, ...], list[float]] = {}
    for point, reward in trials:
        rewards.setdefault(point, []).append(reward)
    counts = {point: len(own) for point, own in rewards.items()}
    trained = {point: _latest(own) for point, own in rewards.items()}
    last = trials[-1][0] if trials else None
    candidates = source.random((CANDIDATES, dimensions))
    proposals = []
    for _ in range(count):
        if last is None or counts.get(last, 0) >= settings.enough:
            gains, means = gains_of(settings, trained, candidates)
            best = int(gains.argmax())
            last = tuple(candidates[best].tolist())
            # Until it is measured, the task is believed to end as expected.
            trained = trained | {last: float(means[best])}
            counts[last] = 0
        counts[last] = counts.get(last, 0) + 1
        proposals.append(last)
    return np.array(proposals)


def gains_of(
    settings: Settings, trained: dict[tuple[float, ...], float], candidates: Points
) -> tuple[Points, Points]:
    """How much the mean best transfer is expected to rise by each candidate, and the reward that is
    expected there."""
    means, deviations = np.full(len(candidates), PRIOR), np.full(len(candidates), VARIANCE**0.5)
    transfer = np.zeros(len(candidates))  # the best so far at each candidate
    if trained:
        points, rewards = np.array([*trained]), np.array([*trained.values()])
        inverse = np.linalg.inv(_kernel(settings, points, points) + NOISE * np.eye(len(points)))
        across = _kernel(settings, candidates, points)
        means = PRIOR + across @ inverse @ (rewards - PRIOR)
        left = VARIANCE - np.einsum("ij,jk,ik->i", across, inverse, across)
        deviations = np.sqrt(np.maximum(left, 0))
        gap = settings.slope * _apart(candidates, points)
        transfer = np.maximum((rewards - gap).max(1), 0)
    bound = means + settings.explore * deviations
    raised = bound[:, None] - settings.slope * _apart(candidates, candidates) - transfer[None]
    return np.maximum(raised, 0).mean(1), means


def _latest(rewards: Sequence[float]) -> float:
    latest = rewards[-max(int(LATEST * len(rewards)), 1) :]
    return sum(latest) / len(latest)


def _apart(ones: Points, others: Points) -> Points:
    apart: Points = np.sqrt(((ones[:, None] - others[None]) ** 2).sum(2))
    return apart


def _kernel(settings: Settings, ones: Points, others: Points) -> Points:
    kernel: Points = VARIANCE * np.exp(-0.5 * (_apart(ones, others) / settings.length) ** 2)
    return kernel


TEACHER = Teacher(mbtl, Settings)
