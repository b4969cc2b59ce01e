"""The value of a step: how likely the gold answer is after it, by the policy itself (IGPO).

The mean of the probabilities of its tokens, behind an opened answer: the geometric one, or the
arithmetic one (RLPR). What the whole reply
scored is the value of its last step.
"""

from collections.abc import Sequence
from math import exp
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.answer_gain import OPEN
from puzzlemill.difficulty.policies.forward_pass import completion_logps
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.policy import Policy, is_local
from puzzlemill.trainer.distributed import gather_shards, shard
from puzzlemill.trainer.sampler import LocalSampler, ShardedSampler
from puzzlemill.trainer.settings.rewards import Process
from puzzlemill.trainer.step_values.lines import LinedReply

Ids = list[int]


def likelihood_values(
    policy: Policy, replies: Sequence[LinedReply], settings: Process
) -> list[list[float]]:
    """Of each reply: of its prompt, and of each step. None where an answer behind it is longer than
    the model reads."""
    if any(each.row["images"] for each in replies):
        raise UserError(
            '[train.process] values = "gain" is not for items with pictures: set "continuation"'
        )
    local = _local(policy)
    texts, owners = list[tuple[Ids, Ids]](), list[int]()
    for number, each in enumerate(replies):
        gold = local.tokens.continuation(each.row["answer"])
        for prefix in ("", *each.prefixes):
            begun = {"role": "assistant", "content": f"{prefix}{OPEN}"}
            texts.append((local.tokens.ids([*each.row["prompt"], begun]), gold))
            owners.append(number)
    most = local.model.shape.positions
    too_long = {n for n, text in zip(owners, texts, strict=True) if len(text[0] + text[1]) > most}
    kept = [(n, text) for n, text in zip(owners, texts, strict=True) if n not in too_long]
    found = _likelihoods(policy, [text for _, text in kept], settings)
    values: list[list[float]] = [[] for _ in replies]
    for (number, _), value in zip(kept, found, strict=True):
        values[number].append(value)
    return [[*some, each.score] if some else [] for some, each in zip(values, replies, strict=True)]


def _likelihoods(
    policy: Policy, texts: Sequence[tuple[Ids, Ids]], settings: Process
) -> list[float]:
    if isinstance(policy, ShardedSampler):  # each rank reads its share, and all get the same
        mine = _likelihoods(policy.sampler, shard(texts), settings)
        return gather_shards(mine, policy.group)
    logps = completion_logps(_local(policy).model, texts)
    if settings.token_mean == "arithmetic":
        return [each.exp().mean().item() for each in logps]
    return [exp(each.mean().item()) for each in logps]


def _local(policy: Any) -> LocalPolicy:
    """The policy whose model is read, of a sampler of several parts."""
    if isinstance(policy, ShardedSampler):
        return _local(policy.sampler)
    local = policy.policy if isinstance(policy, LocalSampler) else policy
    assert is_local(local), "a recipe has its policy sample itself where its model is read"
    return local
