"""Invented machine: run a program whose instructions are drawn, and tell what it prints.

The output is a function of the program. `solve` compiles each instruction to closures and runs
them; `verify` reads each line anew, as the prompt tells it. Without any effect of an instruction,
any branch of a case or any line, the machine prints something else.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators.worlds._coinage import coined
from puzzlemill.generators.worlds._instructions import (
    SKINS,
    Effect,
    Instruction,
    described,
    instruction,
)

# The place of an instruction and its registers p and q; (BACK, line, times) goes back to a line,
# and (NOTHING, 0, 0) does nothing.
Line: TypeAlias = tuple[int, int, int]
Act: TypeAlias = Callable[[list[int], list[int]], bool]  # on registers and output; True: skip

BACK, NOTHING = -1, -2
NAMES = "ABCD"  # of the registers
FAR = 5000  # numbers are less
DRAWS = 150  # of a program for the same instructions


@dataclass(frozen=True, slots=True)
class Knobs:
    instructions: int  # that the machine has
    effects: int  # of each of them
    cases: int  # instructions that tell two cases apart
    registers: int  # of the machine
    lines: int  # of the program
    loops: int  # lines that go back


@dataclass(frozen=True, slots=True)
class Machine:
    skin: str
    names: tuple[str, ...]  # of the instructions
    instructions: tuple[Instruction, ...]
    program: tuple[Line, ...]
    start: tuple[int, ...]  # what the registers hold


def generate(rng: Random, knobs: Knobs) -> Machine | None:
    skin = rng.choice(sorted(SKINS))
    count = min(knobs.instructions, knobs.lines)
    cases = min(knobs.cases, count, max(0, knobs.lines - count))
    rules = tuple(instruction(rng, knobs.effects, place < cases) for place in range(count))
    if len(set(rules)) < count:
        return None
    names = tuple(name.upper() for name in coined(rng, count))
    for _ in range(DRAWS):
        start = tuple(rng.randint(1, 12) for _ in range(knobs.registers))
        program = _program(rng, knobs, count, cases)
        machine = Machine(skin, names, rules, program, start)
        gold = solve(machine)
        if max(gold) < FAR and all(solve(fewer) != gold for fewer in without(machine)):
            return machine
    return None


def solve(machine: Machine) -> tuple[int, ...]:
    """Every instruction becomes closures once, for each pair of registers that it gets."""
    registers, printed = list(machine.start), list[int]()
    left = {at: line[2] for at, line in enumerate(machine.program) if line[0] == BACK}
    acts = [_compiled(machine, line) for line in machine.program]
    at = 0
    while at < len(acts):
        if left.get(at):
            left[at] -= 1
            at = machine.program[at][1]
            continue
        at += 1 + acts[at](registers, printed)
    return (*printed, *registers)


def verify(machine: Machine, printed: tuple[int, ...]) -> float:
    return float(_run(machine)[1] == printed)


def render(machine: Machine, style: Style) -> Prompt:
    jars = machine.skin == "jars"
    pairs = zip(machine.names, machine.instructions, strict=True)
    told = "\n".join(f"- {described(machine.skin, name, rule)}" for name, rule in pairs)
    if any(line[0] == BACK for line in machine.program):
        told += (
            "\n- BACK m n: continue with line m, the first n times that this line is carried"
            " out; after that, it does nothing."
        )
    program = "\n".join(
        f"{number}. {_written(machine, line)}" for number, line in enumerate(machine.program, 1)
    )
    noun, things, of = ("recipe", "jars", " of pebbles") if jars else ("program", "registers", "")
    printed = "written down" if jars else "printed"
    names = _names(machine)
    held = ", ".join(f"{name} = {number}" for name, number in zip(names, machine.start))
    meaning = f"In these rules, p and q are the two {things} that a line names, in this order."
    meaning += " Each letter also stands for the number of pebbles in its jar." if jars else ""
    end = (
        f"After the last line, the contents of {_joined(names)} are {printed}, too, in this order."
    )
    return Prompt(
        style.pick(
            f"A {noun} works on the {things} {_joined(names)} with invented instructions:\n\n{told}"
            f"\n\n{meaning} The {things} hold whole numbers{of}; at the start, {held}. This is the"
            f" {noun}:\n\n{program}\n\n{end} Which numbers are {printed} in all?",
            f"The {things} {_joined(names)} hold these numbers{of}: {held}. There are the following"
            f" instructions:\n\n{told}\n\n{meaning} Follow this {noun} line by line:\n\n{program}"
            f"\n\n{end} Give all numbers that are {printed}.",
            f"{noun.title()}:\n\n{program}\n\nWhat the instructions mean:\n\n{told}\n\n{meaning}"
            f" The {noun} begins with {held} in the {things}. {end} What is the complete list of"
            f" numbers that are {printed}?",
        ),
        form=f"all numbers in the order in which they are {printed}, separated by commas",
    )


def steps(machine: Machine) -> list[str]:
    """The registers after each line that is run."""
    return _run(machine)[0]


def progress(machine: Machine, lines: Lines) -> float:
    return states_followed(FAMILY, machine, lines)


def canon(machine: Machine) -> list[object]:
    """Names and skins do not matter, nor the order of the instructions."""
    order = sorted(range(len(machine.instructions)), key=lambda at: repr(machine.instructions[at]))
    new = {place: at for at, place in enumerate(order)} | {BACK: BACK, NOTHING: NOTHING}
    rules = [machine.instructions[at] for at in order]
    return [rules, [(new[op], *rest) for op, *rest in machine.program], machine.start]


def kin(machine: Machine) -> list[str]:
    """The instructions; p and q may change places."""
    return sorted(min(repr(rule), repr(_mirrored(rule))) for rule in machine.instructions)


def without(machine: Machine) -> Iterator[Machine]:
    """One branch of a case for both; no effect in its place; nothing in a line's place."""
    for place, rule in enumerate(machine.instructions):
        for changed in _shortened(rule):
            rules = list(machine.instructions)
            rules[place] = changed
            yield replace(machine, instructions=tuple(rules))
    for at in range(len(machine.program)):
        program = list(machine.program)
        program[at] = (NOTHING, 0, 0)
        yield replace(machine, program=tuple(program))


