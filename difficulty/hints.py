"""Hints: the first lines of a worked solution in the prompt, and how many a policy needs."""

from collections.abc import Mapping, Sequence
from typing import Any

from puzzlemill.core.plain_data import thaw
from puzzlemill.core.registry import family
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.difficulty.scoring import (
    Judge,
    judge_groups,
    judge_in_workers,
    question_of,
    sample,
)

REPLIES = 4  # with each hint
TELLTALE = 6  # characters: a shorter answer may stand in a hint by chance
FORM = "\n\nAnswer with "  # where a prompt turns from the question to the answer's form

NO_STEPS = "its family tells no steps"

Row = Mapping[str, Any]


def steps_of(row: Row) -> list[str]:
    own = family(row["family"])
    return own.steps(thaw(own.puzzle, row["puzzle"])) if own.steps else []


def hinted(row: Row, share: float) -> dict[str, Any] | str:
    """The row with a share of its solution in the prompt, or why there is no such hint."""
    lines = steps_of(row)
    if not lines:
        return NO_STEPS
    hint = "\n".join(lines[: int(share * len(lines))])
    if not hint:
        return "it has too few steps"
    if _gives_away(hint, row["answer"]):
        return "its hint would tell the answer"
    return _inserted(row, f"A solution begins so:\n{hint}")


def explained(row: Row) -> dict[str, Any]:
    """The row with the gold answer in the prompt, to be explained (ExPO)."""
    return _inserted(
        row, f"The right answer is {row['answer']}. Show step by step how to come to it."
    )


def solved(row: Row) -> dict[str, Any]:
    """The row with a whole worked solution in the prompt, for a policy that teaches itself."""
    return _inserted(row, f"This is a right solution:\n{solution_of(row)}")


def solution_of(row: Row) -> str:
    """The family's steps, line by line, if it tells any, and the gold answer."""
    return "\n".join([*steps_of(row), f"The answer is {row['answer']}."])


def reworded(row: Row) -> dict[str, Any]:
    """The row with the whole worked solution in the prompt, to be told in the policy's own words
    (EGSR)."""
    solution = "\n".join([*steps_of(row), f"The answer is {row['answer']}."])
    return _inserted(
        row,
        f"Here is a correct solution:\n{solution}\n\nUnderstand it, and then solve the problem"
        " again from the beginning, step by step in your own words.",
    )


def _inserted(row: Row, text: str) -> dict[str, Any]:
    """The row with a text between the question and the answer's form."""
    *others, last = row["prompt"]
    question, separator, form = last["content"].rpartition(FORM)
    if not separator:
        question, form = last["content"], ""
    content = f"{question}\n\n{text}{separator}{form}"
    return {**row, "prompt": [*others, {**last, "content": content}]}


def _gives_away(hint: str, answer: str) -> bool:
    """Whether a hint holds the answer: a long one anywhere, a short one at its end."""
    before, held, _ = hint.rstrip(" .").rpartition(answer)
    ends = held and not before[-1:].isalnum() and hint.rstrip(" .").endswith(answer)
    return bool(held and len(answer) >= TELLTALE) or bool(ends)


def least_hints(
    rows: Sequence[Row],
    policy: Policy,
    shares: Sequence[float],
    judge: Judge = judge_in_workers,
) -> list[float | None]:
    """For each row the least of the shares with which the policy solves it; None if with none."""
    least: list[float | None] = [None] * len(rows)
    for share in sorted(shares):
        with_hint = {}
        for place, row in enumerate(rows):
            asked = hinted(row, share) if least[place] is None else "solved with less"
            if not isinstance(asked, str):
                with_hint[place] = asked
        questions = {n: question_of(row, f"hint {share}") for n, row in with_hint.items()}
        places = [place for place, question in questions.items() if policy.takes(question)]
        groups = sample(policy, [questions[place] for place in places], REPLIES)
        verdicts = judge_groups([with_hint[place] for place in places], groups, judge)
        for place, group in zip(places, verdicts, strict=True):
            if any(verdict.correct for verdict in group):
                least[place] = share
    return least
