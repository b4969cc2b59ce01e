"""RLSP: a share of the reward is for exploring, whether the answer is right or not.

Exploring are steps of reasoning: lines before the answer that say something new. A line that
comes again is no step, and beyond so many steps further ones earn nothing.
"""

from torch import Tensor

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping
from puzzlemill.trainer.shapings._groups import per_conversation


def steps(reply: str) -> int:
    """Lines that differ from each other, up to the last answer, if there is one."""
    before = reply.rpartition("<answer>")[0] if "<answer>" in reply else reply
    return len({" ".join(line.split()) for line in before.splitlines()} - {""})


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    reward = groups.settings.reward
    most = reward.exploration_steps
    explored = [
        min(steps(each.text) / most, 1.0) for group in groups.conversations for each in group
    ]
    share = reward.exploration
    return (1 - share) * rewards_PG + share * per_conversation(groups, explored)


def wanted(settings: Train) -> bool:
    return settings.reward.exploration > 0


SHAPING = Shaping(change, wanted, order=37)  # what is added before counts as part of the score
