"""The value of a step by critiques: the share of a reply's steps that no vote has called wrong yet.

A policy reads the problem and the numbered lines of the reply, and lists the wrong ones (CAPO). A
line is wrong where enough of its critiques say so. The value begins at 1.
"""

import re
from collections.abc import Sequence

from puzzlemill.core.progress import lines_of
from puzzlemill.core.replies import answer_text
from puzzlemill.difficulty.policies.policy import Policy, Question
from puzzlemill.difficulty.scoring import question_of
from puzzlemill.trainer.settings.rewards import Process
from puzzlemill.trainer.step_values.lines import LinedReply

ASKED = (
    "Check this solution line by line.\n\nProblem:\n{problem}\n\nSolution:\n{lines}\n\nWhich lines"
    ' are wrong? List their numbers, separated by commas, or "none", between <answer> and'
    " </answer>."
)
_LISTED = re.compile(r"\s*(?:none|\d{1,4}(?:\s*,\s*\d{1,4})*)\s*\.?\s*", re.IGNORECASE)


def critique_values(
    policy: Policy, replies: Sequence[LinedReply], purpose: str, settings: Process
) -> list[list[float]]:
    """Of each reply: 1 before its first step, and less after each wrong one. None of a reply that
    the policy does not take, or of which no critique can be read."""
    questions = [_question(each, purpose) for each in replies]
    places = [place for place, question in enumerate(questions) if policy.takes(question)]
    groups = policy.sample([questions[place] for place in places], settings.samples)
    found: list[list[float]] = [[] for _ in replies]
    for place, group in zip(places, groups, strict=True):
        critiques = [wrong_lines(reply.text) for reply in group if not reply.error]
        read = [each for each in critiques if each is not None]
        if read:
            found[place] = values(wrong_by_votes(read, len(replies[place].ends), settings.votes))
    return found


def wrong_lines(critique: str) -> frozenset[int] | None:
    """The numbers that a critique lists; None where it lists nothing that can be read."""
    text = answer_text(critique)
    if text is None or not _LISTED.fullmatch(text):
        return None
    return frozenset(map(int, re.findall(r"\d+", text)))


def wrong_by_votes(critiques: Sequence[frozenset[int]], lines: int, share: float) -> list[bool]:
    """Of each line: whether so large a share of the critiques calls it wrong."""
    needed = share * len(critiques)
    return [sum(line in each for each in critiques) >= needed for line in range(1, lines + 1)]


def values(wrong: Sequence[bool]) -> list[float]:
    """The share of all lines that are not wrong yet: before the first line, and after each."""
    found = [1.0]
    for number in range(1, len(wrong) + 1):
        found.append(1 - sum(wrong[:number]) / len(wrong))
    return found


def _question(reply: LinedReply, purpose: str) -> Question:
    said = [line for _, line in lines_of(reply.reply.text)]
    lines = "\n".join(f"{number}. {line}" for number, line in enumerate(said, start=1))
    problem = reply.row["prompt"][-1]["content"]
    asked = question_of(reply.row, f"{purpose} critique {reply.place[1]}")
    content = ASKED.format(problem=problem, lines=lines)
    return Question(({"role": "user", "content": content},), asked.seed, asked.images)
