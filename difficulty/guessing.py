"""What a policy solves without reasoning: by a guess, or because the answer shows."""

from collections.abc import Mapping, Sequence
from typing import Any

from puzzlemill.difficulty.policies.policy import Policy, Reply
from puzzlemill.difficulty.scoring import (
    Judge,
    given,
    judge_groups,
    judge_in_workers,
    question_of,
    sampled,
)

AT_ONCE = "Do not reason. Write the answer at once, and nothing else."
ROOM = 40  # characters that a reply may hold besides its answer and still be one without reasoning


def guesses(
    rows: Sequence[Mapping[str, Any]],
    policy: Policy,
    replies: int,
    judge: Judge = judge_in_workers,
) -> list[tuple[int, int]]:
    """Of so many replies to each row, how many there were, and are right without reasoning."""
    asked = [{**row, "prompt": _at_once(row["prompt"])} for row in rows]
    groups = sampled(policy, [question_of(row, "guess") for row in asked], replies)
    verdicts = judge_groups(rows, groups, judge)
    return [
        (
            given(group),
            sum(
                verdict.correct and _is_bare(reply)
                for verdict, reply in zip(judged, group, strict=True)
            ),
        )
        for judged, group in zip(verdicts, groups, strict=True)
    ]


def _at_once(prompt: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    *before, last = prompt
    return [*map(dict, before), {**last, "content": f"{last['content']}\n\n{AT_ONCE}"}]


def _is_bare(reply: Reply) -> bool:
    """Whether there is nothing to speak of before the answer."""
    return len(reply.text.partition("<answer>")[0].strip()) <= ROOM
