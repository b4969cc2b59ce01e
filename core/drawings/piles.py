"""Piles: heaps, stacks, tubes, pegs with discs, jugs and cards."""

from collections.abc import Callable, Sequence
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.svg import Picture

HIGHEST = 15  # objects of a heap that are drawn one by one
WIDE, HIGH = 64, 26  # of a block


def _heaps(sizes: Sequence[int]) -> Picture | None:
    if len(sizes) > 20:
        return None
    tall = max(min(size, HIGHEST) for size in sizes)
    base, parts = 12.0 * tall + 8, list[str]()
    for place, size in enumerate(sizes):
        x = 24 + 44 * place
        if size <= HIGHEST:
            parts += [svg.dot(x, base - 12 * number - 8, 5) for number in range(size)]
        else:
            parts.append(svg.outline([(x - 16, base), (x, base - 12 * HIGHEST), (x + 16, base)]))
        parts.append(svg.text(x, base + 12, str(size), 13))
    return Picture(44 * len(sizes) + 4, base + 24, parts)


def _stacks(stacks: Sequence[Sequence[str]], names: Sequence[str] = ()) -> Picture:
    """Blocks on one another, the lowest first."""
    tall, parts = max(1, *map(len, stacks)), list[str]()
    base = tall * HIGH + 4
    for place, stack in enumerate(stacks):
        x = 6 + place * (WIDE + 12)
        for number, block in enumerate(stack):
            y = base - (number + 1) * HIGH
            parts.append(svg.frame(x, y, WIDE, HIGH, 3))
            parts.append(svg.text(x + WIDE / 2, y + HIGH / 2, block, 13 if len(block) < 9 else 9))
        parts.append(svg.line(x - 3, base, x + WIDE + 3, base, 2))
        parts += [svg.text(x + WIDE / 2, base + 12, name, 13) for name in names[place : place + 1]]
    return Picture(len(stacks) * (WIDE + 12), base + (24 if names else 4), parts)


def _ball_sort(puzzle: Any) -> Picture:
    return _stacks(puzzle.tubes, [str(number) for number in range(1, len(puzzle.tubes) + 1)])


def _blocks_world(puzzle: Any) -> Picture:
    pictures = [_stacks(puzzle.start), _stacks(puzzle.goal)]
    return svg.stacked([svg.titled(*each) for each in zip(("first", "second"), pictures)])


def _hanoi(puzzle: Any) -> Picture:
    pictures = [_pegs(puzzle.pegs, puzzle.start), _pegs(puzzle.pegs, puzzle.goal)]
    return svg.stacked([svg.titled(*each) for each in zip(("start", "goal"), pictures)])


def _pegs(pegs: int, places: Sequence[int]) -> Picture:
    """Discs by size, the smallest first; each is on a peg."""
    wide, high, parts = 16 + 12 * len(places), 14, list[str]()
    base = (len(places) + 1) * high
    for peg in range(pegs):
        middle = (peg + 0.5) * (wide + 12)
        parts.append(svg.line(middle - wide / 2, base, middle + wide / 2, base, 2))
        parts.append(svg.text(middle, base + 12, "abcdefgh"[peg], 13))
        discs = [size for size, place in enumerate(places) if place == peg]
        parts.append(svg.line(middle, 4, middle, base - len(discs) * high, 2))
        for number, size in enumerate(reversed(discs)):
            half = 8 + 6 * size
            y = base - (number + 1) * high
            parts.append(svg.shade(middle - half, y, 2 * half, high))
            parts.append(svg.frame(middle - half, y, 2 * half, high, 4))
            parts.append(svg.text(middle, y + high / 2, str(size + 1), 10))
    return Picture(pegs * (wide + 12), base + 24, parts)


def _jugs(puzzle: Any) -> Picture:
    """Jugs as high as they are large, with what is in them."""
    most, parts = max(puzzle.sizes), list[str]()
    for place, (name, size, held) in enumerate(
        zip(puzzle.names, puzzle.sizes, puzzle.start, strict=True)
    ):
        x, high, full = 16 + place * 84, 120 * size / most, 120 * held / most
        parts.append(svg.shade(x, 130 - full, 52, full))
        parts.append(svg.line(x, 130 - high, x, 130, 2))
        parts.append(svg.line(x, 130, x + 52, 130, 2))
        parts.append(svg.line(x + 52, 130, x + 52, 130 - high, 2))
        parts.append(svg.text(x + 26, 144, name, 13))
        parts.append(svg.text(x + 26, 162, f"{held} of {size}", 12))
    return Picture(84 * len(puzzle.sizes), 174, parts)


def _cards(faces: Sequence[Any]) -> Picture:
    parts = []
    for place, face in enumerate(map(str, faces)):
        x = 4 + 46 * place
        parts.append(svg.frame(x, 4, 40, 56, 5))
        parts.append(svg.text(x + 20, 32, face, 18 if len(face) < 4 else 12))
    return Picture(46 * len(parts) / 2 + 4, 64, parts)


def _urns(puzzle: Any) -> Picture:
    """Vessels with so many balls of each colour."""
    pictures = []
    for counts in puzzle.bags:
        high, parts = 34 * len(counts) + 12, list[str]()
        for place, (count, colour) in enumerate(zip(counts, puzzle.colours, strict=True)):
            y = 26 + 34 * place
            parts += [svg.ring(30, y, 14), svg.text(30, y, str(count), 14)]
            parts.append(svg.text(52, y, colour, 13, "start"))
        ends = [((6, 4), (6, high)), ((6, high), (124, high)), ((124, high), (124, 4))]
        parts += [svg.line(*start, *end, 2) for start, end in ends]
        pictures.append(Picture(130, high + 4, parts))
    if len(pictures) == 1:
        return pictures[0]
    names = ("first", "second")
    return svg.beside([svg.titled(*each) for each in zip(names, pictures, strict=True)])


def _bank(puzzle: Any) -> Picture:
    """Everybody on the west bank with what they weigh, the boat, and the river."""
    count = len(puzzle.names)
    high, parts = 20 * count + 12, list[str]()
    for place, (name, weight) in enumerate(zip(puzzle.names, puzzle.weights, strict=True)):
        words = f"{name} {weight} kg" + (" (rows)" if name in puzzle.rowers else "")
        parts.append(svg.text(170, 16 + 20 * place, words, 13, "end"))
    parts.append(svg.shade(184, 4, 150, high - 4))
    boat = [(190, high / 2 - 8), (266, high / 2 - 8), (254, high / 2 + 12), (202, high / 2 + 12)]
    parts += [svg.outline(boat), svg.text(228, high / 2 + 1, f"{puzzle.load} kg", 12)]
    parts.append(svg.text(344, high / 2, "east", 13, "start"))
    return Picture(380, high + 4, parts)


PICTURES: dict[str, Callable[[Any], Picture | None]] = {
    "ball_sort": _ball_sort,
    "blocks_world": _blocks_world,
    "countdown": lambda each: _cards(each.numbers),
    "hanoi": _hanoi,
    "jugs": _jugs,
    "melds": lambda each: _cards(each.hand),
    "nim": lambda each: _heaps(each.sizes),
    "river_crossing": _bank,
    "sorting": lambda each: _cards(each.numbers),
    "subset_sum": lambda each: svg.titled(str(each.target), _cards(each.numbers)),
    "urn_draws": _urns,
    "nullify": lambda each: _cards(each.faces),
    "take_away": lambda each: _heaps(each.heaps),
    "twenty_four": lambda each: _cards(each.numbers),
    "wythoff": lambda each: _heaps((each.first, each.second)),
}
