"""Programs of drawn instructions run fast: an instruction becomes closures once, for any line."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import add, mod, mul
from typing import TypeAlias

from puzzlemill.generators.worlds._instructions import BACK, Effect, Instruction, Line
from puzzlemill.generators.worlds._program_terms import shortened_one_by_one

Pair: TypeAlias = tuple[int, int]  # the registers that a line names
Act: TypeAlias = Callable[[list[int], list[int], Pair], bool]  # on registers and output; True: skip
Change: TypeAlias = Callable[[list[int], list[int], Pair], None]
Test: TypeAlias = Callable[[list[int], Pair], bool]
Acting: TypeAlias = tuple[Act | None, Pair]  # what a line does; None: it goes back
Left: TypeAlias = dict[int, int]  # how often each line still goes back
State: TypeAlias = tuple[int, list[int], list[int], Left]  # line, registers, output
SIDES = {"p": 0, "q": 1}
# Of two registers, in which most instructions tell what they do: even or odd, more or less.
STATES = ((7, 20), (12, 5), (33, 34), (2, 2), (18, 11), (9, 30), (25, 3), (0, 6), (6, 1), (14, 14),
          (40, 27), (3, 8))  # fmt: skip


def compiled(
    acts: Sequence[Act], program: tuple[Line, ...]
) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """What a program prints from a start, and behind it what the registers hold in the end."""
    lines, left = _lines(acts, program), _times(program)
    return lambda start: _run(lines, (0, list(start), [], dict(left)))


def has_idle(
    instructions: tuple[Instruction, ...],
    program: tuple[Line, ...],
    start: Sequence[int],
    output: tuple[int, ...],
    every_line: bool,
) -> bool:
    """Whether as much is printed without some effect or branch, or without some line."""
    lines, left = _lines(acts_of(instructions), program), _times(program)
    places = [place for place, _, _ in program]

    def is_same(fewer: list[Acting]) -> bool:
        return _run(fewer, (0, list(start), [], left.copy())) == output

    def changed(at: int, act: Act) -> list[Acting]:
        return [(act, line[1]) if place == at else line for place, line in zip(places, lines)]

    def without(at: int) -> list[Acting]:
        return [*lines[:at], NOTHING_DONE, *lines[at + 1 :]]

    fewer_effects, one_branch = _shorter(instructions)
    return (  # what is most often the case comes first
        any(is_same(changed(*each)) for each in fewer_effects)
        or (every_line and any(is_same(without(at)) for at in range(len(lines))))
        or any(is_same(changed(*each)) for each in one_branch)
    )


def is_moot(instructions: tuple[Instruction, ...]) -> bool:
    """Whether some effect or branch changes nothing in any program, as an effect that the next one
    undoes. Found by a few states, so that `has_idle` still has the last word."""
    return any(map(_has_moot, instructions))


@lru_cache(maxsize=1 << 12)
def _has_moot(rule: Instruction) -> bool:
    act = acted(rule)
    return any(
        all(_left_by(fewer, pair) == _left_by(act, pair) for pair in STATES)
        for fewer in (acted(each) for _, each in shortened_one_by_one((rule,)))
    )


def _left_by(act: Act, state: Pair) -> tuple[list[int], list[int], bool]:
    registers, printed = list(state), list[int]()
    skips = act(registers, printed, (0, 1))
    return registers, printed, skips


@lru_cache(maxsize=32)
def _shorter(
    instructions: tuple[Instruction, ...],
) -> tuple[list[tuple[int, Act]], list[tuple[int, Act]]]:
    """By place: instructions without an effect, the last of them first, and those of one branch."""
    fewer_effects, one_branch = list[tuple[int, Act]](), list[tuple[int, Act]]()
    for at, rule in shortened_one_by_one(instructions):
        is_one = instructions[at][0] and not rule[0]
        (one_branch if is_one else fewer_effects).append((at, acted(rule)))
    return fewer_effects[::-1], one_branch


@dataclass(frozen=True, slots=True)
class Trace:
    """A run of a program, from which programs with another line go on."""

    lines: list[Acting]
    output: tuple[int, ...]
    states: dict[int, State]  # in which each line is reached first


def traced(
    instructions: tuple[Instruction, ...], program: tuple[Line, ...], start: Sequence[int]
) -> Trace:
    lines, states = _lines(acts_of(instructions), program), dict[int, State]()
    output = _run(lines, (0, list(start), [], _times(program)), states)
    return Trace(lines, output, states)


def leads_to(
    trace: Trace, at: int, others: Iterable[tuple[Act, Pair]], output: tuple[int, ...]
) -> bool:
    """Whether so much is printed when a line is one of some others: until it is reached, all is the
    same, and what follows is run once for each state that they leave."""
    if at not in trace.states:
        return trace.output == output
    _, registers, printed, left = trace.states[at]
    lines, known = trace.lines.copy(), set[tuple[int, ...]]()
    for act, pair in others:
        after, more = registers.copy(), printed.copy()
        following = at + (2 if act(after, more, pair) else 1)
        state = (following, *more, *after)
        if state in known or (more and output[: len(more)] != tuple(more)):
            continue
        if left:
            lines[at] = act, pair  # it may be carried out again
        else:
            known.add(state)
        if _run(lines, (following, after, more, left.copy())) == output:
            return True
    return False


def _lines(acts: Sequence[Act], program: tuple[Line, ...]) -> list[Acting]:
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


def acts_of(instructions: Iterable[Instruction]) -> list[Act]:
    return [acted(rule) for rule in instructions]


@lru_cache(maxsize=1 << 12)
def acted(rule: Instruction) -> Act:
    """An instruction as one function."""
    condition, *branches = rule
    then, otherwise = (
        tuple(_effected(effect) for effect in effects if effect != ("skip",))
        for effects in branches
    )
    skipped, skipped_otherwise = (("skip",) in effects for effects in branches)
    if not condition:
        return _one_by_one(then, skipped)
    test = _tested(condition)

    def act(registers: list[int], printed: list[int], pair: Pair) -> bool:
        if test(registers, pair):
            for change in then:
                change(registers, printed, pair)
            return skipped
        for change in otherwise:
            change(registers, printed, pair)
        return skipped_otherwise

    return act


def _one_by_one(changes: Sequence[Change], skipped: bool) -> Act:
    def act(registers: list[int], printed: list[int], pair: Pair) -> bool:
        for change in changes:
            change(registers, printed, pair)
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
def _effected(effect: Effect) -> Change:
    word, *operands = effect
    if word == "swap":
        return _swapped
    to, last = operands[0], operands[-1]
    if word == "print":
        return _printed(to)
    return _changed(CHANGES[word], SIDES[to], last)


def _swapped(registers: list[int], printed: list[int], pair: Pair) -> None:
    one, other = pair
    registers[one], registers[other] = registers[other], registers[one]


def _printed(what: int | str) -> Change:
    if isinstance(what, int):
        number = what
        return lambda registers, printed, pair: printed.append(number)
    side = SIDES[what]
    return lambda registers, printed, pair: printed.append(registers[pair[side]])


def _changed(change: Callable[[int, int], int], side: int, given: int | str) -> Change:
    if isinstance(given, int):
        number = given

        def by_number(registers: list[int], printed: list[int], pair: Pair) -> None:
            to = pair[side]
            registers[to] = change(registers[to], number)

        return by_number
    other = SIDES[given]

    def by_register(registers: list[int], printed: list[int], pair: Pair) -> None:
        to = pair[side]
        registers[to] = change(registers[to], registers[pair[other]])

    return by_register
