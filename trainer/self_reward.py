"""Self-reward (LaSeR): the policy learns to say behind a reply whether it is right.

The self-reward of a finished reply is beta x (logp - c): logp is that of one special token behind
the reply, which never stands there, and c its mean at the beginning of the run. The squared
distance from the verdict is added to the loss; right and wrong replies weigh the same in all.

Suffixes: P prompts, G replies to each; N tokens of all replies, one after the other.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, nan
from statistics import fmean

import torch
from torch import Tensor

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.forward_pass import completion_logps
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.policy import Reply
from puzzlemill.difficulty.policies.reward_token import reward_token
from puzzlemill.trainer.micro_batch import Aim, MicroBatch, Sample
from puzzlemill.trainer.rollouts import Buffers, Rollouts
from puzzlemill.trainer.settings.turns import SelfReward


def last_logps(policy: LocalPolicy, kept: Rollouts) -> list[list[float]]:
    """Of each conversation, the log-probability of the special token behind its last reply; NaN
    where that is not finished."""
    if any(prompt.row["images"] for prompt in kept.prompts):
        raise UserError("[train.self_reward] is not for items with pictures: leave it out")
    token = reward_token(policy.tokens)
    ends = [each.attempts[-1] for group in kept.conversations for each in group]
    texts = [
        (policy.tokens.ids(each.messages), (*each.reply.tokens, token))
        for each in ends
        if is_judged(each.reply, policy)
    ]
    read = iter(completion_logps(policy.model, texts, policy.sampling.temperature))
    return [
        [next(read)[-1].item() if is_judged(each.last, policy) else nan for each in group]
        for group in kept.conversations
    ]


def is_judged(reply: Reply, policy: LocalPolicy) -> bool:
    """Whether it is finished, and has room for a token behind it."""
    return reply.finished and 0 < len(reply.tokens) < policy.sampling.max_tokens


def constant_of(buffers: Buffers, logps: Sequence[Sequence[float]]) -> float | None:
    """The mean of the log-probabilities before the first update, measured once."""
    known = [logp for group in logps for logp in group if not isnan(logp)]
    if buffers.self_reward_constant is None and known:
        buffers.self_reward_constant = fmean(known)
    return buffers.self_reward_constant


def self_rewards(
    logps: Sequence[Sequence[float]], constant: float, settings: SelfReward
) -> list[list[float]]:
    return [[settings.beta * (logp - constant) for logp in group] for group in logps]


def agreement(self_rewards: Sequence[Sequence[float]], kept: Rollouts) -> dict[str, float]:
    """The share of finished replies of which the self-reward says what the verdict says."""
    agree = [
        (value > 0.5) == each.verdict.correct
        for values, group in zip(self_rewards, kept.conversations, strict=True)
        for value, each in zip(values, group, strict=True)
        if not isnan(value)
    ]
    return {"self-reward agrees": fmean(agree)} if agree else {}


def with_aim(
    sample: Sample, policy: LocalPolicy, right: bool, constant: float, settings: SelfReward
) -> Sample:
    """A sample with the special token behind it, and the log-probability that makes its self-reward
    1 where the reply is right and 0 where it is wrong."""
    aim = Aim(constant + right / settings.beta, settings.weight * settings.beta**2, right)
    advantage = sample.advantage
    if isinstance(advantage, tuple):
        advantage = (*advantage, 0.0)
    token = reward_token(policy.tokens)
    reply, logps = (*sample.reply, token), (*sample.logps, nan)
    return replace(sample, reply=reply, logps=logps, advantage=advantage, aim=aim)


def balanced(samples: Sequence[Sample]) -> list[Sample]:
    """The weights of aims such that they are a mean, to which right and wrong replies contribute
    alike."""
    counts = dict.fromkeys((True, False), 0)
    for each in samples:
        if each.aim:
            counts[each.aim.right] += 1
    classes = sum(count > 0 for count in counts.values())
    return [
        replace(
            each,
            aim=replace(each.aim, weight=each.aim.weight / counts[each.aim.right] / classes),
        )
        if each.aim
        else each
        for each in samples
    ]


def aim_loss(logp_N: Tensor, batch: MicroBatch) -> Tensor:
    """The weighted squared distances of log-probabilities from their aims."""
    aimed_N = batch.aim_weight_N > 0
    if not aimed_N.any():
        return logp_N.new_zeros(())
    distance = logp_N[aimed_N] - batch.aim_logp_N[aimed_N]
    return (batch.aim_weight_N[aimed_N] * distance.square()).sum()


def tensor_of(self_rewards: Sequence[Sequence[float]], kept: Rollouts) -> Tensor:
    """As wide as the scores, PG."""
    rewards_PG = torch.full_like(kept.scores_PG, nan)
    for place, values in enumerate(self_rewards):
        rewards_PG[place, : len(values)] = torch.tensor(values)
    return rewards_PG
