"""Mode switching: a program on registers whose words mean something else in every mode.

`solve` carries the program out line by line. `verify` asks backwards for what is in a register at
the end: which line wrote it last, in which mode, and from what.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed

Line: TypeAlias = tuple[str, str, str]  # a word, a register, a register or a number; "" for nothing

REGISTERS, MODES = "ABCDEF", ("red", "green", "blue", "white")
WORDS = ("ZAP", "KIP", "LUM", "TOV", "REK", "MIB")
SHIFT, TEST = "SHIFT", "TEST"
MODULUS = 100
MEANINGS: dict[str, Callable[[int, int], int]] = {
    "add y to x": lambda x, y: x + y,
    "subtract y from x": lambda x, y: x - y,
    "set x to y": lambda x, y: y,
    "set x to y - x": lambda x, y: y - x,
    "set x to the larger of x and y": max,
    "set x to the smaller of x and y": min,
    "double x, then add y": lambda x, y: 2 * x + y,
    "multiply x by y": lambda x, y: x * y,
    "add twice y to x": lambda x, y: x + 2 * y,
    "do nothing": lambda x, y: x,
}


@dataclass(frozen=True, slots=True)
class Knobs:
    registers: int  # of the machine
    words: int  # instructions whose meaning hangs on the mode
    modes: int  # of the machine
    lines: int  # of the program
    tests: float  # share of the switches that depend on a register


@dataclass(frozen=True, slots=True)
class Program:
    starts: tuple[int, ...]  # what is in the registers at first
    meanings: tuple[tuple[str, ...], ...]  # of each word, in each mode
    lines: tuple[Line, ...]


def generate(rng: Random, knobs: Knobs) -> Program | None:
    registers, words = REGISTERS[: knobs.registers], WORDS[: knobs.words]
    meanings = tuple(tuple(rng.sample(list(MEANINGS), knobs.modes)) for _ in words)
    lines: list[Line] = []
    for at in range(knobs.lines):
        if at and lines[-1][0] in words and rng.random() < 0.3:
            if rng.random() < knobs.tests:
                lines.append((TEST, rng.choice(registers), ""))
            else:
                lines.append((SHIFT, "", ""))
            continue
        target = rng.choice(registers)
        others = [name for name in registers if name != target]
        source = rng.choice(others) if rng.random() < 0.6 else str(rng.randint(1, 9))
        lines.append((rng.choice(words), target, source))
    starts = tuple(rng.randint(1, 20) for _ in registers)
    program = Program(starts, meanings, tuple(lines))
    final, modes = _carried_out(program)
    return program if len(set(final)) > 1 and len(set(modes)) > 1 else None


def solve(program: Program) -> tuple[int, ...]:
    return _carried_out(program)[0]


def verify(program: Program, numbers: tuple[int, ...]) -> float:
    lines = program.lines

    @cache
    def mode(at: int) -> int:
        """The mode in which a line is read."""
        if at == 0:
            return 0
        word, name, _ = lines[at - 1]
        switched = word == SHIFT or (word == TEST and value(name, at - 1) % 2 == 1)
        return (mode(at - 1) + switched) % len(program.meanings[0])

    @cache
    def value(name: str, at: int) -> int:
        """What is in a register before a line."""
        for place in range(at - 1, -1, -1):
            word, target, source = lines[place]
            if word in WORDS and target == name:
                meaning = MEANINGS[program.meanings[WORDS.index(word)][mode(place)]]
                given = int(source) if source.isdecimal() else value(source, place)
                return meaning(value(name, place), given) % MODULUS
        return program.starts[REGISTERS.index(name)]

    for at in range(len(lines)):
        mode(at)  # in order, so that none is far from what is known
    registers = REGISTERS[: len(program.starts)]
    return float(tuple(value(name, len(lines)) for name in registers) == numbers)


def render(program: Program, style: Style) -> Prompt:
    registers = REGISTERS[: len(program.starts)]
    starts = ", ".join(f"{name} = {number}" for name, number in zip(registers, program.starts))
    modes = MODES[: len(program.meanings[0])]
    tables = "\n".join(
        f"{mode} mode: "
        + "; ".join(f"{word} = {kinds[at]}" for word, kinds in zip(WORDS, program.meanings))
        for at, mode in enumerate(modes)
    )
    text = "\n".join(
        f"{number}. {' '.join(part for part in line if part)}"
        for number, line in enumerate(program.lines, 1)
    )
    circle = ", ".join([*modes, modes[0]]).replace(", ", " to ")
    kinds = {word for word, *_ in program.lines}
    switches = []
    if SHIFT in kinds:
        switches.append(f"{SHIFT} switches to the next mode")
    if TEST in kinds:
        switches.append(f"{TEST} x switches to the next mode if x is odd, and does nothing if not")
    switch = "; ".join(switches) + f". The modes follow one another in a circle: {circle}."
    last = MODULUS - 1
    question = style.pick(
        f"A machine has the registers {starts}. What its words mean depends on its mode; x is the"
        " register named first after the word, y the register or number named second, and only x"
        f" changes.\n\n{tables}\n\nIt starts in {modes[0]} mode. {switch} All results are taken"
        f" modulo {MODULUS}, so that registers stay between 0 and {last} (-1 becomes {last}).\n\n"
        f"{text}\n\nWhat is in the registers after the last line?",
        f"Carry out this program:\n\n{text}\n\nThe registers hold {starts} at the start. A line"
        " such as WORD x y changes register x by means of y, a register or a number, but how it"
        f" does so depends on the mode that the machine is in:\n\n{tables}\n\nThe first mode is"
        f" {modes[0]}. {switch} Whatever leaves the range from 0 to {last} is brought back into it"
        f" by adding or subtracting {MODULUS}s. Which values are left?",
        f"The same word does different things in different modes of this machine:\n\n{tables}\n\n"
        "Here x is the first register after the word, the only one to change, and y the second"
        f" register, or a number. {switch} The machine begins in {modes[0]} mode with {starts}, and"
        f" counts modulo {MODULUS}: every result is replaced by its remainder, from 0 to {last}."
        f" Its program is\n\n{text}\n\nGive the final contents of the registers.",
    )
    return Prompt(
        question, f"the values of {', '.join(registers)} in this order, separated by commas"
    )


def steps(program: Program) -> list[str]:
    lines = []
    for at in range(len(program.lines)):
        final, modes = _carried_out(program, at + 1)
        registers = " ".join(f"{name}={number}" for name, number in zip(REGISTERS, final))
        line = " ".join(part for part in program.lines[at] if part)
        lines.append(f"{line}: {registers}, {MODES[modes[-1]]}")
    return lines


def progress(program: Program, lines: Lines) -> float:
    return states_followed(FAMILY, program, lines)


def canon(program: Program) -> list[object]:
    return [program.starts, program.meanings, program.lines]


def hardness(program: Program) -> float:
    tests = sum(word == TEST for word, *_ in program.lines)
    return len(program.lines) + tests + len(program.meanings) * len(program.meanings[0]) / 2


def _carried_out(program: Program, most: int | None = None) -> tuple[tuple[int, ...], list[int]]:
    """The registers at the end, and the mode after each line."""
    registers = dict(zip(REGISTERS, program.starts))
    mode, modes = 0, list[int]()
    for word, target, source in program.lines[:most]:
        if word == SHIFT or (word == TEST and registers[target] % 2):
            mode = (mode + 1) % len(program.meanings[0])
        elif word in WORDS:
            meaning = program.meanings[WORDS.index(word)][mode]
            given = registers[source] if source in registers else int(source)
            registers[target] = MEANINGS[meaning](registers[target], given) % MODULUS
        modes.append(mode)
    return tuple(registers.values()), modes


LADDER = (
    Knobs(2, 2, 2, 6, 0.0),
    Knobs(3, 3, 2, 12, 0.3),
    Knobs(3, 4, 3, 22, 0.6),
    Knobs(4, 5, 3, 36, 0.8),
    Knobs(5, 6, 4, 56, 0.9),
    Knobs(6, 6, 4, 90, 1.0),
)
FAMILY = Family(
    Program,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="the values of the registers"),
    notation=lambda program: answers.IntList(names=tuple(REGISTERS[: len(program.starts)])),
    hardness=hardness,
    proof="unique",
    solver="line by line",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("tracking", "rules", "code"),
    peers=("reasoning-core/rule_switching",),
    version=2,
)
