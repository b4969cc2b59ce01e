"""Clock face: what a clock with hands shows, perhaps seen in a mirror, and what it will show later.

`verify` reckons with the time behind the picture; `solve` looks in the drawn picture where the two
hands end.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._drawing import (
    TURN,
    asked,
    bearing,
    blank,
    disc,
    line,
    ring,
    write,
)
from puzzlemill.generators.visual._picture import INK, Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import INDEX, PALETTE

SIDE = 280  # pixels
RADIUS = 132
SHORT, LONG = 58, 90  # pixels of the hands
NUMBERED = 106  # pixels from the centre to a number
DAY = 720  # minutes until the hands stand as before


@dataclass(frozen=True, slots=True)
class Knobs:
    grain: int  # minutes between the times that may be shown
    bare: bool  # a mark at 12 instead of numbers
    mirrored: bool  # whether the clock is seen in a mirror
    later: int  # at most so many minutes are to be added or taken off


@dataclass(frozen=True, slots=True)
class Dial:
    minutes: int  # since twelve
    bare: bool
    mirrored: bool
    later: int  # minutes; less than nothing for earlier


def generate(rng: Random, knobs: Knobs) -> Dial | None:
    minutes = rng.randrange(0, DAY, knobs.grain)
    later = rng.choice([-1, 1]) * rng.randint(knobs.later // 3, knobs.later)
    dial = Dial(minutes, knobs.bare, knobs.mirrored, later)
    return dial if solve(dial) is not None else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(dial: Dial) -> int | None:
    """Look for the ends of the hands in every direction in which they can stand."""
    page = _drawn(dial)
    if dial.mirrored:
        page = page[:, ::-1]
    hands = page == INK
    longs = [minute for minute in range(60) if _ends(hands, minute * TURN // 60, LONG - 2, 1)]
    if len(longs) != 1:
        return None
    times = [
        hour * 60 + longs[0]
        for hour in range(12)
        if _ends(hands, (hour * 60 + longs[0]) * TURN // DAY, SHORT - 3, 3)
    ]
    return (times[0] + dial.later) % DAY if len(times) == 1 else None


def verify(dial: Dial, minutes: int) -> float:
    return float((minutes - dial.minutes - dial.later) % DAY == 0 and 0 <= minutes < DAY)


def render(dial: Dial, style: Style) -> Prompt:
    mark = " The red mark stands at twelve o'clock." if dial.bare else ""
    seen = (
        " is seen in a mirror: the picture has left and right exchanged." if dial.mirrored else ""
    )
    shown = f"The picture shows a clock with an hour hand and a minute hand.{mark}"
    if seen:
        shown += f" The clock{seen}"
    if dial.later > 0:
        question = f"What time will it be {dial.later} minutes after the time that the clock shows?"
    elif dial.later < 0:
        question = f"What time was it {-dial.later} minutes before the time that the clock shows?"
    else:
        question = "What time does the clock show?"
    return Prompt(
        asked(style, shown, question),
        form="a time as h:mm on a 12-hour clock, without AM or PM",
        images=(png(_drawn(dial), PALETTE),),
    )


def hardness(dial: Dial) -> float:
    return (
        1 * (dial.minutes % 60 > 0)
        + 2 * (dial.minutes % 5 > 0)
        + 3 * dial.bare
        + 3 * dial.mirrored
        + abs(dial.later) / 60
    )


def _ends(hands: np.typing.NDArray[np.bool_], turn: int, length: int, radius: int) -> bool:
    """Whether a hand covers a small disc at this place."""
    right, down = bearing(turn, length)
    middle_row, middle_column = SIDE // 2 + down, SIDE // 2 + right
    if not hands[middle_row, middle_column]:
        return False
    top, left = middle_row - radius, middle_column - radius
    part = hands[top : top + 2 * radius + 1, left : left + 2 * radius + 1]
    return bool(part[_small(radius)].all())


@cache
def _small(radius: int) -> np.typing.NDArray[np.bool_]:
    small = blank(2 * radius + 1, 2 * radius + 1)
    disc(small, radius, radius, radius)
    inside: np.typing.NDArray[np.bool_] = small == INK
    return inside


@cache
def _empty(bare: bool) -> Pixels:
    page = blank(SIDE, SIDE)
    middle = SIDE // 2
    ring(page, middle, middle, RADIUS, 3)
    for mark in range(60):
        turn = mark * TURN // 60
        (right, down), (far, below) = (
            bearing(turn, length) for length in (RADIUS - (12 if mark % 5 == 0 else 6), RADIUS - 3)
        )
        colour = INDEX["red"] if bare and mark == 0 else INK
        wide = 4 if mark % 5 == 0 else 2
        line(page, (middle + right, middle + down), (middle + far, middle + below), wide, colour)
    if bare:
        disc(page, middle, middle - RADIUS + 16, 6, INDEX["red"])
    else:
        for hour in range(1, 13):
            right, down = bearing(hour * TURN // 12, NUMBERED)
            write(page, str(hour), middle + right, middle + down, 2, INDEX["blue"])
    page.setflags(write=False)
    return page


@drawn_once
def _drawn(dial: Dial) -> Pixels:
    page, middle = _empty(dial.bare).copy(), SIDE // 2
    for turn, length, wide in (
        (dial.minutes * TURN // DAY, SHORT, 9),
        (dial.minutes % 60 * TURN // 60, LONG, 4),
    ):
        right, down = bearing(turn, length)
        line(page, (middle, middle), (middle + right, middle + down), wide)
    disc(page, middle, middle, 7)
    return page[:, ::-1].copy() if dial.mirrored else page


LADDER = (
    Knobs(5, False, False, 0),
    Knobs(1, False, False, 120),
    Knobs(1, True, False, 200),
    Knobs(1, True, True, 300),
    Knobs(1, True, True, 700),
)
FAMILY = Family(
    Dial,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Clock(twelve=True),
    hardness=hardness,
    proof="unique",
    solver="ends of the hands found in the picture's pixels",
    guess_rate=0.05,
    redraws=True,
    skills=("vision", "reading"),
    version=2,
)
