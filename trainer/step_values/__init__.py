"""Values of the steps of replies, as [train.process] asks for them: found once, when replies come.

A step is a line that says something, or some of them. Its value stands at the token that ends it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from puzzlemill.core.guard import Failure
from puzzlemill.core.storage import pool
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.scoring import Judge
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.trainer.conversations import Conversation
from puzzlemill.trainer.settings.rewards import Process
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


@dataclass(frozen=True, slots=True)
class StepValuer:
    """What finds the values of replies' steps."""

    policy: Policy  # that replied
    tokens: Tokens
    judge: Judge
    settings: Process
    max_tokens: int  # of a reply
    progress: Progress = progress_in_workers

    def with_values(
        self, rows: Sequence[Row], groups: Sequence[Sequence[Conversation]], purpose: str
    ) -> list[list[Conversation]]:
        """The conversations, of one reply each, with the values of its steps."""
        most = self.settings.most_steps
        replies, changed = lined_replies(rows, groups, most), [[*group] for group in groups]
        for each, values in zip(replies, self._values(replies, purpose), strict=True):
            if values:
                ends = [0, *token_ends(self.tokens, each.reply, each.ends)]
                place, at = each.place
                known = tuple(zip(ends, values, strict=True))
                changed[place][at] = replace(changed[place][at], values=known)
        return changed

    def _values(self, replies: Sequence[LinedReply], purpose: str) -> list[list[float]]:
        """Of each reply: of its prompt, and of each step; none where nothing is known of them."""
        settings = self.settings
        if settings.values == "progress":
            return _progress_values(replies, self.progress)
        if settings.values == "gain":
            return likelihood_values(self.policy, replies, settings)
        prover = self.policy
        if settings.prover:
            prover = _loaded(
                PolicySettings(kind="native", model=settings.prover, max_tokens=self.max_tokens)
            )
        if settings.values == "continuation":
            return continuation_values(prover, replies, purpose, self.judge, settings)
        return critique_values(prover, replies, purpose, settings)


def _progress_values(replies: Sequence[LinedReply], progress: Progress) -> list[list[float]]:
    """No lines have come nowhere, and a reply that has ended is worth its score."""
    found = progress([each.row for each in replies], [each.reply.text for each in replies])
    return [
        [0.0, *(value for _, value in values[:-1]), each.score] if values else []
        for each, values in zip(replies, found, strict=True)
    ]


@lru_cache(maxsize=1)
def _loaded(settings: PolicySettings) -> Policy:
    """It stays loaded from step to step."""
    return new_policy(settings)
