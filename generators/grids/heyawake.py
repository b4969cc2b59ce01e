"""Heyawake: shade cells of rooms so that none touch, the rest hang together and see few rooms.

`generate` cuts a board into rooms, shades it, cuts rooms again while another shading fits as well,
and takes numbers away as long as deduction leads back to the shading; `solve` proves by SAT, with a
clause for each piece that shaded cells cut off, that no other is left; `verify` looks at rooms,
lines, neighbours and what hangs together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.cells import cells_filled
from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _marks, _tallies
from puzzlemill.generators.grids._deduction import Rule, Rules
from puzzlemill.generators.grids._tallies import Marks, Tallies

Rows: TypeAlias = tuple[str, ...]
Rooms: TypeAlias = tuple[tuple[int, ...], ...]
Room: TypeAlias = tuple[int, int, int, int]  # its first row and the one after its last, and columns
Plan: TypeAlias = list[Room]

HIDDEN = -1
BOARDS = 20  # boards cut and shaded until one has a single solution
CUTS = 30  # more of the rooms, before a board is given up


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board
    room: int  # cells of the largest rooms, before some are cut again
    numbers: float  # share of the rooms that keep their number, or more where each is needed
    suppositions: int  # how many may be needed beside deduction


@dataclass(frozen=True, slots=True)
class House:
    rooms: Rooms  # the number of each cell's room, from 0
    numbers: tuple[int, ...]  # the shaded cells of each room; -1 is hidden


def generate(rng: Random, knobs: Knobs) -> House | None:
    side = knobs.side
    for _ in range(BOARDS):
        plan = _cut(rng, side, knobs.room)
        solution = _shaded(rng, side, plan)
        if solution is None or not _mend(rng, side, plan, solution, knobs.suppositions // 2):
            continue
        rooms = _rooms(plan, side)
        full = [0] * len(plan)  # the marked cells of each
        for cell, number in enumerate(chain(*rooms)):
            full[number] += solution[0] >> cell & 1
        tallies = _bounded(side, _tallied(rooms, full))
        bit_of = dict(zip(range(len(full)), tallies.bits))  # those of the rooms come first
        fewest = round(knobs.numbers * len(full))
        shown = _marks.thinned_rules(
            rng, tallies, _all_open(side), solution, bit_of, fewest, knobs.suppositions
        )
        if shown is not None:
            kept = (many if number in shown else HIDDEN for number, many in enumerate(full))
            return House(rooms, tuple(kept))
    return None


def solve(house: House) -> Rows | None:
    """SAT: a variable for each cell."""
    side = len(house.rooms)
    shaded = {cell: at for at, cell in enumerate(_cells.cells(side, side), 1)}
    inside: list[list[int]] = [[] for _ in house.numbers]
    for number, here in zip(chain(*house.rooms), shaded.values()):
        inside[number].append(here)
    bounds = [
        bound
        for each, many in zip(inside, house.numbers)
        if many != HIDDEN
        for bound in _sat.just(many, each)
    ]
    clauses = [[cell + 1 for cell in each] for each in _stretches(house.rooms)]
    for cell, here in shaded.items():
        near = [shaded[other] for other in _cells.beside(cell, side, side)]
        clauses += [[-here, -other] for other in near if here < other]
        clauses.append([-other for other in near])  # else the cell is cut off

    def cuts(true: set[int]) -> list[_sat.Clause]:
        pieces = _cells.pieces([cell for cell in shaded if shaded[cell] not in true])
        if len(pieces) == 1:
            return []
        # The cells around a piece that is cut off cannot all be shaded.
        return [[-shaded[cell] for cell in _cells.border(piece, side, side)] for piece in pieces]

    true = _sat.only_model(clauses, shaded.values(), cuts, bounds)
    if true is None:
        return None
    return tuple(
        "".join("#" if shaded[row, column] in true else "." for column in range(side))
        for row in range(side)
    )


def verify(house: House, rows: Rows) -> float:
    side = len(house.rooms)
    if len(rows) != side or any(len(row) != side or set(row) - set("#.") for row in rows):
        return 0.0
    found = [0] * len(house.numbers)
    for signs, numbers in zip(rows, house.rooms):
        for sign, number in zip(signs, numbers):
            found[number] += sign == "#"
    if any(many not in (HIDDEN, count) for many, count in zip(house.numbers, found)):
        return 0.0
    for line, rooms in [*zip(rows, house.rooms), *zip(zip(*rows), zip(*house.rooms))]:
        borders = 0
        for place in range(1, side):
            if "#" in line[place - 1 : place + 1]:
                borders = 0
                if line[place - 1] == line[place]:
                    return 0.0
            else:
                borders += rooms[place - 1] != rooms[place]
            if borders > 1:
                return 0.0
    unshaded = {(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "."}
    waiting = [min(unshaded)]
    unshaded.discard(waiting[0])
    while waiting:
        row, column = waiting.pop()
        for near in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if near in unshaded:
                unshaded.discard(near)
                waiting.append(near)
    return float(not unshaded)


def render(house: House, style: Style) -> Prompt:
    side = len(house.rooms)
    picture = _cells.drawn([[_letter(number) for number in row] for row in house.rooms])
    known = ", ".join(
        f"{_letter(number)} {many}" for number, many in enumerate(house.numbers) if many != HIDDEN
    )
    return Prompt(
        style.pick(
            f"Heyawake. This {side}x{side} board is divided into rooms; cells with the same letter"
            f" form one room.\n\n{picture}\n\nShade some cells so that:\n- The rooms named here"
            f" hold exactly this many shaded cells: {known}. Any other room may hold any number of"
            " them, including 0.\n- No two shaded cells share a side.\n- All unshaded cells are"
            " connected: from each there is a way to every other over unshaded cells that share a"
            " side.\n- No straight line of neighbouring unshaded cells, across or down, reaches"
            " into more than two rooms.",
            f"{picture}\n\nThe letters show the rooms of a house of {side} rows and {side} columns"
            " of cells. Paint some cells black. How many black cells there are in a room, where it"
            f" is known: {known}. Black cells are never direct neighbours in a row or column, but"
            " they may meet at a corner. They do not cut the white cells apart: one can get from"
            " any white cell to any other, moving up, down, left and right over white cells. And"
            " wherever one looks straight along a row or a column, an unbroken run of white cells"
            " lies within one room or within two, never in three or more. There is only one way.",
            f"Which cells of this board ({side} rows, {side} columns) are dark? Each letter marks a"
            f" rectangular room.\n\n{picture}\n\nDark cells in a room: {known}; for rooms that are"
            " not listed, the number is not given. Rules: (1) dark cells do not touch along a side;"
            " (2) the light cells form one area, connected along sides; (3) a run of light cells in"
            " a row or column, without a dark cell in between, may pass the border between two"
            " rooms once, but never two borders.",
        ),
        form=style.pick(
            'the rows of the board, one line each: "#" for a shaded cell, "." for any other',
            'the rows of the house, one line each: "#" for a black cell, "." for a white one',
            'the rows of the board, one line each: "#" for a dark cell, "." for a light one',
        ),
    )


def steps(house: House) -> list[str]:
    side = len(house.rooms)
    values = [_marks.OPEN] * side**2
    rules = _rules(house.rooms, house.numbers)
    return _marks.worked(rules, values, _marks.telling(side, "unshaded", "shaded"))


def progress(house: House, lines: Lines) -> float:
    return cells_filled(FAMILY, house, lines, marks={"shaded": "#", "unshaded": "."})


def canon(house: House) -> list[object]:
    """The least of the board's turns and reflections, its rooms renumbered."""
    marked = [[(number, house.numbers[number]) for number in row] for row in house.rooms]
    found: list[list[object]] = []
    for turn in _cells.turns(marked):
        numbers = dict.fromkeys(cell for row in turn for cell in row)
        found.append([_cells.renumbered(turn), [many for _, many in numbers]])
    return min(found)


