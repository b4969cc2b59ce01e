"""Worked solutions: a whole one to imitate, or its beginning as a hint. Run in worker processes."""

from math import floor
from typing import Any

from puzzlemill.core.checking import check
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.registry import family

RATIOS = (0.75, 0.5, 0.25, 0.0)  # of the steps that a hint tells, in the order of training
TELLING = 6  # characters of an answer that cannot stand in a hint by chance
ENDING = "\n\nAnswer with "  # where a prompt turns from the question to the answer's form

Row = dict[str, Any]

NO_STEPS = "its family tells no steps"


def traced(row: Row) -> Row | str:
    """The row with a worked reply, or why there is none."""
    lines = steps_of(row)
    if not lines:
        return NO_STEPS
    reply = "\n".join([*lines, f"<answer>{row['answer']}</answer>"])
    if not check(row, reply).correct:
        return "its worked solution does not pass the verifier"
    return row | {"reply": reply}


def hinted(row: Row) -> Row | str:
    """The row with the first steps of its solution in the prompt, or why it is left out."""
    lines = steps_of(row)
    if not lines:
        return NO_STEPS
    count = floor(row["hint"] * len(lines))
    if row["hint"] and count == floor((row["hint"] - 0.25) * len(lines)):
        return "a smaller share of its few steps is as many"
    told = "\n".join(lines[:count])
    if _tells(told, row["answer"]):
        return "its hint would tell the answer"
    if not count:
        return row
    *others, last = row["prompt"]
    question, ending, form = last["content"].rpartition(ENDING)
    if not ending:
        question, form = last["content"], ""
    content = f"{question}\n\nA solution begins so:\n{told}{ending}{form}"
    uid = f"{row['uid']}+{count}of{len(lines)}"
    return row | {"uid": uid, "prompt": [*others, last | {"content": content}]}


def _tells(told: str, answer: str) -> bool:
    """Whether the steps come to the answer: say a long one anywhere, or any at their end."""
    before, found, _ = told.rstrip(" .").rpartition(answer)
    ends = found and not before[-1:].isalnum() and told.rstrip(" .").endswith(answer)
    return bool(found and len(answer) >= TELLING) or bool(ends)


def steps_of(row: Row) -> list[str]:
    found = family(row["family"])
    return found.steps(thaw(found.puzzle, row["puzzle"])) if found.steps else []
