"""From replies to items to texts: what is learned of each, and how far it counts."""

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
from puzzlemill.trainer.asking import Rollouts, Told
from puzzlemill.trainer.batch import Text
from puzzlemill.trainer.course import Row
from puzzlemill.trainer.means import weights
from puzzlemill.trainer.settings import Train


def texts_of(
    policy: LocalPolicy,
    kept: Rollouts,
    rewards_PG: Tensor,
    told: Sequence[Told],
    settings: Train,
) -> list[Text]:
    """What there is to learn from, each reply with its advantage and what its tokens weigh."""
    loss, leave = settings.loss, settings.reward.cut_off == "leave"
    advantages_PG = advantages(rewards_PG, loss)
    advantages_PG = torch.where(advantages_PG > 0, loss.positives * advantages_PG, advantages_PG)
    texts = []
    for asked, group, values in zip(kept.asked, kept.talks, advantages_PG.tolist(), strict=True):
        first = _prompt(policy, asked.row)  # once for a whole group
        for talk, advantage in zip(group, values[: len(group)], strict=True):
            for number, turn in enumerate(talk.turns):
                reply = turn.reply
                if not reply.tokens or (leave and not reply.finished):
                    continue
                again = {**asked.row, "prompt": turn.asked}
                prompt, shown = _prompt(policy, again) if number else first
                texts.append(Text(prompt, reply.tokens, reply.logps, advantage, shown=shown))
    # What the policy said when it was told the answer was not said to this prompt: as if it had
    # been, with the probability that it has now.
    for each in told:
        said, (prompt, shown) = each.reply.tokens, _prompt(policy, each.asked.row)
        texts.append(Text(prompt, said, (nan,) * len(said), settings.explain, shown=shown))
    shares = weights([len(text.reply) for text in texts], loss, policy.sampling.max_tokens)
    return [replace(text, weight=share) for text, share in zip(texts, shares, strict=True)]


def _prompt(policy: LocalPolicy, row: Row) -> tuple[tuple[int, ...], PicturePrompt | None]:
    """Its tokens, and the prompt itself where it has pictures."""
    question = question_of(row, "")
    return tuple(policy.tokens.prompt(question)), policy.tokens.shown(question)


def drifts(policy: LocalPolicy, reference: Reader, kept: Rollouts) -> Tensor:
    """k1 of each conversation from the reference: the sum over the tokens of its replies.

    Both are read here, at the temperature of sampling and in the same arithmetic: what the sampler
    noted down is rounded otherwise.
    """
    if any(asked.row["images"] for asked in kept.asked):
        raise UserError('[train.loss] kl_in = "reward" is not for items with pictures: set "loss"')
    held = [talk for group in kept.talks for talk in group]
    texts = [
        (policy.tokens.ids(turn.asked), turn.reply.tokens) for talk in held for turn in talk.turns
    ]
    temperature = policy.sampling.temperature
    here, there = (
        completion_logps(model, texts, temperature) for model in (policy.model, reference)
    )
    each = iter([(one - other).sum().item() for one, other in zip(here, there, strict=True)])
    apart = [sum(next(each) for _ in talk.turns) for talk in held]
    found_PG = kept.scores_PG.clone()
    found_PG[~found_PG.isnan()] = torch.tensor(apart)
    return found_PG