def hardness(house: House) -> float:
    """Cells, and rooms whose number is hidden."""
    return float(len(house.rooms) ** 2 + house.numbers.count(HIDDEN))


def _letter(number: int) -> str:
    return chr(ord("A") + number) if number < 26 else chr(ord("a") + number - 26)


def _cut(rng: Random, side: int, most: int) -> Plan:
    """The board cut in two by straight lines, and again, until no room has too many cells."""
    waiting, found = [(0, side, 0, side)], []
    while waiting:
        room = waiting.pop()
        if (room[1] - room[0]) * (room[3] - room[2]) <= most:
            found.append(room)
        else:
            waiting += rng.choice(_halves(room))
    return found


@lru_cache(1 << 11)
def _halves(room: Room) -> list[Plan]:
    """The ways to cut a room in two."""
    top, bottom, left, right = room
    ways: list[Plan] = [
        [(top, row, left, right), (row, bottom, left, right)] for row in range(top + 1, bottom)
    ]
    ways += [
        [(top, bottom, left, column), (top, bottom, column, right)]
        for column in range(left + 1, right)
    ]
    return ways


def _rooms(plan: Plan, side: int) -> Rooms:
    owner = [[0] * side for _ in range(side)]
    for number, (top, bottom, left, right) in enumerate(plan):
        for row in range(top, bottom):
            owner[row][left:right] = [number] * (right - left)
    return _cells.renumbered(owner)


