"""Programs of drawn instructions run fast: an instruction becomes closures once, for any line."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from puzzlemill.generators.worlds._instructions import BACK, Effect, Instruction, Line

Pair: TypeAlias = tuple[int, int]  # the registers that a line names
Act: TypeAlias = Callable[[list[int], list[int], Pair], bool]  # on registers and output; True: skip
Test: TypeAlias = Callable[[list[int], Pair], bool]
SIDES = {"p": 0, "q": 1}


def compiled(
    instructions: tuple[Instruction, ...], program: tuple[Line, ...]
) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """What a program prints from a start, and behind it what the registers hold in the end."""
    acts = [_act(rule) for rule in instructions]
    lines = [(acts[line[0]] if line[0] >= 0 else _idle, line[1:]) for line in program]
    times = {at: line[2] for at, line in enumerate(program) if line[0] == BACK}
    size = len(lines)

    def run(start: Sequence[int]) -> tuple[int, ...]:
        registers, printed, left = list(start), list[int](), dict(times)
        at = 0
        while at < size:
            act, pair = lines[at]
            if left.get(at):
                left[at] -= 1
                at = pair[0]
            elif act(registers, printed, pair):
                at += 2
            else:
                at += 1
        return (*printed, *registers)

    return run


def _idle(registers: list[int], printed: list[int], pair: Pair) -> bool:
    return False


@lru_cache(maxsize=1 << 12)
def _act(rule: Instruction) -> Act:
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
    "add": lambda old, given: old + given,
    "gap": lambda old, given: abs(old - given),
    "copy": lambda old, given: given,
    "times": lambda old, given: old * given,
    "halve": lambda old, given: old // 2,
    "remainder": lambda old, given: old % given,
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
