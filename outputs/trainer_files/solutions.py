"""Worked solutions: a whole one to imitate, or its beginning as a hint. Run in worker processes."""

from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.address import Address, rng
from puzzlemill.core.guard import Failure, guarded
from puzzlemill.core.item import worked
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.verdict import check
from puzzlemill.difficulty.hints import NO_STEPS, hinted, steps_of
from puzzlemill.difficulty.misreading import misread

ADDRESS = ("family", "version", "knobs", "split", "seed", "index")
SHARES = (0.75, 0.5, 0.25, 0.0)  # of the steps that a hint gives, in the order of training

MISREADINGS = 30  # that are tried of a puzzle
MISREAD = 0.3  # the share of its values that each reads wrongly
BACK = "No, I misread that. Once more:"

Row = dict[str, Any]


def with_solution(row: Row) -> Row | str:
    """The row with a worked reply, or why there is none."""
    family = registry.family(row["family"])
    if not family.steps:
        return NO_STEPS
    reply = worked(family, thaw(family.puzzle, row["puzzle"]), row["answer"])
    if not check(row, reply).correct:
        return "its worked solution does not pass the verifier"
    return row | {"reply": reply}


def with_backtrack(row: Row) -> Row | str:
    """The row with a worked reply that goes astray once, notices and goes back; or why not."""
    solved = with_solution(row)
    if isinstance(solved, str):
        return solved
    family, lines = registry.family(row["family"]), steps_of(row)
    address = Address(*(row[name] for name in ADDRESS))
    source = rng(address, "backtracking")
    puzzle = thaw(family.puzzle, row["puzzle"])
    for _ in range(MISREADINGS):
        assert family.steps
        misunderstood = misread(puzzle, MISREAD, source, family.inputs)
        astray = guarded(family.steps, misunderstood)
        if isinstance(astray, Failure):  # it is no puzzle
            continue
        pairs = enumerate(zip(lines, astray, strict=False))
        start = next((place for place, (right, wrong) in pairs if right != wrong), len(lines))
        wrong = astray[start : start + source.randint(1, 2)]
        if wrong and lines[start:] and not set(wrong) & set(lines):
            reply = "\n".join([*lines[:start], *wrong, BACK, *lines[start:], _end(solved["reply"])])
            if check(row, reply).correct:
                return row | {"reply": reply}
    return "no slip can be made in its steps"


def _end(reply: str) -> str:
    return reply[reply.rindex("<answer>") :]


def with_hint(row: Row) -> Row | str:
    """The row with the first steps of its solution in the prompt, or why it is left out."""
    share, total = row["hint_share"], len(steps_of(row))
    if not total:
        return NO_STEPS
    if not share:
        return row
    count = int(share * total)
    if count == int((share - 0.25) * total):
        return "a smaller share of its few steps is as many"
    hinted_row = hinted(row, share)
    if isinstance(hinted_row, str):
        return hinted_row
    return hinted_row | {"uid": f"{row['uid']}+{count}of{total}"}
