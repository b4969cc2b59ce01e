"""Brackets error: where does each of several strings of brackets first go wrong?

Several strings are asked about at once, so that the places cannot be guessed. `solve` keeps a
stack; `verify` deletes neighbouring pairs until none is left: the first closing bracket that
remains is the first that is wrong.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.languages._brackets import KINDS, PARTNER, canonical

SLIPS = 20  # that are offered


@dataclass(frozen=True, slots=True)
class Knobs:
    strings: int  # to be checked
    length: int  # of a string, about
    kinds: int  # of brackets


@dataclass(frozen=True, slots=True)
class Strings:
    texts: tuple[str, ...]


def generate(rng: Random, knobs: Knobs) -> Strings | None:
    kinds = rng.sample(KINDS, knobs.kinds)
    texts = []
    for _ in range(knobs.strings):
        wanted = rng.choices(["sound", "short", "wrong"], [15, 15, 70])[0]
        text = _drawn(rng, kinds, knobs.length, wanted)
        if text is None:
            return None
        texts.append(text)
    return Strings(tuple(texts)) if len(set(texts)) == len(texts) else None


def solve(strings: Strings) -> tuple[int, ...]:
    return tuple(map(_first_fault, strings.texts))


def verify(strings: Strings, places: tuple[int, ...]) -> float:
    return float(places == tuple(map(_leftover, strings.texts)))


def render(strings: Strings, style: Style) -> Prompt:
    signs = "".join(strings.texts)
    named = " ".join(kind for kind in KINDS if kind[0] in signs or kind[1] in signs)
    texts = "\n".join(f"{number}. {text}" for number, text in enumerate(strings.texts, 1))
    return Prompt(
        style.pick(
            "In a balanced string every bracket has a partner of its kind, the pairs being"
            f" {named}, and what was"
            f" opened last is closed first. Read each of these strings from the left:\n\n{texts}\n"
            "\nAt which place does it first go wrong? A place goes wrong when its bracket closes"
            " something, but is not the partner of the last bracket that is still open, or nothing"
            " is open. Places are counted from 1. If the string is balanced, the answer for it is"
            " 0. If no place goes wrong, but something stays open at the end, it is the length of"
            " the string plus 1.",
            f"A parser reads brackets of the kinds {named}. It pushes every opening bracket on a"
            " stack. At a closing bracket, it pops the top of the stack; if the stack is empty, or"
            " what it pops is of another kind, it stops with an error at this position. It counts"
            " positions from 1. After the last bracket it reports 0 if the stack is empty, and"
            " otherwise an error at the position after the last one. What does it report for each"
            f" of these?\n\n{texts}",
            f"{texts}\n\nEach line above holds a string of brackets of the pairs {named}. Brackets"
            " should be"
            " nested: each closing bracket belongs to the last bracket that is open when it comes,"
            " and must be of the same kind. For each string, say at which bracket, counted from 1,"
            " this is broken for the first time. Say 0 for a string in which everything is closed"
            " properly, and the length of the string plus 1 for one that merely ends too soon.",
        ),
        form="one integer for each string, in order, separated by commas",
    )


def steps(strings: Strings) -> list[str]:
    lines = []
    for number, text in enumerate(strings.texts, 1):
        place = _first_fault(text)
        if place == 0:
            lines.append(f"string {number}: everything is closed, 0")
            continue
        opened = _open(text[: place - 1])
        last = f"last open is {opened[-1]}" if opened else "nothing is open"
        what = text[place - 1] if place <= len(text) else "the end"
        lines.append(f"string {number}: at place {place} comes {what}, and {last}")
    return lines


def slips(rng: Random, strings: Strings, gold: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """A closing bracket near the one at fault, or the end and no fault taken for one another, in
    one string after the other."""
    places = [*gold]
    for _ in range(SLIPS):
        at = rng.randrange(len(places))
        end = len(strings.texts[at]) + 1
        if places[at] in (0, end):
            places[at] = end - places[at]
        else:
            closing = [it for it, sign in enumerate(strings.texts[at], 1) if sign not in PARTNER]
            near = closing.index(places[at]) + rng.choice((-2, -1, 1, 2))
            places[at] = closing[min(max(near, 0), len(closing) - 1)]
        yield tuple(places)


def canon(strings: Strings) -> list[list[int]]:
    return canonical(strings.texts)


def hardness(strings: Strings) -> int:
    """The brackets to read until each fault."""
    return sum(_first_fault(text) or len(text) for text in strings.texts)


def _first_fault(text: str) -> int:
    stack: list[str] = []
    for place, sign in enumerate(text, 1):
        if sign in PARTNER:
            stack.append(PARTNER[sign])
        elif not stack or stack.pop() != sign:
            return place
    return len(text) + 1 if stack else 0


def _open(text: str) -> list[str]:
    stack: list[str] = []
    for sign in text:
        if sign in PARTNER:
            stack.append(sign)
        else:
            stack.pop()
    return stack


def _leftover(text: str) -> int:
    left = list(enumerate(text, 1))
    while True:
        for at in range(len(left) - 1):
            if left[at][1] + left[at + 1][1] in KINDS:
                del left[at : at + 2]
                break
        else:
            break
    if not left:
        return 0
    return next((place for place, sign in left if sign not in PARTNER), len(text) + 1)


def _drawn(rng: Random, kinds: list[str], length: int, wanted: str) -> str | None:
    for _ in range(40):
        text = _balanced(rng, kinds, rng.randint(length - length // 6, length + length // 6) // 2)
        if wanted != "sound":
            text = _damaged(rng, kinds, text)
        fault = _first_fault(text)
        if wanted == ("sound" if fault == 0 else "short" if fault > len(text) else "wrong"):
            return text
    return None


def _balanced(rng: Random, kinds: list[str], pairs: int) -> str:
    text, stack, left = "", list[str](), pairs
    while left or stack:
        if left and (not stack or rng.random() < 0.55):
            stack.append(rng.choice(kinds))
            text += stack[-1][0]
            left -= 1
        else:
            text += stack.pop()[1]
    return text


def _damaged(rng: Random, kinds: list[str], text: str) -> str:
    """One or two brackets left out, put in, exchanged or changed."""
    for _ in range(rng.randint(1, 2)):
        at = rng.randrange(len(text) - 1)
        match rng.randrange(4):
            case 0:
                text = text[:at] + text[at + 1 :]
            case 1:
                text = text[:at] + rng.choice("".join(kinds)) + text[at:]
            case 2:
                text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
            case _:
                side = 0 if text[at] in PARTNER else 1
                text = text[:at] + rng.choice(kinds)[side] + text[at + 1 :]
    return text


LADDER = (
    Knobs(3, 8, 2),
    Knobs(3, 18, 3),
    Knobs(4, 36, 3),
    Knobs(4, 64, 4),
    Knobs(5, 100, 4),
    Knobs(6, 160, 4),
)
FAMILY = Family(
    Strings,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="one integer for each string"),
    hardness=hardness,
    proof="unique",
    solver="a stack",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    slips=slips,
    skills=("tracking",),
    peers=("SynLogic/dyck_language_errors",),
    theme="brackets",
    slips_version=2,
)
