"""Training samples from rollouts: each reply with its advantage and the weight of its tokens."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import isnan
from typing import TypeAlias

import torch
from torch import Tensor

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.forward_pass import (
    Certainty,
    completion_certainty,
    completion_logps,
    completion_ranks,
)
from puzzlemill.difficulty.policies.model import LocalPolicy, Reader
from puzzlemill.difficulty.policies.tokens import PicturePrompt
from puzzlemill.difficulty.scoring import question_of
from puzzlemill.trainer.advantages import Credit
from puzzlemill.trainer.conversations import Conversation, pass_rate
from puzzlemill.trainer.demonstrations import JOINED
from puzzlemill.trainer.feedback import feedback_sample
from puzzlemill.trainer.means import weights
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.off_policy import OffPolicy
from puzzlemill.trainer.rollouts import Rollouts
from puzzlemill.trainer.schedule import Row, Ticket
from puzzlemill.trainer.self_reward import is_judged, with_aim
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.losses import TokenLoss
from puzzlemill.trainer.shapings import Groups, Rewards
from puzzlemill.trainer.teacher import Lessons
from puzzlemill.trainer.try_credit import credits_of, kl_weight
from puzzlemill.trainer.verifying import with_lines

KL_WITH_PICTURES = '[train.loss] kl_in = "reward" is not for items with pictures: set "loss"'
ADVANTAGE_WITH_PICTURES = "[train.loss] this advantage is not for items with pictures: set another"
PERPLEXITY_WITH_PICTURES = (
    "[train.self_imitation] perplexities are not read of items with pictures: leave perplexity_low"
    " and perplexity_high out"
)
STRIDE = 40  # tokens from one effective rank to the next (VERL)

PlainRow: TypeAlias = Callable[[Ticket], Row]  # an item's own, without a hint


def samples_of(
    policy: LocalPolicy,
    kept: Rollouts,
    groups: Groups,
    rewards: Rewards,
    imitated: Rollouts | None = None,
    plain_row: PlainRow | None = None,
    lessons: Lessons | None = None,
    self_reward_constant: float | None = None,
) -> list[Sample]:
    settings = groups.settings
    with_tries = partial(_with_tries, policy, groups, self_reward_constant)
    credits_PG = with_lines(credits_of(rewards, groups), groups.lines, groups.line_share)
    samples = _of_groups(policy, kept, credits_PG, settings, plain_row, lessons or {}, with_tries)
    if imitated is not None:
        samples += _of_groups(policy, imitated, imitated.scores(), settings, plain_row, {})
    return weighed_samples(samples, settings.loss, policy.sampling.max_tokens)


def weighed_samples(samples: Sequence[Sample], loss: TokenLoss, most: int) -> list[Sample]:
    """With the weight of each one's tokens in the loss."""
    shares = weights([each.learned for each in samples], loss, most)
    return [replace(each, weight=share) for each, share in zip(samples, shares, strict=True)]


def _of_groups(
    policy: LocalPolicy,
    kept: Rollouts,
    credits_PG: Sequence[Sequence[Credit]],
    settings: Train,
    plain_row: PlainRow | None,
    lessons: Lessons,
    change: Callable[[Sample, Conversation, int], Sample] | None = None,
) -> list[Sample]:
    """Each reply of some conversations, with its part of the conversation's advantage."""
    samples, leave = [], settings.reward.cut_off == "leave"
    for place, (prompt, group, values) in enumerate(
        zip(kept.prompts, kept.conversations, credits_PG, strict=True)
    ):
        first = _tokens(policy, prompt.row)  # once for a whole group
        rate = pass_rate(group)
        for at, (conversation, whole) in enumerate(zip(group, values, strict=True)):
            start, told = 0, conversation.hint_share or prompt.hint_share
            moved = bool(told) and settings.learn_behind == "plain"
            source = "hint" if conversation.hint_share else prompt.source
            if conversation.source != "own":
                source = conversation.source
            for number, attempt in enumerate(conversation.attempts):
                reply = attempt.reply
                end = start + len(reply.tokens)
                advantage = whole[start:end] if isinstance(whole, tuple) else whole
                start = end
                left_out = isinstance(whole, float) and isnan(whole)
                if left_out or (leave and not reply.finished):
                    continue
                messages = attempt.messages
                if moved:
                    assert plain_row is not None, "a reply to a hint needs its item's own row"
                    later = messages[len(prompt.row["prompt"]) :]
                    messages = (*plain_row(prompt.ticket)["prompt"], *later)
                another = number or moved or conversation.hint_share
                again = {**prompt.row, "prompt": messages}
                tokens, shown = _tokens(policy, again) if another else first
                if attempt.teacher:
                    sample = feedback_sample(policy, tokens, reply.text, whole)
                    samples.append(replace(sample, shown=shown))
                    continue
                if not reply.tokens:
                    continue
                sample = Sample(tokens, reply.tokens, reply.logps, advantage, shown=shown)
                off_policy = OffPolicy() if moved else _off_policy(conversation, settings)
                lesson = lessons.get((place, at, number))
                sample = replace(sample, source=source, rate=rate, lesson=lesson)
                sample = replace(sample, off_policy=off_policy)
                samples.append(change(sample, conversation, number) if change else sample)
    return samples


