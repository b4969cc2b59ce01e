"""Bullets and numbers before the lines of a list."""

import re

_BULLET = re.compile("([-*\u2022\u2023\u25e6\u25aa]) (?=[^ ])")
_NUMBER = re.compile(
    r"(?:(?:step|move|item|row|line|no\.?) |r|#)?"
    r"(?:\(([0-9]{1,4})\) ?|([0-9]{1,4})(?:[.)] |: ?))(?=[^ ])",
    re.IGNORECASE,
)


def unmarked(lines: list[str]) -> list[str]:
    """The lines without their bullets, or the numbers that count them from 0 or 1."""
    if len(lines) > 1:
        bullets = [_BULLET.match(line) for line in lines]
        if len({found and found[1] for found in bullets}) == 1 and bullets[0]:
            return [line[2:] for line in lines]
        numbers = [_NUMBER.match(line) for line in lines]
        counted = [int(found[1] or found[2]) for found in numbers if found]
        if counted in (list(range(len(lines))), list(range(1, len(lines) + 1))):
            return [line[found.end() :] for line, found in zip(lines, numbers) if found]
    return lines
