"""Programs of drawn instructions read line by line, as a prompt tells them."""

from collections.abc import Sequence

from puzzlemill.generators.worlds._instructions import (
    BACK,
    NAMES,
    NOTHING,
    Effect,
    Instruction,
    Line,
)


def followed(
    instructions: tuple[Instruction, ...], program: tuple[Line, ...], start: Sequence[int]
) -> tuple[list[str], tuple[int, ...]]:
    """A line of words for each that is run, and the output with the registers behind it."""
    held = dict(zip(NAMES, start))
    lines: list[str] = []
    output: list[int] = []
    reached: dict[int, int] = {}
    number = 1
    while number <= len(program):
        place, first, second = program[number - 1]
        following = number + 1
        if place == BACK:
            reached[number] = reached.get(number, 0) + 1
            following = first + 1 if reached[number] <= second else following
        elif place != NOTHING:
            skipped = carried_out(held, instructions[place], NAMES[first], NAMES[second], output)
            following += skipped
        after = ", ".join(f"{name} = {value}" for name, value in held.items())
        lines.append(f"line {number}: {after}")
        number = following
    return lines, (*output, *held.values())


def carried_out(held: dict[str, int], rule: Instruction, p: str, q: str, output: list[int]) -> bool:
    """Changes what is held and printed; whether the next line is skipped."""
    condition, then, otherwise = rule
    called = {"p": p, "q": q}
    skipped = False
    for effect in then if not condition or _holds(held, called, condition) else otherwise:
        if effect[0] == "skip":
            skipped = True
        elif effect[0] == "print":
            output.append(held[called[effect[1]]])
        else:
            _change(held, called, effect)
    return skipped


def _holds(held: dict[str, int], called: dict[str, str], condition: Effect) -> bool:
    word, operand, *more = condition
    value = held[called[operand]]
    if word == "even":
        return not value & 1
    other = held[called[more[0]]] if word == "less" else more[0]
    return other - value > 0 if word == "less" else value - other > 0


def _change(held: dict[str, int], called: dict[str, str], effect: Effect) -> None:
    word, operand, *more = effect
    name = called[operand]
    old = held[name]
    given = more[0] if more and isinstance(more[0], int) else held[called[more[0]]] if more else 0
    match word:
        case "add":
            held[name] = old - -given
        case "gap":
            held[name] = old - given if old > given else given - old
        case "copy":
            held[name] = given
        case "swap":
            held[name], held[called[more[0]]] = given, old
        case "times":
            held[name] = sum([old] * given)
        case "halve":
            held[name] = old >> 1
        case "remainder":
            held[name] = old - old // given * given
        case _:
            assert word == "larger", word
            held[name] = max(given, old)
