"""Gauges: needles on round scales, each with numbers of its own; read them and reckon.

`verify` reckons with the readings behind the picture; `solve` looks in the drawn picture for each
needle's end.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._drawing import asked, bearing, blank, disc, line, ring, write
from puzzlemill.generators.visual._picture import Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import INDEX, PALETTE

SIDE = 290  # pixels that a gauge has, both ways
RADIUS = 90
NEEDLE = 77
SWEEP = 2700  # tenths of a degree from the first mark to the last
START = 2250  # direction of the first mark
NUMBERS = 6  # marks with a number, the first of them the least
PARTS = (1, 2, 5)  # small marks that a step between two numbers is divided into
ASKS = ("reading", "sum", "spread", "weighed")  # from the easiest


@dataclass(frozen=True, slots=True)
class Knobs:
    gauges: int  # in the picture
    part: int  # which of PARTS
    between: bool  # whether a needle may stand halfway between two marks
    asks: int  # the last two of the first so many questions may be asked


@dataclass(frozen=True, slots=True)
class Gauges:
    fine: int  # small marks in a step
    leasts: tuple[int, ...]  # the first number of each gauge
    steps: tuple[int, ...]  # from one number to the next
    halves: tuple[int, ...]  # where each needle stands, in half marks from the first
    ask: str
    named: int


def generate(rng: Random, knobs: Knobs) -> Gauges:
    fine = PARTS[knobs.part]
    unit = 2 * fine if knobs.between else fine  # so that every place of a needle is a whole number
    steps = tuple(unit * rng.randint(1, 100 // unit) for _ in range(knobs.gauges))
    leasts = tuple(step * rng.choice([0, 0, 1, 2, 3]) for step in steps)
    most = (NUMBERS - 1) * fine
    halves = tuple(
        rng.randint(1, 2 * most - 1) if knobs.between else 2 * rng.randint(0, most)
        for _ in range(knobs.gauges)
    )
    asks = ASKS[: knobs.asks] if knobs.gauges > 1 else ASKS[:1]
    return Gauges(fine, leasts, steps, halves, rng.choice(asks[-2:]), rng.randrange(knobs.gauges))


def solve(gauges: Gauges) -> int | None:
    """Look for each needle's end at every mark and halfway between."""
    page = _drawn(gauges)
    read = []
    for place, (least, step) in enumerate(zip(gauges.leasts, gauges.steps)):
        found = []
        for half in range(2 * (NUMBERS - 1) * gauges.fine + 1):
            right, down = bearing(_turn(half, gauges.fine), NEEDLE - 1)
            x, y = SIDE // 2 + place * SIDE + right, SIDE // 2 + down
            if page[y, x] == INDEX["red"]:
                found.append(half)
        # A needle is a few pixels wide: the middle of the directions that it covers.
        if not found or len(found) % 2 == 0 or found[-1] - found[0] != len(found) - 1:
            return None
        worth = step * found[len(found) // 2]
        if worth % (2 * gauges.fine):
            return None
        read.append(least + worth // (2 * gauges.fine))
    match gauges.ask:
        case "reading":
            return read[gauges.named]
        case "sum":
            return sum(read)
        case "spread":
            return max(read) - min(read)
        case _:
            return sum(place * value for place, value in enumerate(read, start=1))


def verify(gauges: Gauges, number: int) -> float:
    values = [
        least + step * half // (2 * gauges.fine)
        for least, step, half in zip(gauges.leasts, gauges.steps, gauges.halves)
    ]
    if gauges.ask == "reading":
        return float(number == values[gauges.named])
    if gauges.ask == "sum":
        for value in values:
            number -= value
        return float(number == 0)
    ordered = sorted(values)
    if gauges.ask == "spread":
        return float(number == ordered[-1] - ordered[0])
    total = 0
    for place in range(len(values)):
        total += sum(values[place:])  # the last is in each of these sums, the first in one
    return float(number == total)


def render(gauges: Gauges, style: Style) -> Prompt:
    count = len(gauges.steps)
    shown = (
        f"The picture shows {count} gauges in a row. Their scales differ." if count > 1
        else "The picture shows a gauge."
    )  # fmt: skip
    halves = any(half % 2 for half in gauges.halves)
    needle = "Each red needle" if count > 1 else "The red needle"
    stands = "at a mark or exactly halfway between two marks" if halves else "exactly at a mark"
    match gauges.ask:
        case "reading":
            which = f"gauge {gauges.named + 1} from the left" if count > 1 else "the gauge"
            question = f"What does {which} read?"
        case "sum":
            question = "What do the readings of all gauges add up to?"
        case "spread":
            question = "How much larger is the largest of the readings than the smallest?"
        case _:
            terms = " + ".join(
                ["the first reading", *(f"{n} times reading {n}" for n in range(2, count + 1))]
            )
            question = f"Number the gauges from left to right. What is {terms}?"
    return Prompt(
        asked(style, f"{shown} {needle} stands {stands}.", question),
        form="one integer",
        images=(png(_drawn(gauges), PALETTE),),
    )


def hardness(gauges: Gauges) -> float:
    halves = any(half % 2 for half in gauges.halves)
    return len(gauges.steps) * (1 + gauges.fine) + 4 * halves + 3 * ASKS.index(gauges.ask)


def _turn(half: int, fine: int) -> int:
    return START + SWEEP * half // (2 * (NUMBERS - 1) * fine)


@drawn_once
def _drawn(gauges: Gauges) -> Pixels:
    page = blank(SIDE * len(gauges.steps), SIDE)
    y = SIDE // 2
    for place, (least, step, half) in enumerate(zip(gauges.leasts, gauges.steps, gauges.halves)):
        x = SIDE // 2 + place * SIDE
        ring(page, x, y, RADIUS, 3)
        for mark in range((NUMBERS - 1) * gauges.fine + 1):
            turn, large = _turn(2 * mark, gauges.fine), mark % gauges.fine == 0
            (right, down), (far, below) = (
                bearing(turn, length) for length in (RADIUS - (14 if large else 9), RADIUS - 3)
            )
            line(page, (x + right, y + down), (x + far, y + below), 3 if large else 1)
            if large:
                right, down = bearing(turn, RADIUS + 20)
                write(page, str(least + step * (mark // gauges.fine)), x + right, y + down)
        right, down = bearing(_turn(half, gauges.fine), NEEDLE)
        line(page, (x, y), (x + right, y + down), 3, INDEX["red"])
        disc(page, x, y, 6)
    return page


LADDER = (
    Knobs(1, 0, False, 1),
    Knobs(2, 1, False, 1),
    Knobs(2, 2, False, 2),
    Knobs(3, 2, True, 3),
    Knobs(4, 2, True, 4),
)
FAMILY = Family(
    Gauges,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="needles found in the picture's pixels",
    guess_rate=0.25,
    redraws=True,
    skills=("vision", "reading", "arithmetic"),
    version=2,
)