def _off_policy(conversation: Conversation, settings: Train) -> OffPolicy | None:
    """How a demonstration or refinement is learned, if not as the policy's own replies are."""
    if conversation.source == "refinement":
        return OffPolicy("luffy", settings.retry.gamma)
    chosen = settings.demonstrations
    own = chosen.ratio == "policy" and not chosen.explore
    if conversation.source not in JOINED or own:
        return None
    return OffPolicy(chosen.ratio, chosen.gamma, chosen.explore)


def _with_tries(
    policy: LocalPolicy,
    groups: Groups,
    constant: float | None,
    sample: Sample,
    conversation: Conversation,
    number: int,
) -> Sample:
    """A try of this number as it is learned: its KL divergence's weight, and the last one's aim."""
    settings = groups.settings
    sample = replace(sample, kl_weight=kl_weight(settings, groups.step, number))
    last = number == len(conversation.attempts) - 1
    if constant is None or not last or not is_judged(conversation.last, policy):
        return sample
    right = conversation.verdict.correct
    return with_aim(sample, policy, right, constant, settings.self_reward)


def source_shares(samples: Sequence[Sample]) -> dict[str, float]:
    """The share of samples of each source but the policy's own replies, by name."""
    counts = Counter(sample.source for sample in samples)
    return {
        f"of {source}": count / len(samples)
        for source, count in sorted(counts.items())
        if source != "own"
    }


def _tokens(policy: LocalPolicy, row: Row) -> tuple[tuple[int, ...], PicturePrompt | None]:
    """A prompt's tokens, and the prompt itself where it has pictures."""
    question = question_of(row, "")
    return tuple(policy.tokens.prompt(question)), policy.tokens.shown(question)


def kl_of_conversations(policy: LocalPolicy, reference: Reader, kept: Rollouts) -> Tensor:
    """The KL divergence from the reference, PG: the k1 estimate, summed over each conversation.

    Both log-probabilities are computed here, at the temperature of sampling and in the same
    arithmetic: those of the sampler are rounded otherwise.
    """
    texts = _texts(policy, kept, KL_WITH_PICTURES)
    temperature = policy.sampling.temperature
    policy_logps, reference_logps = (
        completion_logps(model, texts, temperature) for model in (policy.model, reference)
    )
    kl_of_attempts = iter(
        [
            (logp - other).sum().item()
            for logp, other in zip(policy_logps, reference_logps, strict=True)
        ]
    )
    conversations = [each for group in kept.conversations for each in group]
    kl = [sum(next(kl_of_attempts) for _ in each.attempts) for each in conversations]
    kl_PG = kept.scores_PG.clone()
    kl_PG[~kl_PG.isnan()] = torch.tensor(kl)
    return kl_PG


def perplexities_of_conversations(policy: LocalPolicy, kept: Rollouts) -> list[list[float]]:
    """The policy's perplexity of each conversation's replies: its tokens' mean surprise, as exp."""
    texts = _texts(policy, kept, PERPLEXITY_WITH_PICTURES)
    of_attempts = iter(completion_logps(policy.model, texts, policy.sampling.temperature))
    return [
        [
            torch.cat([next(of_attempts) for _ in each.attempts]).mean().neg().exp().item()
            for each in group
        ]
        for group in kept.conversations
    ]


def certainty_of_conversations(policy: LocalPolicy, kept: Rollouts) -> list[list[Certainty]]:
    """How sure the policy is at each token of each conversation's replies. A text is read once, so
    that equal replies are equally sure to the last bit."""
    texts = [
        (tuple(prompt), tuple(reply))
        for prompt, reply in _texts(policy, kept, ADVANTAGE_WITH_PICTURES)
    ]
    unlike = [*dict.fromkeys(texts)]
    found = completion_certainty(policy.model, unlike, policy.sampling.temperature)
    by_text = dict(zip(unlike, found, strict=True))
    of_attempts = (by_text[text] for text in texts)
    return [
        [_joined([next(of_attempts) for _ in each.attempts]) for each in group]
        for group in kept.conversations
    ]


def ranks_of_conversations(policy: LocalPolicy, kept: Rollouts) -> list[list[list[float]]]:
    """The effective ranks along the last reply of each conversation."""
    texts = _texts(policy, kept, ADVANTAGE_WITH_PICTURES)
    of_attempts = iter(completion_ranks(policy.model, texts, STRIDE))
    return [
        [[next(of_attempts) for _ in each.attempts][-1] for each in group]
        for group in kept.conversations
    ]


def _joined(parts: Sequence[Certainty]) -> Certainty:
    return Certainty(
        tuple(value for each in parts for value in each.divergence),
        tuple(value for each in parts for value in each.logit),
    )


def _texts(
    policy: LocalPolicy, kept: Rollouts, refusal: str
) -> list[tuple[Sequence[int], Sequence[int]]]:
    """Every reply, behind all that came before it; refused where that has pictures."""
    if any(prompt.row["images"] for prompt in kept.prompts):
        raise UserError(refusal)
    return [
        (policy.tokens.ids(attempt.messages), attempt.reply.tokens)
        for group in kept.conversations
        for each in group
        for attempt in each.attempts
    ]
