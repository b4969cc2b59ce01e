"""Grid relations: things on a grid are placed by clues about each other, then moved; where is one?

Each clue is an equation or two between rows and columns, and so is each move. `solve` is linear
algebra: it eliminates the unknown rows and columns and proves that only one placing fits. `verify`
asks only for what it needs: it goes back from the end through the moves that touched the thing in
question, and then from clue to clue to the one whose place is told.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators._cells import Cell, cells

THINGS = ("apple", "ball", "cup", "drum", "egg", "fan", "glove", "hat", "iron", "jar", "key",
          "lamp", "mug", "nut", "orange", "pen", "ring", "shoe", "top", "vase")  # fmt: skip
LONGEST = 3  # squares that a thing moves

# ("at", a, row, column); ("from", a, b, down, right): a lies so far from b;
# ("cross", a, b, c): in the row of b and the column of c;
# ("half", a, b, c): halfway between b and c; ("mirror", a, b, c): c is halfway between a and b.
# Things are numbers, from 0 in the order of Grid.things; rows and columns are counted from 1.
Clue = tuple[str | int, ...]
# ("step", a, down, right); ("swap", a, b); ("beside", a, b, down, right): a is put there.
Move = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # rows and columns of the grid, or one more
    things: int  # on the grid
    moves: int  # of things after they were placed
    asked: int  # things whose places are asked for


@dataclass(frozen=True, slots=True)
class Grid:
    rows: int
    columns: int
    things: tuple[str, ...]
    clues: tuple[Clue, ...]
    moves: tuple[Move, ...]
    asked: tuple[int, ...]


def generate(rng: Random, knobs: Knobs) -> Grid | None:
    rows, columns = knobs.side + rng.randrange(2), knobs.side + rng.randrange(2)
    free = [(row + 1, column + 1) for row, column in cells(rows, columns)]
    at = rng.sample(free, knobs.things)
    order = rng.sample(range(knobs.things), knobs.things)
    clues: list[Clue] = [("at", order[0], *at[order[0]])]
    for place in range(1, knobs.things):
        # Mostly from the last few, so that the clues make a long chain.
        clues.append(_clue(rng, order[place], order[max(place - 3, 0) : place], at))
    rng.shuffle(clues)
    moves: list[Move] = []
    for _ in range(knobs.moves):
        move = _move(rng, at, rows, columns, moves)
        if move is None:
            return None
        moves.append(move)
    moved = {thing for move in moves for thing in move[1:3] if move[0] == "swap"}
    moved |= {move[1] for move in moves}
    pool = [int(thing) for thing in sorted(moved)] if len(moved) >= knobs.asked else order[1:]
    asked = rng.sample(pool, knobs.asked)
    if order[-1] not in asked:
        asked[0] = order[-1] if not moves else asked[0]
    names = tuple(rng.sample(THINGS, knobs.things))
    return Grid(rows, columns, names, tuple(clues), tuple(moves), tuple(asked))


def solve(grid: Grid) -> tuple[Cell, ...] | None:
    """Elimination; then the moves, one after another."""
    down, right = (_eliminated(grid, axis) for axis in (0, 1))
    if down is None or right is None:
        return None
    at = list(zip(down, right))
    for kind, a, *rest in grid.moves:
        match kind:
            case "step":
                at[int(a)] = at[int(a)][0] + int(rest[0]), at[int(a)][1] + int(rest[1])
            case "swap":
                at[int(a)], at[int(rest[0])] = at[int(rest[0])], at[int(a)]
            case _:
                row, column = at[int(rest[0])]
                at[int(a)] = row + int(rest[1]), column + int(rest[2])
    return tuple(at[thing] for thing in grid.asked)


def verify(grid: Grid, places: tuple[Cell, ...]) -> float:
    if len(places) != len(grid.asked):
        return 0.0
    start = _chained(grid)
    return float(
        all(_last(grid, start, thing) == place for thing, place in zip(grid.asked, places))
    )


def render(grid: Grid, style: Style) -> Prompt:
    name = grid.things
    clues = "\n".join(f"- {_said(clue, name, style)}" for clue in grid.clues)
    moves = "\n".join(f"{n}. {_done(move, name, style)}" for n, move in enumerate(grid.moves, 1))
    asked = [f"the {name[thing]}" for thing in grid.asked]
    them = asked[0] if len(asked) == 1 else f"{', '.join(asked[:-1])} and {asked[-1]}"
    lie = "lies" if len(asked) == 1 else "lie"
    after = f"\n{moves}\n" if moves else ""
    end = "in the end" if moves else "on the grid"
    north = "North is up, towards row 1; east is to the right."
    count = f"{grid.rows} rows and {grid.columns} columns"
    each = style.pick(
        "Each thing lies on one square; several may share a square after a move."
        if moves
        else "Each thing lies on one square.",
        "A thing takes up one square"
        + ("; two may come to lie on the same one." if moves else "."),
    )
    return Prompt(
        style.pick(
            f"Some things lie on a grid of {count}. Row 1 is the top row, column 1 the leftmost"
            f" column. {north} {each}\n{clues}\n"
            + (f"Then this happens, in order:{after}" if moves else "")
            + f"On which square {lie} {them} {end}?",
            f"A floor is tiled in {count}, numbered from 1: rows from north to south, columns from"
            f" west to east. {north} {each} What is known at first:\n{clues}\n"
            + (f"After that, one thing after another is moved:{after}" if moves else "")
            + f"Say where {them} {lie} {end}.",
            f"Find out where {them} {lie} {end}. The grid has {count}; rows are counted from the"
            f" top and columns from the left, both from 1. {north} {each}\n\nPositions at the"
            f" start:\n{clues}" + (f"\n\nMoves, in this order:{after.rstrip()}" if moves else ""),
        ),
        form=(
            "its square as (row, column), such as (20, 31)"
            if len(asked) == 1
            else "their squares as (row, column) pairs, in the order asked, such as (20, 31),"
            " (42, 17)"
        ),
    )


def steps(grid: Grid) -> list[str]:
    """Each thing as its place becomes known, then each move."""
    known: dict[int, Cell] = {}
    lines, name = [], grid.things
    for thing, place in _chained(grid).items():
        known[thing] = place
        lines.append(f"{name[thing]}: {place}")
    for count in range(1, len(grid.moves) + 1):
        part = Grid(grid.rows, grid.columns, name, grid.clues, grid.moves[:count], grid.asked)
        kind, a, *rest = grid.moves[count - 1]
        touched = [int(a), int(rest[0])] if kind == "swap" else [int(a)]
        told = ", ".join(f"{name[thing]} {_last(part, known, thing)}" for thing in touched)
        lines.append(f"after move {count}: {told}")
    return lines


def canon(grid: Grid) -> object:
    """What the things are called, and in which order the clues come, makes no difference."""
    numbers: dict[int, int] = {}
    question: Clue = ("asked", *grid.asked)
    for move in (*grid.moves, question):
        for thing in _named(move):
            numbers.setdefault(thing, len(numbers))
    for thing in _chained(grid):
        numbers.setdefault(thing, len(numbers))
    facts = sorted(repr(_renumbered(clue, numbers)) for clue in grid.clues)
    moves = [_renumbered(move, numbers) for move in grid.moves]
    return grid.rows, grid.columns, facts, moves, len(grid.asked)


def hardness(grid: Grid) -> float:
    return len(grid.clues) + 1.5 * len(grid.moves)


def _clue(rng: Random, thing: int, known: list[int], at: list[Cell]) -> Clue:
    """A clue that places a thing by some that are placed already."""
    row, column = at[thing]
    fitting: list[Clue] = []
    for b in known:
        for c in known:
            if b == c:
                continue
            if at[b][0] == row and at[c][1] == column:
                fitting.append(("cross", thing, b, c))
            if b < c and at[b][0] + at[c][0] == 2 * row and at[b][1] + at[c][1] == 2 * column:
                fitting.append(("half", thing, b, c))
            if row + at[b][0] == 2 * at[c][0] and column + at[b][1] == 2 * at[c][1]:
                fitting.append(("mirror", thing, b, c))
    if fitting and rng.random() < 0.8:
        return rng.choice(fitting)
    b = rng.choice(known[-2:])
    return "from", thing, b, row - at[b][0], column - at[b][1]


def _move(rng: Random, at: list[Cell], rows: int, columns: int, before: list[Move]) -> Move | None:
    """A move that stays on the grid; it is made."""
    for _ in range(30):
        a, b = rng.sample(range(len(at)), 2)
        if before and rng.random() < 0.5 and before[-1][1] != a:
            b = int(before[-1][1])  # so that what was moved matters later
        down, right = rng.randrange(-LONGEST, LONGEST + 1), rng.randrange(-LONGEST, LONGEST + 1)
        kind = rng.choice(("step", "step", "swap", "beside"))
        from_ = at[a] if kind == "step" else at[b]
        to = (from_[0] + down, from_[1] + right)
        if kind == "swap":
            if at[a] != at[b] and not (before and before[-1][0] == "swap" == kind):
                at[a], at[b] = at[b], at[a]
                return kind, a, b
        elif (down or right) and 1 <= to[0] <= rows and 1 <= to[1] <= columns and to != at[a]:
            at[a] = to
            return (kind, a, down, right) if kind == "step" else (kind, a, b, down, right)
    return None


def _eliminated(grid: Grid, axis: int) -> list[int] | None:
    """The rows (or columns) of all things by Gauss and Jordan; None unless they are determined."""
    size = len(grid.things)
    table = []
    for kind, a, *rest in grid.clues:
        line = [Fraction(0)] * (size + 1)
        line[int(a)] += 1
        match kind:
            case "at":
                line[size] += int(rest[axis])
            case "from":
                line[int(rest[0])] -= 1
                line[size] += int(rest[1 + axis])
            case "cross":
                line[int(rest[axis])] -= 1
            case "half":
                line[int(a)] += 1
                line[int(rest[0])] -= 1
                line[int(rest[1])] -= 1
            case _:
                line[int(rest[0])] += 1
                line[int(rest[1])] -= 2
        table.append(line)
    for column in range(size):
        pivot = next((line for line in table[column:] if line[column]), None)
        if pivot is None:
            return None
        table.remove(pivot)
        pivot = [value / pivot[column] for value in pivot]
        for place, line in enumerate(table):
            if factor := line[column]:
                table[place] = [x - factor * y if y else x for x, y in zip(line, pivot)]
        table.insert(column, pivot)
    return [int(line[size]) for line in table[:size]]


def _chained(grid: Grid) -> dict[int, Cell]:
    """Where the things lie at first, each found from those that were found before it."""
    found: dict[int, Cell] = {}
    waiting = deque(grid.clues)
    for _ in range(len(waiting) ** 2):
        if not waiting:
            break
        clue = waiting.popleft()
        kind, a, *rest = clue
        needed = {"at": 0, "from": 1}.get(str(kind), 2)
        known = [found[int(b)] for b in rest[:needed] if b in found]
        if len(known) < needed:
            waiting.append(clue)
            continue
        match kind, known:
            case "at", _:
                place = (int(rest[0]), int(rest[1]))
            case "from", [(row, column)]:
                place = (row + int(rest[1]), column + int(rest[2]))
            case "cross", [(row, _), (_, column)]:
                place = (row, column)
            case "half", [(row, column), (other, another)]:
                place = ((row + other) // 2, (column + another) // 2)
            case _, [(row, column), (middle, centre)]:
                place = (2 * middle - row, 2 * centre - column)
            case _:
                continue
        found[int(a)] = place
    return found


def _last(grid: Grid, start: dict[int, Cell], thing: int) -> Cell | None:
    """Where a thing ends up, looking back through the moves for what decides it."""
    down = right = 0
    for kind, a, *rest in reversed(grid.moves):
        if kind == "swap" and thing in (a, rest[0]):
            thing = int(rest[0]) if thing == a else int(a)
        elif kind == "step" and thing == a:
            down, right = down + int(rest[0]), right + int(rest[1])
        elif kind == "beside" and thing == a:
            thing = int(rest[0])
            down, right = down + int(rest[1]), right + int(rest[2])
    place = start.get(thing)
    return place and (place[0] + down, place[1] + right)


def _named(fact: Clue) -> Iterator[int]:
    """The things in a clue, a move or a question."""
    kind, *rest = fact
    many = {"at": 1, "from": 2, "step": 1, "swap": 2, "beside": 2, "asked": len(rest)}
    return (int(it) for it in rest[: many.get(str(kind), 3)])


def _renumbered(fact: Clue, numbers: dict[int, int]) -> Clue:
    named = list(_named(fact))
    return (fact[0], *(numbers[it] for it in named), *fact[len(named) + 1 :])


def _way(down: int, right: int, unit: str) -> str:
    """3 squares north and 1 square east."""
    parts = []
    for count, ways in ((down, ("north", "south")), (right, ("west", "east"))):
        if count:
            plural = "" if abs(count) == 1 else "s"
            parts.append(f"{abs(count)} {unit}{plural} {ways[count > 0]}")
    return " and ".join(parts)


def _said(clue: Clue, name: tuple[str, ...], style: Style) -> str:
    kind, a, *rest = clue
    thing, *others = (f"the {name[it]}" for it in _named(clue))
    thing = thing.capitalize()
    match kind:
        case "at":
            return f"{thing} lies in row {rest[0]}, column {rest[1]}."
        case "from":
            way = _way(int(rest[1]), int(rest[2]), "square")
            straight = 0 in rest[1:]
            return style.pick(
                f"{thing} lies {way} of {others[0]}.",
                f"From {others[0]} it is {way} to {'the ' + name[int(a)]}.",
                f"Starting on {others[0]} and going {way}, you come to the {name[int(a)]}."
                if straight
                else f"{thing} is {way} of {others[0]}.",
            )
        case "cross":
            return style.pick(
                f"{thing} is in the same row as {others[0]} and in the same column as {others[1]}.",
                f"{thing} has the row of {others[0]} and the column of {others[1]}.",
            )
        case "half":
            return style.pick(
                f"{thing} lies exactly halfway between {others[0]} and {others[1]}.",
                f"The midpoint between {others[0]} and {others[1]} is where {thing.lower()} lies.",
            )
    return style.pick(
        f"{others[1].capitalize()} lies exactly halfway between {thing.lower()} and {others[0]}.",
        f"Walking from {others[0]} to {others[1]} and then once more as far in the same direction,"
        f" one reaches {thing.lower()}.",
    )


def _done(move: Move, name: tuple[str, ...], style: Style) -> str:
    kind, _, *rest = move
    thing, *others = (f"the {name[it]}" for it in _named(move))
    match kind:
        case "step":
            way = _way(int(rest[0]), int(rest[1]), "square")
            return f"{thing.capitalize()} {style.pick('is moved', 'moves')} {way}."
        case "swap":
            return style.pick(
                f"{thing.capitalize()} and {others[0]} change places.",
                f"{thing.capitalize()} is swapped with {others[0]}.",
            )
    way = _way(int(rest[1]), int(rest[2]), "square")
    return style.pick(
        f"{thing.capitalize()} is put on the square {way} of where {others[0]} then lies.",
        f"Somebody lays {thing} down {way} of the place that {others[0]} has by then.",
    )


LADDER = (
    Knobs(4, 3, 0, 2),
    Knobs(6, 4, 2, 2),
    Knobs(8, 7, 5, 2),
    Knobs(10, 12, 12, 2),
    Knobs(12, 16, 25, 3),
    Knobs(14, 20, 50, 4),
)
FAMILY = Family(
    Grid,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(),
    notation=lambda grid: answers.Pairs(names=tuple(grid.things[thing] for thing in grid.asked)),
    hardness=hardness,
    proof="unique",
    solver="elimination of unknown rows and columns",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("spatial", "deduction", "state tracking"),
    peers=("reasoning-core/grid_navigation",),
    version=3,
)
