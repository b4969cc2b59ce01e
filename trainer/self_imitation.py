"""Self-imitation (SPEAR): good replies of earlier steps are learned from again.

A reply is good if it scored above the mean of its group. What it is worth later is measured anew:
its score above a percentile of the means of recent groups, and nothing once these have caught up.
"""

from collections.abc import Sequence
from math import cos, pi

import torch

from puzzlemill.trainer.settings.teaching import SelfImitation


def good_places(scores: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Of groups: which replies scored above the group's mean."""
    return [
        (place, at)
        for place, group in enumerate(scores)
        for at, score in enumerate(group)
        if score * len(group) > sum(group)
    ]


def recalibrated(
    scores: Sequence[float], means: Sequence[float], settings: SelfImitation, step: int
) -> list[float]:
    """The advantages of kept replies: 0 where recent groups are as good on average."""
    if not scores:
        return []
    baseline = torch.tensor(means).quantile(settings.percentile).item()
    return [rise(step, settings.rise) * max(score - baseline, 0.0) for score in scores]


def rise(step: int, steps: int) -> float:
    """From 0 to 1 in so many steps, by half a cosine."""
    return (1 - cos(pi * step / steps)) / 2 if step < steps else 1.0


def fall(step: int, steps: int) -> float:
    """From 1 to 0 in so many steps, by half a cosine."""
    return 1 - rise(step, steps)
