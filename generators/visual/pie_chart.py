"""Pie chart: parts of a whole, read off the marks around a circle.

`verify` reckons with the parts behind the picture; `solve` looks at the colour between every two
marks of every drawn circle and counts.
"""

import itertools
from collections import Counter
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._drawing import TURN, asked, bearing, blank, line, polygon, ring
from puzzlemill.generators.visual._picture import Pixels, drawn_once, png
from puzzlemill.generators.visual._scene import COLOURS, INDEX, PALETTE

RADIUS = 96  # pixels
PANEL = 240  # pixels that a circle has, both ways
MARKS = (10, 12, 20, 24, 36)  # each divides a turn
ASKS = ("one", "two", "more", "rest", "across")  # from the easiest


@dataclass(frozen=True, slots=True)
class Knobs:
    marks: int  # which of MARKS
    sectors: int  # of each pie
    pies: int  # in the picture
    asks: int  # the last two of the first so many questions may be asked


@dataclass(frozen=True, slots=True)
class Pies:
    marks: int
    totals: tuple[int, ...]  # what each whole circle stands for
    colours: tuple[tuple[str, ...], ...]  # of each circle's sectors, clockwise from the top
    parts: tuple[tuple[int, ...], ...]  # of each sector, in marks
    ask: str
    named: tuple[str, ...]  # colours


def generate(rng: Random, knobs: Knobs) -> Pies | None:
    marks = MARKS[knobs.marks]
    names = rng.sample(list(COLOURS), min(knobs.sectors, len(COLOURS)))
    totals = tuple(marks * rng.randint(2, 25) for _ in range(knobs.pies))
    parts = []
    for _ in range(knobs.pies):
        cuts = [0, *sorted(rng.sample(range(1, marks), len(names) - 1)), marks]
        parts.append(tuple(b - a for a, b in itertools.pairwise(cuts)))
    colours = tuple(tuple(rng.sample(names, len(names))) for _ in range(knobs.pies))
    asks = [ask for ask in ASKS[: knobs.asks] if (ask == "across") <= (knobs.pies > 1)]
    ask = rng.choice(asks[-2:])
    named = rng.sample(names, 1 if ask in ("one", "across") else 2)
    return Pies(marks, totals, colours, tuple(parts), ask, tuple(named))


def solve(pies: Pies) -> int | None:
    """Count the colours between the marks."""
    page = _drawn(pies)
    names = {INDEX[colour]: colour for colour in COLOURS}
    amounts: list[Counter[str]] = []
    for place, total in enumerate(pies.totals):
        seen: Counter[str] = Counter()
        for mark in range(pies.marks):
            right, down = bearing(TURN * (2 * mark + 1) // (2 * pies.marks), RADIUS * 3 // 4)
            colour = int(page[PANEL // 2 + down, PANEL // 2 + place * PANEL + right])
            if colour not in names:
                return None
            seen[names[colour]] += total // pies.marks
        amounts.append(seen)
    found = [[seen[name] for name in pies.named] for seen in amounts]
    match pies.ask:
        case "one":
            return found[0][0]
        case "two":
            return sum(found[0])
        case "more":
            return abs(found[0][0] - found[0][1])
        case "rest":
            return sum(amounts[0].values()) - sum(found[0])
        case _:
            return abs(found[0][0] - found[-1][0])


def verify(pies: Pies, number: int) -> float:
    worth = [
        {name: part * total // pies.marks for name, part in zip(names, parts)}
        for names, parts, total in zip(pies.colours, pies.parts, pies.totals)
    ]
    first = worth[0]
    if pies.ask == "one":
        right = first[pies.named[0]]
    elif pies.ask == "two":
        right = first[pies.named[0]] + first[pies.named[1]]
    elif pies.ask == "more":
        right = max(first[name] for name in pies.named) - min(first[name] for name in pies.named)
    elif pies.ask == "rest":
        right = sum(value for name, value in first.items() if name not in pies.named)
    else:
        low, high = sorted([worth[0][pies.named[0]], worth[1][pies.named[0]]])
        right = high - low
    return float(number == right)


def render(pies: Pies, style: Style) -> Prompt:
    many = len(pies.totals) > 1
    whole = (
        f"The whole left circle stands for {pies.totals[0]}, the whole right one for"
        f" {pies.totals[1]}."
        if many
        else f"The whole circle stands for {pies.totals[0]}."
    )
    each = "each circle" if many else "the circle"
    shown = (
        f"The picture shows {'two pie charts' if many else 'a pie chart'}. {whole} The marks around"
        f" {each} divide it into {pies.marks} equal parts, and every sector ends at a mark."
    )
    return Prompt(
        asked(style, shown, _asked(pies)), form="one integer", images=(png(_drawn(pies), PALETTE),)
    )


def hardness(pies: Pies) -> float:
    return pies.marks / 2 + len(pies.totals) * len(pies.parts[0]) + 6 * ASKS.index(pies.ask)


def _asked(pies: Pies) -> str:
    where = " in the left circle" if len(pies.totals) > 1 else ""
    first, second = pies.named[0], pies.named[-1]
    match pies.ask:
        case "one":
            return f"What does the {first} sector{where} stand for?"
        case "two":
            return f"What do the {first} and the {second} sector{where} stand for together?"
        case "more":
            return f"By how much do the {first} and the {second} sector{where} differ?"
        case "rest":
            return (
                f"What do all sectors{where} but the {first} and the {second} one stand for"
                " together (0 if there are no others)?"
            )
        case _:
            return f"By how much do the {first} sectors of the two circles differ?"


@drawn_once
def _drawn(pies: Pies) -> Pixels:
    page = blank(PANEL * len(pies.totals), PANEL)
    y = PANEL // 2
    for place in range(len(pies.totals)):
        x, start = PANEL // 2 + place * PANEL, 0
        edges = []
        for colour, part in zip(pies.colours[place], pies.parts[place]):
            turns = range(start * TURN // pies.marks, (start + part) * TURN // pies.marks + 1, 10)
            rim = [(x + right, y + down) for right, down in (bearing(t, RADIUS) for t in turns)]
            polygon(page, [(x, y), *rim], INDEX[colour])
            edges.append(rim[0])
            start += part
        for end in edges:
            line(page, (x, y), end, 2)
        ring(page, x, y, RADIUS + 1, 2)
        for mark in range(pies.marks):
            (near, above), (far, below) = (
                bearing(mark * TURN // pies.marks, length) for length in (RADIUS, RADIUS + 10)
            )
            line(page, (x + near, y + above), (x + far, y + below), 2)
    return page


LADDER = (
    Knobs(0, 3, 1, 1),
    Knobs(1, 3, 1, 2),
    Knobs(2, 4, 1, 3),
    Knobs(3, 5, 2, 4),
    Knobs(4, 6, 2, 5),
)
FAMILY = Family(
    Pies,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="colours between the marks counted in the picture",
    guess_rate=0.15,
    redraws=True,
    skills=("vision", "reading", "arithmetic"),
    version=2,
)
