"""Instructions on a stack, a queue or a tape become closures once, which work on a list.

A stack's top is the list's end, a queue's front its start, a tape's current cell an index, the
head; what is added goes to the list's end. An effect or a condition raises IndexError where there
are too few numbers.
"""

from collections.abc import Callable
from functools import lru_cache
from operator import add, mod, mul
from typing import TypeAlias

from puzzlemill.generators.worlds._instructions import (
    BACK,
    NOTHING,
    Effect,
    Effects,
    Instruction,
    Line,
)

Held: TypeAlias = list[int]
Test: TypeAlias = Callable[[Held, int], bool]  # of what is held, and the head
Act: TypeAlias = Callable[[Held, int, list[int], int], int]  # also by n, printing; the new head
# The effects of a branch, and how many lines further the next one is; 0 for a line that goes back.
Branch: TypeAlias = tuple[tuple[Act, ...], int]
Ready: TypeAlias = tuple[Test, Branch, Branch]
# The line, what is held, the head, what is printed, and how often each line still goes back.
State: TypeAlias = tuple[int, Held, int, list[int], dict[int, int]]
Reached: TypeAlias = dict[tuple[int, bool], State]

FULL = 12  # numbers that may be held, and that may be printed before the end

CHANGES: dict[str, Callable[[int, int], int]] = {
    "add": add,
    "times": mul,
    "halve": lambda old, _: old >> 1,
    "remainder": mod,
}
JOINTS: dict[str, Callable[[int, int], int]] = {
    "sum": add,
    "gap": lambda first, second: abs(first - second),
    "greater": max,
    "smaller": min,
    "product": mul,
}


def begun(store: str, program: tuple[Line, ...], start: tuple[int, ...]) -> State:
    """The state in which a program begins."""
    left = {at: line[2] for at, line in enumerate(program) if line[0] == BACK}
    return 0, list(start[:: -1 if store == "stack" else 1]), 0, [], left


def copied(state: State) -> State:
    at, held, head, printed, left = state
    return at, held.copy(), head, printed.copy(), left.copy()


def compiled(store: str, rules: tuple[Instruction, ...]) -> dict[int, Ready]:
    """Instructions by their places, and what else a line may have in their place."""
    ready = {place: closures(store, rule) for place, rule in enumerate(rules)}
    return ready | {BACK: GONE_BACK, NOTHING: NOTHING_DONE}


def lines_of(ready: dict[int, Ready], program: tuple[Line, ...]) -> list[tuple[Ready, int]]:
    """The instruction of each line, and its number."""
    return [(ready[place], number) for place, number, _ in program]


def run(
    store: str, lines: list[tuple[Ready, int]], state: State, reached: Reached | None = None
) -> tuple[int, ...] | None:
    """What a program prints from a state on, and what is held in the end; None where too few
    numbers are held, or too many. The first state in which each line takes each of its branches is
    kept in `reached`."""
    at, held, head, printed, left = state
    size = len(lines)
    try:
        while at < size:
            (test, then, otherwise), number = lines[at]
            is_met = test(held, head)
            if reached is not None and (at, is_met) not in reached:
                reached[at, is_met] = copied((at, held, head, printed, left))
            acts, onward = then if is_met else otherwise
            for act in acts:
                head = act(held, head, printed, number)
            if len(held) > FULL or len(printed) > FULL:
                return None
            if onward:
                at += onward
            elif left[at]:
                left[at] -= 1
                at = number
            else:
                at += 1
    except IndexError:
        return None
    return (*printed, *held[:: -1 if store == "stack" else 1])


@lru_cache(maxsize=1 << 12)
def closures(store: str, rule: Instruction) -> Ready:
    condition, then, otherwise = rule
    return _test(store, condition), _branch(store, then), _branch(store, otherwise)


def _always(held: Held, head: int) -> bool:
    return True


GONE_BACK: Ready = _always, ((), 0), ((), 0)
NOTHING_DONE: Ready = _always, ((), 1), ((), 1)


def _branch(store: str, effects: Effects) -> Branch:
    acts = tuple(_act(store, effect) for effect in effects if effect != ("skip",))
    return acts, 1 + len(effects) - len(acts)


