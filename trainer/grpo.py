"""GRPO: the loop, from the prompts of a step to new weights.

It is a generator that yields a step's record: logging, checkpoints, evaluation and stopping belong
to the caller. Everything random is fixed by the step's number, so a run that is begun again at step
n goes on as if it had never stopped.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import nan
from time import perf_counter
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from puzzlemill.core.errors import UserError
from puzzlemill.core.recipe import Loss, Train
from puzzlemill.difficulty.policies.model import LocalPolicy, Reader
from puzzlemill.difficulty.policies.reading import continued
from puzzlemill.difficulty.policies.tokens import Shown
from puzzlemill.difficulty.scoring import Judge, judge_in_workers, question_of
from puzzlemill.trainer import ranks
from puzzlemill.trainer.adamw import Optimizer
from puzzlemill.trainer.advantage import advantages, mixed_groups
from puzzlemill.trainer.asking import Asker, Memory, Rollouts, Told, discarded, outcomes
from puzzlemill.trainer.batch import Batch, Text, batches
from puzzlemill.trainer.course import Course, Row
from puzzlemill.trainer.heap import keep_what_is_freed
from puzzlemill.trainer.loss import (
    clipped_share,
    divergence,
    mismatch_weight,
    policy_loss,
    weights,
)
from puzzlemill.trainer.ranks import Sampler
from puzzlemill.trainer.shaping import rewards
from puzzlemill.trainer.turns import costs, solved_by_try
from puzzlemill.trainer.weights import twin_of, whole

TOKENS = 8192  # of a micro-batch, padding included
SLICE = 2048  # tokens whose logits are in memory at once
ROUNDING = 1e-5  # of an entropy, at most


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
    asked: dict[str, list[float]]  # by family and level: the prompts, and their replies' mean score
    discarded: dict[str, int]  # groups all of whose replies were alike, by family and level
    seconds: float
    also: dict[str, float] = field(default_factory=dict)  # what only runs of one kind have to tell


def forget(step: int, asked: Rollouts) -> None:
    """Keep nothing of it."""


def grpo(
    policy: LocalPolicy,
    optimizer: Optimizer,
    course: Course,
    settings: Train,
    first: int = 0,
    judge: Judge = judge_in_workers,
    reference: Any = None,
    memory: Memory | None = None,
    sampler: Sampler | None = None,
    keep: Callable[[int, Rollouts], None] = forget,
) -> Iterator[Step]:
    """Train the policy's model in place, step by step, from `first` on.

    The sampler replies, if it is another than the policy: it is told the weights after each step.
    With a lag, the next step's replies are sampled while this one's are learned from.
    """
    keep_what_is_freed()
    memory = memory or Memory()
    loss = settings.loss
    if memory.entropy is None:
        memory.entropy = loss.entropy
    if sampler is None and settings.lag:
        sampler = twin_of(policy)
    if sampler is not None:
        sampler.update(whole(policy.model))
    asker = Asker(sampler or policy, course, settings, judge, memory)
    with ThreadPoolExecutor(1, "replies") as thread:
        for step in range(first, settings.steps):
            start = perf_counter()
            found = memory.ahead or asker.gather(step)
            more = settings.lag and step + 1 < settings.steps
            coming = thread.submit(asker.gather, step + 1) if more else None
            asked, kept = found.asked, found.kept
            keep(step, asked)
            rewards_PG = rewards(
                kept.scores_PG, kept.groups, settings.reward, policy.sampling.max_tokens
            )
            if settings.tries > 1:
                spent = costs(kept.talks, settings.retry)
                rewards_PG[~rewards_PG.isnan()] -= torch.tensor(spent)
            if reference is not None and loss.kl_in == "reward":
                rewards_PG = rewards_PG - loss.kl * drifts(policy, reference, kept)
            texts = texts_of(policy, kept, rewards_PG, found.told, settings)
            now = replace(loss, entropy=memory.entropy)
            learned = learn(policy, optimizer, texts, now, settings.gradient, reference)
            if loss.entropy_aim:
                memory.entropy = fitted(memory.entropy, learned["entropy"], loss)
            if reference is not None:
                follow(reference, policy.model, loss, step + 1)
            memory.ahead = coming.result() if coming else None
            if sampler is not None:
                sampler.update(whole(policy.model))
            logps = [logp for reply in asked.replies for logp in reply.logps]
            picked_PG = asked.scores_PG[: settings.prompts]
            yield Step(
                step=step,
                reward=picked_PG.nanmean().item(),
                mixed=mixed_groups(picked_PG).float().mean().item(),
                **learned,
                surprise=-sum(logps) / max(len(logps), 1),
                length=len(logps) / max(len(asked.replies), 1),
                replies=len(asked.replies),
                tokens=len(logps),
                asked=outcomes(asked),
                discarded=discarded(asked),
                seconds=perf_counter() - start,
                also=solved_by_try(asked.talks[: settings.prompts], settings.tries),
            )


def fitted(weight: float, entropy: float, settings: Loss) -> float:
    """The bonus's weight for the next step: more where there is less entropy than is aimed at."""
    step = settings.entropy_step if entropy < settings.entropy_aim else -settings.entropy_step
    return max(weight + step, 0.0)


