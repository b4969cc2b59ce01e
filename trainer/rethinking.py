"""Forced rethinking (VL-Rethinker): some finished replies have to go on behind a trigger.

The trigger is part of the assistant's turn, and so is what comes after it. It is judged as one
text: the last answer counts, which is the first one where nothing new is answered. The policy's own
tokens are learned from, before the trigger and after it, and not the trigger's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from puzzlemill.difficulty.policies.policy import IMAGE, Policy, Question
from puzzlemill.difficulty.scoring import Judge, question_of
from puzzlemill.trainer.conversations import Attempt, Conversation
from puzzlemill.trainer.settings.turns import Rethink


def with_rethinking(
    policy: Policy,
    rows: Sequence[Mapping[str, Any]],
    groups: Sequence[Sequence[Conversation]],
    purpose: str,
    judge: Judge,
    settings: Rethink,
) -> list[list[Conversation]]:
    """The conversations, a share of each group with a second part."""
    changed = [[*group] for group in groups]
    questions: dict[tuple[int, int], Question] = {}  # by row, and place in its group
    for place, (row, group) in enumerate(zip(rows, groups, strict=True)):
        finished = [at for at, each in enumerate(group) if may_go_on(each)]
        for at in finished[: round(settings.share * len(group))]:
            (first,) = group[at].attempts
            turn = {"role": "assistant", "content": first.reply.text + settings.trigger}
            before = {**row, "prompt": (*first.messages, turn)}
            question = question_of(before, f"{purpose} rethink {at}")
            if policy.takes(question):
                questions[place, at] = question
    if not questions:
        return changed
    replies = [reply for (reply,) in policy.sample([*questions.values()], 1)]
    for (place, at), reply in zip(questions, replies, strict=True):
        attempt = Attempt(questions[place, at].messages, reply)
        changed[place][at] = Conversation(
            (*groups[place][at].attempts, attempt), groups[place][at].verdict
        )
    texts = [changed[place][at].text for place, at in questions]
    verdicts = judge([rows[place] for place, _ in questions], texts)
    for (place, at), verdict in zip(questions, verdicts, strict=True):
        changed[place][at] = Conversation(changed[place][at].attempts, verdict)
    return changed


def may_go_on(conversation: Conversation) -> bool:
    """Whether it is one finished reply. A mark of a picture in it would be taken for a picture."""
    reply = conversation.last
    return len(conversation.attempts) == 1 and reply.finished and IMAGE not in reply.text


def share_rethought(groups: Sequence[Sequence[Conversation]]) -> dict[str, float]:
    """Of conversations, by name, if there are any."""
    rethought = [each.rethought and not each.has_feedback for group in groups for each in group]
    return {"rethought": sum(rethought) / len(rethought)} if any(rethought) else {}
