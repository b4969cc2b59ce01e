"""Lights out: press lamps, each of which switches its neighbours too, until every lamp is off.

Several sets of presses can darken a board, so `verify` presses the lamps named and looks. `solve`
is linear algebra: over the field of two elements a board is a sum of presses.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.generators._cells import Board as Rows
from puzzlemill.generators._cells import around, beside, drawn, turns

# What a press switches besides the lamp: the neighbours at its sides; these, on a board that wraps
# round; or those at its corners as well.
Reach = Literal["sides", "wrapped", "corners"]


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of lamps; rows and columns may change places
    columns: int  # of lamps
    presses: int  # different lamps pressed to light the board up
    reach: Reach


@dataclass(frozen=True, slots=True)
class Lamps:
    lit: tuple[tuple[int, ...], ...]  # 1 is on
    reach: Reach
    limit: int  # presses allowed


def generate(rng: Random, knobs: Knobs) -> Lamps | None:
    rows, columns = knobs.rows, knobs.columns
    if rng.random() < 0.5:
        rows, columns = columns, rows
    presses = min(knobs.presses, rows * columns)
    lit = [[0] * columns for _ in range(rows)]
    for lamp in rng.sample(range(rows * columns), presses):
        for row, column in _switched(divmod(lamp, columns), rows, columns, knobs.reach):
            lit[row][column] ^= 1
    return Lamps(tuple(map(tuple, lit)), knobs.reach, presses) if any(map(any, lit)) else None


def solve(lamps: Lamps) -> tuple[int, ...] | None:
    """Gauss elimination modulo 2; of all solutions, one with the fewest presses."""
    columns, flat = len(lamps.lit[0]), [on for row in lamps.lit for on in row]
    size = len(flat)
    rows = size // columns
    # Bit i: press i switches this lamp; the topmost bit: the lamp is on.
    equations = [on << size for on in flat]
    for press in range(size):
        for row, column in _switched(divmod(press, columns), rows, columns, lamps.reach):
            equations[row * columns + column] |= 1 << press
    solved: dict[int, int] = {}  # the pressed lamp that an equation decides, and the equation
    for place in range(size):
        equation = next((it for it in equations if it >> place & 1), 0)
        if equation:
            equations.remove(equation)
            equations = [it ^ equation if it >> place & 1 else it for it in equations]
            solved = {it: e ^ equation if e >> place & 1 else e for it, e in solved.items()}
            solved[place] = equation
    if any(equations):
        return None  # a lamp that no presses can switch off
    best = sum(1 << place for place, equation in solved.items() if equation >> size)
    pressed = best
    for change in _combined(_idle(solved, size)):
        pressed ^= change
        best = min(best, pressed, key=int.bit_count)
    return tuple(press + 1 for press in range(size) if best >> press & 1)


def verify(lamps: Lamps, pressed: tuple[int, ...]) -> float:
    rows, columns = len(lamps.lit), len(lamps.lit[0])
    if len(pressed) > lamps.limit or not all(1 <= lamp <= rows * columns for lamp in pressed):
        return 0.0
    on = {place for place in range(rows * columns) if lamps.lit[place // columns][place % columns]}
    for lamp in pressed:
        here = divmod(lamp - 1, columns)
        match lamps.reach:
            case "corners":
                near = around(here, rows, columns)
            case "sides":
                near = beside(here, rows, columns)
            case "wrapped":
                row, column = here
                near = [((row + step) % rows, column) for step in (-1, 1)]
                near += [(row, (column + step) % columns) for step in (-1, 1)]
        on ^= {row * columns + column for row, column in [here, *near]}
    return float(not on)


def recheck(lamps: Lamps, pressed: tuple[int, ...]) -> bool:
    """Lamp by lamp: it is on just if an odd number of the presses are near enough to switch it."""
    rows, columns = len(lamps.lit), len(lamps.lit[0])
    if len(pressed) > lamps.limit or min(pressed) < 1 or max(pressed) > rows * columns:
        return False
    for row in range(rows):
        for column in range(columns):
            count = 0
            for lamp in pressed:
                down, right = abs((lamp - 1) // columns - row), abs((lamp - 1) % columns - column)
                if lamps.reach == "wrapped":
                    down, right = min(down, rows - down), min(right, columns - right)
                count += max(down, right) < 2 if lamps.reach == "corners" else down + right < 2
            if count % 2 != lamps.lit[row][column]:
                return False
    return True


def render(lamps: Lamps, style: Style) -> Prompt:
    rows, columns = len(lamps.lit), len(lamps.lit[0])
    off, on = tuple(style.pick("01", ".#", "01", ".*", "-O"))
    board = drawn([[on if it else off for it in row] for row in lamps.lit])
    reach = {
        "sides": "that lamp and the lamps directly above, below, left and right of it, as far as"
        " there are any",
        "wrapped": "that lamp and the lamps directly above, below, left and right of it, on a board"
        " that wraps round: the first and the last lamp of a row count as neighbours, and so do"
        " the first and the last lamp of a column",
        "corners": "that lamp and every lamp that touches it at a side or a corner (up to eight)",
    }[lamps.reach]
    count = f"{lamps.limit} press{'es' if lamps.limit > 1 else ''}"
    numbers = (
        f"The lamps are numbered row by row: 1 to {columns} in the top row from left to right,"
        f" {columns + 1} to {2 * columns} in the second row, and so on."
    )
    return Prompt(
        style.pick(
            f'Here is a board of {rows} rows and {columns} columns of lamps ("{on}" is on, "{off}"'
            f" is off):\n\n{board}\n\nPressing a lamp switches {reach}. Switching turns a lamp on"
            f" if it is off, and off if it is on. Turn all lamps off with at most {count}."
            f" {numbers}",
            f"{board}\n\nEach sign above is a lamp: {on} for one that is lit, {off} for one that is"
            f" dark. Each press of a lamp toggles {reach}. Which lamps have to be pressed so"
            f" that no lamp is lit in the end? You have {count}, and need not use all. {numbers}",
            f"Lights out, {rows}x{columns}. A press on any lamp changes the state of {reach}: lamps"
            f" that were on go off, and lamps that were off go on. Find at most {count} that leave"
            f" the whole board dark. {numbers} The board now ({on}: on, {off}: off):\n\n{board}",
        ),
        form="the numbers of the lamps to press, in any order, separated by commas",
    )


def steps(lamps: Lamps) -> list[str]:
    """The board after each press."""
    columns = len(lamps.lit[0])
    lit, lines = [list(row) for row in lamps.lit], []
    for lamp in solve(lamps) or ():
        for row, column in _switched(divmod(lamp - 1, columns), len(lit), columns, lamps.reach):
            lit[row][column] ^= 1
        on = [
            str(row * columns + column + 1)
            for row, line in enumerate(lit)
            for column, it in enumerate(line)
            if it
        ]
        lines.append(f"press {lamp}; then on: {', '.join(on) or 'none'}")
    return lines


def progress(lamps: Lamps, lines: Lines) -> float:
    return way_travelled(FAMILY, lamps, lines, _onward, r"press (\d{1,4})\b")


def _onward(lamps: Lamps, press: int | str) -> Lamps | None:
    lit, columns = [list(row) for row in lamps.lit], len(lamps.lit[0])
    if not 1 <= int(press) <= len(lit) * columns:
        return None
    for row, column in _switched(divmod(int(press) - 1, columns), len(lit), columns, lamps.reach):
        lit[row][column] ^= 1
    return replace(lamps, lit=tuple(map(tuple, lit)), limit=lamps.limit - 1)


def canon(lamps: Lamps) -> tuple[Rows[int], str, int]:
    return min(turns(lamps.lit)), lamps.reach, lamps.limit


def hardness(lamps: Lamps) -> float:
    """Lamps to press, and lamps to choose them from."""
    return lamps.limit + len(lamps.lit) * len(lamps.lit[0])


def _switched(lamp: tuple[int, int], rows: int, columns: int, reach: Reach) -> set[tuple[int, int]]:
    """The lamps that a press switches."""
    row, column = lamp
    near = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]
    if reach == "corners":
        near += [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    lamps = {(row + down, column + right) for down, right in near}
    if reach == "wrapped":
        return {(down % rows, right % columns) for down, right in lamps}
    return {(down, right) for down, right in lamps if 0 <= down < rows and 0 <= right < columns}


def _idle(solved: dict[int, int], size: int) -> list[int]:
    """Sets of presses that together switch nothing, of which all others are combined."""
    free = [place for place in range(size) if place not in solved]
    return [
        sum((1 << place for place, it in solved.items() if it >> lamp & 1), 1 << lamp)
        for lamp in free
    ]


def _combined(sets: list[int]) -> Iterator[int]:
    """One set at a time, so that adding them in turn goes through all combinations (Gray code)."""
    for count in range(1, 1 << len(sets)):
        yield sets[(count & -count).bit_length() - 1]


LADDER = (
    Knobs(4, 5, 3, "sides"),
    Knobs(5, 5, 4, "sides"),
    Knobs(5, 6, 6, "sides"),
    Knobs(6, 6, 9, "corners"),
    Knobs(6, 7, 13, "wrapped"),
    Knobs(8, 8, 20, "wrapped"),
)
FAMILY = Family(
    Lamps,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntBag(called=("lamp",)),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="elimination modulo 2, then the lightest of all solutions",
    guess_rate=0.02,
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("linear algebra", "planning"),
    peers=("RLVE/lamp_changing", "KORGym/5-light_out_game", "TextArena/LightsOut"),
)
