"""Process credit: what the steps of a reply earn, by the recipe's [train.process]."""

from torch import Tensor

from puzzlemill.trainer.credits import CREDITS, Credit
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Rewards, Shaping


def change(rewards_PG: Tensor, groups: Groups) -> Rewards:
    credit: Credit = CREDITS.load(groups.settings.process.credit)
    return credit.change(rewards_PG, groups)


def wanted(settings: Train) -> bool:
    return bool(settings.process.values)


SHAPING = Shaping(change, wanted, order=95)  # of the rewards that are learned from
