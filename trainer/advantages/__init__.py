"""Advantages: how much better each reply did than its group. A file here is a choice by its name.

Suffixes: P prompts, G replies to each. Rewards are scores from 0 to 1, or beyond once they are
shaped; where a group has fewer replies than others, the rest of it is NaN, here and in what comes
out. A formula gets the NaNs of a group behind all else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, TypeAlias

from puzzlemill.core.choices import Choices

if TYPE_CHECKING:
    from torch import Tensor

    from puzzlemill.trainer.settings.losses import Loss
    from puzzlemill.trainer.shapings import Groups, Rewards, StepReward

# Of a conversation: one number, or one for each token of its replies, one after the other.
Credit: TypeAlias = float | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Advantage:
    """`formula` makes advantages of rewards, PG of PG; what it may be set to stands in `Loss`."""

    formula: "Callable[[Tensor, Loss], Tensor]"
    one_sided: bool = False  # whether it can use groups all of whose rewards are alike
    # In place of the formula, where what the replies say is known too.
    of_replies: "Callable[[Tensor, Groups], Tensor] | None" = None
    # Added to the advantage of a conversation at each token of its replies, by prompt and reply.
    of_tokens: "Callable[[Tensor, Groups], list[list[list[float]]]] | None" = None
    reads_certainty: bool = False  # whether it needs the `certainty` of the groups
    reads_ranks: bool = False  # whether it needs their `ranks`


ADVANTAGES = Choices("advantage", __name__, "ADVANTAGE", "puzzlemill.advantages")


def advantages(rewards_PG: "Tensor", settings: "Loss", groups: "Groups | None" = None) -> "Tensor":
    """By the recipe's choice."""
    if not len(rewards_PG):
        return rewards_PG
    chosen: Advantage = ADVANTAGES.load(settings.advantage)
    if groups is not None and chosen.of_replies is not None:
        return chosen.of_replies(rewards_PG, groups)
    order_PG = rewards_PG.isnan().byte().argsort(dim=1, stable=True)
    found_PG = chosen.formula(rewards_PG.gather(1, order_PG), settings)
    return found_PG.new_empty(found_PG.shape).scatter(1, order_PG, found_PG)


def conversation_advantages(rewards: "Rewards", groups: "Groups") -> list[list[Credit]]:
    """The advantage of each conversation; of one that is not trained on, NaN."""
    settings = groups.settings.loss
    whole_PG = advantages(rewards.replies_PG, settings, groups)
    if groups.self_rewards is not None:  # LaSeR
        own_PG, share = advantages(groups.self_rewards, settings), groups.settings.self_reward.share
        whole_PG = whole_PG.lerp(own_PG, share).where(~own_PG.isnan(), whole_PG)
    chosen: Advantage = ADVANTAGES.load(settings.advantage)
    by_token = chosen.of_tokens(rewards.replies_PG, groups) if chosen.of_tokens else None
    found = []
    for place, (group, values) in enumerate(
        zip(groups.conversations, whole_PG.tolist(), strict=True)
    ):
        baseline = _mean_step(rewards, place)
        credits_G: list[Credit] = []
        for at, (conversation, value) in enumerate(zip(group, values[: len(group)], strict=True)):
            tokens = sum(len(attempt.reply.tokens) for attempt in conversation.attempts)
            steps = rewards.steps.get((place, at), ())
            more = [by_token[place][at]] if by_token else []
            if rewards.joint and not isnan(value):
                value = 0.0
            if by_step := rewards.credits.get((place, at)):
                more.append(step_credits(by_step, tokens))
            if steps:
                more.append(step_advantages(steps, baseline, tokens))
            credit = value
            if more and not isnan(value) and any(map(any, more)):
                credit = tuple(value + sum(each) for each in zip(*more, strict=True))
            credits_G.append(_weighed(credit, settings.positives))
        found.append(credits_G)
    return found


def step_advantages(steps: "Sequence[StepReward]", baseline: float, tokens: int) -> list[float]:
    """Of each token: what the steps that end after it earn above the group's mean step (GRPO with
    process supervision, without its standard deviation)."""
    found = [0.0] * tokens
    for end, reward in steps:
        for token in range(min(end, tokens)):
            found[token] += reward - baseline
    return found


def step_credits(steps: "Sequence[StepReward]", tokens: int) -> list[float]:
    """Of each token: the credit of the step that it is in."""
    found, start = [0.0] * tokens, 0
    for end, credit in steps:
        found[start:end] = [credit] * (min(end, tokens) - start)
        start = end
    return found


def useful_groups(rewards_PG: "Tensor", settings: "Loss") -> "Tensor":
    """Which groups the recipe's choice can learn from, P."""
    chosen: Advantage = ADVANTAGES.load(settings.advantage)
    return mixed_groups(rewards_PG) | chosen.one_sided


def chosen_advantage(settings: "Loss") -> Advantage:
    """The recipe's choice."""
    chosen: Advantage = ADVANTAGES.load(settings.advantage)
    return chosen


def mixed_groups(rewards_PG: "Tensor") -> "Tensor":
    """Which groups have rewards that differ: by exact comparison, since rounding makes a standard
    deviation of 0 a small number."""
    if not rewards_PG.shape[1]:
        return rewards_PG.new_zeros(len(rewards_PG)).bool()
    highest_P1 = rewards_PG.nan_to_num(nan=float("-inf")).amax(dim=1, keepdim=True)
    return ((rewards_PG != highest_P1) & ~rewards_PG.isnan()).any(dim=1)


def _mean_step(rewards: "Rewards", place: int) -> float:
    found = [r for (other, _), steps in rewards.steps.items() if other == place for _, r in steps]
    return sum(found) / max(len(found), 1)


def weighed(value: float, positives: float) -> float:
    """An advantage above 0 is weighed by `positives`."""
    return positives * value if value > 0 else value


def _weighed(credit: Credit, positives: float) -> Credit:
    if isinstance(credit, tuple):
        return tuple(weighed(value, positives) for value in credit)
    return weighed(credit, positives)