def hardness(machine: Machine) -> float:
    """Lines that are run, times the effects of an instruction; more where there are cases."""
    effects = sum(len(then) for _, then, _ in machine.instructions)
    cases = sum(bool(condition) for condition, _, _ in machine.instructions)
    return len(_run(machine)[0]) * (effects + cases) / len(machine.instructions)


def _program(rng: Random, knobs: Knobs, count: int, cases: int) -> tuple[Line, ...]:
    """Every instruction once, those with cases twice as far as there is room, and others."""
    spare = rng.choices(range(count), k=knobs.lines - count - cases)
    places = [*range(count), *range(cases), *spare]
    rng.shuffle(places)
    program: list[Line] = [(place, *rng.sample(range(knobs.registers), 2)) for place in places]
    for _ in range(knobs.loops):
        at = rng.randint(2, len(program))
        program.insert(at, (BACK, rng.randint(max(0, at - 4), at - 2), rng.randint(1, 3)))
    return tuple(program)


def _compiled(machine: Machine, line: Line) -> Act:
    """A line as one function of the registers."""
    place, first, second = line
    if place < 0:
        return lambda registers, printed: False
    at = {"p": first, "q": second}
    condition, then, otherwise = machine.instructions[place]
    test = (
        TESTS[condition[0]](*(_getter(at, each) for each in condition[1:])) if condition else None
    )
    acts = [[_effected(at, effect) for effect in effects] for effects in (then, otherwise)]

    def act(registers: list[int], printed: list[int]) -> bool:
        chosen = acts[0] if test is None or test(registers) else acts[1]
        return sum(effect(registers, printed) for effect in chosen) > 0

    return act


Getter: TypeAlias = Callable[[list[int]], int]


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


def _effected(at: dict[str, int], effect: Effect) -> Act:
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


def _run(machine: Machine) -> tuple[list[str], tuple[int, ...]]:
    """The program as the prompt tells it: a line of words for each that is run, and the output."""
    held = dict(zip(_names(machine), machine.start))
    lines: list[str] = []
    output: list[int] = []
    reached: dict[int, int] = {}
    number = 1
    while number <= len(machine.program):
        place, first, second = machine.program[number - 1]
        following = number + 1
        if place == BACK:
            reached[number] = reached.get(number, 0) + 1
            following = first + 1 if reached[number] <= second else following
        elif place != NOTHING:
            condition, then, otherwise = machine.instructions[place]
            called = {"p": NAMES[first], "q": NAMES[second]}
            for effect in then if not condition or _holds(held, called, condition) else otherwise:
                if effect[0] == "skip":
                    following = number + 2
                elif effect[0] == "print":
                    output.append(held[called[effect[1]]])
                else:
                    _change(held, called, effect)
        after = ", ".join(f"{name} = {value}" for name, value in held.items())
        lines.append(f"line {number}: {after}")
        number = following
    return lines, (*output, *held.values())


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


def _shortened(rule: Instruction) -> Iterator[Instruction]:
    condition, then, otherwise = rule
    if condition:
        yield (), then, then
        yield (), otherwise, otherwise
        for at in range(len(otherwise)):
            yield condition, then, otherwise[:at] + otherwise[at + 1 :]
    for at in range(len(then)):
        fewer = then[:at] + then[at + 1 :]
        yield condition, fewer, otherwise if condition else fewer


def _mirrored(term: Any) -> Any:
    if isinstance(term, tuple):
        return term if term[:1] == ("swap",) else tuple(map(_mirrored, term))
    return {"p": "q", "q": "p"}.get(term, term)


def _names(machine: Machine) -> str:
    return NAMES[: len(machine.start)]


def _joined(names: str) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _written(machine: Machine, line: Line) -> str:
    place, first, second = line
    if place == BACK:
        return f"BACK {first + 1} {second}"
    return f"{machine.names[place]} {NAMES[first]} {NAMES[second]}"


LADDER = (
    Knobs(1, 1, 0, 2, 2, 0),
    Knobs(2, 1, 1, 2, 4, 0),
    Knobs(3, 2, 1, 3, 5, 1),
    Knobs(4, 2, 2, 3, 7, 1),
    Knobs(5, 2, 3, 4, 9, 2),
)
FAMILY = Family(
    Machine,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    hardness=hardness,
    proof="unique",
    solver="instructions compiled to closures",
    guess_rate=0.02,
    steps=steps,
    progress=progress,
    canon=canon,
    kin=kin,
    without=without,
    skills=("tracking", "instructions"),
)
