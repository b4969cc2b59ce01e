"""Hidden text: a message in the invisible signs that follow a picture sign; its rule is stated.

Every byte of the text is one variation selector: Unicode has 256 of them, and a reader sees only
the picture sign before them. `solve` turns selectors into letters, undoing the key from the last
to the first; `verify` hides the answer anew and compares the signs.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.ciphers._plaintext import is_letters, sentence

COVERS = "🍀🌊🎈🐙🚀🎲🍉🌵🦉🧭"
FIRST, FURTHER = 0xFE00, 0xE0100  # selectors 0 to 15, and 16 to 255


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # of the text, about
    key: int  # the most that is added to a byte
    growth: int  # the most that the key grows by from letter to letter
    covers: int  # picture signs over which the text is spread


@dataclass(frozen=True, slots=True)
class Hidden:
    shown: str
    key: int
    growth: int


def generate(rng: Random, knobs: Knobs) -> Hidden:
    text = sentence(rng, knobs.letters)
    key, growth = rng.randint(0, knobs.key), rng.randint(0, knobs.growth)
    signs, shown = _selectors(text, key, growth), ""
    cuts = sorted(rng.sample(range(1, len(text)), knobs.covers - 1))
    for start, end in zip([0, *cuts], [*cuts, len(text)]):
        shown += rng.choice(COVERS) + signs[start:end]
    return Hidden(shown, key, growth)


def solve(hidden: Hidden) -> str:
    numbers = [
        ord(sign) - FIRST if ord(sign) < FIRST + 16 else ord(sign) - FURTHER + 16
        for sign in hidden.shown
        if sign not in COVERS
    ]
    text, key = "", hidden.key + hidden.growth * (len(numbers) - 1)
    for number in reversed(numbers):
        text = chr((number - key) % 256) + text
        key -= hidden.growth
    return text


def verify(hidden: Hidden, said: str) -> float:
    if not is_letters(said):
        return 0.0
    signs = "".join(sign for sign in hidden.shown if sign not in COVERS)
    return float(_selectors(said, hidden.key, hidden.growth) == signs)


def render(hidden: Hidden, style: Style) -> Prompt:
    if hidden.growth:
        key = (
            f" plus {hidden.key} for the first character, and {hidden.growth} more for each"
            " character after it, be it a letter or a space; 256 is subtracted from whatever is"
            " 256 or more"
        )
    elif hidden.key:
        key = f" plus {hidden.key}; 256 is subtracted from whatever is 256 or more"
    else:
        key = ""
    rule = (
        "The number of a letter or space is its ASCII code (a is 97, a space is 32)"
        f"{key}. Numbers 0 to 15 are written as the characters U+FE00 to U+FE0F, numbers 16 to 255"
        " as U+E0100 to U+E01EF; none of them can be seen."
    )
    many = sum(sign in COVERS for sign in hidden.shown) > 1
    where = "these emoji" if many else "this emoji"
    after = (
        "after the emoji (which are themselves no part of the text), in order"
        if many
        else "after the emoji"
    )
    return Prompt(
        style.pick(
            f"A text in English is hidden behind {where}: {hidden.shown}\n\nIts characters stand as"
            f" variation selectors {after}. {rule}\n\nWhich text is it?",
            f"{rule} In this way a text of small letters and spaces was written {after}:"
            f"\n\n{hidden.shown}\n\nDecode it.",
            f"Read the hidden message: {hidden.shown}\n\nWhat you see is a cover. The characters of"
            f" the message follow as invisible variation selectors {after}. {rule}",
        ),
        form="the hidden text, in small letters",
    )


def steps(hidden: Hidden) -> list[str]:
    text, lines = solve(hidden), []
    for number, letter in enumerate(text):
        value = (ord(letter) + hidden.key + hidden.growth * number) % 256
        sign = _selector(value)
        lines.append(f"U+{ord(sign):04X} is {value}: {letter if letter != ' ' else 'a space'}")
    return lines


def hardness(hidden: Hidden) -> int:
    """Signs to read, more work with a key, and with one that grows."""
    return len(hidden.shown) * (1 + (hidden.key > 0) + (hidden.growth > 0))


@lru_cache(maxsize=2)
def _selectors(text: str, key: int, growth: int) -> str:
    return "".join(
        _selector((ord(letter) + key + growth * number) % 256) for number, letter in enumerate(text)
    )


def _selector(number: int) -> str:
    return chr(FIRST + number) if number < 16 else chr(FURTHER + number - 16)


LADDER = (
    Knobs(6, 0, 0, 1),
    Knobs(12, 0, 0, 1),
    Knobs(20, 9, 0, 2),
    Knobs(32, 99, 3, 3),
    Knobs(60, 255, 9, 5),
)
FAMILY = Family(
    Hidden,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Phrase(),
    hardness=hardness,
    proof="unique",
    solver="selectors read from the last to the first",
    steps=steps,
    skills=("decoding",),
    peers=("reasoning-gym/emoji_mystery",),
    version=2,
)