def _shaded(rng: Random, side: int, plan: Plan) -> Marks | None:
    """Cells shaded in random order, where that can be, until nothing is open."""
    tallies = _bounded(side, _tallied(_rooms(plan, side), []))
    marks = _all_open(side)
    for cell in rng.sample(range(side**2), side**2):
        may, free = marks
        bit = 1 << cell
        if may & free & bit:
            for trial in ((may, free & ~bit), (may & ~bit, free)):
                after = tallies.narrow(trial, tallies.touching[cell])
                if after is not None:
                    marks = after
                    break
            else:
                return None
    return marks


def _mend(rng: Random, side: int, plan: Plan, solution: Marks, tries: int) -> bool:
    """Cut rooms, as long as another shading has the same numbers, or may have them for all that so
    many suppositions tell, so that it has them no more. What a room and its stretches say follows
    from its halves and theirs, so that what followed before a cut still does."""
    shaded = solution[0]
    growing = _tallied(_rooms(plan, side), [])
    boxes = [_box(side, *room) for room in plan]
    known, told = _all_open(side), 0
    for _ in range(CUTS):
        for box in boxes:
            many = (box & shaded).bit_count()
            growing.add(_numbered(box), _marks.counted(many, many))
        tallies = _bounded(side, growing)
        narrowed = tallies.narrow(known, tallies.all & -1 << told)
        assert narrowed, "a board has this solution"
        known, told = narrowed, len(growing.bits)
        marks = _marks.rival_marks(tallies, known, 0, solution, tries)
        if marks is None:
            return True
        other = marks[0] & ~marks[1]
        ways = [(room, halves) for room in plan for halves in _halves(room)]
        for room, halves in rng.sample(ways, len(ways)):
            boxes = [_box(side, *half) for half in halves]
            if (boxes[0] & shaded).bit_count() == (boxes[0] & other).bit_count():
                continue
            stretches = _shorter(side, *halves)
            if all(stretch & shaded for stretch in stretches):
                plan[:] = [each for each in plan if each != room] + halves
                for stretch in stretches:
                    growing.add(_numbered(stretch), _marks.counted(1, stretch.bit_count()))
                break
        else:
            return False
    return False


@lru_cache(1 << 11)
def _box(side: int, top: int, bottom: int, left: int, right: int) -> int:
    """The cells of a room as bits."""
    row = (1 << right) - (1 << left)
    return sum(row << side * number for number in range(top, bottom))


@lru_cache(1 << 11)
def _numbered(box: int) -> tuple[int, ...]:
    return tuple(cell for cell in range(box.bit_length()) if box >> cell & 1)


