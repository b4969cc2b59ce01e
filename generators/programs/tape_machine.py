"""Tape machine: a program of one-letter commands runs along a tape of counters; what is printed?

There are seven commands: two to move, two to count, one to print, and a pair that makes a loop.
What they are called differs from puzzle to puzzle. Every loop counts its own cell down and comes
back to it, so that it ends. `solve` runs the program command by command with a table of jumps;
`verify` takes it apart into nested parts and runs these.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed

RIGHT, LEFT, UP, DOWN, PRINT, OPEN, CLOSE = ">", "<", "+", "-", ".", "[", "]"
COMMANDS = RIGHT + LEFT + UP + DOWN + PRINT + OPEN + CLOSE
NAMES = (COMMANDS, COMMANDS, "rludpbe", "efghxst", "adxnkqz")  # what they may be called

MOST = 6000  # commands that are carried out
LONGEST = 600  # commands of a program


@dataclass(frozen=True, slots=True)
class Knobs:
    pieces: int  # of the program
    depth: int  # of loops
    cells: int  # of the tape that the program uses
    modulus: int  # of the counters


@dataclass(frozen=True, slots=True)
class Program:
    text: str  # of the commands ><+-.[]
    names: str  # what these seven are called
    modulus: int  # cells hold numbers below it


def generate(rng: Random, knobs: Knobs) -> Program | None:
    maker = _Maker(rng, knobs)
    for at in range(knobs.pieces):
        maker.piece(knobs.depth if at % 2 else 0)
    program = Program(maker.finished(), rng.choice(NAMES), knobs.modulus)
    if len(program.text) > LONGEST:
        return None
    printed = _printed(program)
    if printed is None or not 2 <= len(printed) <= 10 + 2 * knobs.pieces:
        return None
    return program if len(set(printed)) >= 2 and "[" in program.text else None


def solve(program: Program) -> tuple[int, ...] | None:
    return _printed(program)


def verify(program: Program, numbers: tuple[int, ...]) -> float:
    tape: defaultdict[int, int] = defaultdict(int)
    printed: list[int] = []
    _run_parts(_parts(iter(program.text)), 0, tape, program.modulus, printed)
    return float(tuple(printed) == numbers)


def render(program: Program, style: Style) -> Prompt:
    right, left, up, down, show, opening, closing = tuple(program.names)
    text = program.text.translate(str.maketrans(COMMANDS, program.names))
    last = program.modulus - 1
    return Prompt(
        style.pick(
            "A machine has a tape of cells, endless in both directions. Every cell holds a number,"
            " at first 0, and the machine stands at one of the cells. Its commands are:\n"
            f"{right} : go one cell to the right\n"
            f"{left} : go one cell to the left\n"
            f"{up} : add 1 to the cell (after {last} comes 0)\n"
            f"{down} : subtract 1 from the cell (before 0 comes {last})\n"
            f"{show} : print the number in the cell\n"
            f"{opening} : if the cell holds 0, jump to just after the matching {closing}\n"
            f"{closing} : if the cell does not hold 0, jump back to just after the matching"
            f" {opening}\n\nWhat does this program print?\n\n{text}",
            f"Run this program by hand:\n\n{text}\n\nIt works on an endless row of counters, all 0"
            f" at the start, with a pointer to one of them. Counters count modulo"
            f" {program.modulus}: 0 follows {last}, and going down from 0 leads to {last}. The"
            f" command {right} moves the pointer one counter to the right, {left} one to the left;"
            f" {up} raises the counter at the pointer by one, {down} lowers it by one; {show}"
            " prints"
            f" its number. What stands between {opening} and its matching {closing} is repeated as"
            " long as the counter at the pointer is not 0; this is tested before each round, also"
            " the first. Which numbers are printed?",
            f"In a tiny language, a program is a row of commands, carried out from left to right:"
            f"\n\n{text}\n\nThere is a row of boxes without end to either side, each with 0 in it,"
            f" and a hand that points at one of them. {right} and {left} shift the hand to the next"
            f" box on the right or on the left. {up} and {down} increase and decrease the number in"
            f" the box at the hand; it stays between 0 and {last}, and 0 and {last} are neighbours"
            f" as on a dial. {show} writes that number down. {opening} and {closing} come in nested"
            " pairs and enclose a loop: as long as the number in the box at the hand is not 0 when"
            " the loop begins or has come to its end, what is enclosed is carried out (again). What"
            " is written down?",
        ),
        form="the printed numbers in order, separated by commas",
    )


def steps(program: Program) -> list[str]:
    """What the tape holds when an outermost loop is left, or a number is printed."""
    lines = []
    for done, at, tape, printed in _states(program):
        low, high = min([*tape, at]), max([*tape, at])
        cells = " ".join(
            f"({tape[place]})" if place == at else str(tape[place])
            for place in range(low, high + 1)
        )
        named = done.translate(str.maketrans(COMMANDS, program.names))
        shown = f", printed {' '.join(map(str, printed))}" if printed else ""
        lines.append(f"{named}: {cells}{shown}")
    return lines


def progress(program: Program, lines: Lines) -> float:
    return states_followed(FAMILY, program, lines)


def canon(program: Program) -> list[object]:
    return [program.text, program.modulus]


def hardness(program: Program) -> float:
    """The commands carried out; a long loop is easier a round than a short one."""
    return float(len(program.text) + _count(program) ** 0.75)


@lru_cache(maxsize=2)
def _printed(program: Program) -> tuple[int, ...] | None:
    """What is printed, command by command; None where that takes too long."""
    jumps: dict[int, int] = {}
    opened: list[int] = []
    for place, sign in enumerate(program.text):
        if sign == OPEN:
            opened.append(place)
        elif sign == CLOSE:
            jumps[place] = opened.pop()
            jumps[jumps[place]] = place
    cells, here, place, printed = [0] * (2 * LONGEST + 1), LONGEST, 0, list[int]()
    for _ in range(MOST):
        if place == len(program.text):
            return tuple(printed)
        match program.text[place]:
            case ">":
                here += 1
            case "<":
                here -= 1
            case "+":
                cells[here] = (cells[here] + 1) % program.modulus
            case "-":
                cells[here] = (cells[here] - 1) % program.modulus
            case ".":
                printed.append(cells[here])
            case "[" if not cells[here]:
                place = jumps[place]
            case "]" if cells[here]:
                place = jumps[place]
        place += 1
    return None


def _parts(signs: Iterator[str]) -> list[Any]:
    """Commands, and the inside of loops as lists."""
    parts: list[Any] = []
    for sign in signs:
        if sign == CLOSE:
            break
        parts.append(_parts(signs) if sign == OPEN else sign)
    return parts


def _run_parts(
    parts: list[Any], at: int, tape: dict[int, int], modulus: int, printed: list[int]
) -> int:
    """Carries parts out, and says where the machine stands then."""
    for part in parts:
        if isinstance(part, list):
            while tape[at] % modulus:
                at = _run_parts(part, at, tape, modulus, printed)
        elif part == PRINT:
            printed.append(tape[at] % modulus)
        else:
            at += {RIGHT: 1, LEFT: -1}.get(part, 0)
            tape[at] += {UP: 1, DOWN: -1}.get(part, 0)
    return at


def _states(program: Program) -> Iterator[tuple[str, int, dict[int, int], list[int]]]:
    at, done, depth = 0, "", 0
    tape: defaultdict[int, int] = defaultdict(int)
    for sign in program.text:
        done += sign
        depth += {OPEN: 1, CLOSE: -1}.get(sign, 0)
        if depth == 0 and sign in (CLOSE, PRINT):
            printed: list[int] = []
            at = _run_parts(_parts(iter(done)), at, tape, program.modulus, printed)
            yield done, at, {place: number % program.modulus for place, number in tape.items()} | {
                place: 0 for place in range(min([*tape, at]), max([*tape, at]) + 1)
                if place not in tape
            }, printed  # fmt: skip
            done = ""


def _count(program: Program) -> int:
    """How many commands are carried out."""

    at, tape = 0, defaultdict[int, int](int)

    def counted(parts: list[Any]) -> int:
        nonlocal at
        total = 0
        for part in parts:
            if isinstance(part, list):
                while tape[at] % program.modulus:
                    total += counted(part)
            else:
                at = _run_parts([part], at, tape, program.modulus, [])
                total += 1
        return total

    return counted(_parts(iter(program.text)))


class _Maker:
    """Writes a program piece by piece, and knows where the machine stands."""

    def __init__(self, rng: Random, knobs: Knobs) -> None:
        self.rng, self.knobs = rng, knobs
        self.at = 0
        self.text = ""

    def go(self, cell: int) -> None:
        way = cell - self.at
        self.text += RIGHT * way if way > 0 else LEFT * -way
        self.at = cell

    def count(self, cell: int, most: int) -> None:
        self.go(cell)
        self.text += self.rng.choice([UP, UP, UP, DOWN]) * self.rng.randint(1, most)

    def piece(self, depth: int) -> None:
        cell = self.rng.randrange(self.knobs.cells)
        if depth:
            self.count(cell, 3)
            self.loop(cell, depth, {cell})
            self.go(self.rng.randrange(self.knobs.cells))
        else:
            self.count(cell, 5)
        if self.rng.random() < 0.3:
            self.text += PRINT

    def loop(self, cell: int, depth: int, busy: set[int]) -> None:
        """A loop that counts its cell down, and changes only cells that no loop around it uses."""
        self.go(cell)
        self.text += OPEN
        first = self.rng.random() < 0.5
        if first:
            self.text += DOWN
        free = [other for other in range(self.knobs.cells) if other not in busy]
        for other in self.rng.sample(free, min(len(free), self.rng.randint(1, 3))):
            if depth > 1 and self.rng.random() < 0.5:
                self.loop(other, depth - 1, busy | {other})
            else:
                self.count(other, 3)
        if self.rng.random() < 0.15:
            self.text += PRINT
        self.go(cell)
        self.text += (DOWN if not first else "") + CLOSE

    def finished(self) -> str:
        for cell in self.rng.sample(range(self.knobs.cells), 2):
            self.go(cell)
            self.text += PRINT
        return self.text


LADDER = (
    Knobs(2, 1, 2, 10),
    Knobs(4, 1, 3, 10),
    Knobs(6, 2, 4, 16),
    Knobs(9, 2, 5, 32),
    Knobs(13, 3, 6, 64),
    Knobs(17, 3, 6, 64),
)
FAMILY = Family(
    Program,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="the printed numbers", notations=("lines",)),
    hardness=hardness,
    proof="unique",
    solver="a table of jumps",
    guess_rate=0.05,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("tracking", "code"),
    peers=("reasoning-gym/bf",),
    version=2,
)
