"""Proof of `Family.progress`: it rises along the right way, and pays nothing for other lines."""

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from random import Random
from statistics import fmean
from typing import Any, Protocol

from puzzlemill.core.family import AnyFamily
from puzzlemill.core.partial.answered import worked_lines

EARNED = 0.12  # what lines may earn on average that solve nothing, if not the guess rate
SECONDS = 5.0  # CPU time of all checks of one item, at most, on average
LINES = 100  # of an adversary
FEW = 12  # that are changed
TIMES = 50  # that lines are repeated
PADDING = ("Let me think step by step.", "First, look at the numbers.", "So it follows.", "Done.")
RUBBISH = (
    "", " ", "=", ":", "= =", "((((", "a = b = c", "row 0 column 0 = 9", "row 999 column 999 = 1",
    "star at (0, 0), (999, 999)", "9" * 400, "1/0", "\x00", "-> -> ->", "(a, a)", "none", "1, 1, 1",
    f"slide {'9' * 5000}", f"press {'9' * 5000}", f"red from {'9' * 5000} to 1: ", "\ud83d\ude00",
    "suppose", "U D L R U", "x" * 3000, "[[[[", "\\boxed{", "0", "impossible",
)  # fmt: skip

_STATED = re.compile(r"(?<=[^:])= ?([^\s:;,]+)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Case(Protocol):
    """What the proof needs to know of an item."""

    @property
    def uid(self) -> str: ...
    @property
    def prompt(self) -> str: ...
    @property
    def puzzle(self) -> Any: ...
    @property
    def answer(self) -> str: ...


def solution(family: AnyFamily, item: Case) -> tuple[list[str], list[str]]:
    """The lines of the worked solution, and those of the answer."""
    return list(worked_lines(family, item.puzzle)), item.answer.splitlines()


def rises_to_one(family: AnyFamily, item: Case) -> None:
    """From 0 for no lines to 1 for the solution, never falling; lines said again add nothing."""
    assert family.progress is not None
    start = time.process_time()
    steps, answer = solution(family, item)
    lines = [*steps, *answer]
    values = [family.progress(item.puzzle, lines[:count]) for count in range(len(lines) + 1)]
    assert values[0] == 0, f"progress without a line: {values[0]}"
    assert values[-1] == 1, f"the solution has the progress {values[-1]}: {lines}"
    falls = [line for line, (one, other) in zip(lines, pairwise(values)) if other < one]
    assert not falls, f"progress falls at {falls[0]!r} of {lines}"
    alone = family.progress(item.puzzle, answer)
    assert alone == 1, f"the answer alone has the progress {alone}: {answer}"
    for count in {1, len(steps) // 2, len(steps)} - {0} if steps else ():
        said = [line for line in (lines[0], lines[count - 1]) if line not in lines[count:]]
        again = [*lines[:count], *said]
        assert family.progress(item.puzzle, again) <= values[count], f"{again} adds by repeating"
    for odd in (*RUBBISH, "\n".join(RUBBISH)):
        value = family.progress(item.puzzle, [*lines[:1], *odd.split("\n")])
        assert 0 <= value <= 1, f"progress {value} after {odd!r}"
    assert family.progress(item.puzzle, tuple(lines)) == 1, "not a function of the lines"
    seconds = time.process_time() - start
    assert seconds < SECONDS, f"progress of one item takes {seconds:.1f} CPU seconds"


def adversaries(family: AnyFamily, item: Case, other: Case) -> Iterator[tuple[str, list[str]]]:
    """Lines that solve nothing, by name."""
    prompt = item.prompt.splitlines()
    yield "the prompt", prompt
    yield "the prompt, each line repeated", [line for line in prompt for _ in range(TIMES)]
    yield "padding", [*PADDING * TIMES]
    steps, answer = solution(family, item)
    lines = [*steps, *answer]
    yield "every value in each line", list(islice(_enumerated(family, item, lines), LINES))
    yield "guesses", _guesses(family, item)
    yield "one sign everywhere", _uniform(answer)
    if other.answer != item.answer:
        theirs, said = solution(family, other)
        yield "another's solution", [*theirs, *said]
        repeated = [line for line in (*theirs, *said) for _ in range(TIMES)]
        yield "another's solution, each line repeated", repeated[:LINES]
    yield "changed numbers", list(_changed(family, item, lines[:FEW]))


def pays_for_nothing_else(family: AnyFamily, items: Sequence[Case]) -> None:
    """On average over items, an adversary gets no farther than a guess."""
    assert family.progress is not None
    earned: dict[str, list[float]] = {}
    for item, other in zip(items, [*items[1:], items[0]], strict=True):
        for name, lines in adversaries(family, item, other):
            half = lines[: len(lines) // 2]
            earned.setdefault(f"half of {name}", []).append(family.progress(item.puzzle, half))
            earned.setdefault(name, []).append(family.progress(item.puzzle, lines))
    bound = max(family.guess_rate, EARNED)
    for name, values in earned.items():
        assert fmean(values) <= bound, f"{name} has the progress {fmean(values):.2f} on average"


def _enumerated(family: AnyFamily, item: Case, lines: Sequence[str]) -> Iterator[str]:
    """Each line with every value in place of one that counts, the right one among them."""
    stated = {line: each[-1] for line in lines if (each := list(_STATED.finditer(line)))}
    words = {each[1] for each in stated.values() if not _NUMBER.fullmatch(each[1])}
    for at, line in enumerate(lines):
        numbers = [number.span() for number in _NUMBER.finditer(line)][:-4:-1]
        for start, end in [stated[line].span(1)] if line in stated else numbers:
            changed = f"{line[:start]}{_other(line[start:end], words)}{line[end:]}"
            if _counts(family, item, lines[:at], line, changed):
                for other in sorted({*map(str, range(10)), *words, line[start:end]}):
                    yield line[:start] + other + line[end:]
                break


def _changed(family: AnyFamily, item: Case, lines: Sequence[str]) -> Iterator[str]:
    """Each line with all of its numbers changed, where that counts."""
    for at, line in enumerate(lines):
        changed = _NUMBER.sub(lambda number: _other(number[0]), line)
        if changed != line and _counts(family, item, lines[:at], line, changed):
            yield changed


def _counts(family: AnyFamily, item: Case, before: Sequence[str], line: str, changed: str) -> bool:
    """Whether a line adds to those before it, and adds less where it is changed."""
    assert family.progress is not None
    added = family.progress(item.puzzle, [*before, line])
    return added > family.progress(item.puzzle, [*before, changed]) and added > family.progress(
        item.puzzle, before
    )


def _other(value: str, words: Iterable[str] = ()) -> str:
    """Another word, or the number with another last digit."""
    if not _NUMBER.fullmatch(value):
        return min((word for word in words if word != value), default=f"{value}x")
    return f"{value[:-1]}{(int(value[-1]) + 1) % 10}"


def _uniform(answer: Sequence[str]) -> list[str]:
    """Rows of the answer's commonest sign, as many and as long."""
    rows = [line.split() if " " in line else list(line) for line in answer]
    between = " " if " " in answer[0] else ""
    ((sign, _),) = Counter(sign for row in rows for sign in row).most_common(1)
    return [between.join([sign] * len(row)) for row in rows] if len(rows) > 1 else []


def _guesses(family: AnyFamily, item: Case) -> list[str]:
    source = Random(item.uid)
    kind = family.kind(item.puzzle)
    right = kind.read(item.answer)
    guesses = [kind.guess(right, source) for _ in range(12)]
    return [line for guess in guesses if guess != right for line in kind.write(guess).splitlines()]
