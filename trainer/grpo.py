"""GRPO: the loop, from the prompts of a step to new weights.

It is a generator that yields a step's record: logging, checkpoints, evaluation and stopping belong
to the caller. Everything random is fixed by the step's number, so a run that is begun again at step
n goes on as if it had never stopped.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from puzzlemill.core.recipe import Loss, Train
from puzzlemill.difficulty.hints import hinted
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Reply
from puzzlemill.difficulty.policies.reading import continued
from puzzlemill.difficulty.policies.transformer import Transformer
from puzzlemill.difficulty.scoring import Judge, judge_groups, judge_in_workers, question_of
from puzzlemill.trainer.advantage import advantages, mixed_groups
from puzzlemill.trainer.batch import Batch, Text, batches
from puzzlemill.trainer.course import Course
from puzzlemill.trainer.loss import (
    clipped_share,
    divergence,
    mismatch_weight,
    policy_loss,
    weights,
)
from puzzlemill.trainer.shaping import rewards

Row = Mapping[str, Any]

TOKENS = 8192  # of a micro-batch, padding included
SLICE = 2048  # tokens whose logits are in memory at once


@dataclass(frozen=True, slots=True)
class Step:
    """What is known of a step when it is done."""

    step: int
    reward: float  # mean score of the replies to what was picked first, without hints
    mixed: float  # share of those groups that say anything
    loss: float
    clipped: float  # share of tokens cut off by the clip
    surprise: float  # -log probability of the tokens sampled: an estimate of the entropy
    entropy: float  # of the tokens learned from
    divergence: float  # from the reference policy, a token
    mismatch: float  # mean distance of log-probabilities between sampler and trainer
    mismatch_most: float
    gradient: float  # norm, before clipping
    length: float  # mean tokens of a reply
    replies: int
    tokens: int
    discarded: dict[str, int]  # groups all of whose replies were alike, by family and level
    seconds: float


@dataclass(frozen=True, slots=True)
class Rollouts:
    """The groups of a step: what was asked, what was replied, how right it was."""

    rows: list[Row]
    groups: list[list[Reply]]
    scores_PG: Tensor

    def joined(self, other: "Rollouts") -> "Rollouts":
        scores_PG = torch.cat((self.scores_PG, other.scores_PG))
        return Rollouts(self.rows + other.rows, self.groups + other.groups, scores_PG)

    def only(self, places: Sequence[int]) -> "Rollouts":
        rows, groups = [self.rows[n] for n in places], [self.groups[n] for n in places]
        return Rollouts(rows, groups, self.scores_PG[torch.tensor(places, dtype=torch.long)])


def grpo(
    policy: NativePolicy,
    optimizer: torch.optim.Optimizer,
    course: Course,
    settings: Train,
    first: int = 0,
    judge: Judge = judge_in_workers,
    reference: Transformer | None = None,
) -> Iterator[Step]:
    """Train the policy's model in place, step by step, from `first` on."""
    for step in range(first, settings.steps):
        start = perf_counter()
        asked, kept = rollouts(policy, course, settings, step, judge)
        rewards_PG = rewards(
            kept.scores_PG, kept.groups, settings.reward, policy.sampling.max_tokens
        )
        if reference is not None and settings.loss.kl_in == "reward":
            rewards_PG = rewards_PG - settings.loss.kl * drifts(policy, reference, kept)
        texts = texts_of(policy, kept, rewards_PG, settings)
        learned = learn(policy, optimizer, texts, settings.loss, settings.gradient, reference)
        every = settings.loss.reference_every
        if reference is not None and every and (step + 1) % every == 0:
            reference.load_state_dict(policy.model.state_dict())
        logps = [logp for group in asked.groups for reply in group for logp in reply.logps]
        yield Step(
            step=step,
            reward=asked.scores_PG[: settings.prompts].mean().item(),
            mixed=mixed_groups(asked.scores_PG[: settings.prompts]).float().mean().item(),
            **learned,
            surprise=-sum(logps) / max(len(logps), 1),
            length=len(logps) / asked.scores_PG.numel(),
            replies=asked.scores_PG.numel(),
            tokens=len(logps),
            discarded=discarded(asked),
            seconds=perf_counter() - start,
        )


