"""GRPO: the loop, from the prompts of a step to new weights.

It is a generator that yields a step's record: logging, checkpoints, evaluation and stopping belong
to the caller. Everything random is fixed by the step's number, so a run that is begun again at step
n goes on as if it had never stopped.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from random import Random
from time import perf_counter
from typing import Any

import torch
from torch import Tensor

from puzzlemill.core.recipe import Train
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Reply
from puzzlemill.difficulty.policies.transformer import Transformer
from puzzlemill.difficulty.scoring import Judge, judge_groups, judge_in_workers, question_of
from puzzlemill.trainer.advantage import group_mean_batch_std, mixed_groups
from puzzlemill.trainer.batch import Batch, Text, batches
from puzzlemill.trainer.loss import clipped_loss, clipped_share

Row = Mapping[str, Any]

TOKENS = 8192  # of a micro-batch, padding included


@dataclass(frozen=True, slots=True)
class Step:
    """What is known of a step when it is done."""

    step: int
    reward: float  # mean score of the replies
    mixed: float  # share of groups that say anything
    loss: float
    clipped: float  # share of tokens cut off by the clip
    surprise: float  # -log probability of the tokens sampled: an estimate of the entropy
    gradient: float  # norm, before clipping
    replies: int
    tokens: int
    seconds: float


def grpo(
    policy: NativePolicy,
    optimizer: torch.optim.Optimizer,
    rows: Sequence[Row],
    settings: Train,
    first: int = 0,
    judge: Judge = judge_in_workers,
) -> Iterator[Step]:
    """Train the policy's model in place, step by step, from `first` on."""
    for step in range(first, settings.steps):
        start = perf_counter()
        chosen = prompts_of(step, rows, settings.prompts)
        groups = policy.sample(
            [question_of(row, f"train {step}") for row in chosen], settings.group
        )
        verdicts = judge_groups(chosen, groups, judge)
        scores_PG = torch.tensor([[verdict.score for verdict in group] for group in verdicts])
        texts = texts_of(policy, chosen, groups, scores_PG)
        learned = learn(policy, optimizer, texts, settings)
        tokens = [logp for group in groups for reply in group for logp in reply.logps]
        yield Step(
            step=step,
            reward=scores_PG.mean().item(),
            mixed=mixed_groups(scores_PG).float().mean().item(),
            **learned,
            surprise=-sum(tokens) / max(len(tokens), 1),
            replies=scores_PG.numel(),
            tokens=len(tokens),
            seconds=perf_counter() - start,
        )


def prompts_of(step: int, rows: Sequence[Row], count: int) -> list[Row]:
    """The prompts of a step: epoch after epoch, each in an order of its own."""
    chosen = []
    for place in range(step * count, (step + 1) * count):
        epoch, within = divmod(place, len(rows))
        chosen.append(rows[_order(epoch, len(rows))[within]])
    return chosen


def texts_of(
    policy: NativePolicy,
    rows: Sequence[Row],
    groups: Sequence[Sequence[Reply]],
    scores_PG: Tensor,
) -> list[Text]:
    """What there is to learn from: the replies of mixed groups. The others have no gradient."""
    advantages = group_mean_batch_std(scores_PG).tolist()
    return [
        Text(prompt, reply.tokens, reply.logps, advantage)
        for row, group, row_advantages, mixed in zip(
            rows, groups, advantages, mixed_groups(scores_PG).tolist(), strict=True
        )
        if mixed
        for prompt in [tuple(policy.tokens.ids(row["prompt"]))]
        for reply, advantage in zip(group, row_advantages, strict=True)
        if reply.tokens
    ]


def learn(
    policy: NativePolicy, optimizer: torch.optim.Optimizer, texts: Sequence[Text], settings: Train
) -> dict[str, float]:
    """One update from all texts: the loss is a mean over their tokens, however they are batched."""
    if not texts:
        return {"loss": 0.0, "clipped": 0.0, "gradient": 0.0}
    model = policy.model
    total = sum(len(text.reply) for text in texts)
    optimizer.zero_grad(set_to_none=True)
    loss = clipped = 0.0
    for batch in batches(texts, TOKENS, model.device):
        logp_N = logps(model, batch, policy.sampling.temperature)
        against = (batch.old_logp_N, batch.advantage_N, settings.clip_low, settings.clip_high)
        part = clipped_loss(logp_N, *against).sum() / total
        part.backward()  # type: ignore[no-untyped-call]
        loss += part.item()
        clipped += clipped_share(logp_N.detach(), *against).item() * len(logp_N) / total
    gradient = torch.nn.utils.clip_grad_norm_(model.parameters(), settings.gradient).item()
    optimizer.step()
    return {"loss": loss, "clipped": clipped, "gradient": gradient}


def logps(model: Transformer, batch: Batch, temperature: float) -> Tensor:
    """The log-probability of each reply token, with logits only where they are needed."""
    hidden_ND = model(batch.tokens_BT)[batch.asked_BT]
    logits_NV = model.logits(hidden_ND).float() / temperature
    chosen_N = logits_NV.gather(1, batch.targets_N[:, None])[:, 0]
    return chosen_N - logits_NV.logsumexp(dim=1)


@lru_cache(maxsize=2)
def _order(epoch: int, count: int) -> list[int]:
    seed = blake2b(f"epoch {epoch} of {count}".encode(), digest_size=8).digest()
    return Random(int.from_bytes(seed)).sample(range(count), count)
