"""UCAS: GRPO's, more where the policy is unsure and right, or sure and wrong.

c is a reply's self-certainty, the mean of KL(uniform || policy) over its tokens, in deviations of
its group. A reply's advantage is times exp(-0.25 c) above 0, and times exp(0.35 c) elsewhere. Each
token costs 0.05 of its logit, brought between 0 and 1 by the least and the greatest of its
conversation, and no advantage above 0 falls below.
"""

from math import exp, inf, isnan
from statistics import fmean

from torch import Tensor

from puzzlemill.trainer.advantages import Advantage
from puzzlemill.trainer.advantages.grpo import formula
from puzzlemill.trainer.shapings import Groups
from puzzlemill.trainer.shapings._groups import per_conversation

PRAISE, BLAME = 0.25, 0.35  # of a deviation of certainty, where a reply is good or bad
SURE_TOKEN = 0.05  # the cost of the greatest logit


def of_tokens(rewards_PG: Tensor, groups: Groups) -> list[list[list[float]]]:
    if not rewards_PG.numel():  # a step that keeps no group
        return []
    settings = groups.settings.loss
    mean = [fmean(each.divergence or (0.0,)) for group in groups.certainty for each in group]
    certainty_PG = per_conversation(groups, mean)
    certainty_PG[rewards_PG.isnan()] = float("nan")
    # Without the least of its group, values that are alike are 0, and so are their z-scores, which
    # would else be those of the mean's rounding.
    least_P1 = certainty_PG.nan_to_num(nan=inf).amin(dim=1, keepdim=True)
    c_PG = formula(certainty_PG - least_P1, settings)  # GRPO's is a z-score
    return [
        [
            [after - value for after in token_advantages(value, c, each.logit)]
            for each, value, c in zip(group, values, certainties)
        ]
        for group, values, certainties in zip(
            groups.certainty, formula(rewards_PG, settings).tolist(), c_PG.tolist(), strict=True
        )
    ]


def token_advantages(value: float, c: float, logits: tuple[float, ...]) -> list[float]:
    """Of each token of a reply with this advantage."""
    if isnan(value):
        return [value] * len(logits)
    whole = value * (exp(-PRAISE * c) if value > 0 else exp(BLAME * c))
    least, span = min(logits, default=0.0), max(logits, default=0.0) - min(logits, default=0.0)
    shaped = [whole - SURE_TOKEN * ((each - least) / span if span else 0.0) for each in logits]
    return [max(each, 0.0) for each in shaped] if value > 0 else shaped


ADVANTAGE = Advantage(formula, of_tokens=of_tokens, reads_certainty=True)
