"""Brackets trace: a parser's record of its stack, some lines of which are wrong; which ones?

A line is right or wrong by the string alone, whatever the other lines say. `solve` keeps the stack
itself; `verify` deletes neighbouring pairs from what was read so far, and compares what is left.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators.languages._brackets import KINDS, PARTNER, canonical, reduced


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # of the string
    kinds: int  # of brackets
    faults: int  # at most
    lasting: int  # lines that a fault is carried on for, at most


@dataclass(frozen=True, slots=True)
class Record:
    text: str
    stacks: tuple[str, ...]  # as the lines have them


def generate(rng: Random, knobs: Knobs) -> Record | None:
    kinds, text, stack, true = rng.sample(KINDS, knobs.kinds), "", "", []
    while len(text) < knobs.length:
        if stack and rng.random() < 0.5:
            text, stack = text + PARTNER[stack[-1]], stack[:-1]
        else:
            opened = rng.choice(kinds)[0]
            text, stack = text + opened, stack + opened
        true.append(stack)
    stacks = list(true)
    for _ in range(rng.randint(0 if rng.random() < 0.1 else 1, knobs.faults)):
        place = rng.randrange(len(text))
        last = min(place + rng.randint(1, knobs.lasting), len(text))
        wrong = _spoilt(rng, true[place], kinds)
        for at in range(place, last):
            if at > place:  # carried on from the line before
                wrong = wrong + text[at] if text[at] in PARTNER else wrong[:-1]
            stacks[at] = wrong
    return Record(text, tuple(stacks))


def _spoilt(rng: Random, stack: str, kinds: list[str]) -> str:
    """A stack with one thing wrong with it."""
    found = [stack + kind[0] for kind in kinds]
    found += [stack[:-1] + kind[0] for kind in kinds if stack]
    found += [stack[:-2] + stack[-1] + stack[-2] if len(stack) > 1 else stack, stack[:-1]]
    found += [stack[1:]]
    return rng.choice([each for each in found if each != stack])


def solve(record: Record) -> tuple[int, ...]:
    stack, wrong = [], []
    for number, (sign, stated) in enumerate(zip(record.text, record.stacks), 1):
        if sign in PARTNER:
            stack.append(sign)
        else:
            stack.pop()
        if stated != "".join(stack):
            wrong.append(number)
    return tuple(wrong)


def verify(record: Record, said: tuple[int, ...]) -> float:
    lines = range(1, len(record.text) + 1)
    return float(
        all(number in lines for number in said)
        and all(
            (reduced(record.text[:number]) != record.stacks[number - 1]) == (number in said)
            for number in lines
        )
    )


def render(record: Record, style: Style) -> Prompt:
    kinds = " ".join(kind for kind in KINDS if kind[0] in record.text)
    lines = "\n".join(
        f"{number}. {sign} -> {' '.join(stack) or 'empty'}"
        for number, (sign, stack) in enumerate(zip(record.text, record.stacks), 1)
    )
    rule = (
        f"Reading the string from the left, an opening bracket is pushed on a stack, and a closing"
        f" one takes its partner (the pairs are {kinds}) from the top of the stack. The record has"
        " a line for each bracket of the string: the bracket, and the stack after it, with its top"
        " at the right."
    )
    meant = (
        "A line is wrong if it does not show the stack as it really is after reading the string up"
        " to there; what the other lines show does not matter."
    )
    return Prompt(
        style.pick(
            f"{rule}\n\nString: {record.text}\n\n{lines}\n\nWhich lines of the record are wrong?"
            f" {meant}",
            f"Somebody checked the brackets of {record.text} and wrote this down:\n\n{lines}\n\n"
            f"{rule} There may be mistakes in it. {meant} Find all wrong lines.",
            f"Here is a string of brackets: {record.text}\n\n{rule} {meant}\n\nThe record:\n\n"
            f"{lines}\n\nGive the numbers of the lines that are wrong.",
        ),
        form="the numbers of the wrong lines, separated by commas, or none",
    )


def steps(record: Record) -> list[str]:
    """The true stack after each line, and how it compares."""
    wrong = solve(record)
    return [
        f"{number}: {' '.join(reduced(record.text[:number])) or 'empty'}, "
        f"{'wrong' if number in wrong else 'as written'}"
        for number in range(1, len(record.text) + 1)
    ]


def progress(record: Record, lines: Lines) -> float:
    return states_followed(FAMILY, record, lines)


def canon(record: Record) -> list[list[int]]:
    return canonical((record.text, *record.stacks))


def hardness(record: Record) -> int:
    """Brackets to compare."""
    return sum(len(stack) + 1 for stack in record.stacks)


LADDER = (
    Knobs(7, 2, 1, 1),
    Knobs(12, 3, 2, 1),
    Knobs(20, 3, 3, 2),
    Knobs(34, 4, 4, 3),
    Knobs(60, 4, 6, 4),
)
FAMILY = Family(
    Record,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntSet(empty=True, called=("line",)),
    hardness=hardness,
    proof="unique",
    solver="a stack, line by line",
    guess_rate=0.2,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("tracking", "checking"),
    peers=("SynLogic/dyck_language_reasoning_errors",),
    theme="brackets",
)
