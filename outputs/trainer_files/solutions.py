"""Worked solutions: a whole one to imitate, or its beginning as a hint. Run in worker processes."""

from typing import Any

from puzzlemill.core.address import Address, rng
from puzzlemill.core.guard import Failure, guarded
from puzzlemill.core.item import worked
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.registry import family
from puzzlemill.core.verdict import check
from puzzlemill.difficulty.hints import NO_STEPS, hinted, steps_of
from puzzlemill.difficulty.misreading import misread

ADDRESS = ("family", "version", "knobs", "split", "seed", "index")
SHARES = (0.75, 0.5, 0.25, 0.0)  # of the steps that a hint tells, in the order of training

MISREADINGS = 30  # that are tried of a puzzle
MISREAD = 0.3  # the share of its values that each reads wrongly
BACK = "No, I misread that. Once more:"

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


def retraced(row: Row) -> Row | str:
    """The row with a worked reply that goes astray once, notices and goes back; or why not."""
    made = traced(row)
    if isinstance(made, str):
        return made
    found, lines = family(row["family"]), steps_of(row)
    address = Address(*(row[name] for name in ADDRESS))
    source = rng(address, "backtracking")
    puzzle = thaw(found.puzzle, row["puzzle"])
    for _ in range(MISREADINGS):
        assert found.steps
        misunderstood = misread(puzzle, MISREAD, source, found.inputs)
        astray = guarded(found.steps, misunderstood)
        if isinstance(astray, Failure):  # it is no puzzle
            continue
        pairs = enumerate(zip(lines, astray, strict=False))
        at = next((place for place, (right, wrong) in pairs if right != wrong), len(lines))
        wrong = astray[at : at + source.randint(1, 2)]
        if wrong and lines[at:] and not set(wrong) & set(lines):
            reply = "\n".join([*lines[:at], *wrong, BACK, *lines[at:], _end(made["reply"])])
            if check(row, reply).correct:
                return row | {"reply": reply}
    return "no slip can be made in its steps"


def _end(reply: str) -> str:
    return reply[reply.rindex("<answer>") :]


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
