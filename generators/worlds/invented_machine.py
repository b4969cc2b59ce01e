"""Invented machine: run a program whose instructions are drawn, and tell what it prints.

The output is a function of the program. `solve` compiles each instruction to closures and runs
them; `verify` reads each line anew, as the prompt tells it. Without any effect of an instruction,
any branch of a case or any line, the machine prints something else.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.core.prose import listed
from puzzlemill.generators.worlds._instructions import NAMES, Instruction, Line
from puzzlemill.generators.worlds._machine_engine import acts_of, compiled, has_idle
from puzzlemill.generators.worlds._machine_reader import followed
from puzzlemill.generators.worlds._program_terms import (
    FAR,
    canonical,
    drawn_instructions,
    drawn_program,
    effects_of,
    end_told,
    letters_told,
    marked_branches,
    numbered,
    rule_set,
    rules_told,
    shortened_programs,
    shortened_rules,
    words,
)

DRAWS = 20  # of a program for the same instructions


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
    count = min(knobs.instructions, knobs.lines)
    cases = min(knobs.cases, count, max(0, knobs.lines - count))
    drawn = drawn_instructions(rng, count, knobs.effects, cases)
    return ruled(rng, knobs, cases, *drawn) if drawn else None


def ruled(
    rng: Random,
    knobs: Knobs,
    cases: int,
    skin: str,
    names: tuple[str, ...],
    rules: tuple[Instruction, ...],
) -> Machine | None:
    """A machine of these instructions, of which the first so many tell two cases apart."""
    count, (marked, marks) = len(rules), marked_branches(rules)
    acts = acts_of(marked)
    for _ in range(DRAWS):
        start = tuple(rng.randint(1, 12) for _ in range(knobs.registers))
        program = drawn_program(rng, count, cases, knobs.registers, knobs.lines, knobs.loops)
        output = compiled(acts, program)(start)
        if not marks.issubset(output):  # most are turned away for a branch that is never taken
            continue
        gold = tuple(number for number in output if number >= 0)
        if max(gold) < FAR and not has_idle(rules, program, start, gold, True):
            return Machine(skin, names, rules, program, start)
    return None


def solve(machine: Machine) -> tuple[int, ...]:
    return compiled(acts_of(machine.instructions), machine.program)(machine.start)


def verify(machine: Machine, printed: tuple[int, ...]) -> float:
    return float(_followed(machine)[1] == printed)


def render(machine: Machine, style: Style) -> Prompt:
    told = rules_told(machine.skin, machine.names, machine.instructions, machine.program)
    program = numbered(machine.names, machine.program)
    noun, things, printed, of = words(machine.skin)
    names = NAMES[: len(machine.start)]
    held = ", ".join(f"{name} = {number}" for name, number in zip(names, machine.start))
    meaning, end = letters_told(machine.skin), end_told(machine.skin, len(names))
    return Prompt(
        style.pick(
            f"A {noun} works on the {things} {listed(names)} with invented instructions:\n\n{told}"
            f"\n\n{meaning} The {things} hold whole numbers{of}; at the start, {held}. This is the"
            f" {noun}:\n\n{program}\n\n{end} Which numbers are {printed} in all?",
            f"The {things} {listed(names)} hold these numbers{of}: {held}. There are the following"
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
    return _followed(machine)[0]


def progress(machine: Machine, lines: Lines) -> float:
    return states_followed(FAMILY, machine, lines)


def canon(machine: Machine) -> list[object]:
    rules, program = canonical(machine.instructions, machine.program)
    return [rules, program, machine.start]


def kin(machine: Machine) -> list[str]:
    return rule_set(machine.instructions)


def without(machine: Machine) -> Iterator[Machine]:
    for rules in shortened_rules(machine.instructions):
        yield replace(machine, instructions=rules)
    for program in shortened_programs(machine.program):
        yield replace(machine, program=program)


def hardness(machine: Machine) -> float:
    """Lines that are run, times the effects of an instruction; more where there are cases."""
    return len(_followed(machine)[0]) * effects_of(machine.instructions)


def _followed(machine: Machine) -> tuple[list[str], tuple[int, ...]]:
    return followed(machine.instructions, machine.program, machine.start)


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
    version=2,
)
