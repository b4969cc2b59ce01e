"""Programs of drawn instructions run fast: an instruction becomes closures once, for any line."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import add, mod, mul
from typing import TypeAlias

from puzzlemill.generators.worlds._instructions import BACK, Effect, Instruction, Line
from puzzlemill.generators.worlds._program_terms import shortened_one_by_one

Pair: TypeAlias = tuple[int, int]  # the registers that a line names
Act: TypeAlias = Callable[[list[int], list[int], Pair], bool]  # on registers and output; True: skip
Test: TypeAlias = Callable[[list[int], Pair], bool]
Acting: TypeAlias = tuple[Act | None, Pair]  # what a line does; None: it goes back
Left: TypeAlias = dict[int, int]  # how often each line still goes back
State: TypeAlias = tuple[int, list[int], list[int], Left]  # line, registers, output
SIDES = {"p": 0, "q": 1}


def compiled(
    instructions: tuple[Instruction, ...], program: tuple[Line, ...]
) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """What a program prints from a start, and behind it what the registers hold in the end."""
    lines, left = _lines(instructions, program), _times(program)
    return lambda start: _run(lines, (0, list(start), [], dict(left)))


def has_idle(
    instructions: tuple[Instruction, ...],
    program: tuple[Line, ...],
    start: Sequence[int],
    output: tuple[int, ...],
    every_line: bool,
) -> bool:
    """Whether as much is printed without some effect or branch, or without some line."""
    lines, left = _lines(instructions, program), _times(program)
    places = [place for place, _, _ in program]
    for changed, rule in shortened_one_by_one(instructions):
        act = acted(rule)
        fewer = [(act, line[1]) if place == changed else line for place, line in zip(places, lines)]
        if _run(fewer, (0, list(start), [], left.copy())) == output:
            return True
    for at in range(len(lines) if every_line else 0):
        fewer = [*lines[:at], NOTHING_DONE, *lines[at + 1 :]]
        if _run(fewer, (0, list(start), [], left.copy())) == output:
            return True
    return False


@dataclass(frozen=True, slots=True)
class Trace:
    """A run of a program, from which programs with another line go on."""

    lines: list[Acting]
    output: tuple[int, ...]
    states: dict[int, State]  # in which each line is reached first


def traced(
    instructions: tuple[Instruction, ...], program: tuple[Line, ...], start: Sequence[int]
) -> Trace:
    lines, states = _lines(instructions, program), dict[int, State]()
    output = _run(lines, (0, list(start), [], _times(program)), states)
    return Trace(lines, output, states)


def with_lines(trace: Trace, at: int, others: Iterable[Acting]) -> Iterator[tuple[int, ...]]:
    """What is printed when a line is another one: until it is reached, all is the same."""
    if at not in trace.states:
        yield trace.output
        return
    _, registers, printed, left = trace.states[at]
    lines = trace.lines.copy()
    for other in others:
        lines[at] = other
        yield _run(lines, (at, registers.copy(), printed.copy(), left.copy()))


def _lines(instructions: tuple[Instruction, ...], program: tuple[Line, ...]) -> list[Acting]:
    acts = [acted(rule) for rule in instructions]
    return [
        (acts[place] if place >= 0 else None if place == BACK else _idle, (first, second))
        for place, first, second in program
    ]


def _times(program: tuple[Line, ...]) -> Left:
    return {at: line[2] for at, line in enumerate(program) if line[0] == BACK}


def _run(
    lines: list[Acting], state: State, states: dict[int, State] | None = None
) -> tuple[int, ...]:
    """The output of a program that goes on from a state; the first state at each line is kept in
    `states`."""
    at, registers, printed, left = state
    size = len(lines)
    while at < size:
        if states is not None and at not in states:
            states[at] = at, registers.copy(), printed.copy(), left.copy()
        act, pair = lines[at]
        if act is None:
            if left[at]:
                left[at] -= 1
                at = pair[0]
            else:
                at += 1
        elif act(registers, printed, pair):
            at += 2
        else:
            at += 1
    return (*printed, *registers)


def _idle(registers: list[int], printed: list[int], pair: Pair) -> bool:
    return False


NOTHING_DONE: Acting = _idle, (0, 0)


@lru_cache(maxsize=1 << 12)
def acted(rule: Instruction) -> Act:
    """An instruction as one function."""
    condition, then, otherwise = rule
    if not condition:
        return _one_by_one(then)
    test, taken, other = _tested(condition), _one_by_one(then), _one_by_one(otherwise)

    def act(registers: list[int], printed: list[int], pair: Pair) -> bool:
        chosen = taken if test(registers, pair) else other
        return chosen(registers, printed, pair)

    return act


def _one_by_one(effects: Sequence[Effect]) -> Act:
    """All of them; whether one skips a line."""
    acts = tuple(map(_effected, effects))
    if len(acts) == 1:
        return acts[0]

    def act(registers: list[int], printed: list[int], pair: Pair) -> bool:
        skipped = False
        for effect in acts:
            if effect(registers, printed, pair):
                skipped = True
        return skipped

    return act


@lru_cache(maxsize=1 << 8)
def _tested(condition: Effect) -> Test:
    word, operand, *more = condition
    side = SIDES[operand]
    if word == "even":
        return lambda registers, pair: registers[pair[side]] % 2 == 0
    if word == "less":
        other = SIDES[more[0]]
        return lambda registers, pair: registers[pair[side]] < registers[pair[other]]
    return lambda registers, pair: registers[pair[side]] > more[0]


CHANGES: dict[str, Callable[[int, int], int]] = {
    "add": add,
    "gap": lambda old, given: abs(old - given),
    "copy": lambda old, given: given,
    "times": mul,
    "halve": lambda old, given: old // 2,
    "remainder": mod,
    "larger": max,
}


@lru_cache(maxsize=1 << 10)
def _effected(effect: Effect) -> Act:
    word, *operands = effect
    if word == "skip":
        return lambda registers, printed, pair: True
    if word == "swap":
        return _swapped
    to, last = operands[0], operands[-1]
    if word == "print":
        return _printed(to)
    return _changed(CHANGES[word], SIDES[to], last)


def _swapped(registers: list[int], printed: list[int], pair: Pair) -> bool:
    one, other = pair
    registers[one], registers[other] = registers[other], registers[one]
    return False


def _printed(what: int | str) -> Act:
    def act(registers: list[int], printed: list[int], pair: Pair) -> bool:
        printed.append(what if isinstance(what, int) else registers[pair[SIDES[what]]])
        return False

    return act


def _changed(change: Callable[[int, int], int], side: int, given: int | str) -> Act:
    if isinstance(given, int):
        number = given

        def by_number(registers: list[int], printed: list[int], pair: Pair) -> bool:
            to = pair[side]
            registers[to] = change(registers[to], number)
            return False

        return by_number
    other = SIDES[given]

    def by_register(registers: list[int], printed: list[int], pair: Pair) -> bool:
        to = pair[side]
        registers[to] = change(registers[to], registers[pair[other]])
        return False

    return by_register
