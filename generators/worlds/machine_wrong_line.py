"""Machine wrong line: which line of a program was copied wrongly, if it should have printed this?

`solve` puts every other instruction with every pair of registers into every line, and answers only
where all that print the right numbers stand in one line; `verify` looks for such a correction of
the line that is named, reading the program as the prompt tells it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, permutations
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators.worlds._instructions import BACK, NAMES, Instruction, Line
from puzzlemill.generators.worlds._machine_engine import (
    acts_of,
    compiled,
    has_idle,
    leads_to,
    traced,
)
from puzzlemill.generators.worlds._machine_reader import followed
from puzzlemill.generators.worlds._program_terms import (
    FAR,
    canonical,
    drawn_instructions,
    drawn_program,
    effects_of,
    end_told,
    letters_told,
    line_written,
    marked_branches,
    numbered,
    rule_set,
    rules_told,
    shortened_rules,
    words,
)

DRAWS = 25  # of a program for the same instructions


@dataclass(frozen=True, slots=True)
class Knobs:
    instructions: int  # that the machine has
    effects: int  # of each of them
    cases: int  # instructions that tell two cases apart
    registers: int  # of the machine
    lines: int  # of the program
    loops: int  # lines that go back


@dataclass(frozen=True, slots=True)
class Copy:
    skin: str
    names: tuple[str, ...]  # of the instructions
    instructions: tuple[Instruction, ...]
    program: tuple[Line, ...]  # with the mistake
    start: tuple[int, ...]  # what the registers hold
    output: tuple[int, ...]  # of the right program


def generate(rng: Random, knobs: Knobs) -> Copy | None:
    count = min(knobs.instructions, knobs.lines)
    cases = min(knobs.cases, count, max(0, knobs.lines - count))
    drawn = drawn_instructions(rng, count, knobs.effects, cases)
    if drawn is None:
        return None
    skin, names, rules = drawn
    at = rng.randrange(knobs.lines + knobs.loops)  # beforehand: some places are easier to tell
    marked, marks = marked_branches(rules)
    acts, marked_acts = acts_of(rules), acts_of(marked)
    for _ in range(DRAWS):
        start = tuple(rng.randint(1, 12) for _ in range(knobs.registers))
        program = drawn_program(rng, count, cases, knobs.registers, knobs.lines, knobs.loops)
        if program[at][0] == BACK:
            continue
        outcome = compiled(marked_acts, program)(start)
        output = tuple(number for number in outcome if number >= 0)
        if not marks.issubset(outcome) or max(output) >= FAR:
            continue
        if has_idle(rules, program, start, output, False):
            continue
        others = [line for line in _lines(count, knobs.registers) if line != program[at]]
        mistaken = (*program[:at], rng.choice(others), *program[at + 1 :])
        copy = Copy(skin, names, rules, mistaken, start, output)
        if compiled(acts, mistaken)(start) == output or solve(copy) != at + 1:
            continue
        if not any(list(_mended(fewer, [at])) for fewer in without(copy)):
            return copy
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(copy: Copy) -> int | None:
    lines = (at for at, line in enumerate(copy.program) if line[0] != BACK)
    found = list(islice(_mended(copy, lines), 2))
    return found[0] + 1 if len(found) == 1 else None


def verify(copy: Copy, number: int) -> float:
    return float(_correction(copy, number) is not None)


def render(copy: Copy, style: Style) -> Prompt:
    told = rules_told(copy.skin, copy.names, copy.instructions, copy.program)
    program = numbered(copy.names, copy.program)
    noun, things, printed, of = words(copy.skin)
    names = NAMES[: len(copy.start)]
    held = listed(f"{name} = {number}" for name, number in zip(names, copy.start))
    different = f" Every line, before and after correction, names two different {things}."
    meaning, end = letters_told(copy.skin) + different, end_told(copy.skin, len(names))
    output = ", ".join(map(str, copy.output))
    wrong = f"it names another instruction, other {things}, or both"
    if any(line[0] == BACK for line in copy.program):
        wrong += " (no line with BACK is wrong, and BACK does not belong in its place)"
    return Prompt(
        style.pick(
            f"A {noun} works on the {things} {listed(names)} with invented instructions:\n\n{told}"
            f"\n\n{meaning} The {things} hold whole numbers{of}; at the start, {held}. {end}\n\n"
            f"The {noun} should lead to these numbers being {printed} in all: {output}. But one"
            f" line was copied wrongly: {wrong}. This is the copy:\n\n{program}\n\nOnly one line"
            " can be corrected so that the result is right. Which is it?",
            f"Find the mistake in this {noun}:\n\n{program}\n\nWith {held} at the start, it should"
            f" bring about that exactly these numbers are {printed}: {output}. They are not, since"
            f" one line is wrong: {wrong}. All other lines are as they should be.\n\nThe"
            f" instructions:\n\n{told}\n\n{meaning} The {things} hold whole numbers{of}. {end}"
            " Changing any other line alone does not lead to the result.",
            f"Instructions:\n\n{told}\n\n{meaning}\n\n{noun.title()}:\n\n{program}\n\nStart: {held}"
            f" (whole numbers{of}). {end}\n\nAs the {noun} stands, it does not give what is"
            f" wanted, namely that {output} are {printed} in all. Exactly one of its lines is to"
            f" blame: {wrong}. Which line must be changed? No other one will do.",
        ),
        form="the number of the line",
    )


def steps(copy: Copy) -> list[str]:
    """The run of the copy, the correction, and the run that is wanted."""
    number = solve(copy) or 0
    line = _correction(copy, number)
    assert line, "the line that solve finds has a correction"
    corrected = _corrected(copy, number, line)
    return [
        "as it stands:",
        *followed(copy.instructions, copy.program, copy.start)[0],
        f"line {number} should be {line_written(copy.names, line)}:",
        *followed(copy.instructions, corrected, copy.start)[0],
    ]


def canon(copy: Copy) -> list[object]:
    rules, program = canonical(copy.instructions, copy.program)
    return [rules, program, copy.start, copy.output]


def kin(copy: Copy) -> list[str]:
    return rule_set(copy.instructions)


def without(copy: Copy) -> Iterator[Copy]:
    for rules in shortened_rules(copy.instructions):
        yield replace(copy, instructions=rules)


def hardness(copy: Copy) -> float:
    """Lines that are run times the effects of an instruction, and the corrections to try."""
    run = len(followed(copy.instructions, copy.program, copy.start)[0])
    return run * effects_of(copy.instructions) + len(copy.program) * len(copy.instructions)


def _mended(copy: Copy, places: Iterable[int]) -> Iterator[int]:
    """Which of these places must only have another line to lead to the right numbers."""
    trace, acts = traced(copy.instructions, copy.program, copy.start), acts_of(copy.instructions)
    others = [(acts[place], (p, q)) for place, p, q in _lines(len(acts), len(copy.start))]
    return (at for at in places if leads_to(trace, at, others, copy.output))


def _lines(instructions: int, registers: int) -> Iterator[Line]:
    for place in range(instructions):
        for first, second in permutations(range(registers), 2):
            yield place, first, second


def _corrected(copy: Copy, number: int, line: Line) -> tuple[Line, ...]:
    return (*copy.program[: number - 1], line, *copy.program[number:])


def _correction(copy: Copy, number: int) -> Line | None:
    """What the line should be, if that mends the program."""
    if not 1 <= number <= len(copy.program) or copy.program[number - 1][0] == BACK:
        return None
    for line in _lines(len(copy.instructions), len(copy.start)):
        corrected = _corrected(copy, number, line)
        if followed(copy.instructions, corrected, copy.start)[1] == copy.output:
            return line
    return None


LADDER = (
    Knobs(3, 1, 0, 2, 9, 0),
    Knobs(3, 1, 1, 3, 9, 0),
    Knobs(3, 2, 1, 3, 9, 0),
    Knobs(4, 2, 2, 3, 10, 0),
    Knobs(5, 2, 2, 3, 12, 1),
)
FAMILY = Family(
    Copy,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="every correction of every line",
    guess_rate=0.2,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    skills=("search", "tracking", "instructions"),
    theme="invented_machine",
    version=3,
)
