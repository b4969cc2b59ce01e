"""Advantage-aware shaping (ThinkTuning): the loss of a teacher's tokens within a reply.

A teacher's token has no importance ratio: the policy did not sample it. In its place stands
p / (stop-gradient of p + gamma), for the policy's probability p, with a gamma that falls from
0.001 at an advantage of 4 to -0.001 at -4: what is better is learned more slowly where it is
unlikely, what is worse is unlearned a little faster. Unlikely tokens of what is worse keep the
policy's loss.

Suffix: N tokens of replies, one after the other.
"""

import torch
from torch import Tensor

from puzzlemill.trainer.ratios import Tokens

GAMMA = 0.001  # at the highest advantage; its negative at the lowest
HIGHEST = 4.0  # advantage
UNLIKELY = 0.01  # a probability


def feedback_loss(tokens: Tokens, policy_loss_N: Tensor, feedback_N: Tensor) -> Tensor:
    """The policy's loss, but for the tokens of feedback."""
    advantage_N, probability_N = tokens.advantage_N, torch.exp(tokens.logp_N)
    p_N = probability_N.detach()
    below_N = p_N + gamma(advantage_N)
    below_N = torch.where(below_N <= 0, p_N / 1.0001, below_N)
    below_N = torch.where(below_N > 1, p_N / 0.9999, below_N)
    # A probability that is rounded to 0 has no gradient to shape.
    shaped_N = -advantage_N * probability_N / below_N.clamp(min=torch.finfo(p_N.dtype).tiny)
    left_N = (advantage_N < 0) & (p_N < UNLIKELY)
    return torch.where(feedback_N & ~left_N, shaped_N, policy_loss_N)


def gamma(advantage_N: Tensor) -> Tensor:
    return GAMMA * (advantage_N / HIGHEST).clamp(-1, 1)