def rollouts(
    policy: NativePolicy, course: Course, settings: Train, step: int, judge: Judge
) -> tuple[Rollouts, Rollouts]:
    """All that was asked in a step, and what is learned from.

    What all fail is asked again with hints. Then groups all of whose replies are alike give way to
    new prompts, as many as are missing and for as many rounds as there may be; where that does not
    suffice, the step makes do with fewer.
    """
    places = course.pick(settings.prompts, step / settings.steps, f"train {step}")
    chosen = [course.rows[place] for place in places]
    found = asked_of(policy, chosen, f"train {step}", settings.group, judge)
    asked = found
    seen = [*zip(places, found.scores_PG.tolist(), strict=True)]
    unhelped = {row["uid"]: row for row in chosen}
    for share in settings.hints:
        failed = [n for n, scores in enumerate(found.scores_PG) if not scores.any()]
        told = {n: hinted(unhelped[found.rows[n]["uid"]], share) for n in failed}
        helped = {n: row for n, row in told.items() if not isinstance(row, str)}
        if helped:
            purpose = f"train {step} hint {share}"
            again = asked_of(policy, list(helped.values()), purpose, settings.group, judge)
            asked = asked.joined(again)
            others = [n for n in range(len(found.rows)) if n not in helped]
            found = found.only(others).joined(again)
    kept = found.only(torch.nonzero(mixed_groups(found.scores_PG))[:, 0].tolist())
    for round_ in range(settings.refills):
        missing = settings.prompts - len(kept.rows)
        if not missing:
            break
        purpose = f"train {step} refill {round_}"
        places = course.pick(missing, step / settings.steps, purpose)
        more = [course.rows[place] for place in places]
        new = asked_of(policy, more, purpose, settings.group, judge)
        seen += zip(places, new.scores_PG.tolist(), strict=True)
        asked = asked.joined(new)
        kept = kept.joined(new.only(torch.nonzero(mixed_groups(new.scores_PG))[:, 0].tolist()))
    course.tell(seen)
    return asked, asked if settings.loss.advantage == "copo" else kept


def asked_of(
    policy: NativePolicy, rows: Sequence[Row], purpose: str, group: int, judge: Judge
) -> Rollouts:
    groups = policy.sample([question_of(row, purpose) for row in rows], group)
    verdicts = judge_groups(rows, groups, judge)
    scores_PG = torch.tensor([[verdict.score for verdict in each] for each in verdicts])
    return Rollouts(list(rows), groups, scores_PG)


def discarded(asked: Rollouts) -> dict[str, int]:
    alike = Counter(
        f"{row['family']} {row['level']:g}"
        for row, mixed in zip(asked.rows, mixed_groups(asked.scores_PG).tolist(), strict=True)
        if not mixed
    )
    return dict(sorted(alike.items()))


def texts_of(
    policy: NativePolicy, kept: Rollouts, rewards_PG: Tensor, settings: Train
) -> list[Text]:
    """What there is to learn from, each reply with its advantage and what its tokens weigh."""
    if not kept.rows:
        return []
    loss, leave = settings.loss, settings.reward.cut_off == "leave"
    advantages_PG = advantages(rewards_PG, loss.advantage, loss.k)
    advantages_PG = torch.where(advantages_PG > 0, loss.positives * advantages_PG, advantages_PG)
    texts = [
        Text(prompt, reply.tokens, reply.logps, advantage)
        for row, group, values in zip(kept.rows, kept.groups, advantages_PG.tolist(), strict=True)
        for prompt in [tuple(policy.tokens.ids(row["prompt"]))]
        for reply, advantage in zip(group, values, strict=True)
        if reply.tokens and (reply.finished or not leave)
    ]
    each = weights([len(text.reply) for text in texts], loss, policy.sampling.max_tokens)
    return [replace(text, weight=weight) for text, weight in zip(texts, each, strict=True)]


