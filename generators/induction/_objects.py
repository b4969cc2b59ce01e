"""What rules about the objects of a grid are made of: an action, and the objects that it is about.

A grid is a tuple of rows of bytes, 0 for an empty cell. An object is the cells of one colour that
hang together side by side.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, wraps
from typing import TypeAlias

from puzzlemill.generators import _cells
from puzzlemill.generators._cells import Cell
from puzzlemill.generators.induction._programs import KindOfStep

Lines: TypeAlias = tuple[bytes, ...]
Thing: TypeAlias = tuple[int, tuple[Cell, ...]]  # a colour and cells in order
Choice: TypeAlias = Callable[[Thing, tuple[Thing, ...], Lines], bool]

COLOURS = range(1, 5)
EMPTY, TAKEN = b"\0", b"\xff"  # no colour
WAYS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}


@lru_cache(maxsize=4096)
def things(grid: Lines) -> tuple[Thing, ...]:
    return tuple(_pieces(grid, EMPTY))


def _pieces(grid: Lines, without: bytes) -> Iterator[Thing]:
    """What hangs together of one colour, without some colours, by the first cell of each."""
    wide = len(grid[0]) + 1
    left = bytearray(TAKEN.join(grid) + TAKEN * (wide + 1))  # around the edge, cells are taken
    left = left.translate(bytes.maketrans(without, TAKEN * len(without)))
    places = _places(len(grid), wide)
    for start in places:
        colour = left[start]
        if colour == TAKEN[0]:
            continue
        left[start] = TAKEN[0]
        piece = [start]
        for at in piece:
            for near in (at - wide, at - 1, at + 1, at + wide):
                if left[near] == colour:
                    left[near] = TAKEN[0]
                    piece.append(near)
        yield colour, tuple([places[at] for at in sorted(piece)])


@lru_cache(maxsize=128)
def _places(high: int, wide: int) -> dict[int, Cell]:
    """The cells by their places in a text of so long lines, of which the last place is no cell."""
    return {row * wide + at: (row, at) for row in range(high) for at in range(wide - 1)}


def _at_edge(thing: Thing, grid: Lines) -> bool:
    last = len(grid) - 1, len(grid[0]) - 1
    return any(place in (0, end) for cell in thing[1] for place, end in zip(cell, last))


def _box(cells: Iterable[Cell]) -> tuple[int, int, int, int]:
    rows, columns = zip(*cells)
    return min(rows), min(columns), max(rows), max(columns)


def _mirrored(thing: Thing, axis: int) -> tuple[Cell, ...]:
    """An object's cells, exchanged within their box: 0 top and bottom, 1 left and right."""
    box = _box(thing[1])
    total = box[axis] + box[axis + 2]
    turned = ((total - row, at) if axis == 0 else (row, total - at) for row, at in thing[1])
    return tuple(sorted(turned))


CHOICES: dict[str, Choice] = {
    "all objects": lambda thing, all_of, grid: True,
    "the largest objects": lambda thing, all_of, grid: (
        len(thing[1]) == max(len(cells) for _, cells in all_of)
    ),
    "the smallest objects": lambda thing, all_of, grid: (
        len(thing[1]) == min(len(cells) for _, cells in all_of)
    ),
    "the objects of one cell": lambda thing, all_of, grid: len(thing[1]) == 1,
    "the objects at the edge": lambda thing, all_of, grid: _at_edge(thing, grid),
    "the objects away from the edge": lambda thing, all_of, grid: not _at_edge(thing, grid),
    "the objects that are their own mirror image": lambda thing, all_of, grid: (
        _mirrored(thing, 1) == thing[1]
    ),
    "the objects whose colour no other has": lambda thing, all_of, grid: (
        [colour for colour, _ in all_of].count(thing[0]) == 1
    ),
}
for _colour in COLOURS:
    CHOICES[f"the objects of colour {_colour}"] = lambda thing, all_of, grid, colour=_colour: (
        thing[0] == colour
    )  # type: ignore[misc]
EVERY = tuple(CHOICES)
SOME = EVERY[1:]
FEW = EVERY[:3] + EVERY[-len(COLOURS) :]


@lru_cache(maxsize=1 << 14)
def _chosen(grid: Lines, choice: str) -> int:
    """The objects that an action is about, a bit for each."""
    all_of = things(grid)
    fits = CHOICES[choice]
    return sum(1 << at for at, thing in enumerate(all_of) if fits(thing, all_of, grid))


def _about(act: Callable[..., Lines]) -> Callable[..., Lines]:
    """An action on the objects of a choice. Most choices come to the same few objects of a grid, so
    what an action makes of them is kept."""
    kept_results = lru_cache(maxsize=1 << 9)(act)

    @wraps(act)
    def chosen(grid: Lines, choice: str, *parameters: object) -> Lines:
        return kept_results(grid, _chosen(grid, choice), *parameters)

    return chosen


