"""STEER: tokens that would change the entropy much count less."""

from math import log

import torch
from torch import Tensor

from puzzlemill.trainer.token_weights import TokenStats, TokenWeight

LEAST = 0.8  # that a token counts
TINY = 0.02  # a greatest change below this is taken for this


def weight(some: TokenStats, whole: TokenStats) -> Tensor:
    greatest = _entropy_change(whole).abs().max().clamp(min=TINY)
    return torch.exp(log(LEAST) * _entropy_change(some).abs() / greatest).clamp(LEAST, 1.0)


def _entropy_change(tokens: TokenStats) -> Tensor:
    """To first order: A / pi_old * pi (1 - pi) (ln pi + H)."""
    ratio_N = torch.exp(tokens.logp_N - tokens.old_logp_N)
    return (tokens.advantage_N * ratio_N * (1 - tokens.logp_N.exp())) * (
        tokens.logp_N + tokens.entropy_N
    )


WEIGHT: TokenWeight = weight
