"""Values of the steps of replies, as [train.process] asks for them: found once, when replies come.

A step is a line that says something. Its value stands at the token that ends it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from puzzlemill.core.guard import Failure
from puzzlemill.core.storage import pool
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.scoring import Judge
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.trainer.conversations import Conversation
from puzzlemill.trainer.settings import Process
from puzzlemill.trainer.step_values.continuations import continuation_values
from puzzlemill.trainer.step_values.critiques import critique_values
from puzzlemill.trainer.step_values.likelihoods import likelihood_values
from puzzlemill.trainer.step_values.lines import LinedReply, Row, lined_replies, token_ends

# Of each reply, beside its row: the value after each of its lines, at their ends in characters.
Progress = Callable[[Sequence[Row], Sequence[str]], list[list[tuple[int, float]]]]


def progress_in_workers(
    rows: Sequence[Row], replies: Sequence[str]
) -> list[list[tuple[int, float]]]:
    """By worker processes, as verdicts are; none of a reply that a family failed at."""
    calls = [
        ({name: row[name] for name in ("family", "puzzle")}, reply)
        for row, reply in zip(rows, replies, strict=True)
    ]
    found = pool.run("puzzlemill.core.progress:progress_of_row", calls, seconds=20)
    return [[] if isinstance(each, Failure) else each for each in found]


def with_step_values(
    policy: Policy,
    tokens: Tokens,
    rows: Sequence[Row],
    groups: Sequence[Sequence[Conversation]],
    purpose: str,
    judge: Judge,
    settings: Process,
    progress: Progress = progress_in_workers,
) -> list[list[Conversation]]:
    """The conversations, of one reply each, with the values of its steps."""
    replies, changed = lined_replies(rows, groups), [[*group] for group in groups]
    if settings.values == "progress":
        found = _progress_values(replies, progress)
    elif settings.values == "gain":
        found = likelihood_values(policy, replies)
    else:
        prover = _prover(settings, policy)
        if settings.values == "continuation":
            found = continuation_values(prover, replies, purpose, judge, settings)
        else:
            found = critique_values(prover, replies, purpose, settings)
    for each, values in zip(replies, found, strict=True):
        if values:
            ends = [0, *token_ends(tokens, each.reply, each.ends)]
            place, at = each.place
            known = tuple(zip(ends, values, strict=True))
            changed[place][at] = replace(changed[place][at], values=known)
    return changed


def _progress_values(replies: Sequence[LinedReply], progress: Progress) -> list[list[float]]:
    """No lines have come nowhere, and a reply that has ended is worth its score."""
    found = progress([each.row for each in replies], [each.reply.text for each in replies])
    return [
        [0.0, *(value for _, value in values[:-1]), each.score] if values else []
        for each, values in zip(replies, found, strict=True)
    ]


def _prover(settings: Process, policy: Policy) -> Policy:
    """The policy that goes on with replies, or criticises them."""
    if not settings.prover:
        return policy
    sampling = getattr(policy, "sampling", None)
    most = sampling.max_tokens if sampling else PolicySettings().max_tokens
    return _loaded(PolicySettings(kind="native", model=settings.prover, max_tokens=most))


@lru_cache(maxsize=1)
def _loaded(settings: PolicySettings) -> Policy:
    """It stays loaded from step to step."""
    return new_policy(settings)