def _some(grid: Lines, bits: int) -> list[Thing]:
    return [thing for at, thing in enumerate(things(grid)) if bits >> at & 1]


def _with(grid: Lines, cells: Iterable[Cell], colour: int) -> Lines:
    """A grid with some cells of a colour."""
    rows = [*map(bytearray, grid)]
    for row, at in cells:
        rows[row][at] = colour
    return tuple(map(bytes, rows))


def _cells_of(some: Iterable[Thing]) -> list[Cell]:
    return [cell for _, cells in some for cell in cells]


@_about
def recoloured(grid: Lines, chosen: int, colour: int) -> Lines:
    return _with(grid, _cells_of(_some(grid, chosen)), colour)


@_about
def removed(grid: Lines, chosen: int) -> Lines:
    return _with(grid, _cells_of(_some(grid, chosen)), 0)


@_about
def kept(grid: Lines, chosen: int) -> Lines:
    return _with(grid, _cells_of(_some(grid, ~chosen)), 0)


@_about
def cropped(grid: Lines, chosen: int) -> Lines:
    if not chosen:
        return grid
    top, left, bottom, right = _box(_cells_of(_some(grid, chosen)))
    return tuple(row[left : right + 1] for row in grid[top : bottom + 1])


@_about
def flipped(grid: Lines, chosen: int, axis: str) -> Lines:
    """Each object in its own box; later ones cover earlier ones."""
    some, side = _some(grid, chosen), axis == "left and right"
    rows = [*map(bytearray, grid)]
    for row, at in _cells_of(some):
        rows[row][at] = 0
    for thing in some:
        for row, at in _mirrored(thing, int(side)):
            rows[row][at] = thing[0]
    return tuple(map(bytes, rows))


@_about
def slid(grid: Lines, chosen: int, way: str) -> Lines:
    """Objects move until something or the edge is in the way, the foremost first."""
    down, right = WAYS[way]
    rows = [*map(bytearray, grid)]
    for bit, (colour, cells), front in _fronts(grid, way):
        if not chosen & bit:
            continue
        for row, at in cells:
            rows[row][at] = 0
        steps = min(_free(rows, row, at, down, right) for row, at in front)
        for row, at in cells:
            rows[row + down * steps][at + right * steps] = colour
    return tuple(map(bytes, rows))


@lru_cache(maxsize=1 << 5)
def _fronts(grid: Lines, way: str) -> list[tuple[int, Thing, list[Cell]]]:
    """The objects with their bits, the foremost in a direction first, and where each one's own
    cells end in that direction."""
    down, right = WAYS[way]
    found = []
    for at, thing in enumerate(things(grid)):
        ahead = [(row + down, column + right) for row, column in thing[1]]
        far = max(row * down + column * right for row, column in ahead)
        found.append((-far, 1 << at, thing, sorted(set(ahead).difference(thing[1]))))
    return [each[1:] for each in sorted(found, key=lambda each: each[0])]


def _free(rows: Sequence[bytes | bytearray], row: int, at: int, down: int, right: int) -> int:
    """The empty cells from one on, in one direction, up to what is in the way."""
    height, width, count = len(rows), len(rows[0]), 0
    while 0 <= row < height and 0 <= at < width and not rows[row][at]:
        row, at, count = row + down, at + right, count + 1
    return count


@_about
def outlined(grid: Lines, chosen: int, colour: int) -> Lines:
    """The empty cells around objects, corners too."""
    return _with(grid, _outline(grid, chosen), colour)


@lru_cache(maxsize=1 << 9)
def _outline(grid: Lines, chosen: int) -> list[Cell]:
    near = {
        other
        for cell in _cells_of(_some(grid, chosen))
        for other in _cells.around(cell, len(grid), len(grid[0]))
    }
    return [cell for cell in near if not grid[cell[0]][cell[1]]]


@_about
def rayed(grid: Lines, chosen: int, way: str) -> Lines:
    """Each cell of an object goes on in one direction, over empty cells, to what is in the way."""
    rows = [*map(bytearray, grid)]
    for at, (colour, cells) in enumerate(_rays(grid, way)):
        if chosen >> at & 1:
            for row, column in cells:
                rows[row][column] = colour
    return tuple(map(bytes, rows))


@lru_cache(maxsize=1 << 5)
def _rays(grid: Lines, way: str) -> list[tuple[int, list[Cell]]]:
    """For each object its colour, and the cells into which it goes on in a direction."""
    down, right = WAYS[way]
    found = []
    for colour, cells in things(grid):
        ray = [
            (row + down * step, at + right * step)
            for row, at in cells
            for step in range(1, _free(grid, row + down, at + right, down, right) + 1)
        ]
        found.append((colour, ray))
    return found


