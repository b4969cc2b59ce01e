"""VSRM: what each step adds to the value; a step that adds next to nothing earns of a later one.

It earns the next real change within `lookahead` steps, times `decay` for each step between. Every
token gets the reply's reward and the rewards from its step on, whitened over all tokens of the
batch (REINFORCE++).

As published, every step before a change earns of it, so that padding multiplies it. With `bounded`
the change is divided between them in the same proportions, and the rewards of a reply add up to
what it has gained.
"""

from collections.abc import Sequence

from torch import Tensor

from puzzlemill.trainer.credits import Credit, gains, to_go
from puzzlemill.trainer.credits._joint import StepsOf, normalised, steps_of
from puzzlemill.trainer.settings.rewards import Process
from puzzlemill.trainer.shapings import Groups, Rewards


def rewards(differences: Sequence[float], settings: Process) -> list[float]:
    """Of each step, from what each adds to the value."""
    found = [0.0] * len(differences)
    waiting: list[int] = []  # steps since the last real change, or that are near enough to the next
    for step, difference in enumerate(differences):
        if abs(difference) < settings.threshold:
            found[step] = difference if settings.bounded else 0.0
            waiting.append(step)
            continue
        earning = [each for each in waiting if step - each <= settings.lookahead] + [step]
        powers = [settings.decay ** (step - each) for each in earning]
        whole = sum(powers) if settings.bounded else 1.0
        for each, power in zip(earning, powers, strict=True):
            found[each] += difference * power / whole
        waiting = []
    return found


def returns(reply: StepsOf, settings: Process) -> list[float]:
    """Of each step: the reply's reward, and what is earned from the step on."""
    if not reply.values:
        return [reply.reward] * len(reply.ends)
    own = rewards(gains(reply.values), settings)
    return [reply.reward + settings.weight * each for each in to_go(own)]


def change(rewards_PG: Tensor, groups: Groups) -> Rewards:
    replies = [each for group in steps_of(rewards_PG, groups) for each in group]
    found = normalised(
        [returns(each, groups.settings.process) for each in replies],
        [each.lengths for each in replies],
    )
    by_step = {
        each.place: [*zip(each.ends, some, strict=True)]
        for each, some in zip(replies, found, strict=True)
    }
    return Rewards(rewards_PG, credits=by_step, joint=True)


READS = ("threshold", "decay", "lookahead", "bounded")
CREDIT = Credit(change, joint=True)
