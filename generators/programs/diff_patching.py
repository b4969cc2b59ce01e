"""Diff patching: patches are applied to the lines of a file, one after another, some of them in
reverse; which lines does it have in the end?

`solve` reads the patches and applies them to the lines. `verify` goes the other way: it undoes the
patches on the lines of the answer, the last one first, and compares what is left with the file.
"""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.doubts import CHANGES, HEDGES
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators._vocabulary import words

Listing: TypeAlias = tuple[str, ...]
Notation = Literal["unified", "normal"]
# Where a patch changes the old lines (from, to; counted from 0), what goes and what comes.
Hunk: TypeAlias = tuple[int, Listing, Listing]

NOTATIONS: tuple[Notation, ...] = ("unified", "normal")
LONGEST = 6  # letters of a word
_UNIFIED = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NORMAL = re.compile(r"(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?")


@dataclass(frozen=True, slots=True)
class Knobs:
    lines: int  # of the file at the start
    patches: int  # one after another
    edits: int  # of a patch
    words: int  # of which the lines are made: few, and the lines look alike
    reversed: float  # share of patches that are applied in reverse
    notations: int  # of patches that may occur


@dataclass(frozen=True, slots=True)
class Patches:
    lines: Listing  # at the start
    texts: tuple[str, ...]  # of the patches
    notations: tuple[Notation, ...]
    reversed: tuple[bool, ...]


def generate(rng: Random, knobs: Knobs) -> Patches | None:
    pool = rng.sample(_names(), knobs.words)
    start = tuple(rng.choice(pool) for _ in range(knobs.lines))
    now, texts, notations, turned = start, [], [], []
    for _ in range(knobs.patches):
        after = _edited(rng, now, pool, knobs.edits)
        if after == now or len(after) < 2:
            return None
        back = rng.random() < knobs.reversed
        notation = rng.choice(NOTATIONS[: knobs.notations])
        texts.append(
            _difference(notation, after, now) if back else _difference(notation, now, after)
        )
        notations.append(notation)
        turned.append(back)
        now = after
    return None if now == start else Patches(start, tuple(texts), tuple(notations), tuple(turned))


def solve(patches: Patches) -> Listing | None:
    found = [*_states(patches)]
    return found[-1] if len(found) > len(patches.texts) else None


def verify(patches: Patches, answer: Listing) -> float:
    """The patches undone."""
    now = [*answer]
    sides = zip(patches.texts, patches.notations, patches.reversed, strict=True)
    for text, notation, back in reversed([*sides]):
        shift = 0
        for old, new, gone, come in _places(text, notation):
            place, there, before = (old, gone, come) if back else (new, come, gone)
            # Hunks come in the order of lines: what was undone above has moved this one.
            at = place + shift
            if tuple(now[at : at + len(there)]) != there:
                return 0.0
            now[at : at + len(there)] = before
            shift += len(before) - len(there)
    return float(tuple(now) == patches.lines)


def render(patches: Patches, style: Style) -> Prompt:
    lines = "\n".join(patches.lines)
    count = len(patches.texts)
    told = []
    for number, (text, back) in enumerate(zip(patches.texts, patches.reversed, strict=True), 1):
        name = f"Patch {number}" if count > 1 else "The patch"
        told.append(f"{name}{', to be applied in reverse' if back else ''}:\n```\n{text}\n```")
    blocks, notes = "\n\n".join(told), _notes(patches)
    several = "these patches, one after another" if count > 1 else "this patch"
    question = style.pick(
        f"A file has one word on each line:\n```\n{lines}\n```\n\nApply {several}.\n\n{blocks}\n\n"
        f"{notes} Which lines does the file have in the end?",
        f"Work out what becomes of a file when {'patches are' if count > 1 else 'a patch is'}"
        f" applied to it{', one after another' if count > 1 else ''}. {notes}\n\nThe file, one word"
        f" a line:\n```\n{lines}\n```\n\n{blocks}",
        f"Here are the lines of a file, one word each.\n```\n{lines}\n```\n\nSomebody patches the"
        f" file with {several}.\n\n{blocks}\n\n{notes} Write down the lines that result.",
    )
    return Prompt(question, form="the words of all lines from first to last, separated by spaces")


def steps(patches: Patches) -> list[str]:
    return [
        f"After patch {number}, {' '.join(state)}"
        for number, state in enumerate(_states(patches))
        if number
    ]


def progress(patches: Patches, lines: Lines) -> float:
    return states_followed(FAMILY, patches, lines)


def canon(patches: Patches) -> list[object]:
    """The words are numbered as they come."""
    text = "\n".join([*patches.lines, *patches.texts])
    numbers = {
        word: str(at) for at, word in enumerate(dict.fromkeys(re.findall("[a-z]{3,}", text)))
    }
    return [re.sub("[a-z]{3,}", lambda word: numbers[word[0]], text), patches.reversed]


def hardness(patches: Patches) -> float:
    """Lines of all patches; those in reverse are read the other way round."""
    counts = (text.count("\n") + 1 for text in patches.texts)
    return len(patches.lines) + sum(
        count * (1.3 if back else 1) for count, back in zip(counts, patches.reversed, strict=True)
    )