def filled(grid: Lines, colour: int) -> Lines:
    """The empty cells from which no way over empty cells leads to the edge."""
    return _with(grid, _cells_of(_holes(grid)), colour)


@lru_cache(maxsize=4096)
def _holes(grid: Lines) -> tuple[Thing, ...]:
    return tuple(piece for piece in _pieces(grid, bytes(COLOURS)) if not _at_edge(piece, grid))


def by_size(grid: Lines) -> Lines:
    """The largest objects become 1, the next ones 2 and so on; from the fourth size on, 4."""
    sizes = sorted({len(cells) for _, cells in things(grid)}, reverse=True)
    for _, cells in things(grid):
        grid = _with(grid, cells, min(sizes.index(len(cells)) + 1, max(COLOURS)))
    return grid


def by_cells(grid: Lines) -> Lines:
    for _, cells in things(grid):
        grid = _with(grid, cells, min(len(cells), max(COLOURS)))
    return grid


def completed(grid: Lines, axis: str) -> Lines:
    """Empty cells take the colour of their mirror image."""
    other = tuple(row[::-1] for row in grid) if axis == "left and right" else grid[::-1]
    return tuple(bytes(one or two for one, two in zip(*rows)) for rows in zip(grid, other))


def tallied(grid: Lines) -> Lines:
    """A row for each colour, the most frequent first, with a cell for each of its objects."""
    counts = Counter(colour for colour, _ in things(grid))
    if not counts:
        return grid
    ranked = sorted(counts, key=lambda colour: (-counts[colour], colour))
    wide = max(counts.values())
    return tuple(bytes([colour] * counts[colour]).ljust(wide, b"\0") for colour in ranked)


def possible(grid: Lines, then: Lines) -> set[str]:
    """The kinds of actions that may make one grid of another, by what each kind leaves as it is."""
    if len(grid) != len(then) or len(grid[0]) != len(then[0]):
        return {"crop", "tally", "transpose"}
    before, after = b"".join(grid), b"".join(then)
    changes = {(old, new) for old, new in zip(before, after) if old != new}
    gone = any(not new for _, new in changes)
    come = any(not old for old, _ in changes)
    other = any(old and new for old, new in changes)
    kinds = {"tally"}
    if not gone and not come:
        kinds |= {"recolour", "by_size", "by_cells"}
    if not gone and not other:
        kinds |= {"outline", "ray", "fill", "complete"}
    if not come and not other:
        kinds |= {"remove", "keep"}
    if all(after.count(colour) <= before.count(colour) for colour in COLOURS):
        kinds.add("flip")  # objects may come to lie on others
    if sorted(before) == sorted(after):
        kinds |= {"slide", "crop", "mirror", "turn_over", "transpose"}
    return kinds


AXES = ("left and right", "top and bottom")
KINDS: dict[str, KindOfStep[Lines]] = {
    "recolour": KindOfStep("", recoloured, (EVERY, COLOURS), "{0} get colour {1}"),
    "remove": KindOfStep("", removed, (SOME,), "take away {0}"),
    "keep": KindOfStep("", kept, (SOME,), "keep only {0}"),
    "crop": KindOfStep("", cropped, (EVERY,), "keep the smallest rectangle that holds {0}"),
    "flip": KindOfStep("", flipped, (FEW, AXES), "in {0}, exchange {1}, each within its box"),
    "slide": KindOfStep("", slid, (FEW, tuple(WAYS)), "{0} move {1} until something is in the way"),
    "outline": KindOfStep("", outlined, (FEW, COLOURS), "empty cells around {0} get colour {1}"),
    "ray": KindOfStep("", rayed, (FEW, tuple(WAYS)), "{0} grow {1} until something is in the way"),
    "fill": KindOfStep("", filled, (COLOURS,), "enclosed empty cells get colour {0}"),
    "by_size": KindOfStep(
        "", by_size, (), "the largest objects get colour 1, the next 2 and so on"
    ),
    "by_cells": KindOfStep("", by_cells, (), "each object gets the number of its cells as colour"),
    "complete": KindOfStep(
        "", completed, (AXES,), "empty cells get the colour of their mirror image, exchanging {0}"
    ),
    "tally": KindOfStep("", tallied, (), "a row for each colour, with a cell for each object"),
    "mirror": KindOfStep("", lambda grid: tuple(row[::-1] for row in grid), (), "mirror the grid"),
    "turn_over": KindOfStep("", lambda grid: grid[::-1], (), "turn the grid upside down"),
    "transpose": KindOfStep(
        "", lambda grid: tuple(map(bytes, zip(*grid))), (), "exchange rows and columns"
    ),
}