@torch.no_grad()
def follow(reference: Any, model: Any, settings: Loss, done: int) -> None:
    """Let the reference follow the policy, all at once now and then or a little at each step."""
    if settings.reference_every and done % settings.reference_every == 0:
        reference.load_state_dict(model.state_dict())
    if settings.reference_kept < 1:
        for old, new in zip(reference.parameters(), model.parameters(), strict=True):
            old.lerp_(new, 1 - settings.reference_kept)


def texts_of(
    policy: LocalPolicy,
    kept: Rollouts,
    rewards_PG: Tensor,
    told: Sequence[Told],
    settings: Train,
) -> list[Text]:
    """What there is to learn from, each reply with its advantage and what its tokens weigh."""
    loss, leave = settings.loss, settings.reward.cut_off == "leave"
    advantages_PG = advantages(rewards_PG, loss.advantage, loss.k)
    advantages_PG = torch.where(advantages_PG > 0, loss.positives * advantages_PG, advantages_PG)
    groups = zip(kept.asked, kept.talks, advantages_PG.tolist(), strict=True)
    texts = [
        Text(prompt, turn.reply.tokens, turn.reply.logps, advantage, shown=shown)
        for asked, group, values in groups
        for first in [_prompt(policy, asked.row)]
        for talk, advantage in zip(group, values[: len(group)], strict=True)
        for number, turn in enumerate(talk.turns)
        if turn.reply.tokens and (turn.reply.finished or not leave)
        for prompt, shown in [
            _prompt(policy, {**asked.row, "prompt": turn.asked}) if number else first
        ]
    ]
    # What the policy said when it was told the answer was not said to this prompt: as if it had
    # been, with the probability that it has now.
    texts += [
        Text(prompt, said, (nan,) * len(said), settings.explain, shown=shown)
        for each in told
        for said in [each.reply.tokens]
        for prompt, shown in [_prompt(policy, each.asked.row)]
    ]
    each = weights([len(text.reply) for text in texts], loss, policy.sampling.max_tokens)
    return [replace(text, weight=weight) for text, weight in zip(texts, each, strict=True)]


def _prompt(policy: LocalPolicy, row: Row) -> tuple[tuple[int, ...], Shown | None]:
    """Its tokens, and the prompt itself where it has pictures."""
    question = question_of(row, "")
    return tuple(policy.tokens.prompt(question)), policy.tokens.shown(question)


def learn(
    policy: LocalPolicy,
    optimizer: Optimizer,
    texts: Sequence[Text],
    settings: Loss,
    steepest: float,
    reference: Any = None,
) -> dict[str, float]:
    """One update from all texts; how they are batched makes no difference to it."""
    model, temperature = policy.model, policy.sampling.temperature
    total = sum(len(text.reply) for text in texts)
    parts = parts_of(model, texts)
    told = dict.fromkeys(("loss", "clipped", "entropy", "divergence", "mismatch"), 0.0)
    most, least_open = 0.0, _least_open(model, parts, settings, temperature)
    optimizer.zero_grad(set_to_none=True)
    for batch in parts:
        logp_N, entropy_N = logps(model, batch, temperature, bool(settings.entropy))
        now_N = logp_N.detach()
        apart_N = (now_N - batch.old_logp_N).nan_to_num(nan=0.0)
        # The step is one update: what the trainer's own engine says now is what it said then.
        unknown_N = batch.old_logp_N.isnan()
        if settings.correction == "off":
            old_N = torch.where(unknown_N, now_N, batch.old_logp_N)
        else:
            old_N = now_N
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
            told["divergence"] += apart[batch.weight_N > 0].sum().item() / total
            if settings.kl_in == "loss":
                loss_N = loss_N + settings.kl * apart
        part = (counts_N * loss_N).sum()
        # Over several processes the gradient is the mean, and is to be the sum.
        (part * ranks.count()).backward()  # type: ignore[no-untyped-call]
        share = (batch.weight_N > 0).sum().item() / total
        told["loss"] += part.item()
        cut = clipped_share(now_N - old_N, batch.advantage_N, settings.clip_low, settings.clip_high)
        told["clipped"] += cut.item() * share
        told["entropy"] += entropy_N.detach().mean().item() * share
        told["mismatch"] += apart_N.abs().mean().item() * share
        most = max(most, apart_N.abs().max().item())
    gradient = 0.0
    if texts:
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), steepest)
        gradient = ranks.full(norm).item()
        optimizer.step()
    most = max(ranks.gathered(most))
    return ranks.summed(told) | {"gradient": gradient, "mismatch_most": most}


