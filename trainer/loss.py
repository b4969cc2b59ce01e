"""The policy-gradient loss, token by token: ratios, divergence, and how tokens are weighed.

Suffix: N tokens of replies, all rows one after the other; R replies.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from puzzlemill.core.recipe import Loss


def policy_loss(
    logp_N: Tensor, old_logp_N: Tensor, advantage_N: Tensor, reply_N: Tensor, settings: Loss
) -> Tensor:
    """One value a token, by the recipe's choice of ratio. `reply_N` says whose each token is."""
    apart_N = logp_N - old_logp_N
    edges = settings.clip_low, settings.clip_high, settings.dual
    match settings.ratio:
        case "clip":
            return clipped(apart_N, advantage_N, *edges)
        case "gspo":
            whole_N = of_whole_replies(apart_N, reply_N)
            return clipped(whole_N, advantage_N, *edges)
        case "cispo":
            return cispo(logp_N, apart_N, advantage_N, 1 + settings.clip_high)
        case "sapo":
            return sapo(apart_N, advantage_N)
        case _:
            return -logp_N * advantage_N


def clipped(apart_N: Tensor, advantage_N: Tensor, low: float, high: float, dual: float) -> Tensor:
    """-min(ratio * A, clip(ratio, 1 - low, 1 + high) * A), and where A < 0 at most -dual * A."""
    ratio_N = torch.exp(apart_N)
    cut_N = ratio_N.clamp(1 - low, 1 + high)
    loss_N = -torch.minimum(ratio_N * advantage_N, cut_N * advantage_N)
    if dual:
        loss_N = torch.where(advantage_N < 0, torch.minimum(loss_N, -dual * advantage_N), loss_N)
    return loss_N


def clipped_share(apart_N: Tensor, advantage_N: Tensor, low: float, high: float) -> Tensor:
    """The share of tokens whose gradient the clip cuts off."""
    ratio_N = torch.exp(apart_N)
    cut_N = torch.where(advantage_N > 0, ratio_N > 1 + high, ratio_N < 1 - low)
    return (cut_N & (advantage_N != 0)).float().mean()


def of_whole_replies(apart_N: Tensor, reply_N: Tensor) -> Tensor:
    """GSPO: the mean over each reply's tokens, at each of them."""
    count = int(reply_N.max()) + 1
    sum_R = apart_N.new_zeros(count).index_add(0, reply_N, apart_N)
    length_R = torch.bincount(reply_N, minlength=count).clamp(min=1)
    return (sum_R / length_R)[reply_N]


def cispo(logp_N: Tensor, apart_N: Tensor, advantage_N: Tensor, most: float) -> Tensor:
    """The ratio, capped, only weighs the gradient: no token is without one."""
    return -torch.exp(apart_N).clamp(max=most).detach() * advantage_N * logp_N


def sapo(apart_N: Tensor, advantage_N: Tensor, up: float = 1.0, down: float = 1.05) -> Tensor:
    """A soft gate instead of a clip, its gradient 1 at ratio 1 and falling off on both sides."""
    heat_N = torch.where(advantage_N > 0, up, down)
    gate_N = torch.sigmoid(heat_N * (torch.exp(apart_N) - 1)) * 4 / heat_N
    return -gate_N * advantage_N


def divergence(logp_N: Tensor, reference_N: Tensor) -> Tensor:
    """From the reference policy: k3's value, which is never below 0 and varies little, with the
    gradient of k2, which is that of the divergence; k3's own is not."""
    apart_N = logp_N - reference_N
    k2_N = apart_N.square() / 2
    k3_N = torch.exp(-apart_N) + apart_N - 1
    return k2_N + (k3_N - k2_N).detach()


def mismatch_weight(old_N: Tensor, sampled_N: Tensor, reply_N: Tensor, settings: Loss) -> Tensor:
    """How much each token counts where the engine that sampled it differs from the one that
    trains: probabilities by this one over those by that one."""
    weight_N = torch.nan_to_num(torch.exp(old_N - sampled_N), nan=1.0)
    match settings.correction:
        case "tis":
            return weight_N.clamp(max=settings.most)
        case "icepop":
            near_N = (weight_N >= settings.least) & (weight_N <= settings.most)
            return torch.where(near_N, weight_N, 0.0)
        case "sequence":
            apart_N = torch.nan_to_num(old_N - sampled_N, nan=0.0)
            count = int(reply_N.max()) + 1
            whole_R = apart_N.new_zeros(count).index_add(0, reply_N, apart_N).exp()
            return torch.where(whole_R <= settings.most, whole_R, 0.0)[reply_N]
        case _:
            return torch.ones_like(weight_N)


def weights(lengths: Sequence[int], settings: Loss, most: int) -> list[float]:
    """What a token of each reply counts in the loss, whatever batch it falls into.

    `tokens`: the mean over all tokens; `replies`: the mean over replies of the mean over each one's
    tokens; `constant`: as if every reply had `most` tokens.
    """
    match settings.mean:
        case "tokens":
            return [1 / max(sum(lengths), 1)] * len(lengths)
        case "replies":
            return [1 / (len(lengths) * max(length, 1)) for length in lengths]
        case _:
            return [1 / (len(lengths) * most)] * len(lengths)
