"""Locked rooms: steer a robot through a plan with locked doors, picking up keys, to the goal.

The robot goes forward or turns on the spot, so where it looks matters; every sequence of commands
within the limit that brings it to the goal is right, and `verify` carries them out. `generate`
shuts doors on the way from start to goal and hides each key where it can still be got at; it then
measures layer by layer, `solve` searches by the distance that is left.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.generators._cells import SIDES, Board, Cell, beside, cells, turns
from puzzlemill.generators.planning._search import guided

FACES = "NESW"  # in clockwise order, as SIDES
WORDS = {"N": "up", "E": "right", "S": "down", "W": "left"}
KEYS = "abcd"

State = tuple[Cell, int, frozenset[str]]  # where, which way it looks, and its keys


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of squares; rows and columns may change places
    columns: int  # of squares
    walls: float  # share of the squares; some more are opened so that all hang together
    keys: int  # each for one door


@dataclass(frozen=True, slots=True)
class Plan:
    squares: tuple[str, ...]  # . is floor, # wall; a is the key of door A
    start: Cell
    face: str
    goal: Cell
    limit: int  # commands allowed


def generate(rng: Random, knobs: Knobs) -> Plan | None:
    rows, columns = rng.sample((knobs.rows, knobs.columns), 2)
    floor = _floor(rng, rows, columns, knobs.walls)
    start = rng.choice(sorted(floor))
    reached = _reached(floor, start)
    goal = rng.choice(reached[len(reached) * 2 // 3 :])
    way = _way(floor, start, goal)[1:-1]
    # Doors that cannot be gone round, as far as there are any.
    bit = _bits_of(columns)
    whole, end = sum(map(bit, floor)), bit(goal)
    narrow = [at for at in way if not _flooded(whole & ~bit(at), bit(start), columns) & end]
    if not narrow or len(way) < 2 * knobs.keys:
        return None
    chosen = rng.sample(narrow, min(len(narrow), knobs.keys))
    others = [cell for cell in way if cell not in chosen]
    chosen += rng.sample(others, knobs.keys - len(chosen))
    doors = sorted(chosen, key=way.index)
    signs: dict[Cell, str] = {}
    for key, door in zip(KEYS, doors):
        later = set(doors[KEYS.index(key) :])
        free = [cell for cell in _reached(floor - later, start) if cell not in signs]
        free = [cell for cell in free if cell not in (start, goal)]
        if not free:
            return None
        # The farther the better: most often not on the way.
        signs[rng.choice(free[len(free) // 2 :])] = key
        signs[door] = key.upper()
    squares = tuple(
        "".join(
            signs.get((row, column), ".#"[(row, column) not in floor]) for column in range(columns)
        )
        for row in range(rows)
    )
    plan = Plan(squares, start, rng.choice(FACES), goal, 0)
    commands = _commands(plan)
    return Plan(squares, start, plan.face, goal, commands) if commands else None


def solve(plan: Plan) -> tuple[str, ...] | None:
    """A*: it has to go forward for each row and column between it and the goal."""
    rows, columns = len(plan.squares), len(plan.squares[0])

    def onward(state: State) -> Iterator[tuple[str, State]]:
        (row, column), face, keys = state
        yield "L", ((row, column), (face + 3) % 4, keys)
        yield "R", ((row, column), (face + 1) % 4, keys)
        down, right = row + SIDES[face][0], column + SIDES[face][1]
        if 0 <= down < rows and 0 <= right < columns:
            sign = plan.squares[down][right]
            if sign in "." + KEYS or sign.lower() in keys:
                yield "F", ((down, right), face, keys | {sign} if sign in KEYS else keys)

    found = guided(
        (plan.start, FACES.index(plan.face), frozenset[str]()),
        lambda state: state[0] == plan.goal,
        onward,
        lambda state: abs(state[0][0] - plan.goal[0]) + abs(state[0][1] - plan.goal[1]),
        plan.limit,
    )
    return tuple(found) if found is not None else None


def verify(plan: Plan, commands: tuple[str, ...]) -> float:
    if len(commands) > plan.limit:
        return 0.0
    signs = {
        (row, column): sign
        for row, line in enumerate(plan.squares)
        for column, sign in enumerate(line)
        if sign != "#"
    }
    here = plan.start
    down, right = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}[plan.face]
    keys = set()
    for command in commands:
        if command == "L":
            down, right = -right, down
        elif command == "R":
            down, right = right, -down
        else:
            here = here[0] + down, here[1] + right
            sign = signs.get(here, "#")
            if sign == "#" or (sign.isupper() and sign.lower() not in keys):
                return 0.0
            if sign.islower():
                keys.add(sign)
    return float(here == plan.goal)


def recheck(plan: Plan, commands: tuple[str, ...]) -> bool:
    """In two passes: first where it goes, by complex numbers; then whether that may be."""
    place = complex(plan.start[1], -plan.start[0])
    face = {"N": 1j, "E": 1, "S": -1j, "W": -1}[plan.face]
    visited = [place]
    for command in commands:
        face *= {"L": 1j, "R": -1j, "F": 1}[command]
        if command == "F":
            place += face
            visited.append(place)
    walked = [(round(-it.imag), round(it.real)) for it in visited]
    if any(min(cell) < 0 for cell in walked):
        return False
    try:
        seen = "".join(plan.squares[row][column] for row, column in walked)
    except IndexError:
        return False
    opened = all(
        sign.lower() in seen[:at] for at, sign in enumerate(seen) if sign.isalpha() and sign < "a"
    )
    return len(commands) <= plan.limit and "#" not in seen and opened and walked[-1] == plan.goal


def render(plan: Plan, style: Style) -> Prompt:
    robot, goal, wall, floor = tuple(style.pick("@*#.", "@+#-", "@$#_", "&*X.", "@!O."))
    board = "\n".join(
        "".join(
            robot
            if (row, column) == plan.start
            else goal
            if (row, column) == plan.goal
            else {"#": wall, ".": floor}.get(sign, sign)
            for column, sign in enumerate(line)
        )
        for row, line in enumerate(plan.squares)
    )
    count = sum(sign.isupper() for line in plan.squares for sign in line)
    doors = ", ".join(KEYS[:count].upper())
    keys = ", ".join(KEYS[:count])
    limit = f"{plan.limit} command{'s' if plan.limit > 1 else ''}"
    face = WORDS[plan.face]
    locks = style.pick(
        f"Capital letters ({doors}) are locked doors, small letters ({keys}) are keys, each for the"
        " door with the same letter. The robot takes a key as soon as it enters the key's square,"
        " keeps it, and can enter a door's square only with that door's key.",
        f"There are keys ({keys}) and locked doors ({doors}); key a fits door A, and so on. Going"
        " onto a key picks it up for good. Going onto a door is possible only if its key has been"
        " picked up before.",
        f"A door ({doors}) lets the robot pass if it carries the key with the same letter in"
        f" lower case ({keys}), and blocks it like a wall if not. Keys are collected by moving onto"
        " them, and never used up.",
    )
    return Prompt(
        style.pick(
            f"A robot stands on the square {robot} of this plan and faces {face}:\n\n{board}\n\n"
            f"{wall} is wall and {floor} is floor. {locks} The commands are F (one square forward,"
            " in the direction in which it faces), L (a quarter turn to the left on the spot) and R"
            " (a quarter turn to the right on the spot). It must not run into a wall or leave the"
            f" plan. Bring it to {goal} with at most {limit}.",
            f"{board}\n\nSteer the robot {robot} to {goal}. At first it faces {face} (as the plan"
            f" is seen). It knows three commands: F, go one square ahead; L, turn left by 90"
            " degrees without moving; R, turn right by 90 degrees without moving. Squares marked"
            f" {wall} and all that lies beyond the plan's edge cannot be entered; {floor} is free."
            f" {locks} You have {limit}.",
            f"Write a program of no more than {limit} that drives a robot from {robot} to {goal}."
            " F drives it forward by one square, L and R turn it to its left or right by a right"
            f" angle where it stands. At the start it faces {face}. {locks} Driving into a wall"
            f" ({wall}) or off the map is an error; {floor} is open floor. The map:\n\n{board}",
        ),
        form="the commands in order, each one of F, L and R, separated by spaces",
    )


def steps(plan: Plan) -> list[str]:
    """Each straight drive, with the turns before it and what it finds."""
    (row, column), face, lines, run = plan.start, FACES.index(plan.face), list[str](), ""
    commands = solve(plan) or ()
    for place, command in enumerate(commands):
        run += command
        face = (face + {"L": 3, "R": 1, "F": 0}[command]) % 4
        found = ""
        if command == "F":
            row, column = row + SIDES[face][0], column + SIDES[face][1]
            sign = plan.squares[row][column]
            found = f", {'key' if sign in KEYS else 'door'} {sign}" if sign.isalpha() else ""
        drives_on = commands[place + 1 : place + 2] == ("F",)
        if found or (command == "F" and not drives_on):
            where = f"row {row + 1} column {column + 1}"
            lines.append(f"{run}: {where}, looking {WORDS[FACES[face]]}{found}")
            run = ""
    return lines


def progress(plan: Plan, lines: Lines) -> float:
    return way_travelled(FAMILY, plan, lines, _onward, "([FLR]+): ", _drive)


def _drive(match: re.Match[str]) -> list[str]:
    return list(match[1])


def _onward(plan: Plan, command: str) -> Plan | None:
    """A key that is taken opens its door: both squares become floor."""
    face, squares, here = FACES.index(plan.face), plan.squares, plan.start
    face = (face + {"L": 3, "R": 1, "F": 0}[command]) % 4
    if command == "F":
        here = here[0] + SIDES[face][0], here[1] + SIDES[face][1]
        inside = 0 <= here[0] < len(squares) and 0 <= here[1] < len(squares[0])
        sign = squares[here[0]][here[1]] if inside else "#"
        if sign == "#" or sign.isupper():
            return None
        if sign.islower():
            both = str.maketrans({sign: ".", sign.upper(): "."})
            squares = tuple(line.translate(both) for line in squares)
    return replace(plan, squares=squares, start=here, face=FACES[face], limit=plan.limit - 1)


def canon(plan: Plan) -> Board[str]:
    board = [list(line) for line in plan.squares]
    for sign, (row, column) in ((plan.face, plan.start), ("*", plan.goal)):
        board[row][column] = sign
    # Turning the board would turn the face as well; a square beside it can show where it looks.
    row, column = plan.start
    down, right = SIDES[FACES.index(plan.face)]
    board[row][column] = "@"
    framed = [["#"] * (len(board[0]) + 2), *(["#", *it, "#"] for it in board)]
    framed.append(["#"] * len(framed[0]))
    framed[row + 1 + down][column + 1 + right] += "<"
    return min(turns(framed))


def hardness(plan: Plan) -> float:
    """Commands to give, and keys to fetch."""
    return plan.limit + 3 * sum(sign.isupper() for line in plan.squares for sign in line)


def _floor(rng: Random, rows: int, columns: int, walls: float) -> set[Cell]:
    """Squares in one piece: walls go up at random, as long as none is cut off by it."""
    floor = set(cells(rows, columns))
    wanted = round(len(floor) * (1 - walls))
    bit = _bits_of(columns)
    whole = sum(map(bit, floor))
    for cell in rng.sample(sorted(floor), len(floor)):
        if len(floor) <= wanted:
            break
        near = [it for it in beside(cell, rows, columns) if it in floor]
        rest = whole & ~bit(cell)
        if near and _flooded(rest, bit(near[0]), columns) == rest:
            floor.remove(cell)
            whole = rest
    return floor


def _bits_of(columns: int) -> Callable[[Cell], int]:
    """A square as a bit, with one that is never set behind each row."""
    return lambda cell: 1 << cell[0] * (columns + 1) + cell[1]


def _flooded(floor: int, start: int, columns: int) -> int:
    """The squares that can be come to, as bits."""
    flooded, before, down = start, 0, columns + 1
    while flooded != before:
        before = flooded
        flooded |= (flooded << 1 | flooded >> 1 | flooded << down | flooded >> down) & floor
    return flooded


def _reached(floor: set[Cell], start: Cell) -> list[Cell]:
    """The squares that can be come to, the nearest ones first."""
    found, seen = [start], {start}
    for row, column in found:  # which grows meanwhile
        for down, right in SIDES:
            there = row + down, column + right
            if there in floor and there not in seen:
                seen.add(there)
                found.append(there)
    return found


def _way(floor: set[Cell], start: Cell, goal: Cell) -> list[Cell]:
    """A shortest way, backwards along the squares as they were come to."""
    came: dict[Cell, Cell] = {}
    for row, column in _reached(floor, start):
        for down, right in SIDES:
            there = row + down, column + right
            if there in floor and there != start:
                came.setdefault(there, (row, column))
    way = [goal]
    while way[-1] != start:
        way.append(came[way[-1]])
    return way[::-1]


def _commands(plan: Plan) -> int:
    """The fewest commands, layer by layer; the keys are an integer with a bit for each."""
    rows, columns = len(plan.squares), len(plan.squares[0])
    border = [(*plan.start, FACES.index(plan.face), 0)]
    seen = set(border)
    for commands in range(1, 8 * rows * columns):
        fresh = []
        for row, column, face, held in border:
            after = [(row, column, (face + 1) % 4, held), (row, column, (face - 1) % 4, held)]
            down, right = row + SIDES[face][0], column + SIDES[face][1]
            if 0 <= down < rows and 0 <= right < columns:
                sign = plan.squares[down][right]
                bit = 1 << KEYS.find(sign.lower()) if sign.isalpha() else 0
                if sign != "#" and not (sign.isupper() and not held & bit):
                    then = (down, right, face, held | bit)
                    if (down, right) == plan.goal:
                        return commands
                    after.append(then)
            fresh += [it for it in after if it not in seen]
            seen.update(after)
        border = fresh
    return 0


LADDER = (
    Knobs(4, 4, 0.3, 1),
    Knobs(5, 6, 0.35, 1),
    Knobs(7, 7, 0.35, 2),
    Knobs(9, 9, 0.4, 3),
    Knobs(12, 12, 0.4, 4),
)
FAMILY = Family(
    Plan,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Moves(("F", "L", "R"), words=(("left", "L"), ("right", "R"), ("forward", "F"))),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="A* by Manhattan distance",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("planning", "search", "spatial"),
    peers=("KORGym/10-minigrid", "TextArena/BabyAiText"),
    theme="mazes",
    version=2,
)
