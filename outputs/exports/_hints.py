"""Worked solutions: a whole one to imitate, or its beginning as a hint. Run in worker processes."""

from typing import Any

from puzzlemill.core.checking import check
from puzzlemill.core.item import worked
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.registry import family
from puzzlemill.difficulty.hints import NO_STEPS, hinted, steps_of

SHARES = (0.75, 0.5, 0.25, 0.0)  # of the steps that a hint tells, in the order of training

Row = dict[str, Any]


def traced(row: Row) -> Row | str:
    """The row with a worked reply, or why there is none."""
    found = family(row["family"])
    if not found.steps:
        return NO_STEPS
    reply = worked(found, thaw(found.puzzle, row["puzzle"]), row["answer"])
    if not check(row, reply).correct:
        return "its worked solution does not pass the verifier"
    return row | {"reply": reply}


def begun(row: Row) -> Row | str:
    """The row with the first steps of its solution in the prompt, or why it is left out."""
    share, all_of_them = row["told"], len(steps_of(row))
    if not all_of_them:
        return NO_STEPS
    if not share:
        return row
    count = int(share * all_of_them)
    if count == int((share - 0.25) * all_of_them):
        return "a smaller share of its few steps is as many"
    found = hinted(row, share)
    if isinstance(found, str):
        return found
    return found | {"uid": f"{row['uid']}+{count}of{all_of_them}"}
