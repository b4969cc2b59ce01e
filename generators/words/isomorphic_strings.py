"""Isomorphic strings: replace letters by letters so that some strings become others.

The same letter always becomes the same letter, and different letters become different ones. Where
the new strings are given in another order, it must be found out which came from which. `generate`
replaces the letters, and spoils a string where it is to be impossible; `solve` tries partners for
the strings, and proves that one replacement works, or none; `verify` carries an answer out, and
finds impossibility by trying the letters, not the strings, one after another.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.relatives import outline
from puzzlemill.generators.strings._letters import CONSONANTS, drawn, renamed

Pairs: TypeAlias = tuple[tuple[str, str], ...]
Answer: TypeAlias = Pairs | Impossible


SLIPS = 20  # that are offered


@dataclass(frozen=True, slots=True)
class Knobs:
    strings: int  # to be replaced
    length: int  # of a string
    letters: int  # different ones
    shuffled: bool  # whether the new strings are in another order
    impossible: float  # share of puzzles without a solution


@dataclass(frozen=True, slots=True)
class Code:
    old: tuple[str, ...]
    new: tuple[str, ...]
    shuffled: bool


def generate(rng: Random, knobs: Knobs) -> Code | None:
    letters = "".join(rng.sample(CONSONANTS, knobs.letters))
    table = str.maketrans(letters, "".join(rng.sample(CONSONANTS, knobs.letters)))
    old = [drawn(rng, letters, knobs.length) for _ in range(knobs.strings)]
    new = [text.translate(table) for text in old]
    if rng.random() < knobs.impossible:
        place, at = rng.randrange(len(new)), rng.randrange(knobs.length)
        kept = sorted(set("".join(new)) - {new[place][at]})
        if not kept:
            return None
        new[place] = new[place][:at] + rng.choice(kept) + new[place][at + 1 :]
        wanted = True
    else:
        wanted = False
    if knobs.shuffled:
        rng.shuffle(new)
    code = Code(tuple(old), tuple(new), knobs.shuffled)
    if len(set(old)) < len(old) or len(set("".join(old))) < 3:
        return None
    answer = solve(code)
    return code if answer and isinstance(answer, Impossible) == wanted else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(code: Code) -> Answer | None:
    """None where two replacements work."""
    found = dict.fromkeys(_partners(code, {}, 0, list(code.new)))
    if len(found) > 1:
        return None
    return next(iter(found), IMPOSSIBLE)


def verify(code: Code, answer: Answer) -> float:
    if isinstance(answer, Impossible):
        return float(not _possible(code))
    table = dict(answer)
    if table.keys() != set("".join(code.old)) or len(set(table.values())) < len(table):
        return 0.0
    made = tuple("".join(table[letter] for letter in text) for text in code.old)
    if code.shuffled:
        return float(Counter(made) == Counter(code.new))
    return float(made == code.new)


def render(code: Code, style: Style) -> Prompt:
    if len(code.old) == 1:
        strings = f"Old: {code.old[0]}\nNew: {code.new[0]}"
        that = "the old string into the new one"
    elif code.shuffled:
        strings = f"Old strings: {', '.join(code.old)}\nNew strings: {', '.join(code.new)}"
        that = (
            "the old strings into the new ones (the new ones are listed in some other order, so it"
            " is not known which old string becomes which new one)"
        )
    else:
        pairs = "\n".join(f"{old} -> {new}" for old, new in zip(code.old, code.new))
        strings, that = pairs, "each string on the left into the string on its right"
    return Prompt(
        style.pick(
            f"{strings}\n\nFind a replacement of letters by letters that turns {that}. All"
            " occurrences of a letter are replaced by the same letter, and no two different letters"
            " by the same one; a letter may be replaced by itself. It may be that there is no such"
            " replacement.",
            f"Someone claims that a simple code, which writes one letter for another, turns {that}."
            f"\n\n{strings}\n\nIn such a code a letter is always written in the same way (perhaps"
            " unchanged), and different letters are written differently. Give the code, or say that"
            " the claim cannot be true.",
            f"Is there a one-to-one renaming of letters that takes {that}? Equal letters must get"
            " equal letters, different letters different ones, and a letter may keep its name. If"
            f" there is one, say what each letter becomes.\n\n{strings}",
        ),
        form=(
            "what each letter of the old strings becomes, one pair letter = letter per line, or the"
            ' word "impossible"'
        ),
    )


def canon(code: Code) -> list[object]:
    """The letters of neither side matter."""
    return [renamed(code.old), renamed(code.new), code.shuffled]


def slips(rng: Random, code: Code, gold: Answer) -> Iterator[Answer]:
    """Letters that are replaced as they first are met, or two of them confused."""
    if isinstance(gold, Impossible):
        for _ in range(SLIPS):
            new = rng.sample(code.new, len(code.new)) if code.shuffled else [*code.new]
            pairs = list(zip("".join(code.old), "".join(new), strict=True))
            rng.shuffle(pairs)
            table: dict[str, str] = {}
            for old, letter in pairs:
                if letter not in table.values():
                    table.setdefault(old, letter)
            if set(table) == set("".join(code.old)):
                yield tuple(sorted(table.items()))
        return
    table = dict(gold)
    for _ in range(SLIPS):  # each after the one before, so that gold is not what all come from
        one, other = rng.sample(sorted(table), 2)
        table[one], table[other] = table[other], table[one]
        yield tuple(sorted(table.items()))


def hardness(code: Code) -> float:
    """Letters to compare; strings without known partners are compared with all others."""
    length = sum(map(len, code.old))
    return length * (len(code.old) if code.shuffled else 1)


def _partners(code: Code, table: dict[str, str], place: int, left: list[str]) -> Iterator[Pairs]:
    """The replacements, at most two, that give the strings from a place on partners."""
    if place == len(code.old):
        yield tuple(sorted(table.items()))
        return
    several = dict.fromkeys(left) if code.shuffled else left[:1]
    for new in several:
        grown = _extended(table, code.old[place], new)
        if grown is not None:
            rest = list(left)
            rest.remove(new)
            yield from _partners(code, grown, place + 1, rest)


def _extended(table: dict[str, str], old: str, new: str) -> dict[str, str] | None:
    if len(old) != len(new):
        return None
    grown = dict(table)
    back = {value: key for key, value in table.items()}
    for one, other in zip(old, new):
        if grown.setdefault(one, other) != other or back.setdefault(other, one) != one:
            return None
    return grown


def _possible(code: Code) -> bool:
    """Whether letters can be given letters one by one so that the strings' patterns remain."""
    letters = sorted(set("".join(code.old)))
    others = sorted(set("".join(code.new)))
    if len(letters) != len(others):
        return False

    def patterns(texts: tuple[str, ...], known: str) -> list[str]:
        marks = ["".join(chr(65 + known.index(s)) if s in known else "." for s in t) for t in texts]
        return sorted(marks) if code.shuffled else marks

    def place(given: str, taken: str) -> bool:
        if len(given) == len(letters):
            return True
        letter = letters[len(given)]
        wanted = patterns(code.old, given + letter)
        return any(
            patterns(code.new, taken + other) == wanted and place(given + letter, taken + other)
            for other in others
            if other not in taken
        )

    return place("", "")


LADDER = (
    Knobs(1, 7, 4, False, 0.1),
    Knobs(2, 14, 7, False, 0.2),
    Knobs(4, 7, 8, True, 0.2),
    Knobs(8, 7, 10, True, 0.2),
    Knobs(14, 8, 14, True, 0.2),
)
FAMILY = Family(
    Code,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.Mapping()),
    hardness=hardness,
    proof="unique",
    solver="trying partners for the strings",
    guess_rate=0.25,
    canon=canon,
    slips=slips,
    redraws=outline,
    skills=("matching", "search"),
    peers=("reasoning-gym/isomorphic_strings",),
    slips_version=2,
    version=2,
)
