"""Tangled strings: at which number does the string that begins at a letter end?

Strings run downwards and cross their neighbours in straight lines, never touching and turning back.
`verify` follows a string up from the number that is said; `solve` looks in the drawn picture where
two strings cross.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._drawing import asked, blank, line, write
from puzzlemill.generators.visual._picture import PAPER, Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import COLOURS, INDEX, PALETTE

LANE = 44  # pixels from one string to the next
LAYER = 40  # pixels in which two strings may cross once
EDGE = 40


@dataclass(frozen=True, slots=True)
class Knobs:
    strings: int  # in the picture
    layers: int  # rows of crossings, from top to bottom
    asked: int  # strings that are asked for
    coloured: bool  # whether strings have colours of their own


@dataclass(frozen=True, slots=True)
class Strings:
    count: int
    # Of each layer, from the top, the left one of each two neighbouring lanes that cross.
    layers: tuple[tuple[int, ...], ...]
    colours: tuple[str, ...]  # of the strings, by where they begin; one for all where it is alone
    asked: tuple[int, ...]


def generate(rng: Random, knobs: Knobs) -> Strings | None:
    layers: list[tuple[int, ...]] = []
    for _ in range(knobs.layers):
        lane, crossing = rng.randrange(2), []
        while lane < knobs.strings - 1:
            if rng.random() < 0.7:
                crossing.append(lane)
                lane += 1
            lane += 1
        if layers and set(crossing) & set(layers[-1]):
            # Two strings that cross at once again only look tangled; do it seldom.
            crossing = [lane for lane in crossing if lane not in layers[-1] or rng.random() < 0.2]
        layers.append(tuple(crossing))
    names = [name for name in COLOURS if name != "yellow"]  # faint where it is thin
    colours = (
        tuple(rng.choice(names) for _ in range(knobs.strings))
        if knobs.coloured
        else (rng.choice(["red", "blue", "green", "purple"]),)
    )
    chosen = sorted(rng.sample(range(knobs.strings), min(knobs.asked, knobs.strings)))
    return Strings(knobs.strings, tuple(layers), colours, tuple(chosen))


def solve(strings: Strings) -> tuple[int, ...] | None:
    """Look for a crossing between every two lanes of the picture, layer by layer."""
    page = _drawn(strings)
    order = list(range(strings.count))  # which string is in each lane
    for layer in range(len(strings.layers)):
        y = EDGE + layer * LAYER + LAYER // 2
        lane = 0
        while lane < strings.count - 1:
            if page[y, EDGE + lane * LANE + LANE // 2] != PAPER:
                order[lane], order[lane + 1] = order[lane + 1], order[lane]
                lane += 1
            lane += 1
    return tuple(order.index(string) + 1 for string in strings.asked)


def verify(strings: Strings, numbers: tuple[int, ...]) -> float:
    if len(numbers) != len(strings.asked):
        return 0.0
    for number, begin in zip(numbers, strings.asked):
        lane = number - 1
        for crossing in reversed(strings.layers):
            lane += (lane in crossing) - (lane - 1 in crossing)
        if lane != begin:
            return 0.0
    return 1.0


def render(strings: Strings, style: Style) -> Prompt:
    letters = [_letter(place) for place in strings.asked]
    shown = (
        "Strings hang from the letters at the top down to the numbers at the bottom. Where two"
        " strings meet, they cross, and each goes straight on."
    )
    if len(letters) == 1:
        question = f"At which number does the string from {letters[0]} end?"
        form = "that number, as one integer"
    else:
        named = f"{', '.join(letters[:-1])} and {letters[-1]}"
        question = f"At which numbers do the strings from {named} end?"
        form = f"the numbers for {', '.join(letters)} in this order, separated by commas"
    return Prompt(asked(style, shown, question), form=form, images=(png(_drawn(strings), PALETTE),))


def hardness(strings: Strings) -> float:
    return sum(map(len, strings.layers)) + 2 * len(strings.asked)


def _letter(place: int) -> str:
    return chr(ord("A") + place)


@drawn_once
def _drawn(strings: Strings) -> Pixels:
    count, long = strings.count, len(strings.layers) * LAYER
    page = blank(2 * EDGE + (count - 1) * LANE, 2 * EDGE + long)
    colours = strings.colours * (count if len(strings.colours) == 1 else 1)
    order = list(range(count))
    for layer, crossing in enumerate(strings.layers):
        for lane, string in enumerate(order):
            to = lane + (lane in crossing) - (lane - 1 in crossing)
            ends = [(EDGE + place * LANE, EDGE + (layer + step) * LAYER)
                    for step, place in enumerate((lane, to))]  # fmt: skip
            line(page, ends[0], ends[1], 4, INDEX[colours[string]])
        for lane in crossing:
            order[lane], order[lane + 1] = order[lane + 1], order[lane]
    for lane in range(count):
        write(page, _letter(lane), EDGE + lane * LANE, EDGE // 2 - 2)
        write(page, str(lane + 1), EDGE + lane * LANE, EDGE + long + EDGE // 2 + 2)
    return page


LADDER = (
    Knobs(4, 3, 1, True),
    Knobs(5, 5, 2, True),
    Knobs(6, 8, 2, False),
    Knobs(8, 12, 3, False),
    Knobs(10, 18, 4, False),
)
FAMILY = Family(
    Strings,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    hardness=hardness,
    proof="unique",
    solver="crossings found in the picture's pixels",
    guess_rate=0.36,
    skills=("vision", "tracing"),
    version=2,
)
