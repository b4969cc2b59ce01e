"""Abacus: the numbers that beads show, and their sum.

On every rod the bead above the bar counts five and each of the four below counts one, where it
touches the bar's side. `verify` adds the numbers behind the picture; `solve` looks on the drawn
rods where the gaps between the beads are.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._drawing import area, asked, blank, frame, line
from puzzlemill.generators.visual._picture import Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import INDEX, PALETTE

ROD = 36  # pixels from one rod to the next
BEAD = 16  # pixels of a bead's height
EDGE = 14
BAR = EDGE + 2 * BEAD + 10  # the first row of pixels of the bar
BOTTOM = BAR + 6 + 5 * BEAD + 8  # of the frame
BETWEEN = 18  # pixels between two abaci
ONES = 4  # beads below the bar


@dataclass(frozen=True, slots=True)
class Knobs:
    rods: int  # of an abacus
    abaci: int  # whose numbers are added


@dataclass(frozen=True, slots=True)
class Abaci:
    rods: int
    numbers: tuple[int, ...]


def generate(rng: Random, knobs: Knobs) -> Abaci:
    low, high = 10 ** (knobs.rods - 1), 10**knobs.rods
    return Abaci(knobs.rods, tuple(rng.randrange(low, high) for _ in range(knobs.abaci)))


def solve(abaci: Abaci) -> int | None:
    """On every rod, the beads at the bar."""
    page, total = _drawn(abaci), 0
    bead = INDEX["orange"]
    for place in range(len(abaci.numbers)):
        top = place * (BOTTOM + BETWEEN)
        number = 0
        for rod in range(abaci.rods):
            x = EDGE + ROD // 2 + rod * ROD + 8  # beside the rod
            above = page[top + BAR - BEAD // 2, x] == bead
            below = [
                bool(page[top + BAR + 6 + step * BEAD + BEAD // 2, x] == bead)
                for step in range(ONES + 1)
            ]
            if below.count(False) != 1:
                return None
            number = 10 * number + 5 * bool(above) + below.index(False)
        total += number
    return total


def verify(abaci: Abaci, number: int) -> float:
    return float(number == sum(abaci.numbers))


def render(abaci: Abaci, style: Style) -> Prompt:
    count = len(abaci.numbers)
    shown = (
        f"The picture shows {'an abacus' if count == 1 else f'{count} abaci, one below the other'}."
        " Every rod shows one decimal digit, the rightmost rod the ones. The bead above the bar"
        " counts 5 when it is down at the bar, and each of the four beads below the bar counts 1"
        " when it is pushed up towards the bar; beads away from the bar count nothing."
    )
    question = "Which number is shown?" if count == 1 else "What is the sum of the numbers shown?"
    return Prompt(
        asked(style, shown, question), form="one integer", images=(png(_drawn(abaci), PALETTE),)
    )


def hardness(abaci: Abaci) -> float:
    return abaci.rods * len(abaci.numbers)


@drawn_once
def _drawn(abaci: Abaci) -> Pixels:
    count = len(abaci.numbers)
    wide = 2 * EDGE + abaci.rods * ROD
    page = blank(wide, count * (BOTTOM + BETWEEN) - BETWEEN + EDGE)
    for place, number in enumerate(abaci.numbers):
        top = place * (BOTTOM + BETWEEN)
        frame(page, 4, top + 4, wide - 4, top + BOTTOM, 4)
        for rod, digit in enumerate(f"{number:0{abaci.rods}}"):
            x = EDGE + ROD // 2 + rod * ROD
            area(page, x - 1, top + 8, x + 2, top + BOTTOM - 4)
            five, ones = divmod(int(digit), 5)
            beads = [BAR - BEAD if five else BAR - 2 * BEAD - 4]
            beads += [BAR + 6 + step * BEAD for step in range(ONES + 1) if step != ones]
            for start in beads:
                y = top + start + BEAD // 2
                line(page, (x - 7, y), (x + 7, y), BEAD - 2, INDEX["orange"])
        area(page, 4, top + BAR, wide - 4, top + BAR + 6)
    return page


LADDER = (Knobs(2, 1), Knobs(5, 1), Knobs(6, 2), Knobs(8, 3), Knobs(10, 5))
FAMILY = Family(
    Abaci,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="beads found in the picture's pixels",
    guess_rate=0.05,
    redraws=True,
    skills=("vision", "reading", "arithmetic"),
    version=3,
)
