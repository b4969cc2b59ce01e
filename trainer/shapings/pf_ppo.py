"""PF-PPO: a step learns only from the replies of a group whose rewards can be relied on.

The best; the best and random others; or the best and the worst. `r2` takes the one of these whose
rewards, over the batch, foretell best which replies are right: by R², the squared correlation.
"""

from collections.abc import Callable
from math import isnan
from random import Random

import torch
from torch import Tensor

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping

# From places by falling reward and how many are wanted, which are kept.
Filter = Callable[[list[int], int, Random], list[int]]


def best(ranked: list[int], count: int, rng: Random) -> list[int]:
    return ranked[:count]


def best_worst(ranked: list[int], count: int, rng: Random) -> list[int]:
    upper = (count + 1) // 2
    return ranked[:upper] + ranked[len(ranked) - (count - upper) :]


def best_random(ranked: list[int], count: int, rng: Random) -> list[int]:
    upper = (count + 1) // 2
    return ranked[:upper] + rng.sample(ranked[upper:], count - upper)


FILTERS: dict[str, Filter] = {"best_worst": best_worst, "best_random": best_random, "best": best}


def filtered(rewards_PG: Tensor, groups: Groups, name: str) -> Tensor:
    """NaN where a reply is left out."""
    found_PG = torch.full_like(rewards_PG, torch.nan)
    share = groups.settings.reward.pf_ppo_share
    for place, (row, rewards) in enumerate(zip(groups.rows, rewards_PG.tolist(), strict=True)):
        present = [at for at, reward in enumerate(rewards) if not isnan(reward)]
        ranked = sorted(present, key=lambda at: -rewards[at])
        count = min(max(round(share * len(ranked)), 2), len(ranked))
        kept = FILTERS[name](ranked, count, Random(f"pf_ppo {row['uid']} {groups.step}"))
        found_PG[place, kept] = rewards_PG[place, kept]
    return found_PG


def r_squared(rewards_PG: Tensor, scores_PG: Tensor) -> float:
    """Of the rewards that are not NaN with whether each reply is right; 0 where either is alike."""
    present_PG = ~rewards_PG.isnan()
    pairs = torch.stack((rewards_PG[present_PG], (scores_PG[present_PG] == 1).float()))
    if not pairs.numel() or (pairs == pairs[:, :1]).all(dim=1).any():
        return 0.0
    return torch.corrcoef(pairs)[0, 1].square().item()


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    name = groups.settings.reward.pf_ppo
    if name != "r2":
        return filtered(rewards_PG, groups, name)
    tried = [filtered(rewards_PG, groups, each) for each in FILTERS]
    return max(tried, key=lambda each_PG: round(r_squared(each_PG, groups.scores_PG), 6))


def wanted(settings: Train) -> bool:
    return settings.reward.pf_ppo != ""


SHAPING = Shaping(change, wanted, order=90)  # of what everything else made
