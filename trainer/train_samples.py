"""Training samples from rollouts: each reply with its advantage and the weight of its tokens."""

from collections.abc import Sequence
from dataclasses import replace
from math import nan

import torch
from torch import Tensor

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.forward_pass import completion_logps
from puzzlemill.difficulty.policies.model import LocalPolicy, Reader
from puzzlemill.difficulty.policies.tokens import PicturePrompt
from puzzlemill.difficulty.scoring import question_of
from puzzlemill.trainer.advantages import advantages
from puzzlemill.trainer.means import weights
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.rollouts import Explanation, Rollouts
from puzzlemill.trainer.schedule import Row
from puzzlemill.trainer.settings import Train


def samples_of(
    policy: LocalPolicy,
    kept: Rollouts,
    rewards_PG: Tensor,
    explanations: Sequence[Explanation],
    settings: Train,
) -> list[Sample]:
    loss, leave = settings.loss, settings.reward.cut_off == "leave"
    advantages_PG = advantages(rewards_PG, loss)
    advantages_PG = torch.where(advantages_PG > 0, loss.positives * advantages_PG, advantages_PG)
    samples = []
    for prompt, group, values in zip(
        kept.prompts, kept.conversations, advantages_PG.tolist(), strict=True
    ):
        first = _tokens(policy, prompt.row)  # once for a whole group
        for conversation, advantage in zip(group, values[: len(group)], strict=True):
            for number, attempt in enumerate(conversation.attempts):
                reply = attempt.reply
                if not reply.tokens or (leave and not reply.finished):
                    continue
                again = {**prompt.row, "prompt": attempt.messages}
                tokens, shown = _tokens(policy, again) if number else first
                samples.append(Sample(tokens, reply.tokens, reply.logps, advantage, shown=shown))
    # An explanation was sampled from another prompt, the one with the answer. Its logps are unknown
    # (NaN): its importance ratio is 1.
    for each in explanations:
        reply_tokens, (tokens, shown) = each.reply.tokens, _tokens(policy, each.prompt.row)
        unknown = (nan,) * len(reply_tokens)
        samples.append(Sample(tokens, reply_tokens, unknown, settings.explain, shown=shown))
    shares = weights([len(each.reply) for each in samples], loss, policy.sampling.max_tokens)
    return [replace(each, weight=share) for each, share in zip(samples, shares, strict=True)]


def _tokens(policy: LocalPolicy, row: Row) -> tuple[tuple[int, ...], PicturePrompt | None]:
    """A prompt's tokens, and the prompt itself where it has pictures."""
    question = question_of(row, "")
    return tuple(policy.tokens.prompt(question)), policy.tokens.shown(question)


def kl_of_conversations(policy: LocalPolicy, reference: Reader, kept: Rollouts) -> Tensor:
    """The KL divergence from the reference, PG: the k1 estimate, summed over each conversation.

    Both log-probabilities are computed here, at the temperature of sampling and in the same
    arithmetic: those of the sampler are rounded otherwise.
    """
    if any(prompt.row["images"] for prompt in kept.prompts):
        raise UserError('[train.loss] kl_in = "reward" is not for items with pictures: set "loss"')
    conversations = [each for group in kept.conversations for each in group]
    texts = [
        (policy.tokens.ids(attempt.messages), attempt.reply.tokens)
        for each in conversations
        for attempt in each.attempts
    ]
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
    kl = [sum(next(kl_of_attempts) for _ in each.attempts) for each in conversations]
    kl_PG = kept.scores_PG.clone()
    kl_PG[~kl_PG.isnan()] = torch.tensor(kl)
    return kl_PG
