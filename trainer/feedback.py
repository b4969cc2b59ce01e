"""A teacher's feedback within replies (ThinkTuning): the reply goes on behind it, in the same turn.

The teacher is the family's worked solution, or the policy itself, which gets to see that. Feedback
is learned too, by the reply's advantage: see feedback_loss.py. The whole text is judged as one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan
from statistics import fmean
from typing import Any

from puzzlemill.difficulty.hints import solution_of, steps_of
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.policy import IMAGE, Policy, Question, Reply
from puzzlemill.difficulty.scoring import Judge, question_of
from puzzlemill.trainer.advantages import Credit
from puzzlemill.trainer.conversations import Attempt, Conversation
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.rethinking import may_go_on
from puzzlemill.trainer.settings.turns import Feedback

Row = Mapping[str, Any]

BEGUN, ENDED = "\n\nWait, let me check this against a solution.\n", "\n"
ASKED = (
    "A student was given this problem:\n\n{problem}\n\nThe student replied:\n\n{reply}\n\n"
    "This is a right solution:\n{solution}\n\nTell the student in a few sentences what is wrong"
    " and how to come to the answer. Do not write <answer>."
)


def share_at(settings: Feedback, step: int) -> float:
    """Of each group: it falls in a line to the least."""
    if not settings.fall:
        return settings.share
    done = min(step / settings.fall, 1.0)
    return settings.share + done * (settings.least - settings.share)


def with_feedback(
    policy: Policy,
    rows: Sequence[Row],
    groups: Sequence[Sequence[Conversation]],
    purpose: str,
    judge: Judge,
    settings: Feedback,
    step: int,
) -> list[list[Conversation]]:
    """The conversations, a share of each group with feedback and what the policy makes of it."""
    share = share_at(settings, step)
    chosen = [
        (place, at)
        for place, (row, group) in enumerate(zip(rows, groups, strict=True))
        for at in _places(row, group, share)
    ]
    texts = _texts(policy, rows, groups, chosen, purpose, settings)
    changed = [[*group] for group in groups]
    questions: dict[tuple[int, int], Question] = {}  # by row, and place in its group
    for (place, at), text in texts.items():
        turn = {"role": "assistant", "content": groups[place][at].last.text + text}
        before = {**rows[place], "prompt": (*groups[place][at].attempts[0].messages, turn)}
        question = question_of(before, f"{purpose} feedback {at}")
        if policy.takes(question):
            questions[place, at] = question
    if not questions:
        return changed
    replies = [reply for (reply,) in policy.sample([*questions.values()], 1)]
    for (place, at), reply in zip(questions, replies, strict=True):
        first, *_ = groups[place][at].attempts
        begun = {"role": "assistant", "content": first.reply.text}
        attempts = (
            first,
            Attempt((*first.messages, begun), Reply(texts[place, at]), teacher=True),
            Attempt(questions[place, at].messages, reply),
        )
        changed[place][at] = replace(groups[place][at], attempts=attempts)
    verdicts = judge(
        [rows[place] for place, _ in questions],
        [changed[place][at].text for place, at in questions],
    )
    for (place, at), verdict in zip(questions, verdicts, strict=True):
        changed[place][at] = replace(changed[place][at], verdict=verdict)
    return changed


def _places(row: Row, group: Sequence[Conversation], share: float) -> list[int]:
    """In a group, finished replies: wrong ones first."""
    if not share or not steps_of(row):
        return []
    finished = [at for at, each in enumerate(group) if may_go_on(each)]
    finished.sort(key=lambda at: group[at].verdict.correct)
    return sorted(finished[: round(share * len(group))])


def _texts(
    policy: Policy,
    rows: Sequence[Row],
    groups: Sequence[Sequence[Conversation]],
    chosen: Sequence[tuple[int, int]],
    purpose: str,
    settings: Feedback,
) -> dict[tuple[int, int], str]:
    """The feedback on each reply, by row and place in its group."""
    if settings.teacher == "solution":
        return {
            (place, at): BEGUN + "\n".join(steps_of(rows[place])) + ENDED for place, at in chosen
        }
    questions: dict[tuple[int, int], Question] = {}
    for place, at in chosen:
        row, reply = rows[place], groups[place][at].last.text
        *others, last = row["prompt"]
        asked = ASKED.format(problem=last["content"], reply=reply, solution=solution_of(row))
        again = {**row, "prompt": (*others, {**last, "content": asked})}
        question = question_of(again, f"{purpose} teacher {at}")
        if policy.takes(question):
            questions[place, at] = question
    replies = policy.sample([*questions.values()], 1) if questions else []
    return {
        place: f"\n\n{reply.text}{ENDED}"
        for place, (reply,) in zip(questions, replies, strict=True)
        if reply.text.strip() and IMAGE not in reply.text
    }


def feedback_sample(
    policy: LocalPolicy, prompt: tuple[int, ...], text: str, credit: Credit
) -> Sample:
    """Feedback to learn, behind what it is about: by the advantage of the reply, its mean if it
    differs from token to token."""
    tokens = tuple(policy.tokens.continuation(text))
    advantage = fmean(credit) if isinstance(credit, tuple) else credit
    unknown = (nan,) * len(tokens)
    return Sample(prompt, tokens, unknown, advantage, source="teacher", loss="feedback")


def share_with_feedback(groups: Sequence[Sequence[Conversation]]) -> dict[str, float]:
    """Of conversations, by name, if there are any."""
    with_it = [each.has_feedback for group in groups for each in group]
    return {"with feedback": sum(with_it) / len(with_it)} if any(with_it) else {}
