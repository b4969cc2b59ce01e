"""A reader of shown answers, taught by some: how well do others hide which of them is right?"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import exp

import numpy as np

from puzzlemill.core.proof.giveaways import Shown, fitted, signs_of

MOST = 8.0  # of a score; a reader of few items is not surer than that


def taught_by(items: Sequence[Shown]) -> Callable[[Shown], float]:
    """How often to take an item that looks so, whose first answer is right.

    Items so weighted show each answer to be right as often as another: the chance that the first
    one is right, by what they look like, is times its weight the same as the least likely one's.
    """
    rows = [signs for item in items for signs in _signs(item)]
    judge = fitted(np.array(rows), np.array([float(each) for item in items for each in item.right]))

    def weight(item: Shown) -> float:
        scores = [min(max(float(each), -MOST), MOST) for each in judge(np.array(_signs(item)))]
        if len(scores) == 2:  # a claim, that is shown alone
            return exp(scores[1])
        return exp(min(scores) - scores[0])

    return weight


def _signs(item: Shown) -> list[list[float]]:
    """A claim is seen alone, options beside one another."""
    if len(item.answers) > 2:
        return signs_of(item)
    return [signs_of(replace(item, answers=(answer,)))[0] for answer in item.answers]
