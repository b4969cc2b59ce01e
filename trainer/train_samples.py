"""Training samples from rollouts: each reply with its advantage and the weight of its tokens."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import isnan, nan

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
from puzzlemill.trainer.conversations import Conversation
from puzzlemill.trainer.means import weights
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.refinement import as_refinement
from puzzlemill.trainer.rollouts import Explanation, Rollouts
from puzzlemill.trainer.schedule import Row
from puzzlemill.trainer.self_reward import is_judged, with_aim
from puzzlemill.trainer.settings import TokenLoss
from puzzlemill.trainer.shapings import Groups, Rewards
from puzzlemill.trainer.try_credit import credits_of, kl_weight
from puzzlemill.trainer.verifying import with_lines

STRIDE = 40  # tokens from one effective rank to the next (VERL)


def samples_of(
    policy: LocalPolicy,
    kept: Rollouts,
    groups: Groups,
    rewards: Rewards,
    explanations: Sequence[Explanation],
    imitated: Rollouts | None = None,
    self_reward_constant: float | None = None,
) -> list[Sample]:
    settings = groups.settings
    loss, leave = settings.loss, settings.reward.cut_off == "leave"
    with_tries = partial(_with_tries, policy, groups, self_reward_constant)
    credits_PG = with_lines(credits_of(rewards, groups), groups.lines, groups.line_share)
    samples = _of_groups(policy, kept, credits_PG, leave, with_tries)
    if imitated is not None:
        samples += _of_groups(policy, imitated, imitated.scores(), leave)
    # An explanation was sampled from another prompt, the one with the answer: of the plain one its
    # logps are unknown (NaN), so that it has no importance ratio.
    for each in explanations:
        reply_tokens, (tokens, shown) = each.reply.tokens, _tokens(policy, each.prompt.row)
        unknown = (nan,) * len(reply_tokens)
        sample = Sample(tokens, reply_tokens, unknown, settings.explain, shown=shown)
        samples.append(replace(sample, source="explanation", loss="imitation"))
    return weighed_samples(samples, loss, policy.sampling.max_tokens)


def weighed_samples(samples: Sequence[Sample], loss: TokenLoss, most: int) -> list[Sample]:
    """With the weight of each one's tokens in the loss."""
    shares = weights([each.learned for each in samples], loss, most)
    return [replace(each, weight=share) for each, share in zip(samples, shares, strict=True)]


def _of_groups(
    policy: LocalPolicy,
    kept: Rollouts,
    credits_PG: Sequence[Sequence[Credit]],
    leave: bool,
    change: Callable[[Sample, Conversation, int], Sample] | None = None,
) -> list[Sample]:
    """Each reply of some conversations, with its part of the conversation's advantage."""
    samples = []
    for prompt, group, values in zip(kept.prompts, kept.conversations, credits_PG, strict=True):
        first = _tokens(policy, prompt.row)  # once for a whole group
        for conversation, whole in zip(group, values, strict=True):
            start = 0
            for number, attempt in enumerate(conversation.attempts):
                reply = attempt.reply
                end = start + len(reply.tokens)
                advantage = whole[start:end] if isinstance(whole, tuple) else whole
                start = end
                left_out = isinstance(whole, float) and isnan(whole)
                if not reply.tokens or left_out or (leave and not reply.finished):
                    continue
                again = {**prompt.row, "prompt": attempt.messages}
                tokens, shown = _tokens(policy, again) if number else first
                sample = Sample(tokens, reply.tokens, reply.logps, advantage, shown=shown)
                sample = replace(sample, source=prompt.source)
                samples.append(change(sample, conversation, number) if change else sample)
    return samples


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
    if conversation.is_refinement:
        sample = as_refinement(sample, settings.retry.gamma)
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
    texts = _texts(policy, kept, 'kl_in = "reward" is not for items with pictures: set "loss"')
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


def certainty_of_conversations(policy: LocalPolicy, kept: Rollouts) -> list[list[Certainty]]:
    """How sure the policy is at each token of each conversation's replies."""
    texts = _texts(policy, kept, "this advantage is not for items with pictures: set another")
    of_attempts = iter(completion_certainty(policy.model, texts, policy.sampling.temperature))
    return [
        [_joined([next(of_attempts) for _ in each.attempts]) for each in group]
        for group in kept.conversations
    ]


def ranks_of_conversations(policy: LocalPolicy, kept: Rollouts) -> list[list[list[float]]]:
    """The effective ranks along the last reply of each conversation."""
    texts = _texts(policy, kept, "this advantage is not for items with pictures: set another")
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
        raise UserError(f"[train.loss] {refusal}")
    return [
        (policy.tokens.ids(attempt.messages), attempt.reply.tokens)
        for group in kept.conversations
        for each in group
        for attempt in each.attempts
    ]
