"""Rewards: what a reply earns, from how right it is and how it was said.

Suffixes: P prompts, G replies to each; NaN where a group has fewer replies than others.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from puzzlemill.core.recipe import Shaping
from puzzlemill.difficulty.policies.policy import Reply


def rewards(
    scores_PG: Tensor, groups: Sequence[Sequence[Reply]], settings: Shaping, most: int
) -> Tensor:
    """The scores, corrected for the verifier's noise and shaped by length."""
    lengths_PG = scores_PG.clone()
    lengths_PG[~scores_PG.isnan()] = torch.tensor(
        [float(len(reply.tokens)) for group in groups for reply in group]
    )
    found_PG = denoised(scores_PG, settings.paid_wrong, settings.refused_right)
    if settings.overlong:
        found_PG = found_PG + overlong(lengths_PG, most, settings.overlong)
    if settings.brevity:
        found_PG = found_PG + brevity(scores_PG, lengths_PG, settings.brevity, settings.brief_from)
    return found_PG


def denoised(scores_PG: Tensor, paid_wrong: float, refused_right: float) -> Tensor:
    """The reward whose mean is that of a verifier that never errs."""
    return (scores_PG - paid_wrong) / (1 - paid_wrong - refused_right)


def overlong(lengths_PG: Tensor, most: int, room: int) -> Tensor:
    """DAPO: nothing up to `room` tokens before the longest reply, then down in a line to -1."""
    return -((lengths_PG - (most - room)) / room).clamp(0.0, 1.0)


def brevity(scores_PG: Tensor, lengths_PG: Tensor, weight: float, least: float) -> Tensor:
    """Of the right replies of a group the shorter earn more, the longest nothing.

    Only where at least such a share of the group is right (GRPO-λ): being right comes first.
    """
    right_PG = scores_PG == 1
    far = torch.full_like(lengths_PG, torch.inf)
    shortest_P1 = torch.where(right_PG, lengths_PG, far).amin(dim=1, keepdim=True)
    longest_P1 = torch.where(right_PG, lengths_PG, -far).amax(dim=1, keepdim=True)
    span_P1 = (longest_P1 - shortest_P1).clamp(min=1.0)
    often_P1 = torch.where(scores_PG.isnan(), torch.nan, right_PG.float())
    often_P1 = often_P1.nanmean(dim=1, keepdim=True) >= least
    return torch.where(right_PG & often_P1, weight * (longest_P1 - lengths_PG) / span_P1, 0.0)
