"""Hints: the first lines of a worked solution behind the prompt, and how far they must go."""

from collections.abc import Mapping, Sequence
from typing import Any

from puzzlemill.core.plain_data import thaw
from puzzlemill.core.registry import family
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.difficulty.scoring import Judge, judge_groups, judge_in_workers, question_of

REPLIES = 4  # with each hint

Row = Mapping[str, Any]


def hinted(row: Row, share: float) -> dict[str, Any] | None:
    """The row with so much of the solution told; None where it has too few steps for that."""
    found = family(row["family"])
    steps = found.steps(thaw(found.puzzle, row["puzzle"])) if found.steps else []
    count = int(share * len(steps))
    if not 0 < count < len(steps):
        return None
    told = "\n".join(steps[:count])
    *before, last = row["prompt"]
    content = f"{last['content']}\n\nThe solution begins like this:\n\n{told}"
    return {**row, "prompt": [*before, {**last, "content": content}]}


def least_hints(
    rows: Sequence[Row],
    policy: Policy,
    shares: Sequence[float],
    judge: Judge = judge_in_workers,
) -> list[float | None]:
    """For each row the least share of the solution with which the policy succeeds, if any does."""
    found: list[float | None] = [None] * len(rows)
    for share in sorted(shares):
        asked = {
            place: told
            for place, row in enumerate(rows)
            if found[place] is None and (told := hinted(row, share)) is not None
        }
        questions = {n: question_of(row, f"hint {share}") for n, row in asked.items()}
        places = [place for place, question in questions.items() if policy.takes(question)]
        groups = policy.sample([questions[place] for place in places], REPLIES)
        verdicts = judge_groups([asked[place] for place in places], groups, judge)
        for place, group in zip(places, verdicts, strict=True):
            if any(verdict.correct for verdict in group):
                found[place] = share
    return found
