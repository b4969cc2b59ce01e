"""Banner: read large letters that are drawn with signs, perhaps turned, mirrored or smudged.

The letters stand on a grid of dots of our own. `solve` looks for the letter whose dots are nearest
to each part of the picture, and refuses a picture that two texts come near to; `verify` draws the
answer, and compares the pictures sign by sign.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._lettering import TALL, WIDE, lettering

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
INKS = "#@*XO%$&"
VIEWS = ("plain", "mirrored", "upside down", "on its side")


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # of the text
    views: int  # ways to look at it that may come, of VIEWS
    smudges: int  # signs that are wrong
    mixed: bool  # whether ink and paper are several signs each


@dataclass(frozen=True, slots=True)
class Picture:
    rows: tuple[str, ...]
    ink: str  # the signs that are ink; every other is paper
    view: str
    smudges: int


def generate(rng: Random, knobs: Knobs) -> Picture | None:
    text = "".join(rng.choices(LETTERS, k=knobs.letters))
    view = rng.choice(VIEWS[: knobs.views])
    dots = [list(row) for row in _seen(_drawn(text), view)]
    places = [(row, column) for row in range(len(dots)) for column in range(len(dots[0]))]
    for row, column in rng.sample(places, knobs.smudges):
        dots[row][column] = not dots[row][column]
    signs = rng.sample(INKS, 4 if knobs.mixed else 1)
    ink, paper = "".join(signs[:2]), "".join(signs[2:]) or "."
    rows = tuple("".join(rng.choice(ink if dot else paper) for dot in row) for row in dots)
    picture = Picture(rows, ink, view, knobs.smudges)
    return picture if solve(picture) is not None else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(picture: Picture) -> str | None:
    """Letter by letter; None where the text is not the only one with so few wrong signs."""
    dots = _straight(tuple(tuple(s in picture.ink for s in row) for row in picture.rows), picture)
    found, wrong, nearest = "", 0, WIDE * TALL
    for start in range(0, len(dots[0]), WIDE + 1):
        part = _bits(row[start : start + WIDE] for row in dots)
        away = sorted(((part ^ bits).bit_count(), letter) for letter, bits in _alphabet())
        found += away[0][1]
        wrong += away[0][0]
        nearest = min(nearest, away[1][0] - away[0][0])
    between = sum(row[column] for row in dots for column in range(WIDE, len(row), WIDE + 1))
    wrong += between
    # Any other text has what its nearest other letter adds in wrong signs; one is easily missed.
    only = wrong <= picture.smudges < wrong + nearest and nearest > 1
    return found.lower() if only else None


def verify(picture: Picture, said: str) -> float:
    text = said.upper()
    if not text or any(letter not in LETTERS for letter in text):
        return 0.0
    long = max(len(picture.rows), len(picture.rows[0]))
    if len(text) * (WIDE + 1) - 1 != long:
        return 0.0
    shown = _seen(_drawn(text), picture.view)
    wrong = sum(
        dot != (sign in picture.ink)
        for row, line in zip(shown, picture.rows, strict=True)
        for dot, sign in zip(row, line, strict=True)
    )
    return float(wrong <= picture.smudges)


def render(picture: Picture, style: Style) -> Prompt:
    rows = "\n".join(picture.rows)
    seen = {
        "plain": "",
        "mirrored": " The picture is mirrored: left and right are swapped.",
        "upside down": " The picture is turned upside down, by half a turn.",
        "on its side": " The picture has been turned clockwise by a quarter turn.",
    }[picture.view]
    ink = "The letters are drawn with the character " + picture.ink
    if len(picture.ink) > 1:
        ink = f"Both {picture.ink[0]} and {picture.ink[1]} are ink; all other characters are paper"
    smudge = {0: "", 1: " One character of the picture is wrong."}.get(
        picture.smudges, f" Up to {picture.smudges} characters of the picture are wrong."
    )
    note = f"{ink}.{seen}{smudge}"
    count = (max(len(picture.rows), len(picture.rows[0])) + 1) // (WIDE + 1)
    return Prompt(
        style.pick(
            f"Which {count} capital letters does this banner show?\n\n{rows}\n\n{note}",
            f"{rows}\n\nThe {len(picture.rows)} lines above show {count} large capital letters."
            f" {note} Which letters are they, from left to right in the upright picture?",
            f"Read the {count} capital letters of this picture made of characters."
            f" {note}\n\n{rows}",
        ),
        form="the letters as one word, in reading order",
    )


def hardness(picture: Picture) -> int:
    """Signs to look at, more where they are to be turned or cleaned."""
    signs = len(picture.rows) * len(picture.rows[0])
    return signs * (2 if picture.view != "plain" else 1) + 10 * picture.smudges


def _drawn(text: str) -> tuple[tuple[bool, ...], ...]:
    return tuple(tuple(map(bool, row)) for row in lettering(text, 1).tolist())


def _seen(dots: tuple[tuple[bool, ...], ...], view: str) -> tuple[tuple[bool, ...], ...]:
    if view == "mirrored":
        return tuple(row[::-1] for row in dots)
    if view == "upside down":
        return tuple(row[::-1] for row in dots[::-1])
    return tuple(zip(*dots[::-1])) if view == "on its side" else dots


def _straight(dots: tuple[tuple[bool, ...], ...], picture: Picture) -> tuple[tuple[bool, ...], ...]:
    """The picture as it was before it was turned."""
    return tuple(zip(*dots))[::-1] if picture.view == "on its side" else _seen(dots, picture.view)


@cache
def _alphabet() -> tuple[tuple[str, int], ...]:
    """Each letter with its dots as one number."""
    return tuple((letter, _bits(_drawn(letter))) for letter in LETTERS)


def _bits(dots: Iterable[tuple[bool, ...]]) -> int:
    return int("".join(["1" if dot else "0" for row in dots for dot in row]), 2)


LADDER = (
    Knobs(2, 1, 0, False),
    Knobs(4, 2, 1, False),
    Knobs(6, 3, 3, False),
    Knobs(8, 4, 6, True),
    Knobs(12, 4, 10, True),
)
FAMILY = Family(
    Picture,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Word(),
    hardness=hardness,
    proof="unique",
    solver="the nearest letter, and how much nearer it is than any other",
    skills=("reading", "spatial"),
    peers=("reasoning-gym/figlet_font",),
    version=2,
)