def _test(store: str, condition: Effect) -> Test:
    if not condition:
        return _always
    word, number = condition[0], condition[-1]
    if word == "many":
        return lambda held, head: len(held) > number
    # Where the number is that is worked on, and the next one; of a tape they follow the head.
    one, two = (-1, -2) if store == "stack" else (0, 1)
    if word == "larger" and store == "tape":
        return lambda held, head: held[head] > held[(head + 1) % len(held)]
    if word == "larger":
        return lambda held, head: held[one] > held[two]
    if word == "even":
        return lambda held, head: not held[one + head] & 1
    assert word == "above", word
    return lambda held, head: held[one + head] > number


@lru_cache(maxsize=1 << 10)
def _act(store: str, effect: Effect) -> Act:
    word, given = effect[0], effect[-1]
    if word in CHANGES:
        return _changing(-1 if store == "stack" else 0, CHANGES[word], given)
    return _on_tape(word, given) if store == "tape" else _on_row(word, given, store == "stack")


def _changing(one: int, change: Callable[[int, int], int], given: int | str) -> Act:
    def by_line(held: Held, head: int, printed: list[int], n: int) -> int:
        held[one + head] = change(held[one + head], n)
        return head

    def by_number(held: Held, head: int, printed: list[int], n: int) -> int:
        held[one + head] = change(held[one + head], number)
        return head

    if given == "n":
        return by_line
    number = 0 if isinstance(given, str) else given  # halving has none
    return by_number


def _on_tape(word: str, given: int | str) -> Act:
    def write(held: Held, head: int, printed: list[int], n: int) -> int:
        printed.append(held[head])
        return head

    def put(held: Held, head: int, printed: list[int], n: int) -> int:
        held[head] = n if given == "n" else int(given)
        return head

    def copy(held: Held, head: int, printed: list[int], n: int) -> int:
        held[(head + 1) % len(held)] = held[head]
        return head

    def swap(held: Held, head: int, printed: list[int], n: int) -> int:
        after = (head + 1) % len(held)
        held[head], held[after] = held[after], held[head]
        return head

    def join(held: Held, head: int, printed: list[int], n: int) -> int:
        held[head] = joint(held[head], held[(head + 1) % len(held)])
        return head

    joint = JOINTS.get(str(given), max)
    return {
        "print": write,
        "put": put,
        "copy": copy,
        "swap": swap,
        "join": join,
        "turn": lambda held, head, printed, n: (head + 1) % len(held),
        "back": lambda held, head, printed, n: (head - 1) % len(held),
        "jump": lambda held, head, printed, n: (head + held[head]) % len(held),
    }[word]


def _on_row(word: str, given: int | str, is_stack: bool) -> Act:
    one, two = (-1, -2) if is_stack else (0, 1)
    joint = JOINTS.get(str(given), max)

    def write(held: Held, head: int, printed: list[int], n: int) -> int:
        printed.append(held[one])
        return 0

    def emit(held: Held, head: int, printed: list[int], n: int) -> int:
        printed.append(held.pop(one))
        return 0

    def drop(held: Held, head: int, printed: list[int], n: int) -> int:
        held.pop(one)
        return 0

    def put(held: Held, head: int, printed: list[int], n: int) -> int:
        held.append(n if given == "n" else int(given))
        return 0

    def copy(held: Held, head: int, printed: list[int], n: int) -> int:
        held.append(held[one])
        return 0

    def size(held: Held, head: int, printed: list[int], n: int) -> int:
        held.append(len(held))
        return 0

    def swap(held: Held, head: int, printed: list[int], n: int) -> int:
        held[one], held[two] = held[two], held[one]
        return 0

    def join(held: Held, head: int, printed: list[int], n: int) -> int:
        held.append(joint(held.pop(one), held.pop(one)))
        return 0

    def flip(held: Held, head: int, printed: list[int], n: int) -> int:
        held.reverse()
        return 0

    def forth(held: Held, head: int, printed: list[int], n: int) -> int:
        held.append(held.pop(0))
        return 0

    def back(held: Held, head: int, printed: list[int], n: int) -> int:
        held.insert(0, held.pop())
        return 0

    turn, turn_back = (back, forth) if is_stack else (forth, back)
    return {
        "print": write, "emit": emit, "drop": drop, "put": put, "copy": copy, "size": size,
        "swap": swap, "join": join, "flip": flip, "turn": turn, "back": turn_back,
    }[word]  # fmt: skip