def _shorter(side: int, one: Room, two: Room) -> list[int]:
    """The stretches into three rooms that there are once a room is cut into these two."""
    top, middle, left, _ = one
    if left == two[2]:
        bottom, right = two[1], two[3]
        ends = [(top - 1, middle + 1)] * (top > 0) + [(middle - 1, bottom + 1)] * (bottom < side)
        return [_box(side, *end, at, at + 1) for at in range(left, right) for end in ends]
    middle, bottom, right = two[2], one[1], two[3]
    ends = [(left - 1, middle + 1)] * (left > 0) + [(middle - 1, right + 1)] * (right < side)
    return [_box(side, at, at + 1, *end) for at in range(top, bottom) for end in ends]


def _stretches(rooms: Rooms) -> list[tuple[int, ...]]:
    """The shortest straight stretches that reach into three rooms: from the last cell of a room in
    a line, through all of the next room, to the first cell of the one after that."""
    owner, found = [*chain(*rooms)], []
    for line in _lines(len(rooms)):
        starts = [at for at, (one, two) in enumerate(pairwise(line), 1) if owner[one] != owner[two]]
        found += [line[one - 1 : two + 1] for one, two in pairwise(starts)]
    return found


@lru_cache(maxsize=32)
def _lines(side: int) -> tuple[tuple[int, ...], ...]:
    """The cells of each row and of each column, numbered row by row from 0."""
    rows = [tuple(range(row * side, (row + 1) * side)) for row in range(side)]
    return (*rows, *zip(*rows))


def _all_open(side: int) -> Marks:
    full = (1 << side**2) - 1
    return full, full


def _tallied(rooms: Rooms, numbers: Sequence[int]) -> Tallies:
    """The rules of rooms with a number and of the stretches, without the words."""
    tallies = Tallies(len(rooms) ** 2)
    inside: list[list[int]] = [[] for _ in numbers]
    if numbers:
        for cell, number in enumerate(chain(*rooms)):
            inside[number].append(cell)
    for cells, many in zip(inside, numbers):
        tallies.add(tuple(cells), _marks.counted(many, many))
    for stretch in _stretches(rooms):
        tallies.add(stretch, _marks.counted(1, len(stretch)))
    return tallies


def _bounded(side: int, tallies: Tallies) -> Tallies:
    """The same and the rules of the whole board, which are dearer and so come last."""
    found, board = tallies.copy(), tuple(range(side**2))
    found.add(board, None, _tallies.apart(side))
    found.add(board, None, _tallies.connected(side, _marks.CLEAR))
    return found


def _rules(rooms: Rooms, numbers: tuple[int, ...]) -> Rules:
    side = len(rooms)
    inside: list[list[int]] = [[] for _ in numbers]
    for row, column in _cells.cells(side, side):
        inside[rooms[row][column]].append(row * side + column)
    rules = Rules(side**2, marks=True)
    for number, many in enumerate(numbers):
        if many != HIDDEN:
            cells = tuple(inside[number])
            rules.add(Rule(cells, _marks.counted(many, many), f"room {_letter(number)}"))
    for stretch in _stretches(rooms):
        ends = [_marks.named(stretch[at], side) for at in (0, -1)]
        name = f"three rooms from {ends[0]} to {ends[1]}"
        rules.add(Rule(stretch, _marks.counted(1, len(stretch)), name))
    for rule in _marks.apart_and_connected(side):
        rules.add(rule)
    return rules


LADDER = (
    Knobs(4, 6, 1.0, 0),
    Knobs(6, 8, 1.0, 2),
    Knobs(6, 8, 0.8, 6),
    Knobs(7, 9, 0.7, 20),
    Knobs(8, 9, 0.6, 40),
)
FAMILY = Family(
    House,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board("#."),
    hardness=hardness,
    proof="unique",
    solver="SAT over cells, with a clause for each piece that is cut off",
    guess_rate=0.08,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("deduction", "search"),
    peers=("InternBootcamp/heyawake",),
    version=3,
)
