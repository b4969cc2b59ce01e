"""Partial rollouts: replies that are under way when a step's batch is due go on in the next step,
under its weights.

Sampling goes in rounds. In a round every reply under way grows by so many tokens, whichever turn of
its conversation it is in, so that neither long replies nor long conversations hold up others. It
goes on from its own tokens; each keeps the log-probability that it was sampled with, and the step
whose weights that were.

A group is whole when all of its replies have ended, or `enough_replies` of them: the slowest are
broken off then.

A conversation is under way while its last reply has neither ended nor used up its tokens. A turn
that is yet to begin is an empty reply.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

from puzzlemill.core.errors import UserError
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.policies.model import at_most
from puzzlemill.difficulty.policies.policy import Policy, Question, Reply, Sampling, stop_end
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.scoring import Judge, question_of
from puzzlemill.trainer.conversations import (
    Attempt,
    Conversation,
    feedback_on,
    may_retry,
    retry_row,
)
from puzzlemill.trainer.rollouts import Prompt, Rollouts, padded_with_nan
from puzzlemill.trainer.settings import Train

STOP = Sampling().stop  # of every recipe's policy
ROUNDING = 1e-9  # of a share times a number of replies
UNREAD = Verdict(0.0, False, "unparsed", "it is not at its end")
BEGINNING = Reply("", finished=False)

Place = tuple[int, int]  # of a conversation: its prompt's, and its own in the group


def check_partial(settings: Train) -> None:
    if settings.partial_rollouts and settings.scaffold.share:
        raise UserError(
            "[train] partial_rollouts is not beside [train.scaffold], which has a prompt of its own"
            " for each reply: leave one of them out"
        )


@dataclass(frozen=True, slots=True)
class Rounds:
    """What a round of sampling needs besides the groups."""

    policy: Policy
    tokens: Tokens  # of the policy
    judge: Judge
    settings: Train
    max_tokens: int  # of a reply
    version: int  # the step of the policy's weights

    def is_under_way(self, conversation: Conversation) -> bool:
        """A part that is shorter than was asked for is the last one: the context has ended."""
        reply, most = conversation.last, self.max_tokens
        length = len(reply.tokens)
        return not reply.finished and length < most and not length % self.settings.partial_rollouts

    def are_whole(self, groups: Rollouts) -> list[bool]:
        """Which groups have enough replies at their ends: two at least."""
        share = self.settings.enough_replies
        return [
            sum(not self.is_under_way(each) for each in group)
            >= min(max(ceil(share * len(group) - ROUNDING), 2), len(group))
            for group in groups.conversations
        ]

    def broken_off(self, groups: Rollouts) -> Rollouts:
        """Whole groups without the replies that are still under way."""
        kept = [
            [each for each in group if not self.is_under_way(each)]
            for group in groups.conversations
        ]
        return Rollouts(groups.prompts, kept, groups.scores_PG)

    def next(self, groups: Rollouts) -> Rollouts:
        """The groups after one more round: replies that end in it are judged, and the turns after
        them begin in the next."""
        changed = [[*group] for group in groups.conversations]
        found = {
            (place, at): each
            for place, group in enumerate(changed)
            for at, each in enumerate(group)
            if self.is_under_way(each)
        }
        parts = self._sampled(groups.prompts, found)
        ended: list[Place] = []
        for (place, at), part in parts.items():
            changed[place][at] = self._longer(found[place, at], part)
            if not self.is_under_way(changed[place][at]):
                ended.append((place, at))
        rows = [groups.prompts[place].row for place, _ in ended]
        verdicts = self.judge(rows, [changed[place][at].text for place, at in ended])
        for (place, at), verdict in zip(ended, verdicts, strict=True):
            judged = replace(changed[place][at], verdict=verdict)
            changed[place][at] = self._next_turn(groups.prompts[place], judged)
        return Rollouts(groups.prompts, changed, groups.scores_PG)

    def _sampled(
        self, prompts: Sequence[Prompt], found: Mapping[Place, Conversation]
    ) -> dict[Place, Reply]:
        """One more part of each reply, in one call for all that may grow by as many tokens."""
        prompt_ids: dict[tuple[str, ...], list[int]] = {}
        questions: dict[Place, Question] = {}
        by_length: dict[int, list[Place]] = {}
        for (place, at), conversation in found.items():
            prompt, attempt = prompts[place], conversation.attempts[-1]
            key = tuple(message["content"] for message in attempt.messages)
            if key not in prompt_ids:
                prompt_ids[key] = self.tokens.ids(attempt.messages)
            length, turn = len(attempt.reply.tokens), len(conversation.attempts)
            purpose = f"train {prompt.step} reply {at} turn {turn} from {length}"
            question = question_of({**prompt.row, "prompt": attempt.messages}, purpose)
            before = (*prompt_ids[key], *attempt.reply.tokens)
            questions[place, at] = replace(question, tokens=before)
            room = min(self.settings.partial_rollouts, self.max_tokens - length)
            by_length.setdefault(room, []).append((place, at))
        parts: dict[Place, Reply] = {}
        for room, places in sorted(by_length.items()):
            policy = at_most(self.policy, room)
            sampled = policy.sample([questions[place] for place in places], 1)
            parts |= zip(places, (reply for (reply,) in sampled), strict=True)
        return parts

    def _longer(self, conversation: Conversation, part: Reply) -> Conversation:
        *before, attempt = conversation.attempts
        reply = joined(attempt.reply, part, self.tokens)
        count = len(reply.tokens) - len(attempt.reply.tokens)
        parts = (*attempt.parts, (count, self.version))
        if attempt.parts and attempt.parts[-1][1] == self.version:
            parts = (*attempt.parts[:-1], (attempt.parts[-1][0] + count, self.version))
        return replace(conversation, attempts=(*before, replace(attempt, reply=reply, parts=parts)))

    def _next_turn(self, prompt: Prompt, conversation: Conversation) -> Conversation:
        """With the beginning of another try, where the item is to be tried again."""
        settings = self.settings
        if len(conversation.attempts) >= settings.tries:
            return conversation
        if not may_retry(conversation, settings.retry):
            return conversation
        feedback = feedback_on(prompt.row, conversation, settings.retry)
        question = question_of(retry_row(prompt.row, conversation, feedback), "")
        if not self.policy.takes(question):
            return conversation
        return replace(
            conversation,
            attempts=(*conversation.attempts, Attempt(question.messages, BEGINNING)),
            earlier=(*conversation.earlier, conversation.verdict),
        )


def beginnings(prompts: Sequence[Prompt], replies: int) -> Rollouts:
    """Groups of replies of which nothing is sampled yet."""
    if any(prompt.row["images"] for prompt in prompts):
        raise UserError("[train] partial_rollouts is not for items with pictures: leave it out")
    groups = [
        [Conversation((Attempt(tuple(prompt.row["prompt"]), BEGINNING),), UNREAD)] * replies
        for prompt in prompts
    ]
    return Rollouts([*prompts], groups, padded_with_nan([[0.0] * replies] * len(prompts)))


def joined(begun: Reply, part: Reply, tokens: Tokens) -> Reply:
    """A reply and what goes on from it. The engine has looked for stop strings in the part alone:
    one that began before it ends the reply here."""
    ids, logps = (*begun.tokens, *part.tokens), (*begun.logps, *part.logps)
    has_end = bool(ids) and ids[-1] in tokens.ends
    last = len(ids) - has_end
    text = tokens.text(ids[:last])
    if (end := stop_end(text, STOP)) is None:
        return Reply(text, part.finished or not part.tokens, ids, logps)
    count = next(
        count
        for count in range(len(begun.tokens) + 1, last + 1)
        if count == last or stop_end(tokens.text(ids[:count]), STOP) is not None
    )
    return Reply(text[:end], True, ids[:count], logps[:count])


def part_metrics(sampled: Rollouts, step: int) -> dict[str, float]:
    """The share of replies that went on under other weights, and how many steps the weights of the
    tokens were behind: their mean, and that of the oldest."""
    replies = [
        attempt.parts
        for group in sampled.conversations
        for each in group
        for attempt in each.attempts
        if attempt.parts
    ]
    ages = [(count, step - version) for parts in replies for count, version in parts]
    total = max(sum(count for count, _ in ages), 1)
    return {
        "continued": sum(len(parts) > 1 for parts in replies) / max(len(replies), 1),
        "token staleness": sum(count * age for count, age in ages) / total,
        "oldest token": float(max((age for _, age in ages), default=0)),
    }