def learn(
    policy: NativePolicy,
    optimizer: torch.optim.Optimizer,
    texts: Sequence[Text],
    settings: Loss,
    steepest: float,
    reference: Transformer | None = None,
) -> dict[str, float]:
    """One update from all texts; how they are batched makes no difference to it."""
    model, temperature = policy.model, policy.sampling.temperature
    total = sum(len(text.reply) for text in texts)
    told = dict.fromkeys(("loss", "clipped", "entropy", "divergence", "mismatch"), 0.0)
    most, least_open = 0.0, _least_open(model, texts, settings, temperature)
    optimizer.zero_grad(set_to_none=True)
    for batch in batches(texts, TOKENS, model.device):
        logp_N, entropy_N = logps(model, batch, temperature, bool(settings.entropy))
        now_N, apart_N = logp_N.detach(), logp_N.detach() - batch.old_logp_N
        # The step is one update: what the trainer's own engine says now is what it said then.
        old_N = batch.old_logp_N if settings.correction == "off" else now_N
        counts_N = batch.weight_N * mismatch_weight(
            now_N, batch.old_logp_N, batch.reply_N, settings
        ) * (entropy_N.detach() >= least_open)  # fmt: skip
        loss_N = policy_loss(logp_N, old_N, batch.advantage_N, batch.reply_N, settings)
        if settings.entropy:
            loss_N = loss_N - settings.entropy * entropy_N
        if reference is not None:
            with torch.no_grad():
                reference_N, _ = logps(reference, batch, temperature, False)
            apart = divergence(logp_N, reference_N)
            told["divergence"] += apart.sum().item() / total
            if settings.kl_in == "loss":
                loss_N = loss_N + settings.kl * apart
        part = (counts_N * loss_N).sum()
        part.backward()  # type: ignore[no-untyped-call]
        share = len(logp_N) / total
        told["loss"] += part.item()
        cut = clipped_share(now_N - old_N, batch.advantage_N, settings.clip_low, settings.clip_high)
        told["clipped"] += cut.item() * share
        told["entropy"] += entropy_N.detach().mean().item() * share
        told["mismatch"] += apart_N.abs().mean().item() * share
        most = max(most, apart_N.abs().max().item())
    gradient = 0.0
    if texts:
        gradient = torch.nn.utils.clip_grad_norm_(model.parameters(), steepest).item()
        optimizer.step()
    return told | {"gradient": gradient, "mismatch_most": most}


def logps(
    model: Transformer, batch: Batch, temperature: float, learned: bool
) -> tuple[Tensor, Tensor]:
    """The log-probability of each reply token, and the entropy of what might have stood there.

    Logits are made where they are needed, and a slice of tokens at a time; made again for the
    gradient, so that those of a whole batch are never in memory.
    """
    texts = batch.prompts_QP, batch.length_Q, batch.replies_BT, batch.question_B
    hidden_ND = model.foretelling(*texts)[batch.said_BT]
    parts = [
        _kept_small(model, hidden_ND[start:stop], batch.targets_N[start:stop], temperature, learned)
        for start in range(0, len(hidden_ND), SLICE)
        for stop in [start + SLICE]
    ]
    logp_N, entropy_N = (torch.cat(each) for each in zip(*parts, strict=True))
    return logp_N, entropy_N


def _kept_small(*given: Any) -> tuple[Tensor, Tensor]:
    """Without its logits being kept for the gradient, where there are many."""
    if not torch.is_grad_enabled() or len(given[1]) < SLICE:
        return _told(*given)
    found: tuple[Tensor, Tensor] = checkpoint(_told, *given, use_reentrant=False)
    return found


def _told(
    model: Transformer, hidden_ND: Tensor, targets_N: Tensor, temperature: float, learned: bool
) -> tuple[Tensor, Tensor]:
    all_NV = (model.logits(hidden_ND).float() / temperature).log_softmax(dim=1)
    with torch.set_grad_enabled(learned and torch.is_grad_enabled()):
        entropy_N = -(all_NV.exp() * all_NV).sum(dim=1)
    return all_NV.gather(1, targets_N[:, None])[:, 0], entropy_N


def _least_open(
    model: Transformer, texts: Sequence[Text], settings: Loss, temperature: float
) -> float:
    """The entropy that the most open share of all tokens has at least."""
    if settings.open_share == 1:
        return -1.0
    with torch.no_grad():
        parts = [
            logps(model, batch, temperature, False)[1]
            for batch in batches(texts, TOKENS, model.device)
        ]
    return torch.cat(parts).quantile(1 - settings.open_share).item() if parts else -1.0


def drifts(policy: NativePolicy, reference: Transformer, kept: Rollouts) -> Tensor:
    """k1 of each reply from the reference: the sum over its tokens."""
    prompts = [policy.tokens.ids(row["prompt"]) for row in kept.rows]
    texts = [
        (prompt, reply.tokens)
        for prompt, group in zip(prompts, kept.groups, strict=True)
        for reply in group
    ]
    own = [sum(reply.logps) for group in kept.groups for reply in group]
    there = [each.sum().item() for each in continued(reference, texts)]
    return (torch.tensor(own) - torch.tensor(there)).view(kept.scores_PG.shape)