def parts_of(model: Reader, texts: Sequence[Text]) -> list[Batch]:
    """The batches that fall to this process."""
    if not texts:
        return []
    once = model.reads_prompts_once
    asked = sorted({text.prompt for text in texts}, key=lambda prompt: (len(prompt), prompt))
    mine = {*ranks.dealt(asked)}
    own = [text for text in texts if text.prompt in mine]
    found = [*batches(own, TOKENS, model.device, once)]
    (idle,) = batches([replace(texts[0], weight=0.0)], TOKENS, model.device, once)
    return ranks.even(found, idle)


def logps(model: Reader, batch: Batch, temperature: float, learned: bool) -> tuple[Tensor, Tensor]:
    """The log-probability of each reply token, and the entropy of what might have stood there.

    Logits are made where they are needed, and a slice of tokens at a time; made again for the
    gradient, so that those of a whole batch are never in memory.
    """
    texts = (
        batch.prompts_QP,
        batch.length_Q,
        batch.replies_BT,
        batch.question_B,
        batch.said_BT,
    )
    rounded = model.arithmetic != torch.float32
    with torch.autocast(model.device.type, model.arithmetic, enabled=rounded):
        hidden_ND = model.foretelling(*texts, batch.shown_Q)
        parts = [
            _kept_small(
                model, hidden_ND[start:stop], batch.targets_N[start:stop], temperature, learned
            )
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
    model: Reader, hidden_ND: Tensor, targets_N: Tensor, temperature: float, learned: bool
) -> tuple[Tensor, Tensor]:
    logits_NV = model.logits(hidden_ND).float()
    if temperature != 1:
        logits_NV = logits_NV / temperature
    all_NV = logits_NV.log_softmax(dim=1)
    with torch.set_grad_enabled(learned and torch.is_grad_enabled()):
        entropy_N = -(all_NV.exp() * all_NV).sum(dim=1)
    return all_NV.gather(1, targets_N[:, None])[:, 0], entropy_N


def _least_open(model: Reader, parts: Sequence[Batch], settings: Loss, temperature: float) -> float:
    """The entropy that the most open share of all tokens has at least. Replies that begin alike
    have tokens that are open alike: these are in together, however each is rounded."""
    if settings.open_share == 1 or not parts:
        return -1.0
    with torch.no_grad():
        found = [logps(model, batch, temperature, False)[1][batch.weight_N > 0] for batch in parts]
    all_N = torch.cat(ranks.gathered(torch.cat(found).cpu()))
    return all_N.quantile(1 - settings.open_share).item() - ROUNDING


def drifts(policy: LocalPolicy, reference: Reader, kept: Rollouts) -> Tensor:
    """k1 of each conversation from the reference: the sum over the tokens of its replies."""
    if any(asked.row["images"] for asked in kept.asked):
        raise UserError('[train.loss] kl_in = "reward" is not for items with pictures: set "loss"')
    held = [talk for group in kept.talks for talk in group]
    texts = [
        (policy.tokens.ids(turn.asked), turn.reply.tokens) for talk in held for turn in talk.turns
    ]
    there = iter([each.sum().item() for each in continued(reference, texts)])
    apart = [sum(sum(turn.reply.logps) - next(there) for turn in talk.turns) for talk in held]
    found_PG = kept.scores_PG.clone()
    found_PG[~found_PG.isnan()] = torch.tensor(apart)
    return found_PG
