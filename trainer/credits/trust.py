"""SophiaVL-R1 (Trust-GRPO): the value before the answer, as far as it tells right from wrong.

It is added to a reply's reward, times a trust weight of its group, and fades over the run. A group
that is all right or all wrong gets nothing.
"""

from math import exp, isnan
from statistics import fmean

from torch import Tensor

from puzzlemill.trainer.credits import Credit
from puzzlemill.trainer.shapings import Groups, Rewards


def trust(right: list[float], wrong: list[float]) -> float:
    """From the values of right and of wrong replies: below 1 where the wrong ones are higher."""
    if not right or not wrong:
        return 0.0
    return min(exp(2 * (fmean(right) - fmean(wrong))), 1.0)


def change(rewards_PG: Tensor, groups: Groups) -> Rewards:
    settings, changed_PG = groups.settings, rewards_PG.clone()
    fading = settings.process.weight * exp(-groups.step / settings.steps)
    for place, group in enumerate(groups.conversations):
        reasoning = {
            at: each.values[-2][1]
            for at, each in enumerate(group)
            if len(each.values) > 1 and not isnan(rewards_PG[place, at])
        }
        by_outcome: dict[bool, list[float]] = {True: [], False: []}
        for at, value in reasoning.items():
            by_outcome[group[at].verdict.correct].append(value)
        weight = fading * trust(by_outcome[True], by_outcome[False])
        for at, value in reasoning.items():
            changed_PG[place, at] += weight * value
    return Rewards(changed_PG)


CREDIT = Credit(change)
