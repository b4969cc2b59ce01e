"""Programs of drawn instructions run fast: each line becomes closures once, for any start."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from puzzlemill.generators.worlds._instructions import BACK, Effect, Instruction, Line

Act: TypeAlias = Callable[[list[int], list[int]], bool]  # on registers and output; True: skip
Getter: TypeAlias = Callable[[list[int]], int]


def compiled(
    instructions: tuple[Instruction, ...], program: tuple[Line, ...]
) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """What a program prints from a start, and behind it what the registers hold in the end."""
    acts = [
        _line(instructions[place], first, second) if place >= 0 else _idle
        for place, first, second in program
    ]
    times = {at: line[2] for at, line in enumerate(program) if line[0] == BACK}

    def run(start: Sequence[int]) -> tuple[int, ...]:
        registers, printed, left = list(start), list[int](), dict(times)
        at = 0
        while at < len(acts):
            if left.get(at):
                left[at] -= 1
                at = program[at][1]
                continue
            at += 1 + acts[at](registers, printed)
        return (*printed, *registers)

    return run


def _idle(registers: list[int], printed: list[int]) -> bool:
    return False


@lru_cache(maxsize=1 << 14)
def _line(rule: Instruction, first: int, second: int) -> Act:
    """A line as one function of the registers."""
    at = {"p": first, "q": second}
    condition, then, otherwise = rule
    test = (
        TESTS[condition[0]](*(_getter(at, each) for each in condition[1:])) if condition else None
    )
    acts = [
        [_effected(first, second, effect) for effect in effects] for effects in (then, otherwise)
    ]

    def act(registers: list[int], printed: list[int]) -> bool:
        chosen = acts[0] if test is None or test(registers) else acts[1]
        return sum(effect(registers, printed) for effect in chosen) > 0

    return act


def _getter(at: dict[str, int], operand: int | str) -> Getter:
    if isinstance(operand, int):
        return lambda registers: operand
    place = at[operand]
    return lambda registers: registers[place]


TESTS: dict[str, Callable[..., Callable[[list[int]], bool]]] = {
    "less": lambda one, other: lambda registers: one(registers) < other(registers),
    "even": lambda one: lambda registers: one(registers) % 2 == 0,
    "above": lambda one, number: lambda registers: one(registers) > number(registers),
}
CHANGES: dict[str, Callable[[int, int], int]] = {
    "add": lambda old, given: old + given,
    "gap": lambda old, given: abs(old - given),
    "copy": lambda old, given: given,
    "times": lambda old, given: old * given,
    "halve": lambda old, given: old // 2,
    "remainder": lambda old, given: old % given,
    "larger": max,
}


@lru_cache(maxsize=1 << 12)  # few effects, and many lines of them
def _effected(first: int, second: int, effect: Effect) -> Act:
    at = {"p": first, "q": second}
    word, *operands = effect
    if word == "skip":
        return lambda registers, printed: True
    to = at[operands[0]]
    given = _getter(at, operands[-1])

    def change(registers: list[int], printed: list[int]) -> bool:
        if word == "print":
            printed.append(registers[to])
        elif word == "swap":
            other = at[operands[1]]
            registers[to], registers[other] = registers[other], registers[to]
        else:
            registers[to] = CHANGES[word](registers[to], given(registers))
        return False

    return change