@cache
def _names() -> list[str]:
    """Words for lines: none that doubts or changes an answer, as "not" and "twice" do."""
    return [word for word in words(3, LONGEST) if word not in HEDGES | CHANGES]


def _edited(rng: Random, lines: Listing, pool: list[str], edits: int) -> Listing:
    """Some lines changed, taken out, put in or doubled."""
    now = [*lines]
    for _ in range(edits):
        at = rng.randrange(len(now) + 1)
        match rng.randrange(4):
            case 0:
                now[at:at] = rng.choices(pool, k=rng.randint(1, 2))
            case 1 if len(now) > 4:
                del now[at : at + rng.randint(1, 2)]
            case 2 if at + 1 < len(now):
                now[at], now[at + 1] = now[at + 1], now[at]
            case _:
                now[at : at + 1] = [rng.choice(pool)]
    return tuple(now)


def _difference(notation: Notation, old: Listing, new: Listing) -> str:
    if notation == "unified":
        lines = difflib.unified_diff(old, new, lineterm="", n=1)
        return "\n".join([*lines][2:])  # without the names of files
    text = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            sign = {"replace": "c", "delete": "d", "insert": "a"}[tag]
            text.append(f"{_span(a, b)}{sign}{_span(c, d)}")
            text += [f"< {line}" for line in old[a:b]]
            text += ["---"] * (tag == "replace")
            text += [f"> {line}" for line in new[c:d]]
    return "\n".join(text)


def _span(start: int, end: int) -> str:
    """Lines counted from 1; of none, the line before."""
    return str(end) if end - start < 2 else f"{start + 1},{end}"


def _places(text: str, notation: Notation) -> Iterator[tuple[int, int, Listing, Listing]]:
    """Of each hunk where its lines begin in the old and in the new file, counted from 0; the lines
    that it has there, and those that it has in the new file."""
    lines = text.split("\n")
    heads = _UNIFIED if notation == "unified" else _NORMAL
    starts = [at for at, line in enumerate(lines) if heads.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        head, body = heads.match(lines[start]), lines[start + 1 : end]
        assert head
        if notation == "unified":
            old, new = (
                tuple(each[1:] for each in body if each[0] != "+"),
                tuple(each[1:] for each in body if each[0] != "-"),
            )
            first, second = int(head[1]), int(head[3])
        else:
            old = tuple(each[2:] for each in body if each[0] == "<")
            new = tuple(each[2:] for each in body if each[0] == ">")
            first, second = int(head[1]), int(head[4])
        # Where there are no lines, their number is that of the line before.
        yield first - bool(old), second - bool(new), old, new


def _states(patches: Patches) -> Iterator[Listing]:
    """The lines at the start and after each patch, as far as the patches fit."""
    now = patches.lines
    yield now
    for text, notation, back in zip(
        patches.texts, patches.notations, patches.reversed, strict=True
    ):
        result, read = list[str](), 0
        for old, new, gone, come in _places(text, notation):
            place, before, after = (new, come, gone) if back else (old, gone, come)
            result += now[read:place]
            if now[place : place + len(before)] != before or place < read:
                return
            result += after
            read = place + len(before)
        now = (*result, *now[read:])
        yield now


def _notes(patches: Patches) -> str:
    """What the marks of the notations that occur mean."""
    notes = []
    if "unified" in patches.notations:
        notes.append(
            'In a unified diff, "@@ -3,4 +3,5 @@" heads a passage of 4 lines from line 3 of the old'
            " file and of 5 lines from line 3 of the new one; a number of lines is left out if it"
            " is 1. Lines with - are in the old file only, those with + in the new one only, and"
            " the others in both."
        )
    if "normal" in patches.notations:
        notes.append(
            "In a normal diff, lines with < of the old file give way to lines with > of the new"
            ' one: "5,6c5" says that lines 5 and 6 of the old file become line 5 of the new one,'
            ' "7d6" that line 7 is deleted, and "8a8,9" that lines 8 and 9 of the new file are'
            " added after line 8 of the old one."
        )
    if any(patches.reversed):
        notes.append(
            "To apply a patch in reverse is to undo it: the file is at first what the patch calls"
            " the new file, and it becomes the old one."
        )
    if len(patches.texts) > 1:
        notes.append("Line numbers are those of the file as the earlier patches have left it.")
    return " ".join(notes)


LADDER = (
    Knobs(6, 1, 2, 12, 0.0, 1),
    Knobs(10, 1, 4, 10, 0.3, 2),
    Knobs(14, 2, 4, 9, 0.3, 2),
    Knobs(18, 3, 5, 8, 0.4, 2),
    Knobs(24, 5, 6, 6, 0.5, 2),
)
FAMILY = Family(
    Patches,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(),
    hardness=hardness,
    proof="unique",
    solver="patches applied from the first line to the last",
    guess_rate=0.02,
    steps=steps,
    progress=progress,
    canon=canon,
    known=lambda patches: sorted(
        {*patches.lines, *re.findall("[a-z]{3,}", " ".join(patches.texts))}
    ),
    skills=("execution", "editing", "reading"),
    peers=("reasoning-core/diff_patching", "reasoning-core/diff_prediction"),
    version=3,
)
