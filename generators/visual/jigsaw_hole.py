"""The hole: a part is cut out of a picture; say which of some parts fills the hole.

The wrong parts come from the same picture, a little beside the hole. `verify` knows which one is
not displaced. `solve` compares the pixels around the hole with those along the rim of every part:
one must continue the picture clearly better than any other.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual import _prose, _sources
from puzzlemill.generators.visual._picture import (
    GUTTER,
    Colour,
    Pixels,
    drawn_once,
    panels,
    png,
    sheet,
)
from puzzlemill.generators.visual._seams import seam_costs, table
from puzzlemill.generators.visual._sources import Source, picture

SIDE = 264  # pixels of the picture
CLEAR = 0.75  # the rim of the right part costs at most this share of any other's
SEEN = 300  # and so much less at least, in hundredths of a channel's step


@dataclass(frozen=True, slots=True)
class Knobs:
    options: int  # parts to choose from
    side: int  # pixels of the hole
    shift: int  # pixels by which the wrong parts are displaced, in either direction or both
    trim: int  # pixels lost on every side of each part
    source: Source


@dataclass(frozen=True, slots=True)
class Hole:
    source: str  # of the picture
    licence: str  # of a user's picture, where one is told
    seed: int
    side: int
    trim: int
    left: int  # of the hole, in pixels
    top: int
    shifts: tuple[tuple[int, int], ...]  # to the right and down, by numbered part


def generate(rng: Random, knobs: Knobs) -> Hole | None:
    hole = draft(rng, knobs)
    gold = solve(hole)
    return hole if gold and verify(hole, gold) == 1 else None


def draft(rng: Random, knobs: Knobs) -> Hole:
    made = _sources.chosen(rng, knobs.source)
    left, top = (rng.randint(knobs.shift, SIDE - knobs.side - knobs.shift) for _ in range(2))
    steps = (-knobs.shift, 0, knobs.shift)
    beside = [(right, down) for right in steps for down in steps if right or down]
    shifts = [(0, 0), *rng.sample(beside, knobs.options - 1)]
    rng.shuffle(shifts)
    return Hole(*made, knobs.side, knobs.trim, left, top, tuple(shifts))


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(hole: Hole) -> int | None:
    """The part whose rim clearly costs least beside the pixels around the hole."""
    (pixels, parts), palette = _shown(hole), picture(hole.source, hole.seed, SIDE).palette
    left, right, top, bottom = (
        hole.left - 1, hole.left + hole.side, hole.top - 1, hole.top + hole.side
    )  # fmt: skip
    beside = slice(hole.left + hole.trim, right - hole.trim)
    along = slice(hole.top + hole.trim, bottom - hole.trim)
    around = (
        pixels[along, left], pixels[along, right], pixels[top, beside], pixels[bottom, beside]
    )  # fmt: skip
    inner = hole.side - 2 * hole.trim
    offered = panels(parts, len(hole.shifts), _columns(hole), inner, inner)
    rims = [(part[:, 0], part[:, -1], part[0], part[-1]) for part in offered]
    ones, others = (table(palette).take(lines, axis=1) for lines in (around, rims))
    costs = seam_costs(ones[:, None], others, hole.trim).sum(axis=1) // 4
    found = [(cost, number) for number, cost in enumerate(costs.tolist(), start=1)]
    (best, number), (second, _), *_ = sorted(found)
    return number if best <= min(CLEAR * second, second - SEEN) else None


def verify(hole: Hole, number: int) -> float:
    return float(1 <= number <= len(hole.shifts) and hole.shifts[number - 1] == (0, 0))


def render(hole: Hole, style: Style) -> Prompt:
    count = len(hole.shifts)
    trimmed = _prose.trimmed(hole.trim, "part")
    pixels, parts = _shown(hole)
    palette: tuple[Colour, ...] = picture(hole.source, hole.seed, SIDE).palette
    return Prompt(
        style.pick(
            f"<image>\nA square is missing from this picture (the grey patch). Here are {count}"
            f" parts, each with its number above it.\n<image>\nWhich of them fills the hole? They"
            f" are not turned.{trimmed}",
            f"The picture\n<image>\nhas a grey hole. Exactly one of these {count} numbered parts"
            f" was cut from there; none has been turned.{trimmed}\n<image>\nWhich one is it?",
            f"Find the part that completes the picture. The picture, with a grey hole: <image>"
            f"\nThe parts, not turned, each with its number above it: <image>\nOnly one of the"
            f" {count} continues everything around the hole.{trimmed}",
        ),
        form="the number of the part that fits, as one integer",
        images=(png(pixels, palette), png(parts, palette)),
    )


def _columns(hole: Hole) -> int:
    return 2 if len(hole.shifts) <= 4 else 3


@drawn_once
def _shown(hole: Hole) -> tuple[Pixels, Pixels]:
    """The picture with its hole, and the sheet of parts."""
    whole = picture(hole.source, hole.seed, SIDE).pixels
    pixels = whole.copy()
    pixels[hole.top : hole.top + hole.side, hole.left : hole.left + hole.side] = GUTTER
    inner, parts = hole.side - 2 * hole.trim, []
    for right, down in hole.shifts:
        left, top = hole.left + right + hole.trim, hole.top + down + hole.trim
        parts.append(whole[top : top + inner, left : left + inner])
    return pixels, sheet(parts, _columns(hole))


def hardness(hole: Hole) -> float:
    """Parts to tell apart, the harder the less they are shifted."""
    return len(hole.shifts) + 100 / max(abs(step) for shift in hole.shifts for step in shift)


LADDER = (
    Knobs(4, 88, 40, 0, "any"),
    Knobs(4, 80, 28, 0, "any"),
    Knobs(6, 72, 20, 1, "any"),
    Knobs(6, 64, 14, 1, "any"),
    Knobs(8, 64, 9, 1, "any"),
)
FAMILY = Family(
    Hole,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(called=("part", "piece")),
    hardness=hardness,
    draft=draft,
    proof="unique",
    solver="the pixels around the hole compared with each part's rim",
    guess_rate=0.25,
    kin=_sources.kin,
    redraws=True,
    skills=("vision", "assembly"),
    peers=("Jigsaw-R1/multiple", "KORGym/17-fill_game"),
    theme="jigsaws",
    version=3,
)
