"""The loss of off-policy texts: they were not sampled behind the prompt that they are learned
behind.

Suffix: N tokens of replies, all replies one after the other.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from puzzlemill.trainer.ratios import Tokens, policy_loss
from puzzlemill.trainer.settings.losses import TokenLoss


@dataclass(frozen=True, slots=True)
class OffPolicy:
    """How such a text is learned."""

    # By the recipe's choice of ratio, or by that of a paper.
    ratio: Literal["policy", "luffy", "rl_plus"] = "policy"
    gamma: float = 0.1  # of LUFFY
    explore: float = 0.0  # the power of 1 - pi that an advantage above 0 is multiplied by


def off_policy_loss(
    tokens: Tokens, trainer_N: Tensor, chosen: OffPolicy, settings: TokenLoss
) -> Tensor:
    """One value a token; `trainer_N` are the policy's log-probabilities before the step."""
    probability_N = tokens.logp_N.exp()
    if chosen.ratio == "luffy":
        loss_N = -tokens.advantage_N * probability_N / (probability_N + chosen.gamma)
    elif chosen.ratio == "rl_plus":
        # Multiple importance sampling: who wrote the text is not known, and estimated by the mean
        # of the policy and of a density of 1.
        old_N = trainer_N.exp()
        loss_N = -tokens.advantage_N * 2 * probability_N / (old_N + (old_N + 1) / 2)
    else:
        loss_N = policy_loss(tokens, settings)
    if chosen.explore:
        unlikely_N = (1 - probability_N.detach()).clamp(min=0) ** chosen.explore
        loss_N = loss_N * torch.where(tokens.advantage_N > 0, unlikely_N, 1.0)
    return loss_N
