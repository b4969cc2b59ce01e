"""The advantage of each try of a conversation, where it is not that of the whole conversation.

What a try earns is its own score, and more where it is better than the one before (SCoRe); its
return counts a share of what the next one earns. With `by_try` the recipe's advantage is taken of
the returns of the group's first tries, then of its second ones. With `anchor`, a try's return above
that of the group's tries after the same answers counts besides (GiGPO).

Suffixes: P prompts, G replies to each; NaN where there is no such try.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import isnan, nan
from statistics import fmean
from typing import Any

from torch import Tensor

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.votes import answer_given
from puzzlemill.trainer.advantages import (
    Credit,
    advantages,
    chosen_advantage,
    conversation_advantages,
    mixed_groups,
    weighed,
)
from puzzlemill.trainer.conversations import Conversation
from puzzlemill.trainer.rollouts import padded_with_nan
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.turns import Retry
from puzzlemill.trainer.shapings import Groups, Rewards


def try_returns(
    conversation: Conversation, retry: Retry, step: int, more: float = 0.0
) -> list[float]:
    """The return of each try; the last one earns `more`, what shapings add to the score."""
    if retry.ask == "always":
        scores = [each.score for each in (*conversation.earlier, conversation.verdict)]
        earned, share = _earned(scores, retry, step), retry.foresight
    else:
        earned = [0.0] * (len(conversation.attempts) - 1) + [conversation.verdict.score]
        share = retry.decay
    earned[-1] += more
    returns = [0.0] * len(earned)
    later = 0.0
    for number in reversed(range(len(earned))):
        later = returns[number] = earned[number] + share * later
    return returns


def _earned(scores: Sequence[float], retry: Retry, step: int) -> list[float]:
    """SCoRe: at first only what the last try scores, later each one's score, and its progress."""
    if step < retry.first_steps:
        return [*(0.0 for _ in scores[1:]), scores[-1] if len(scores) > 1 else 0.0]
    return [
        scores[0],
        *(after + retry.progress * (after - before) for before, after in pairwise(scores)),
    ]


def mixed_by_try(rewards: Rewards, groups: Groups) -> set[int]:
    """The places of groups whose tries of one number have returns that differ."""
    retry = groups.settings.retry
    if not (retry.by_try or retry.anchor):
        return set()
    return {
        place
        for returns_PG in _returns_by_number(rewards, groups)
        for place, mixed in enumerate(mixed_groups(returns_PG).tolist())
        if mixed
    }


def credits_of(rewards: Rewards, groups: Groups) -> list[list[Credit]]:
    """The advantage of each conversation, or of each token of its replies where tries differ."""
    whole, retry = conversation_advantages(rewards, groups), groups.settings.retry
    if not (retry.by_try or retry.anchor) or not whole:
        return whole
    if retry.by_try and rewards.steps:
        raise UserError(
            "[train.retry] by_try = true takes the advantage of each try, and a shaping here"
            " rewards steps of conversations: leave one of them out"
        )
    returns = _returns_by_number(rewards, groups)
    own = [_by_number(each, groups) for each in returns] if retry.by_try else []
    credits_PG = []
    for place, group in enumerate(groups.conversations):
        anchored = anchor_advantages(
            groups.rows[place], group, [each[place].tolist() for each in returns]
        )
        credits_G: list[Credit] = []
        for at, conversation in enumerate(group):
            credit = whole[place][at]
            if isinstance(credit, float) and isnan(credit):
                credits_G.append(credit)
                continue
            tokens = list[float]()
            for number, attempt in enumerate(conversation.attempts):
                added = retry.anchor * anchored[at][number]
                if retry.by_try:
                    added += own[number][place][at]
                tokens += [added] * len(attempt.reply.tokens)
            if retry.by_try:
                credit = 0.0
            base = credit if isinstance(credit, tuple) else (credit,) * len(tokens)
            both = zip(base, tokens, strict=True)
            credits_G.append(tuple(weighed(a + b, groups.settings.loss.positives) for a, b in both))
        credits_PG.append(credits_G)
    return credits_PG


def anchor_advantages(
    row: Any, group: Sequence[Conversation], returns_TG: Sequence[Sequence[float]]
) -> list[list[float]]:
    """GiGPO: of each try, its return above the mean of the group's tries after the same answers."""
    members: dict[Any, list[tuple[int, int]]] = {}
    for at, conversation in enumerate(group):
        answers: tuple[Any, ...] = ()
        for number, attempt in enumerate(conversation.attempts):
            members.setdefault(answers, []).append((at, number))
            answers = (*answers, answer_given(row, attempt.reply.text))
    found = [[0.0] * len(each.attempts) for each in group]
    for places in members.values():
        some = {(at, number): returns_TG[number][at] for at, number in places}
        kept = {place: value for place, value in some.items() if not isnan(value)}
        for at, number in kept:
            found[at][number] = kept[at, number] - fmean(kept.values())
    return found


def _returns_by_number(rewards: Rewards, groups: Groups) -> list[Tensor]:
    """The returns of all first tries, PG, then of all second ones, and so on."""
    settings, retry = groups.settings, groups.settings.retry
    more_PG = (rewards.replies_PG - groups.scores_PG).tolist()
    returns = [
        [
            try_returns(each, retry, groups.step, more)
            for each, more in zip(group, row, strict=False)
        ]
        for group, row in zip(groups.conversations, more_PG, strict=True)
    ]
    return [
        padded_with_nan(
            [[each[number] if number < len(each) else nan for each in group] for group in returns]
        )
        for number in range(settings.tries)
    ]


def _by_number(returns_PG: Tensor, groups: Groups) -> list[list[float]]:
    """The recipe's advantage of tries of one number."""
    some_P = (~returns_PG.isnan()).any(dim=1)
    found_PG = returns_PG.clone()
    if some_P.any():
        found_PG[some_P] = advantages(returns_PG[some_P], groups.settings.loss)
    values: list[list[float]] = found_PG.tolist()
    return values


def check_by_try(settings: Train) -> None:
    """Refuse an advantage that is no formula of rewards: it knows conversations, and no tries."""
    chosen = chosen_advantage(settings.loss)
    if settings.retry.by_try and (chosen.of_replies or chosen.of_tokens):
        raise UserError(
            f'[train.retry] by_try = true takes the advantage of each try, and "'
            f'{settings.loss.advantage}" is one of whole conversations: set [train.loss] advantage'
            ' = "rloo", or leave by_try out'
        )


def kl_weight(settings: Train, step: int, number: int) -> float:
    """Of the KL divergence of a try of this number, beside the others'."""
    retry = settings.retry
    if number or step >= retry.first_steps or settings.tries == 1:
        return 1.0
    return retry.first_kl / settings.loss.kl if settings.loss.kl else 1.0
