"""Hints: the first lines of a worked solution in the prompt, and how far they must go."""

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
    sampled,
)

REPLIES = 4  # with each hint
TELLING = 6  # characters of an answer that cannot stand in a hint by chance
ENDING = "\n\nAnswer with "  # where a prompt turns from the question to the answer's form

NO_STEPS = "its family tells no steps"

Row = Mapping[str, Any]


def steps_of(row: Row) -> list[str]:
    found = family(row["family"])
    return found.steps(thaw(found.puzzle, row["puzzle"])) if found.steps else []


def hinted(row: Row, share: float) -> dict[str, Any] | str:
    """The row with so much of its solution told in the prompt, or why that cannot be."""
    lines = steps_of(row)
    if not lines:
        return NO_STEPS
    told = "\n".join(lines[: int(share * len(lines))])
    if not told:
        return "it has too few steps"
    if _tells(told, row["answer"]):
        return "its hint would tell the answer"
    return _with(row, f"A solution begins so:\n{told}")


def explained(row: Row) -> dict[str, Any]:
    """The row with its answer told, which is to be explained (ExPO)."""
    return _with(row, f"The right answer is {row['answer']}. Show step by step how to come to it.")


def _with(row: Row, told: str) -> dict[str, Any]:
    """The row with something told between the question and the answer's form."""
    *others, last = row["prompt"]
    question, ending, form = last["content"].rpartition(ENDING)
    if not ending:
        question, form = last["content"], ""
    content = f"{question}\n\n{told}{ending}{form}"
    return {**row, "prompt": [*others, {**last, "content": content}]}


def _tells(told: str, answer: str) -> bool:
    """Whether the steps come to the answer: say a long one anywhere, or any at their end."""
    before, found, _ = told.rstrip(" .").rpartition(answer)
    ends = found and not before[-1:].isalnum() and told.rstrip(" .").endswith(answer)
    return bool(found and len(answer) >= TELLING) or bool(ends)


def least_hints(
    rows: Sequence[Row],
    policy: Policy,
    shares: Sequence[float],
    judge: Judge = judge_in_workers,
) -> list[float | None]:
    """For each row the least share of the solution with which the policy succeeds, if any does."""
    found: list[float | None] = [None] * len(rows)
    for share in sorted(shares):
        asked = {}
        for place, row in enumerate(rows):
            told = hinted(row, share) if found[place] is None else ""
            if not isinstance(told, str):
                asked[place] = told
        questions = {n: question_of(row, f"hint {share}") for n, row in asked.items()}
        places = [place for place, question in questions.items() if policy.takes(question)]
        groups = sampled(policy, [questions[place] for place in places], REPLIES)
        verdicts = judge_groups([asked[place] for place in places], groups, judge)
        for place, group in zip(places, verdicts, strict=True):
            if any(verdict.correct for verdict in group):
                found[place] = share
    return found
