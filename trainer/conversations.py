"""Conversations: an item is tried again after a wrong reply, with feedback only that it was wrong.

As in UFO, the feedback is the same whatever was wrong, so that it holds no hint; the return of a
reply is discounted by the number of tries before it. Or every reply is tried again, right or wrong,
without a word on which (SCoRe): then the last one's score is the return.

All attempts of a conversation are trained on, each with the advantage of the whole conversation:
what a first reply leads to is part of its worth, so this is the gradient of the conversation's
return. With the last attempts alone, no wrong first reply would ever be trained on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.policies.policy import Message, Policy, Question, Reply
from puzzlemill.difficulty.scoring import Judge, judge_groups, judge_in_workers, question_of
from puzzlemill.trainer.credits import StepValues
from puzzlemill.trainer.critique import critique
from puzzlemill.trainer.micro_batch import Source
from puzzlemill.trainer.settings.turns import Retry

Row = Mapping[str, Any]

ONCE = Retry()


@dataclass(frozen=True, slots=True)
class Attempt:
    messages: tuple[Message, ...]  # all before the reply
    reply: Reply
    # Whether it is a teacher's: a text, whose tokens the policy did not sample.
    teacher: bool = False
    # Of a partial rollout: how many tokens were sampled with the weights of which step, in turn.
    parts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """The attempts at an item, and the verdict on the last reply."""

    attempts: tuple[Attempt, ...]
    verdict: Verdict
    _: KW_ONLY
    source: Source = "own"  # another, where it joined its group
    hint_share: float = 0.0  # of the solution that it was told, and others of its group were not
    values: StepValues = ()  # of its steps, where [train.process] asks for them
    earlier: tuple[Verdict, ...] = ()  # on the replies before the last

    @property
    def last(self) -> Reply:
        return self.attempts[-1].reply

    @property
    def rethought(self) -> bool:
        """Whether the last reply goes on from the one before, in the same turn."""
        return bool(self._begun)

    @property
    def has_feedback(self) -> bool:
        """Whether a teacher wrote some of it."""
        return any(attempt.teacher for attempt in self.attempts)

    @property
    def text(self) -> str:
        """The last reply, with what it goes on from."""
        return self._begun + self.last.text

    @property
    def _begun(self) -> str:
        messages = self.attempts[-1].messages
        own = bool(messages) and messages[-1]["role"] == "assistant"
        return messages[-1]["content"] if own else ""


def sample_conversations(
    policy: Policy,
    rows: Sequence[Row],
    purpose: str,
    count: int,
    judge: Judge = judge_in_workers,
    tries: int = 1,
    retry: Retry = ONCE,
) -> list[list[Conversation]]:
    """So many conversations about each row; one ends when it is out of tries, or where only wrong
    replies are tried again, when it is right."""
    groups = policy.sample([question_of(row, purpose) for row in rows], count)
    verdicts = judge_groups(rows, groups, judge)
    conversations = [
        [
            Conversation((Attempt(tuple(row["prompt"]), reply),), verdict)
            for reply, verdict in zip(replies, group_verdicts, strict=True)
        ]
        for row, replies, group_verdicts in zip(rows, groups, verdicts, strict=True)
    ]
    for number in range(2, tries + 1):
        questions: dict[tuple[int, int], Question] = {}  # by row, and place in its group
        for place, row in enumerate(rows):
            for at, conversation in enumerate(conversations[place]):
                again = retry_row(row, conversation, feedback_on(row, conversation, retry))
                question = question_of(again, f"{purpose} try {number} of {at}")
                if may_retry(conversation, retry) and policy.takes(question):
                    questions[place, at] = question
        if not questions:
            break
        replies = [reply for (reply,) in policy.sample(list(questions.values()), 1)]
        judged = judge([rows[place] for place, _ in questions], [reply.text for reply in replies])
        for (place, at), reply, verdict in zip(questions, replies, judged, strict=True):
            attempt = Attempt(questions[place, at].messages, reply)
            before = conversations[place][at]
            earlier = (*before.earlier, before.verdict)
            conversations[place][at] = Conversation(
                (*before.attempts, attempt), verdict, earlier=earlier
            )
    return conversations


def may_retry(conversation: Conversation, retry: Retry) -> bool:
    """Where our own code failed, nothing is known, and nothing is tried again."""
    wrong = not conversation.verdict.correct
    return (wrong or retry.ask == "always") and conversation.verdict.status != "error"


def feedback_on(row: Row, conversation: Conversation, retry: Retry) -> str:
    """What is said to the last reply."""
    if retry.ask == "always":
        return retry.review
    reason = critique(row, conversation.verdict) if retry.critique else ""
    return f"{retry.feedback} {reason[0].upper()}{reason[1:]}." if reason else retry.feedback


def retry_row(row: Row, conversation: Conversation, feedback: str) -> dict[str, Any]:
    """The row with the conversation so far and the feedback for its prompt."""
    last = conversation.attempts[-1]
    reply = {"role": "assistant", "content": last.reply.text}
    return {**row, "prompt": (*last.messages, reply, {"role": "user", "content": feedback})}


def discounted_return(conversation: Conversation, retry: Retry) -> float:
    """The score of the last reply, discounted by the tries before it where they were wrong."""
    if conversation.rethought or retry.ask == "always":
        return conversation.verdict.score
    return conversation.verdict.score * retry.decay ** (len(conversation.attempts) - 1)


def pass_rate(group: Sequence[Conversation]) -> float:
    """The share of right conversations, of those that the policy sampled."""
    own = [each for each in group if each.source == "own"]
    return sum(each.verdict.correct for each in own) / max(len(own), 1)


def solved_within(groups: Sequence[Sequence[Conversation]], tries: int) -> list[list[int]]:
    """For each group, how many of its conversations were right after 1, 2, … tries."""
    return [
        [sum(is_right_after(each, number) for each in group) for number in range(1, tries + 1)]
        for group in groups
    ]


def is_right_after(conversation: Conversation, tries: int) -> bool:
    """Whether the reply that stood after so many tries is right."""
    if tries >= len(conversation.attempts):
        return conversation.verdict.correct
    return tries <= len(conversation.earlier) and conversation.earlier[tries - 1].correct


def measure_tries(
    policy: Policy,
    rows: Sequence[Row],
    count: int,
    tries: int,
    retry: Retry,
    judge: Judge = judge_in_workers,
) -> dict[str, list[int]]:
    """By item, how many of so many conversations are right within 1, 2, … tries; the first replies
    are those that `evaluation.measure` samples."""
    conversations = sample_conversations(policy, rows, "heldout", count, judge, tries, retry)
    uids = [row["uid"] for row in rows]
    return dict(zip(uids, solved_within(conversations, tries), strict=True))


def first_tries(solved: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """How many of the first replies to each item are right."""
    return {uid: counts[0] for uid, counts in solved.items()}


def compare_tries(
    before: Mapping[str, Sequence[int]], after: Mapping[str, Sequence[int]], count: int
) -> list[dict[str, float]]:
    """The share of conversations that are right after so many tries, before and after."""
    shares = [
        [sum(column) / (count * len(solved)) for column in zip(*solved.values(), strict=True)]
        for solved in (before, after)
    ]
    return [
        {"tries": number, "before": round(earlier, 4), "after": round(later, 4)}
        for number, (earlier, later) in enumerate(zip(*shares, strict=True), start=1)
    ]


def solved_by_try(groups: Sequence[Sequence[Conversation]], tries: int) -> dict[str, float]:
    """The share of conversations that were right within so many tries, where there may be many."""
    counts = solved_within(groups, tries)
    total = max(sum(map(len, groups)), 1)
    shares = [sum(column) / total for column in zip(*counts, strict=True)]
    return {f"within {n}": share for n, share in enumerate(shares, start=1)} if tries > 1 else {}


def changed_answers(groups: Sequence[Sequence[Conversation]], retry: Retry) -> dict[str, float]:
    """Where every reply is tried again: of all conversations, the share that went from wrong to
    right, and from right to wrong."""
    if retry.ask != "always":
        return {}
    pairs = [
        (is_right_after(each, 1), each.verdict.correct)
        for group in groups
        for each in group
        if each.earlier
    ]
    total = max(len(pairs), 1)
    return {
        "corrected": sum(not before and after for before, after in pairs) / total,
        "spoiled": sum(before and not after for before, after in pairs) / total,
    }
